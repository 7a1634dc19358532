import { fieldOf, fieldsOf, isMapping, listOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { amountOf } from "./quantity.ts";
import type { Refusal } from "./rollout-types.ts";
import { isSet } from "./value-refusals.ts";

// Fields of a pod spec that the API server does not accept together, or not without another one: pkg/apis/core/validation. A
// real API server refused each (test/e2e/refused-pods.ts).

type Conflict = (value: Json, path: string) => Refusal | undefined;

/** The first conflict that a pod spec has, and did not have before. */
export function conflicts(spec: Json, old: Json | undefined): Refusal | undefined {
  const found = conflictIn(spec);
  return found === undefined || (old !== undefined && conflictIn(old)?.path === found.path) ? undefined : found;
}

function conflictIn(spec: Json): Refusal | undefined {
  return (
    first(spec, "containers", ofContainer) ??
    first(spec, "initContainers", ofInitContainer) ??
    first(spec, "tolerations", toleration) ??
    first(spec, "topologySpreadConstraints", spread) ??
    withoutServers(spec)
  );
}

function first(value: Json | undefined, list: string, conflict: Conflict): Refusal | undefined {
  for (const [i, element] of listOf(fieldOf(value, list)).entries()) {
    const found = conflict(element, `${list}[${i}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}

const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"] as const;

function ofContainer(container: Json, path: string): Refusal | undefined {
  for (const name of PROBES) {
    const found = probe(fieldOf(container, name), `${path}.${name}`, name !== "readinessProbe");
    if (found !== undefined) return found;
  }
  return escalation(container, path) ?? subPath(container, path) ?? overcommitted(container, path);
}

/** It ends before the containers start, unless it is a sidecar. */
function ofInitContainer(container: Json, path: string): Refusal | undefined {
  if (textOf(fieldOf(container, "restartPolicy")) === "Always") return ofContainer(container, path);
  const field = [...PROBES, "lifecycle"].find((name) => isSet(fieldOf(container, name)));
  if (field !== undefined)
    return { path: `${path}.${field}`, problem: "must not be set, except with restartPolicy: Always" };
  return ofContainer(container, path);
}

const HANDLERS = ["exec", "httpGet", "tcpSocket", "grpc"] as const;

function probe(value: Json | undefined, path: string, succeedsOnce: boolean): Refusal | undefined {
  if (!isMapping(value)) return undefined;
  if (!HANDLERS.some((handler) => isSet(value[handler])))
    return { path, problem: `must have ${HANDLERS.slice(0, -1).join(", ")} or ${HANDLERS.at(-1) ?? ""}` };
  const threshold = value["successThreshold"];
  return succeedsOnce && typeof threshold === "number" && threshold > 1
    ? { path: `${path}.successThreshold`, problem: "must be 1" }
    : undefined;
}

function escalation(container: Json, path: string): Refusal | undefined {
  const { privileged, allowPrivilegeEscalation } = fieldsOf(fieldOf(container, "securityContext"));
  return privileged === true && allowPrivilegeEscalation === false
    ? { path: `${path}.securityContext`, problem: "must not set allowPrivilegeEscalation to false beside privileged" }
    : undefined;
}

function subPath(container: Json, path: string): Refusal | undefined {
  const isOutside = listOf(fieldOf(container, "volumeMounts")).some((mount) => {
    const text = textOf(fieldOf(mount, "subPath")) ?? "";
    return text.startsWith("/") || text.split("/").includes("..");
  });
  return isOutside
    ? { path: `${path}.volumeMounts.subPath`, problem: "must be a relative path without .." }
    : undefined;
}

/** Devices and huge pages, which can't be shared: ValidateContainerResourceRequirements. */
function overcommitted(container: Json, path: string): Refusal | undefined {
  const { requests, limits } = fieldsOf(fieldOf(container, "resources"));
  for (const [resource, request] of Object.entries(fieldsOf(requests))) {
    const isWhole =
      resource.startsWith("hugepages-") || (resource.includes("/") && !resource.includes("kubernetes.io/"));
    if (!isWhole) continue;
    const limit = fieldOf(limits, resource);
    if (!isSet(limit)) return { path: `${path}.resources.limits`, problem: `must set ${resource}, as requests do` };
    const [wanted, most] = [amountOf(request), amountOf(limit)];
    if (wanted !== undefined && most !== undefined && wanted !== most)
      return { path: `${path}.resources.requests`, problem: `must have the same ${resource} as limits` };
  }
  return undefined;
}

function toleration(value: Json, path: string): Refusal | undefined {
  if (textOf(fieldOf(value, "effect")) !== "NoExecute" && isSet(fieldOf(value, "tolerationSeconds")))
    return { path: `${path}.effect`, problem: "must be NoExecute if tolerationSeconds is set" };
  return textOf(fieldOf(value, "operator")) === "Exists" && (textOf(fieldOf(value, "value")) ?? "") !== ""
    ? { path: `${path}.operator`, problem: "must not be Exists if a value is set" }
    : undefined;
}

function spread(value: Json, path: string): Refusal | undefined {
  const field = ["maxSkew", "topologyKey", "whenUnsatisfiable"].find((name) => !isSet(fieldOf(value, name)));
  return field === undefined ? undefined : { path: `${path}.${field}`, problem: "must be set" };
}

/** validatePodDNSConfig. */
function withoutServers(spec: Json): Refusal | undefined {
  const isLacking =
    textOf(fieldOf(spec, "dnsPolicy")) === "None" && !isSet(fieldOf(fieldOf(spec, "dnsConfig"), "nameservers"));
  return isLacking ? { path: "dnsConfig", problem: "must have nameservers, as dnsPolicy is None" } : undefined;
}
