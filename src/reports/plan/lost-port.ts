import type { FindingData } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { rolloutKind } from "../../kubernetes/rollout/rollout-kinds.ts";
import { podContainers } from "../../kubernetes/workloads/containers.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import { get, getString, itemsOf } from "../../yaml/read/node.ts";
import { templatesOf } from "./pair.ts";
import type { PlanFinding } from "./planned-workload.ts";
import type { WorkloadPair } from "./side.ts";

/**
 * The fields of a container that name one of its ports. The kubelet looks for the name only in the container. It ignores the
 * result of a probe that it cannot send: a readiness or startup probe never succeeds, and a liveness probe never fails. A
 * container whose postStart hook fails is stopped (ResolveContainerPort in pkg/probe, doProbe in pkg/kubelet/prober/worker.go).
 */
const CALLERS = [
  { field: "readinessProbe", cause: "notReady" },
  { field: "startupProbe", cause: "notReady" },
  { field: "lifecycle.postStart", cause: "stopped" },
  { field: "livenessProbe", cause: "unused" },
  { field: "lifecycle.preStop", cause: "unused" },
] as const satisfies readonly { readonly field: string; readonly cause: FindingData<"lost-port">["cause"] }[];

/** The probes and hooks that name a port that their container no longer has. Those for which the base lacked it, too, are left out. */
export function lostContainerPorts({ base, head, from, to }: WorkloadPair): PlanFinding[] {
  const { item } = to.workload;
  // An operator may add ports.
  if (rolloutKind(item.group, item.kind)?.strategy === undefined) return [];
  const before = new Set(unnamedPorts(templatesOf(base, from)).map(({ key }) => key));
  return unnamedPorts(templatesOf(head, to))
    .filter(({ key }) => !before.has(key))
    .map(({ container, field, cause, port }) => ({
      id: "lost-port",
      cause,
      params: { workload: resourceRef(item), container, field, port },
    }));
}

interface UnnamedPort {
  readonly key: string;
  readonly container: string;
  readonly field: string;
  readonly cause: (typeof CALLERS)[number]["cause"];
  readonly port: string;
}

function unnamedPorts(templates: readonly PodTemplate[]): readonly UnnamedPort[] {
  return templates.flatMap((template) => {
    const { tree } = template.item;
    return podContainers(template, ["initContainers", "containers"]).flatMap(({ node, name: container }) => {
      // An injector replaces it.
      if (getString(tree, node, "image") === "auto") return [];
      const names = new Set(itemsOf(tree, get(tree, node, "ports")).map((port) => getString(tree, port, "name")));
      return CALLERS.flatMap(({ field, cause }) =>
        ["httpGet", "tcpSocket"].flatMap((handler): UnnamedPort[] => {
          const port = getString(tree, node, ...field.split("."), handler, "port");
          if (port === undefined || !NAME.test(port) || names.has(port)) return [];
          return [{ key: JSON.stringify([container, field]), container, field, cause, port }];
        }),
      );
    });
  });
}

/** The names of ports, without what is filled in later: IsValidPortName in k8s.io/apimachinery. */
const NAME = /^(?=.*[a-z])[a-z\d-]{1,15}$/u;
