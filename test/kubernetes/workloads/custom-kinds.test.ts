import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { readManifests, type Item } from "../../../src/yaml/read/items.ts";
import { findWorkloads } from "../../../src/kubernetes/workloads/find-workloads.ts";
import { templateAnnotations } from "../../../src/kubernetes/workloads/template-annotations.ts";
import type { Workload, WorkloadKind } from "../../../src/kubernetes/workloads/types.ts";
import { WORKLOAD_KINDS } from "../../../src/kubernetes/workloads/workload-kinds.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

// Each row of the table has a fixture in which its templates are stamped, and which loses these stamps without the row.
// The golden fixtures check the output itself.

const outputs = fg.sync("fixtures/workload-kinds/*/output.yaml", { cwd: ROOT }).sort();
const items: readonly Item[][] = outputs.map((path) => [
  ...readManifests(readTree(readFileSync(inRoot(path), "utf8"), path)).items,
]);
const custom = WORKLOAD_KINDS.filter((row) => row.group !== "" && !["apps", "batch", "extensions"].includes(row.group));

function found(row: WorkloadKind, kinds: readonly WorkloadKind[]): Workload[] {
  return items.flatMap((each) => {
    const ofKind = each.filter((item) => item.group === row.group && item.kind === row.kind);
    return ofKind.length === 0 ? [] : findWorkloads(ofKind, { defaultNamespace: "default", kinds });
  });
}

/** The template paths of a kind that are stamped in some fixture, with a table of kinds. */
function stampedPaths(row: WorkloadKind, kinds: readonly WorkloadKind[]): Set<string> {
  const stamped = found(row, kinds)
    .flatMap((workload) => workload.templates)
    .filter((template) => [...templateAnnotations(template).keys()].some((key) => key.includes("rollstamp.dev/")));
  return new Set(stamped.map((template) => template.annotationsField.replace(/\[\d+\]/gu, ".*")));
}

describe("custom kinds", () => {
  it("are listed in the documentation", () => {
    const page = readFileSync(inRoot("docs/reference/workloads.md"), "utf8");
    for (const { group, kind } of custom) {
      assert.ok(
        page.includes(`| ${group} |`) && new RegExp(`\\b${kind}\\b`, "u").test(page),
        `${group} ${kind} is not in docs/reference/workloads.md`,
      );
    }
  });
  for (const row of custom) {
    it(`${row.group} ${row.kind}: each path has a fixture that is stamped by it alone`, () => {
      const seen = stampedPaths(row, WORKLOAD_KINDS);
      for (const { annotations } of row.templates) {
        // A `*` for a mapping matches its keys.
        const pattern = new RegExp(
          `^${annotations
            .split(".")
            .map((step) => (step === "*" ? "[^.]+" : step))
            .join("\\.")}$`,
          "u",
        );
        assert.ok(
          [...seen].some((path) => pattern.test(path)),
          `no fixture has a stamp at ${annotations}`,
        );
      }
      assert.deepEqual(
        stampedPaths(
          row,
          WORKLOAD_KINDS.filter((other) => other !== row),
        ),
        new Set(),
      );
    });
    const paths = new Set(row.templates.flatMap(({ references }) => (references ?? []).map(({ path }) => path)));
    if (paths.size === 0) continue;
    it(`${row.group} ${row.kind}: each field that names sources has a fixture that sees them by it alone`, () => {
      const all = seenBy(row, WORKLOAD_KINDS);
      for (const path of paths) {
        const templates = row.templates.map((template) => ({
          ...template,
          references: (template.references ?? []).filter((reference) => reference.path !== path),
        }));
        const kinds = WORKLOAD_KINDS.map((other) => (other === row ? { ...row, templates } : other));
        assert.notDeepEqual(seenBy(row, kinds), all, path);
      }
    });
  }
});

/** The fields and keys that the pod templates of a kind see, with a table of kinds. */
function seenBy(row: WorkloadKind, kinds: readonly WorkloadKind[]): string[] {
  return found(row, kinds)
    .flatMap(({ templates }) => templates.flatMap(({ references }) => references))
    .map(({ field, keys }) => `${field}: ${keys === "*" ? keys : [...keys].join(", ")}`);
}
