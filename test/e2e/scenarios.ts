/** The scenarios of fixtures/e2e: manifests, and edits of them with what they must roll. */
import { readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import fg from "fast-glob";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";
import { listAt, textAt } from "./fields.ts";

export interface Scenario {
  readonly name: string;
  /** The workloads, as kind/name, that the tool and that kubectl restarts. */
  readonly restart: string;
  readonly kubectlRestart: string;
  readonly cases: readonly Case[];
  /** The manifests, with a namespace of one's own where they name one. */
  readonly manifests: (namespace: string) => string;
}

/** An edit of the text, and the workloads (kind/name) that it concerns. */
export interface Case {
  readonly name: string;
  readonly rolls: readonly string[];
  readonly nextRun: readonly string[];
  readonly edit: (manifests: string, namespace: string) => string;
}

/** Reads all scenarios; to find none is an error. */
export function readScenarios(): readonly Scenario[] {
  const files = fg.sync("fixtures/e2e/*/cases.yaml", { cwd: inRoot(), absolute: true }).sort();
  if (files.length === 0) throw new Error("no scenario in fixtures/e2e");
  return files.map(readScenario);
}

function readScenario(file: string): Scenario {
  const read: unknown = parse(readFileSync(file, "utf8"));
  const cases = listAt(read, "cases").map(readCase);
  if (cases.length === 0) throw new Error(`${file}: no case`);
  const named = textAt(read, "namespace");
  const text = readText(inRoot(textAt(read, "manifests")));
  return {
    name: basename(dirname(file)),
    restart: textAt(read, "restart"),
    kubectlRestart: textAt(read, "kubectlRestart"),
    cases,
    manifests: (namespace) =>
      named === "" ? text : text.replaceAll(`\n  namespace: ${named}\n`, `\n  namespace: ${namespace}\n`),
  };
}

function readCase(read: unknown): Case {
  const from = textAt(read, "from");
  const to = textAt(read, "to");
  return {
    name: textAt(read, "name"),
    rolls: listAt(read, "rolls").map(String),
    nextRun: listAt(read, "nextRun").map(String),
    edit: (manifests, namespace) => {
      const [before, after, ...more] = manifests.split(from.replaceAll("NAMESPACE", namespace));
      if (before === undefined || after === undefined || more.length > 0) {
        throw new Error(`"${from}" does not stand in the manifests exactly once`);
      }
      return before + to.replaceAll("NAMESPACE", namespace) + after;
    },
  };
}

/** A file, or the files of a folder as one stream. */
function readText(path: string): string {
  const files = statSync(path).isDirectory() ? fg.sync("*.yaml", { cwd: path }).sort() : [""];
  return files.map((name) => readFileSync(join(path, name), "utf8")).join("---\n");
}
