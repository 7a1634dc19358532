import { get, getPath, isTrue, itemsOf, kindOf, stringOf } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import { NONE } from "../../yaml/read/tree.ts";
import { numberAt } from "./numbers.ts";
import { ARGO_ROLLOUTS } from "./refusals.ts";
import type { Refusal } from "./rollout-types.ts";

// What the controller of Argo Rollouts rejects although the API server accepts it: pkg/apis/rollouts/validation,
// ValidateRolloutStrategy. The Rollout then has the condition InvalidSpec and its pods keep running. A real controller
// rejected each of these (docs/why/observed.md).

/** The first error in the spec of a Rollout, if there is one. */
export function invalidSpec(item: Item): Refusal | undefined {
  const { tree } = item;
  const nodeAt = (...path: readonly string[]): number => getPath(tree, item.node, ["spec", "strategy", ...path]);
  const is = (...path: readonly string[]): boolean => kindOf(tree, nodeAt(...path)) === "mapping";
  const text = (...path: readonly string[]): string => stringOf(tree, nodeAt(...path)) ?? "";
  const isRouted = is("canary", "trafficRouting");
  const facts: Facts = { item, nodeAt, is, text, isRouted };
  for (const { path, problem, holds } of ROWS)
    if (holds(facts)) return { path: `spec.strategy${path}`, problem, by: ARGO_ROLLOUTS };
  return is("canary") ? invalidStep(facts) : undefined;
}

interface Facts {
  readonly item: Item;
  /** A node of the strategy. */
  readonly nodeAt: (...path: readonly string[]) => number;
  readonly is: (...path: readonly string[]) => boolean;
  readonly text: (...path: readonly string[]) => string;
  readonly isRouted: boolean;
}

interface Row {
  readonly path: string;
  readonly problem: string;
  readonly holds: (facts: Facts) => boolean;
}

/** The routers that require both Services. */
const WITH_SERVICES = ["smi", "apisix", "ambassador", "nginx", "appMesh", "traefik"];

const same = (one: string, other: string): boolean => one !== "" && one === other;

const ROWS: readonly Row[] = [
  {
    path: "",
    problem: "must have canary or blueGreen",
    // An object without any strategy is usually a patch.
    holds: ({ is }) => is() && !is("canary") && !is("blueGreen"),
  },
  { path: "", problem: "must not have both canary and blueGreen", holds: ({ is }) => is("canary") && is("blueGreen") },
  {
    path: ".blueGreen.previewService",
    problem: "must differ from activeService",
    holds: ({ text }) => same(text("blueGreen", "previewService"), text("blueGreen", "activeService")),
  },
  {
    path: ".canary.canaryService",
    problem: "must differ from stableService",
    holds: ({ text }) => same(text("canary", "canaryService"), text("canary", "stableService")),
  },
  {
    path: ".canary.trafficRouting",
    problem: "needs canaryService and stableService",
    holds: ({ is, text }) =>
      WITH_SERVICES.some((router) => is("canary", "trafficRouting", router)) &&
      (text("canary", "canaryService") === "" || text("canary", "stableService") === ""),
  },
  {
    path: ".canary.scaleDownDelaySeconds",
    problem: "needs trafficRouting",
    holds: ({ is, nodeAt, isRouted, item: { tree } }) =>
      is("canary") && !isRouted && kindOf(tree, nodeAt("canary", "scaleDownDelaySeconds")) === "number",
  },
  {
    path: ".canary.dynamicStableScale",
    problem: "needs trafficRouting",
    holds: ({ is, nodeAt, isRouted, item: { tree } }) =>
      is("canary") && !isRouted && isTrue(tree, nodeAt("canary", "dynamicStableScale")),
  },
  {
    path: ".canary.dynamicStableScale",
    problem: "is not allowed with scaleDownDelaySeconds",
    holds: ({ nodeAt, item: { tree } }) =>
      isTrue(tree, nodeAt("canary", "dynamicStableScale")) &&
      kindOf(tree, nodeAt("canary", "scaleDownDelaySeconds")) === "number",
  },
];

/** A step has at most one of these; others are allowed in addition. */
const ONE_OF = ["setWeight", "pause", "experiment", "analysis"];
const STEPS = [...ONE_OF, "setCanaryScale", "setHeaderRoute", "setMirrorRoute", "plugin"];
const ROUTED_STEPS = ["setCanaryScale", "setHeaderRoute", "setMirrorRoute"];

function invalidStep({ item, nodeAt, isRouted }: Facts): Refusal | undefined {
  const { tree } = item;
  const most = numberAt(item, ["maxTrafficWeight"], nodeAt("canary", "trafficRouting")) ?? 100;
  for (const [i, step] of itemsOf(tree, nodeAt("canary", "steps")).entries()) {
    const has = (key: string): boolean =>
      get(tree, step, key) !== NONE && kindOf(tree, get(tree, step, key)) !== "null";
    const refused = (key: string, problem: string): Refusal => ({
      path: `spec.strategy.canary.steps[${i}]${key}`,
      problem,
      by: ARGO_ROLLOUTS,
    });
    if (!STEPS.some(has)) return refused("", "must be a step that Argo Rollouts knows");
    if (ONE_OF.filter(has).length > 1) return refused("", "must be only one step");
    const weight = numberAt(item, ["setWeight"], step) ?? 0;
    if (weight < 0 || weight > most) return refused(".setWeight", `must be from 0 to ${most}`);
    const routed = ROUTED_STEPS.find(has);
    if (routed !== undefined && !isRouted) return refused(`.${routed}`, "needs trafficRouting");
  }
  return undefined;
}
