import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIG_HASH_DEFAULTS, type ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { analyse } from "../../../src/stamping/pipeline.ts";
import { readTree } from "../../support/trees.ts";

// Every combination of Reloader's annotations that decide about one referenced ConfigMap, against its
// decision written down as its ShouldReload makes it (pkg/common/common.go, v1.4).

const DOMAIN = "reloader.stakater.com";
const CHOICES = {
  [`${DOMAIN}/auto`]: [undefined, "true", "false", "maybe"],
  [`configmap.${DOMAIN}/auto`]: [undefined, "1", "f"],
  [`${DOMAIN}/search`]: [undefined, "true"],
  [`configmap.${DOMAIN}/reload`]: [undefined, "config", "other"],
  [`configmaps.exclude.${DOMAIN}/reload`]: [undefined, " config"],
} as const;
const POD_CHOICES = {
  [`${DOMAIN}/auto`]: [undefined, "true"],
  [`configmap.${DOMAIN}/reload`]: [undefined, "config"],
} as const;

type Annotations = Readonly<Record<string, string>>;

function combinations(choices: Readonly<Record<string, readonly (string | undefined)[]>>): Annotations[] {
  return Object.entries(choices).reduce<Annotations[]>(
    (all, [key, values]) =>
      all.flatMap((before) => values.map((value) => (value === undefined ? before : { ...before, [key]: value }))),
    [{}],
  );
}

const isTrue = (text: string | undefined): boolean => ["1", "t", "T", "TRUE", "true", "True"].includes(text ?? "");

/** Whether Reloader would watch the ConfigMap `config` for a workload that references it. */
function watches(own: Annotations, pod: Annotations, source: Annotations, autoReloadAll: boolean): boolean {
  if (source[`${DOMAIN}/ignore`] === "true") return false;
  const keys = [`configmap.${DOMAIN}/reload`, `${DOMAIN}/auto`, `configmap.${DOMAIN}/auto`, `${DOMAIN}/search`];
  const used = keys.some((key) => key in own) ? own : pod;
  const excluded = (own[`configmaps.exclude.${DOMAIN}/reload`] ?? "").split(",").map((name) => name.trim());
  if (excluded.includes("config")) return false;
  if ((used[`configmap.${DOMAIN}/reload`] ?? "").split(",").includes("config")) return true;
  if (used[`${DOMAIN}/search`] === "true" && source[`${DOMAIN}/match`] === "true") return true;
  const auto = used[`${DOMAIN}/auto`] ?? "";
  const typed = used[`configmap.${DOMAIN}/auto`] ?? "";
  return isTrue(auto) || isTrue(typed) || (auto === "" && typed === "" && autoReloadAll);
}

interface Case {
  readonly workload: Annotations;
  readonly pod: Annotations;
}

const cases: readonly Case[] = combinations(CHOICES).flatMap((own) =>
  combinations(POD_CHOICES).map((pod) => ({ workload: own, pod })),
);

/** A ConfigMap and a Deployment for each case. */
function input(source: Annotations): string {
  const config = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "config", annotations: source },
    data: { a: "1" },
  };
  const deployments = cases.map(({ workload: own, pod }, i) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `case-${i}`, annotations: own },
    spec: {
      template: {
        metadata: { annotations: pod },
        spec: { containers: [{ name: "app", envFrom: [{ configMapRef: { name: "config" } }] }] },
      },
    },
  }));
  return JSON.stringify({ apiVersion: "v1", kind: "List", items: [config, ...deployments] });
}

describe("Reloader's precedence", () => {
  it("has many cases", () => assert.ok(cases.length > 500, String(cases.length)));
  for (const selection of ["Annotated", "All"] as const) {
    for (const source of combinations({
      [`${DOMAIN}/match`]: [undefined, "true"],
      [`${DOMAIN}/ignore`]: [undefined, "true"],
    })) {
      it(`with selection: ${selection} and a source with ${JSON.stringify(source)}`, () => {
        const spec: ConfigHashSpec = { ...CONFIG_HASH_DEFAULTS, selection, compat: ["Reloader"], missing: "Ignore" };
        const { desired } = analyse([readManifests(readTree(input(source), "cases"))], spec);
        assert.equal(desired.length, cases.length);
        cases.forEach(({ workload: own, pod }, i) => {
          assert.equal(
            desired[i]?.stamps.has("configmap.rollstamp.dev/config"),
            watches(own, pod, source, selection === "All"),
            JSON.stringify({ own, pod }),
          );
        });
      });
    }
  }
});
