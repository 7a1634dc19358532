import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lateSources } from "../../../src/reports/plan/late-sources.ts";
import type { FoundBy } from "../../../src/reports/plan/planned-application.ts";
import { readSide, type Side } from "../../../src/reports/plan/side.ts";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";
import { planned } from "./planned.ts";

const annotated = (annotations: string): string => (annotations === "" ? "" : `, annotations: {${annotations}}`);
const wave = (number: number): string => `argocd.argoproj.io/sync-wave: "${number}"`;
const config = (annotations = "", name = "env"): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}${annotated(annotations)}}, data: {a: b}}\n---\n`;
const pods = (from: string): string =>
  `containers: [{name: app, image: app, envFrom: [${from === "" ? "" : `{configMapRef: {name: ${from}}}`}]}]`;
const web = (from: string, annotations = "", replicas = 2): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web${annotated(annotations)}}, spec: {replicas: ${replicas}, ` +
  `selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {${pods(from)}}}}}\n---\n`;
const job = (from: string, annotations: string, kind = "Job"): string => {
  const spec = `{template: {spec: {restartPolicy: Never, ${pods(from)}}}}`;
  return `{apiVersion: batch/v1, kind: ${kind}, metadata: {name: run${annotated(annotations)}}, spec: ${kind === "Job" ? spec : `{schedule: "@daily", jobTemplate: {spec: ${spec}}}`}}\n---\n`;
};

describe("a new source that is created after the pods that need it", () => {
  const PRE_SYNC = "argocd.argoproj.io/hook: PreSync";
  const ROWS: readonly (readonly [what: string, base: string, head: string, isFound: boolean])[] = [
    ["in a later wave", web(""), web("env") + config(wave(1)), true],
    ["in the wave of the workload", web(""), web("env", wave(1)) + config(wave(1)), false],
    ["in an earlier wave", web(""), web("env") + config(wave(-1)), false],
    ["that was there before", web("") + config(), web("env") + config(wave(1)), false],
    ["without pods", web(""), web("env", "", 0) + config(wave(1)), false],
    ["that is optional", web(""), web("env, optional: true") + config(wave(1)), false],
    ["after a hook before the sync", web(""), web("") + job("env", PRE_SYNC) + config(), true],
    [
      "after a hook that is named again and again",
      web(""),
      web("") + job("env", `${PRE_SYNC}${",PreSync".repeat(150_000)}`.replace(": ", ": '") + "'") + config(),
      true,
    ],
    ["after a hook of Helm", web(""), web("") + job("env", "helm.sh/hook: 'pre-install,pre-upgrade'") + config(), true],
    ["that is such a hook itself", web(""), web("") + job("env", PRE_SYNC) + config(PRE_SYNC), false],
    ["with a later weight", web(""), web("") + job("env", PRE_SYNC) + config(`${PRE_SYNC}, ${wave(1)}`), true],
    ["before a hook after the sync", web(""), job("env", "argocd.argoproj.io/hook: PostSync") + config(), false],
    ["of a test of a chart", web(""), job("env", "helm.sh/hook: test") + config(), false],
    [
      "with a hash in its name",
      job("env-66h9ttchm9", PRE_SYNC) + config("", "env-66h9ttchm9"),
      job("env-588t4bd59b", PRE_SYNC) + config("", "env-588t4bd59b"),
      true,
    ],
    ["for a CronJob", web(""), web("") + job("env", "", "CronJob") + config(wave(1)), false],
  ];
  for (const [what, base, head, isFound] of ROWS)
    it(what, () => {
      const { verdict, findings } = planned(base, head, { stamps: "Standing" });
      assert.equal(
        findings.some(({ id }) => id === "late-source"),
        isFound,
      );
      assert.equal(verdict?.level === "danger", isFound || !head.includes("kind: Deployment"));
    });

  const side = (text: string): Side =>
    readSide(text === "" ? [] : [readManifests(readTree(text, "a.yaml"))], CONFIG_HASH_DEFAULTS, undefined, "Standing");
  const MIGRATION = web("") + job("env", "helm.sh/hook: 'post-install,pre-upgrade'") + config();
  const APPLIED: readonly (readonly [what: string, foundBy: FoundBy, base: string, head: string, isFound: boolean])[] =
    [
      ["a wave of Argo CD", "ApplicationSet", web(""), web("env") + config(wave(1)), true],
      ["a wave in a Kustomization of Flux", "FluxKustomization", web(""), web("env") + config(wave(1)), false],
      ["a wave in a HelmRelease", "HelmRelease", web(""), web("env") + config(wave(1)), false],
      ["a hook before upgrades of Argo CD", "Application", "", MIGRATION, true],
      ["a hook before upgrades in a new HelmRelease", "HelmRelease", "", MIGRATION, false],
      ["a hook before upgrades in a HelmRelease", "HelmRelease", web(""), MIGRATION, true],
    ];
  for (const [what, foundBy, base, head, isFound] of APPLIED)
    it(`${what}: ${isFound}`, () => assert.equal(lateSources(side(base), side(head), foundBy).length > 0, isFound));
});
