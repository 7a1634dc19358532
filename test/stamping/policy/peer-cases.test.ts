import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { readConfigHash } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { analyse } from "../../../src/stamping/pipeline.ts";
import { templateAnnotations } from "../../../src/kubernetes/workloads/template-annotations.ts";
import { inRoot } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

// What the golden fixtures of fixtures/peers/ are to show, said in words: the goldens hold the bytes,
// this holds what is equal and what differs in them.

/** The stamps of each workload of a fixture's output, by `namespace/name`. */
function stampsOf(fixture: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const path = `fixtures/peers/${fixture}/output.yaml`;
  const manifests = readManifests(readTree(readFileSync(inRoot(path), "utf8"), path));
  const { workloads } = analyse([manifests], readConfigHash(null));
  return new Map(
    workloads.map(({ namespace, item, templates }) => {
      const stamps = templates.flatMap((template) => [...templateAnnotations(template)]);
      return [
        `${namespace}/${item.name}`,
        Object.fromEntries(stamps.filter(([key]) => /rollstamp\.dev\/(?!restartedAt)/u.test(key))),
      ];
    }),
  );
}

/** The keys of the stamps of a workload, without their domain. */
function sourcesOf(fixture: string, workload: string): string[] {
  const stamps = stampsOf(fixture).get(workload);
  assert.ok(stamps !== undefined, `${fixture} has no workload ${workload}`);
  return Object.keys(stamps)
    .map((key) => key.replace(".rollstamp.dev", ""))
    .sort();
}

const CHANGED: readonly [fixture: string, before: string, after: string][] = [
  ["01-data-changes", "before/web", "after/web"],
  ["03-key-added-or-removed", "before/web", "added/web"],
  ["03-key-added-or-removed", "before/web", "removed/web"],
  ["04-data-and-binary-data", "text/web", "bytes/web"],
  ["04-data-and-binary-data", "text/web", "both/web"],
  ["04-data-and-binary-data", "both/web", "changed/web"],
  ["05-key-reference", "before/web", "after/web"],
  ["06-projected", "before/web", "config-changed/web"],
  ["06-projected", "before/web", "secret-changed/web"],
  ["25-no-collisions", "one-key/web", "two-keys/web"],
  ["26-same-names", "blue/web", "green/web"],
];

const SAME: typeof CHANGED = [
  ["02-labels-change", "before/web", "after/web"],
  ["10-typed-auto", "before/web", "after/web"],
  ["20-unused-key-changes", "before/web", "after/web"],
  ["21-order-of-references", "before/web", "after/web"],
  ["25-no-collisions", "as-text/web", "as-bytes/web"],
];

const STAMPED: readonly [fixture: string, workload: string, sources: readonly string[]][] = [
  ["07-init-container", "default/web", ["configmap/setup-env", "configmap/setup-files"]],
  ["08-named-without-reference", "default/web", ["configmap/routes", "secret/token"]],
  ["09-auto-without-reference", "default/web", []],
  ["10-typed-auto", "before/web", ["configmap/config"]],
  ["11-auto-with-exclude", "default/web", ["configmap/config", "secret/login"]],
  ["12-search-and-match-need-each-other", "default/searching", []],
  ["12-search-and-match-need-each-other", "default/silent", []],
  ["13-search-on-one-of-two", "default/searching", ["configmap/config"]],
  ["13-search-on-one-of-two", "default/silent", []],
  ["14-ignore", "default/by-auto", ["configmap/other"]],
  ["14-ignore", "default/by-name", ["configmap/other"]],
  ["15-regular-expression", "default/web", ["configmap/app-config-a", "configmap/app-config-b"]],
  ["16-bad-expression", "default/web", ["configmap/app-config"]],
  ["17-annotations-on-the-template", "default/web", ["configmap/config", "secret/login"]],
  ["18-auto-for-all-opted-out", "default/silent", ["configmap/config", "secret/login"]],
  ["18-auto-for-all-opted-out", "default/out", []],
  ["18-auto-for-all-opted-out", "default/out-for-secrets", ["configmap/config"]],
  ["18-auto-for-all-opted-out", "default/out-but-named", ["configmap/config"]],
  ["18-auto-for-all-opted-out", "default/out-but-for-secrets", ["secret/login"]],
  ["19-no-annotation", "default/web", []],
  ["22-missing", "default/web", ["configmap/config"]],
  ["23-container-removed", "default/web", ["configmap/config"]],
  ["24-other-annotations-stay", "default/web", ["configmap/config"]],
  ["25-no-collisions", "names/web", ["configmap/app-config", "configmap/app.config"]],
  ["26-same-names", "blue/web", ["configmap/app", "secret/app"]],
  ["27-opting-out-removes", "default/web", []],
  ["blog-example", "default/with-reloader", ["configmap/config"]],
  ["blog-example", "default/without-reloader", []],
  ["alternation-is-grouped", "default/grouped", ["configmap/app", "configmap/db"]],
  ["repetition-keeps-its-comma", "default/web", ["configmap/aab", "configmap/b"]],
];

describe("the cases of the peers' own tests", () => {
  for (const [fixture, before, after] of CHANGED) {
    it(`${fixture}: the stamps of ${before} and ${after} differ`, () => {
      const stamps = stampsOf(fixture);
      assert.notDeepEqual(stamps.get(before), stamps.get(after));
      assert.deepEqual(
        Object.keys(stamps.get(before) ?? {}),
        Object.keys(stamps.get(after) ?? {}),
        "of the same sources",
      );
    });
  }
  for (const [fixture, before, after] of SAME) {
    it(`${fixture}: the stamps of ${before} and ${after} are the same`, () => {
      const stamps = stampsOf(fixture);
      assert.ok(Object.keys(stamps.get(before) ?? {}).length > 0, "there are stamps");
      assert.deepEqual(stamps.get(before), stamps.get(after));
    });
  }
  for (const [fixture, workload, sources] of STAMPED) {
    it(`${fixture}: ${workload} has stamps of ${sources.join(" and ") || "nothing"}`, () => {
      assert.deepEqual(sourcesOf(fixture, workload), sources);
    });
  }
});
