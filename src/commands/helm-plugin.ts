import { API_VERSION } from "../base/keys.ts";
import { BAD, DONE, type ExitStatus } from "../base/errors.ts";
import { HELM_HOOK } from "../base/hosts/helm.ts";
import type { Io } from "../platform/ports/io.ts";

/** The first argument in the plugin.yaml of Helm 4's plugin. */
export const HELM_PLUGIN = "helm-plugin";

/** Older versions of Helm have no such plugins. */
const HELM_4 = "4.0.0";

/** Runs a command line, as runCli does. */
export type RunCommandLine = (args: readonly string[], io: Io) => Promise<ExitStatus>;

/**
 * The function as Helm 4's post-renderer plugin; `args` are those of `fn`, from
 * --post-renderer-args. Helm 4 hides what a post-renderer writes to stderr (internal/plugin,
 * runtime_subprocess.go). So an error goes to stdout as a document that Helm refuses and quotes, and
 * warnings as a document that Helm leaves out of the release and quotes in its log.
 */
export async function runHelmPlugin(args: readonly string[], io: Io, run: RunCommandLine): Promise<ExitStatus> {
  let messages = "";
  let output = "";
  const status = await run(["fn", ...args], {
    ...io,
    context: { ...io.context, helmVersion: () => HELM_4 },
    writeStderr: (text) => {
      messages += text;
    },
    writeStdout: (text) => {
      output += text;
      return Promise.resolve();
    },
  });
  try {
    const stamped = messages === "" ? output : `${omittedDocument(messages)}---\n${output}`;
    await io.writeStdout(status === DONE ? stamped : refusedDocument(messages));
    return DONE;
  } catch {
    return BAD;
  }
}

/**
 * A document that Helm refuses, with the text where Helm quotes it. Helm removes the annotation with the file name from every
 * document; this fails if `metadata` is a string, and the error shows the string (kyaml/yaml/fns.go, InvalidNodeKindError).
 */
function refusedDocument(text: string): string {
  return `${HEAD}kind: Error\nmetadata: ${block(text, "  ")}`;
}

/**
 * A document that Helm leaves out of the release, with the text where Helm quotes it. Helm skips a hook of an unknown type and
 * logs the type on stderr (pkg/release/v1/util, manifest_sorter.go: "skipping unknown hooks").
 */
function omittedDocument(text: string): string {
  return `${HEAD}kind: Warnings\nmetadata:\n  name: rollstamp\n  annotations:\n    ${HELM_HOOK}: ${block(text, "      ")}`;
}

const HEAD = `apiVersion: ${API_VERSION}\n`;

/** A block scalar of YAML. */
function block(text: string, indent: string): string {
  const lines = text.replace(NOT_IN_YAML, "?").trimEnd().split("\n");
  return `|-\n${lines.map((line) => `${indent}${line}\n`).join("")}`;
}

/** Characters outside of YAML's c-printable. Control characters are escaped before. */
const NOT_IN_YAML = /[^\t\n\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu;
