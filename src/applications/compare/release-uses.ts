import { STAMP } from "../../base/keys.ts";
import { lookedAcross, type LookedAcross } from "../../reports/plan/across-applications.ts";
import { readSide } from "../../reports/plan/side.ts";
import { listOf } from "../../yaml/read/json.ts";
import { readManifests } from "../../yaml/read/items.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { Application } from "../discover/application.ts";
import type { Comparing } from "./compared.ts";

/** What else decides what a release uses, beside its values. */
const OTHERS = ["valuesFrom", "postRenderers"] as const;

/**
 * The sources that the pods of a HelmRelease use, from its values, if its chart is known but not there. `stamp` reads them in
 * the same way. Undefined if they are unknown.
 */
export function usesOfRelease(
  { io, spec, hmacKey }: Pick<Comparing, "io" | "spec" | "hmacKey">,
  { foundBy, objects = [], name, namespace }: Application,
): LookedAcross | undefined {
  const [release] = objects;
  if (foundBy !== "HelmRelease" || release === undefined) return undefined;
  if (OTHERS.some((field) => listOf(release.spec[field]).length > 0)) return undefined;
  const text = objects.map((object) =>
    JSON.stringify({
      apiVersion: `${object.group}/v1`,
      kind: object.kind,
      // Only releases with the annotation are read.
      metadata: { name: object.name, namespace: object.namespace, annotations: { [STAMP]: "true" } },
      spec: object.spec,
    }),
  );
  const manifests = readManifests(readTree(text.join("\n---\n"), name, io.context.limits));
  const side = readSide(
    [manifests],
    namespace === undefined ? spec : { ...spec, defaultNamespace: namespace },
    hmacKey,
  );
  const isKnown = side.analysis.decisions.some(({ workload: { templates } }) => templates.length > 0);
  return isKnown ? structuredClone(lookedAcross(side)) : undefined;
}
