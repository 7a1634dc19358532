// kubectl's own YAML parser, without a cluster: it reads the same values before and after stamping, except annotations.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import fg from "fast-glob";
import { VERSION_LABELS } from "../../src/base/hosts/chart-marks.ts";
import { KUBECTL } from "./kustomize.ts";
import { configMapOf, OTHER_TO_KUBECTL, TEXT_TO_KUBECTL } from "../support/kubectl-scalars.ts";
import { mapping } from "./manifests.ts";
import { command, root, run, unlessFound, type Program } from "./programs.ts";

const node: Program = { found: true, path: process.execPath };
const kubectl = KUBECTL.program;

/** The objects as kubectl reads them; undefined where it refuses the text. */
function readByKubectl(text: string): readonly unknown[] | undefined {
  // A command that changes objects without asking a server.
  const args = ["label", "--local", "--filename=-", "--output=json", "read-by=kubectl"];
  const { status, stdout } = run(kubectl, args, { cwd: root, env: { PATH: process.env["PATH"] }, input: text });
  if (status !== 0) return undefined;
  return stdout.split(/^(?<=\}\n)(?=\{$)/mu).map((object): unknown => withoutAnnotations(JSON.parse(object)));
}

function withoutAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(mapping(value))
    .filter(([key]) => !/annotations$/iu.test(key))
    .map(([key, inner]): [string, unknown] => [key, withoutAnnotations(inner)])
    // Where there was no metadata, a stamp brings it.
    .filter(([, inner]) => !isEmptyMapping(inner));
  return Object.fromEntries(kept);
}

/** What `versionLabels: Remove` takes out of pod templates; that it is those alone is for the fixtures to say. */
function withoutVersionLabels(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutVersionLabels);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(mapping(value))
    .filter(([key]) => !VERSION_LABELS.includes(key))
    .map(([key, inner]): [string, unknown] => [key, withoutVersionLabels(inner)])
    .filter(([, inner]) => !isEmptyMapping(inner));
  return Object.fromEntries(kept);
}

function isEmptyMapping(value: unknown): boolean {
  return value !== null && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0;
}

describe("kubectl reads the same values before and after stamping", { skip: unlessFound(kubectl) }, () => {
  // Copies of sources are other objects: test/hosts/versioned-content.test.ts reads their content.
  const ignore = ["fixtures/restart/**", "fixtures/config-hash/versioned/**"];
  const fixtures = fg.sync("fixtures/**/output.yaml", { cwd: root, ignore }).sort();
  let read = 0;

  for (const fixture of fixtures) {
    const before = readFileSync(join(root, fixture, "..", "input.yaml"), "utf8");
    const after = readFileSync(join(root, fixture), "utf8");
    if (before === after || /^kind: ResourceList$/mu.test(before)) continue;
    test(fixture, (context) => {
      // Both at once: most of the time is kubectl's start.
      const both = readByKubectl(`${before}\n---\n${after}`);
      if (both === undefined) {
        assert.equal(readByKubectl(before), undefined);
        context.diagnostic("kubectl takes neither");
        return;
      }
      read += 1;
      const kept = fixture.includes("/version-labels/") ? withoutVersionLabels : (objects: unknown): unknown => objects;
      const half = both.length / 2;
      assert.deepEqual(kept(both.slice(half)), kept(both.slice(0, half)));
    });
  }

  test("kubectl accepts most of them", () => assert.ok(read > 100, `${read} fixtures`));

  test("a thousand objects in many styles", () => {
    const corpus = run(node, [join(root, "bench", "corpus.mjs"), "mixture", "1000"], { cwd: root, env: process.env });
    const stamped = run(node, [command], { cwd: root, env: {}, input: corpus.stdout });
    assert.notEqual(stamped.stdout, corpus.stdout);
    const given = readByKubectl(corpus.stdout);
    assert.ok(given !== undefined && given.length > 900, "kubectl reads them");
    assert.deepEqual(readByKubectl(stamped.stdout), given);
  });
});

describe("kubectl's bare values", { skip: unlessFound(kubectl) }, () => {
  const dataOf = (values: readonly string[]): unknown[] => {
    const [object] = readByKubectl(configMapOf(values)) ?? [];
    return Object.values(mapping(mapping(object)["data"]));
  };

  test("values with a warning are not strings in kubectl", () => {
    for (const value of OTHER_TO_KUBECTL) {
      const [read] = dataOf([value]);
      assert.ok(read !== undefined && typeof read !== "string", `${value}: ${JSON.stringify(read)}`);
    }
  });

  test("all others are the same strings", () =>
    assert.deepEqual(dataOf(TEXT_TO_KUBECTL).toSorted(), [...TEXT_TO_KUBECTL].toSorted()));
});
