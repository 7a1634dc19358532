import { groupOf, kindKey } from "../../base/identity.ts";
import type { Cluster } from "../../platform/ports/cluster.ts";
import { groupVersions, servedKinds, type ServedKind, type WantedKind } from "./live-kinds.ts";

/**
 * The wanted kinds that the server serves, each once: its objects are the same in all versions. Undefined if the server
 * does not list its APIs. Versions whose kinds it does not list are passed to `unread`.
 */
export async function discoverKinds(
  cluster: Cluster,
  wanted: readonly WantedKind[],
  unread: (apiVersion: string) => void,
): Promise<readonly ServedKind[] | undefined> {
  const answer = await cluster.get("/apis");
  if (answer.is !== "found") return undefined;
  const found = new Map<string, ServedKind>();
  for (const apiVersion of groupVersions(answer.body, wanted)) {
    const resources = await cluster.get(`/apis/${apiVersion}`);
    if (resources.is !== "found") unread(apiVersion);
    else
      for (const kind of servedKinds(apiVersion, resources.body, wanted)) {
        const key = kindKey({ group: groupOf(apiVersion), kind: kind.kind });
        if (!found.has(key)) found.set(key, kind);
      }
  }
  return [...found.values()];
}
