import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextText } from "../../../src/output/plan-words.ts";
import type { Next } from "../../../src/reports/plan/planned-workload.ts";
import { planPart } from "../../../src/reports/plan/plan.ts";
import { readSide } from "../../../src/reports/plan/side.ts";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";
import { planned, workload } from "./planned.ts";

const made = (labels: string, kind = "Deployment", more = ""): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web}, spec: {selector: {matchLabels: ${labels}}${more}, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: app, image: a}]}}}}\n`;
const service = (name: string, selector: string): string =>
  `---\n{apiVersion: v1, kind: Service, metadata: {name: ${name}}, spec: {selector: ${selector}}}\n`;
const OLD = "{app: web}";
const NEW = "{app: web, team: store}";
const CLAIMS = ", volumeClaimTemplates: [{metadata: {name: data}}]";

const next = (base: string, head: string): Next | undefined => workload(planned(base, head), "web").next;
const keep = (given: Partial<Extract<Next, { readonly id: "keep-selector" }>> = {}): Next => ({
  id: "keep-selector",
  services: [],
  ...given,
});

describe("what to do about a changed selector", () => {
  const ROWS: readonly (readonly [string, Next | undefined, Next])[] = [
    ["of a Deployment", next(made(OLD), made(NEW)), keep({ kustomization: "" })],
    ["of a DaemonSet", next(made(OLD, "DaemonSet"), made(NEW, "DaemonSet")), keep({ kustomization: "" })],
    [
      "of a StatefulSet with volumes",
      next(made(OLD, "StatefulSet", CLAIMS), made(NEW, "StatefulSet", CLAIMS)),
      keep({ kustomization: "", hasVolumes: true }),
    ],
    ["whose label has another value", next(made(NEW), made("{app: web, team: shop}")), keep()],
    ["that loses a label", next(made(NEW), made(OLD)), keep()],
    [
      "with an expression, which kustomize does not write",
      next(
        made(OLD),
        made(OLD).replace(
          "matchLabels: {app: web}",
          "matchLabels: {app: web}, matchExpressions: [{key: a, operator: Exists}]",
        ),
      ),
      keep(),
    ],
    [
      "beside Services that select the new labels",
      next(
        made(OLD) + service("a", OLD) + service("b", OLD),
        made(NEW) + service("a", NEW) + service("b", OLD) + service("c", NEW),
      ),
      keep({ kustomization: "", services: ["a", "c"] }),
    ],
    [
      "that is no selector",
      next(made(OLD, "StatefulSet", ", serviceName: a"), made(OLD, "StatefulSet", ", serviceName: b")),
      { id: "rollout", text: "Delete the object and apply it again, or rename it." },
    ],
  ];
  for (const [what, found, expected] of ROWS) it(what, () => assert.deepEqual(found, expected));

  it("names the kustomization, and nothing of kustomize for a chart", () => {
    const side = (text: string): ReturnType<typeof readSide> =>
      readSide([readManifests(readTree(text, "a.yaml"))], CONFIG_HASH_DEFAULTS, undefined);
    const nextOf = (kind: "Kustomize" | "Helm"): Next | undefined => {
      const pair = { base: side(made(OLD)), head: side(made(NEW)), kind, path: "overlays/prod" };
      const options = { all: false, showValues: false, maxWorkloads: undefined, maxPods: undefined, failOn: [] };
      return planPart([pair], options).rows[0]?.planned.next;
    };
    assert.deepEqual([nextOf("Kustomize"), nextOf("Helm")], [keep({ kustomization: "overlays/prod" }), keep()]);
  });

  it("is in the order of safety", () => {
    assert.equal(
      nextText(keep({ kustomization: "overlays/prod", hasVolumes: true, services: ["a", "b"], moreServices: 1 })),
      "Safest first: 1. overlays/prod/kustomization.yaml: labels without includeSelectors: true; " +
        "2. a new name for the workload, so that old and new pods run side by side; the volumes of a StatefulSet are new and empty; " +
        "3. delete and create the workload: no pod is left in between. " +
        "Services a, b and 1 more select the new labels and reach no pod, as the old pods do not have them.",
    );
  });
});
