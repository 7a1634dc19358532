import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { inRoot } from "../support/paths.ts";

// What is written twice drifts: two spellings of these facts have been defects. Each has one place, and code that
// needs it asks there. Comments may name them, and so may what people read: texts of help and of remedies.

interface Fact {
  readonly what: string;
  /** How it is written, in its place or in a second one. */
  readonly written: RegExp;
  readonly place: string;
}

const FACTS: readonly Fact[] = [
  { what: "kustomize's hash suffix", written: /2456789bcdfghkmt/u, place: "src/base/hosts/kustomize.ts" },
  { what: "kustomization file names", written: /kustomization\.ya?ml["'`]/u, place: "src/base/hosts/kustomize.ts" },
  {
    what: "fields that name kustomizations",
    written: /["'`](?:bases|validators)["'`]|\bvalidators: /u,
    place: "src/base/hosts/kustomize.ts",
  },
  { what: "a digest's text form", written: /["'`/^(][hk]1-|\[hk\]1|\[hk\]\d/u, place: "src/base/digest/hash-v1.ts" },
  {
    what: "a chart's checksums",
    written: /checksum\\\/\.|\[0-9a-f\]\{(?:32|40|64)\}/u,
    place: "src/base/hosts/chart-marks.ts",
  },
  { what: "Chart.yaml", written: /["'`/]Chart\.yaml["'`]/u, place: "src/base/hosts/helm.ts" },
  {
    what: "a chart's dependencies",
    written: /["'`/]requirements\.yaml["'`]|startsWith\("file:/u,
    place: "src/base/hosts/helm.ts",
  },
  { what: "Helm's hooks", written: /["'`]helm\.sh\/(?!chart)/u, place: "src/base/hosts/helm.ts" },
  { what: "charts' version labels", written: /["'`]helm\.sh\/chart/u, place: "src/base/hosts/chart-marks.ts" },
  { what: "last-applied", written: /last-applied-configuration/u, place: "src/base/hosts/kubectl.ts" },
  {
    what: "kubectl's restarts",
    written: /kubectl\.kubernetes\.io\/restartedAt/u,
    place: "src/base/hosts/kubectl.ts",
  },
  { what: "hosts' annotations", written: /config\.kubernetes\.io/u, place: "src/base/hosts/krm.ts" },
  { what: "Reloader's annotations", written: /reloader(?:\\)?\.stakater/u, place: "src/base/hosts/peers.ts" },
  { what: "Wave's annotations", written: /wave(?:\\)?\.pusher/u, place: "src/base/hosts/peers.ts" },
  {
    what: "lists of containers",
    written: /["'`]ephemeralContainers["'`]/u,
    place: "src/kubernetes/workloads/containers.ts",
  },
  {
    what: "kinds that pods can name",
    written: /"ConfigMap", "Secret", "Sec|configmap\|secret/u,
    place: "src/base/referenced-kinds.ts",
  },
  { what: "short names of kinds", written: /\bsts\b/u, place: "src/base/kind-names.ts" },
  {
    what: "words beside a number",
    written: /=== 1 \? (?:one : many|["'`](?:["'`]|[a-z]+["'`] : ["'`][a-z]+s["'`]))/u,
    place: "src/base/words.ts",
  },
  {
    what: "names of manifests",
    written: /ya?ml\|ya?ml\|json|["'`]\.ya?ml["'`]/u,
    place: "src/yaml/read/manifest-text.ts",
  },
  { what: "links that lead out", written: /link leads out/u, place: "src/base/inside.ts" },
  {
    what: "a list that a key gets longer",
    written: /const (\w+) = (\w+)\.get\([^;]*\);\s*if \(\1 === undefined\) \2\.set\([^;]*\);\s*else \1\.push\(/u,
    place: "src/base/grouped.ts",
  },
  { what: "our API version", written: /rollstamp\.dev\/v1/u, place: "src/base/keys.ts" },
];

const FILES = fg
  .sync(["src/**/*.ts", "functions/**/*.ts", "pages/*.ts"], { cwd: inRoot("."), ignore: ["**/*.d.ts"] })
  .sort();

/** The code of a file, without the lines of its comments. */
function codeOf(file: string): string {
  const lines = readFileSync(inRoot(file), "utf8").split("\n");
  return lines.filter((line) => !/^\s*(?:\/\/|\/\*|\*)/u.test(line)).join("\n");
}

describe("each fact is stated once", () => {
  const code = new Map(FILES.map((file) => [file, codeOf(file)]));

  for (const { what, written, place } of FACTS) {
    it(what, () => {
      assert.match(code.get(place) ?? "", written, "the pattern finds it where it stands");
      const elsewhere = [...code].filter(([file, text]) => file !== place && written.test(text)).map(([file]) => file);
      assert.deepEqual(elsewhere, [], `${place} has it`);
    });
  }
});
