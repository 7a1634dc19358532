import { KUBECTL_RESTARTED_AT, LAST_APPLIED } from "../ground/hosts/kubectl.ts";
import { isObject, type Json } from "../manifest/node.ts";

/**
 * What of a live object an apply would change: a field that neither the new manifest nor the one that was
 * applied last has belongs to somebody else (`kubectl rollout restart`, an autoscaler, the server's defaults),
 * and stays as it is. Without kubectl's annotation only a restart by kubectl is known to be such.
 */
export function liveBase(live: Json, head: Json): Json {
  const last = lastApplied(live);
  if (last === undefined) return withoutForeignRestart(live, head);
  const kept = ours(live, head, last);
  const metadata = child(kept, "metadata");
  // The rendering may leave the namespace to kubectl.
  const namespace = child(child(live, "metadata"), "namespace");
  if (namespace === undefined || !isObject(kept) || metadata === undefined || !isObject(metadata)) return kept;
  return { ...kept, metadata: { ...metadata, namespace } };
}

function lastApplied(live: Json): Json | undefined {
  const text = child(child(child(live, "metadata"), "annotations"), LAST_APPLIED);
  if (typeof text !== "string") return undefined;
  try {
    const read: Json = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

function ours(live: Json, head: Json | undefined, last: Json | undefined): Json {
  if (Array.isArray(live)) {
    return live.flatMap((element, i): Json[] => {
      const [next, before] = [partner(head, element, i), partner(last, element, i)];
      // A sidecar that somebody has added is merged by its name: it stays, and is no news.
      const isOthers = next === undefined && before === undefined && nameOf(element) !== undefined;
      return isOthers ? [] : [ours(element, next, before)];
    });
  }
  if (!isObject(live)) return live;
  const kept = Object.entries(live).filter(([key]) => child(head, key) !== undefined || child(last, key) !== undefined);
  return Object.fromEntries(kept.map(([key, value]) => [key, ours(value, child(head, key), child(last, key))]));
}

/** The element of the other list that is merged with this one: by name, as the lists of pod specs are, else by place. */
function partner(list: Json | undefined, element: Json, place: number): Json | undefined {
  if (!Array.isArray(list)) return undefined;
  const name = nameOf(element);
  return name === undefined ? list[place] : list.find((other) => nameOf(other) === name);
}

function nameOf(element: Json): Json | undefined {
  return child(element, "name") ?? child(element, "mountPath");
}

function child(value: Json | undefined, key: string): Json | undefined {
  return value !== undefined && isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function withoutForeignRestart(live: Json, head: Json | undefined): Json {
  if (!isObject(live)) return live;
  const entries = Object.entries(live).filter(
    ([key]) => key !== KUBECTL_RESTARTED_AT || child(head, key) !== undefined,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, withoutForeignRestart(value, child(head, key))]));
}
