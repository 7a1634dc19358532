// A scenario is a folder of fixtures/hosts/<host>: `input`, a tree as users have it, and
// `expect.yaml`, which says what the workloads must carry after the host has run:
//
//   build: overlays/prod              the folder that the host is given (default: input itself)
//   kpt: [eval, --exec, rollstamp]    what `kpt fn` is called with (default: render --allow-exec)
//   stamps:                           every workload that is stamped, by the name that it has in the end
//     Deployment/web:
//       configmap/env: {LEVEL: info}  annotation configmap.rollstamp.dev/env over exactly this content
//     Deployment/api:
//       combined: {configmap/env: {…}, secret/token: {…}}
//   kept:                             annotations of ours that are there before and stay
//     Deployment/web: {secret.rollstamp.dev/other: h1-…}
//   notNamed: [configmap/extra]       stamped, though no reference in the output leads there
//   edits:                            one change each, on the tree as it was
//   - what: a value that only web reads
//     file: base/env.txt
//     from: LEVEL=info
//     to: LEVEL=debug
//     restamped: [Deployment/web]     the workloads whose stamps change
//     rolled: [Deployment/web]        those whose pod template changes at all (default: restamped)
import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { combinedStampOf, stampOf, type Content } from "./expected-digest.ts";
import { mapping, optionalMapping } from "./manifests.ts";
import { root } from "./programs.ts";
import { copyOf, treeAt, type Tree } from "./trees.ts";

/** One change to a file of the tree, and the workloads that it reaches. */
export interface Edit {
  readonly what: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly restamped: readonly string[];
  readonly rolled: readonly string[];
}

/** A folder of fixtures with what is expected of it. */
export interface Scenario {
  readonly name: string;
  readonly folder: string;
  readonly build: string;
  readonly kpt: readonly string[];
  /** Workload to source (`configmap/NAME`) to the content that its digest covers; none for a combined stamp. */
  readonly contents: Readonly<Record<string, Readonly<Record<string, Content>>>>;
  /** Workload to annotation to value. */
  readonly stamps: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly notNamed: readonly string[];
  readonly edits: readonly Edit[];
}

/** The scenarios of a host. None at all is a failure: a moved folder must not pass for success. */
export function scenariosOf(host: string): readonly Scenario[] {
  const folder = join(root, "fixtures", "hosts", host);
  const names = readdirSync(folder).sort();
  assert.ok(names.length > 0, `${folder} holds no scenario`);
  return names.map((name) => readScenario(join(folder, name), name));
}

/** Copies a scenario's tree to a temporary folder. */
export function copyTree(scenario: Scenario): Tree {
  return copyOf(treeAt(join(scenario.folder, "input"), scenario.build));
}

/** Makes the change of an edit; the text that it replaces has to be there once. */
export function applyEdit(tree: Tree, edit: Edit): void {
  const file = join(tree.folder, edit.file);
  const parts = readFileSync(file, "utf8").split(edit.from);
  assert.equal(parts.length, 2, `${edit.file} holds ${parts.length - 1} times: ${edit.from}`);
  writeFileSync(file, parts.join(edit.to));
}

function readScenario(folder: string, name: string): Scenario {
  const expected = mapping(parse(readFileSync(join(folder, "expect.yaml"), "utf8")));
  const contents: Record<string, Readonly<Record<string, Content>>> = {};
  const stamps: Record<string, Readonly<Record<string, string>>> = {};
  for (const [workload, sources] of Object.entries(optionalMapping(expected["stamps"]))) {
    const { combined, ...single } = mapping(sources);
    const covered = contentsOf(combined ?? single);
    contents[workload] = covered;
    stamps[workload] = combined
      ? { "rollstamp.dev/config-hash": combinedStampOf(covered) }
      : Object.fromEntries(
          Object.entries(covered).map(([source, content]) => [
            source.replace("/", ".rollstamp.dev/"),
            stampOf(content),
          ]),
        );
  }
  for (const [workload, annotations] of Object.entries(optionalMapping(expected["kept"]))) {
    stamps[workload] = { ...stamps[workload], ...contentOf(annotations) };
  }
  return {
    name,
    folder,
    build: text(expected["build"] ?? "."),
    kpt: list(expected["kpt"] ?? ["render", "--allow-exec"]).map(text),
    contents,
    stamps,
    notNamed: texts(expected["notNamed"] ?? []),
    edits: list(expected["edits"] ?? []).map((edit) => readEdit(mapping(edit))),
  };
}

function readEdit(edit: ReturnType<typeof mapping>): Edit {
  return {
    what: text(edit["what"]),
    file: text(edit["file"]),
    from: text(edit["from"]),
    to: text(edit["to"]),
    restamped: texts(edit["restamped"]),
    rolled: texts(edit["rolled"] ?? edit["restamped"]),
  };
}

function contentsOf(sources: unknown): Readonly<Record<string, Content>> {
  return Object.fromEntries(Object.entries(mapping(sources)).map(([source, content]) => [source, contentOf(content)]));
}

function contentOf(value: unknown): Content {
  return Object.fromEntries(Object.entries(mapping(value)).map(([key, entry]) => [key, text(entry)]));
}

function texts(value: unknown): readonly string[] {
  return list(value).map(text).sort();
}

function list(value: unknown): readonly unknown[] {
  assert.ok(Array.isArray(value), `not a list: ${JSON.stringify(value)}`);
  return value;
}

function text(value: unknown): string {
  assert.ok(typeof value === "string", `not text: ${JSON.stringify(value)}`);
  return value;
}
