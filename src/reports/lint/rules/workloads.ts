import { resourceRef } from "../../../findings/results/location.ts";
import {
  isBareName,
  isMutable,
  pulledImages,
  PULLS_ALWAYS,
  PULLS_NEVER,
} from "../../../kubernetes/workloads/images.ts";
import { problem, type LintRule, firstField } from "../rule.ts";
import { getPath, kindOf } from "../../../yaml/read/node.ts";
import { autoscalerOf, findAutoscalers } from "../../../kubernetes/rollout/scalers.ts";
import { isUnprobed } from "../../../kubernetes/rollout/readiness.ts";
import { rolloutKind } from "../../../kubernetes/rollout/rollout-kinds.ts";
import { indexServices, whenReady } from "../../../kubernetes/rollout/services.ts";
import { podContainers } from "../../../kubernetes/workloads/containers.ts";
import { podLabels } from "../../../kubernetes/workloads/pod-labels.ts";
import { longPreStops } from "../../../kubernetes/rollout/pre-stop.ts";

/** An image whose tag can move, with a pull policy that keeps the image on the node. */
export const MUTABLE_IMAGE: LintRule<"RS003"> = {
  id: "RS003",
  about: "state",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ template }) =>
        pulledImages(template)
          .filter(({ image, policy }) => isMutable(image) && policy !== undefined && policy !== PULLS_ALWAYS)
          .map(({ image, policy, user, isInit, node, field }) =>
            problem(
              workload.item,
              { node, field },
              {
                id: "RS003",
                cause:
                  policy === PULLS_NEVER
                    ? "neverPulled"
                    : isInit
                      ? "initContainer"
                      : isBareName(image)
                        ? "bareName"
                        : "notPulled",
                params: { workload: resourceRef(workload.item), user, image, policy: policy ?? "" },
              },
            ),
          ),
      ),
    ),
};

/** `replicas` on a workload that a HorizontalPodAutoscaler scales: each apply undoes the scaling. */
export const REPLICAS_BESIDE_AUTOSCALER: LintRule<"RS010"> = {
  id: "RS010",
  about: "state",
  check: ({ items, workloads, spec }) => {
    const autoscalers = findAutoscalers(items, spec.defaultNamespace);
    return workloads.flatMap(({ workload }) => {
      const { item } = workload;
      const found = autoscalerOf(workload, autoscalers);
      const scaler = found?.kind === "HorizontalPodAutoscaler" ? found.item : undefined;
      const replicas = getPath(item.tree, item.node, ["spec", "replicas"]);
      if (scaler === undefined || kindOf(item.tree, replicas) !== "number") return [];
      const params = { workload: resourceRef(item), scaler: resourceRef(scaler) };
      return [problem(item, firstField(item, "spec.replicas"), { id: "RS010", cause: "autoscaled", params }, [scaler])];
    });
  },
};

interface RemovedApi {
  readonly apiVersion: string;
  readonly kinds: readonly string[];
  readonly removedIn: string;
  readonly instead: string;
}

// From the deprecation guide: kubernetes.io/docs/reference/using-api/deprecation-guide.
const REMOVED_APIS: readonly RemovedApi[] = [
  {
    apiVersion: "extensions/v1beta1",
    kinds: ["Deployment", "DaemonSet", "ReplicaSet"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  { apiVersion: "apps/v1beta1", kinds: ["Deployment", "StatefulSet"], removedIn: "1.16", instead: "apps/v1" },
  {
    apiVersion: "apps/v1beta2",
    kinds: ["Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"],
    removedIn: "1.16",
    instead: "apps/v1",
  },
  { apiVersion: "batch/v2alpha1", kinds: ["CronJob"], removedIn: "1.21", instead: "batch/v1" },
  { apiVersion: "batch/v1beta1", kinds: ["CronJob"], removedIn: "1.25", instead: "batch/v1" },
];

/** An apiVersion of a workload that current Kubernetes no longer serves: the apply fails. */
export const REMOVED_API: LintRule<"RS011"> = {
  id: "RS011",
  about: "state",
  check: ({ items }) =>
    items.flatMap((item) => {
      const removed = REMOVED_APIS.find((row) => row.apiVersion === item.apiVersion && row.kinds.includes(item.kind));
      if (removed === undefined) return [];
      const { apiVersion, removedIn, instead } = removed;
      const params = { workload: resourceRef(item), apiVersion, removedIn, instead };
      return [problem(item, firstField(item, "apiVersion"), { id: "RS011", cause: "removed", params })];
    }),
};

/** Pods behind a Service without a readiness probe: "available" only means started. */
export const UNPROBED_SERVICE: LintRule<"RS016"> = {
  id: "RS016",
  about: "state",
  check: (context) => {
    const unprobed = context.workloads.flatMap(({ workload, rollout }) => {
      const { item } = workload;
      const [template] = workload.templates;
      if (rollout.effect !== "Roll" || rolloutKind(item.group, item.kind)?.strategy === undefined) return [];
      return template !== undefined && isUnprobed(template) ? [{ workload, template }] : [];
    });
    if (unprobed.length === 0) return [];
    const services = indexServices(context.items, context.spec.defaultNamespace);
    return unprobed.flatMap(({ workload, template }) => {
      const found = whenReady(services(workload.namespace, podLabels(template)));
      if (found.length === 0) return [];
      const [container] = podContainers(template, ["containers"]);
      const params = { workload: resourceRef(workload.item), services: found.map(({ name }) => name) };
      const place = container ?? { node: workload.item.node };
      return [problem(workload.item, place, { id: "RS016", cause: "noProbe", params }, found)];
    });
  },
};

/** A preStop hook that is still sleeping when the pod is killed. */
export const LONG_PRE_STOP: LintRule<"RS019"> = {
  id: "RS019",
  about: "state",
  check: ({ workloads }) =>
    workloads.flatMap(({ workload, templates }) =>
      templates.flatMap(({ template }) =>
        longPreStops(workload, template).map(({ data, node, field }) => problem(workload.item, { node, field }, data)),
      ),
    ),
};
