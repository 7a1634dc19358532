import { RESTARTED_AT } from "../keys.ts";
import type { Item } from "../manifest/items.ts";
import { getPath, kindOf, toJson } from "../manifest/node.ts";
import type { RestartReason } from "../report/plan-report.ts";

/** kubectl rollout restart's own annotation. */
const KUBECTL_RESTARTED_AT = "kubectl.kubernetes.io/restartedAt";

const RESTART_KEYS: readonly string[] = [RESTARTED_AT, KUBECTL_RESTARTED_AT];

/** True for the annotations of a pod template that are there to restart it. */
export function isRestartKey(key: string): boolean {
  return RESTART_KEYS.includes(key);
}

/** The restarts that a template asks for and did not ask for before. */
export function restartReasons(from: ReadonlyMap<string, string>, to: ReadonlyMap<string, string>): RestartReason[] {
  return RESTART_KEYS.filter((key) => from.get(key) !== to.get(key)).map((key) => ({
    type: "Restart",
    from: from.get(key) ?? null,
    to: to.get(key) ?? null,
    field: key,
  }));
}

/** A custom kind that has a field or an annotation of its own to restart it. */
interface RestartField {
  readonly group: string;
  readonly kind: string;
  readonly path: readonly string[];
  readonly field: string;
}

// Argo Rollouts' RolloutSpec.RestartAt, flink-kubernetes-operator's FlinkDeploymentSpec.restartNonce,
// CloudNativePG's annotation on the Cluster.
const RESTART_FIELDS: readonly RestartField[] = [
  { group: "argoproj.io", kind: "Rollout", path: ["spec", "restartAt"], field: "spec.restartAt" },
  { group: "flink.apache.org", kind: "FlinkDeployment", path: ["spec", "restartNonce"], field: "spec.restartNonce" },
  {
    group: "postgresql.cnpg.io",
    kind: "Cluster",
    path: ["metadata", "annotations", KUBECTL_RESTARTED_AT],
    field: `metadata.annotations[${KUBECTL_RESTARTED_AT}]`,
  },
];

/** The restarts that a custom kind's own field asks for. */
export function fieldRestarts(from: Item, to: Item): RestartReason[] {
  return RESTART_FIELDS.filter(({ group, kind }) => group === to.group && kind === to.kind).flatMap(
    ({ path, field }): RestartReason[] => {
      const before = textAt(from, path);
      const after = textAt(to, path);
      return before === after ? [] : [{ type: "Restart", from: before, to: after, field }];
    },
  );
}

function textAt({ tree, node }: Item, path: readonly string[]): string | null {
  const at = getPath(tree, node, path);
  const kind = kindOf(tree, at);
  return kind === "none" || kind === "null" ? null : String(toJson(tree, at));
}
