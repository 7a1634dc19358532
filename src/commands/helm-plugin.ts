import { API_VERSION } from "../base/keys.ts";
import { BAD, DONE, type ExitStatus } from "../base/errors.ts";
import { HELM_HOOK } from "../base/hosts/helm.ts";
import type { Io } from "../platform/ports/io.ts";

/** What Helm 4's plugin calls the command by: its plugin.yaml has this argument first. */
export const HELM_PLUGIN = "helm-plugin";

/** Runs a command line with a world, as runCli does. */
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
 * A document that can't be applied, with the text where Helm quotes it. Helm takes the file name's
 * annotation off every document; that fails where `metadata` is text, and the error shows the text
 * (kyaml/yaml/fns.go, InvalidNodeKindError). What took no offence at that would be refused further on.
 */
function refusedDocument(text: string): string {
  return `${HEAD}kind: Error\nmetadata: ${block(text, "  ")}`;
}

/**
 * A document that is in no release, with the text where Helm quotes it. Helm drops what is a hook of
 * a kind that it doesn't know, and logs the kind on stderr (pkg/release/v1/util, manifest_sorter.go:
 * "skipping unknown hooks").
 */
function omittedDocument(text: string): string {
  return `${HEAD}kind: Warnings\nmetadata:\n  name: rollstamp\n  annotations:\n    ${HELM_HOOK}: ${block(text, "      ")}`;
}

const HEAD = `apiVersion: ${API_VERSION}\n`;

/** A text as a block scalar of YAML. */
function block(text: string, indent: string): string {
  const lines = text.replace(NOT_IN_YAML, "?").trimEnd().split("\n");
  return `|-\n${lines.map((line) => `${indent}${line}\n`).join("")}`;
}

/** What YAML's c-printable leaves out; control characters are written out before. */
const NOT_IN_YAML = /[^\t\n\u0020-\u007e\u0085\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]/gu;
