import { posix } from "node:path";
import { onceForText } from "../../base/grouped.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import { objectKey } from "../../base/identity.ts";
import type { SourceName } from "../../base/names.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { ChangedSource, LookedAcross } from "../../reports/plan/across-applications.ts";
import { rendersOf, type KustomizeRender } from "../discover/application.ts";
import { contentOf } from "../discover/marked.ts";
import { kustomizationOf } from "../kustomize/kustomization.ts";
import type { AppPair } from "./pairs.ts";
import type { Comparing } from "./compared.ts";

/** Whether pods of an application may use one of these sources. */
export type MayUse = (changed: readonly ChangedSource[]) => boolean;

/**
 * For an application that is not rendered. Pods of a release, also of Argo CD, are in its namespace, and so are those of a
 * kustomization that sets one.
 */
export function mayUse({ revisions }: Comparing, { application: { foundBy, namespace, render } }: AppPair): MayUse {
  const tests = rendersOf(render).map((one): ((source: SourceName) => boolean) => {
    if (one.by === "helm" || foundBy === "HelmRelease")
      return (source) => namespace === undefined || source.namespace === namespace;
    if (one.by === "kustomize") {
      const set = namespaceSet(one, revisions.head);
      return (source) => set === "" || source.namespace === set;
    }
    if (one.by !== "files") return () => true;
    return ({ name }) => one.files.some((path) => revisions.head.says(path, includes(name)));
  });
  return (changed) => changed.some(({ source }) => tests.some((uses) => uses(source)));
}

// A snapshot caches answers by test. Names are few: those of changed sources.
const includes = onceForText((name) => (text: string) => text.includes(name));

/** The namespace that a kustomization sets in all its objects; "" if it sets none, or its file can't be read. */
function namespaceSet({ folder, argo, flux }: KustomizeRender, head: Snapshot): string {
  const given = argo?.namespace ?? flux?.targetNamespace;
  if (given !== undefined) return given;
  const file = KUSTOMIZATION_FILES.map((name) => posix.join(folder, name)).find((path) => head.entries.has(path));
  const read = file === undefined ? undefined : contentOf(head, file);
  return read !== undefined && "content" in read ? kustomizationOf(read.content).namespace : "";
}

/**
 * For an application that is rendered in part, if nothing in the rendering uses the source: the missing part may use any source
 * of its namespace. The values of a HelmRelease show what it uses.
 */
export function mayUseInPart({ application }: AppPair, { lacks }: LookedAcross): MayUse {
  if (application.foundBy === "HelmRelease") return () => false;
  const used = new Set(lacks.map(({ source }) => objectKey(source)));
  return (changed) =>
    changed.some(
      ({ source, isUnused }) => isUnused && source.namespace === application.namespace && !used.has(objectKey(source)),
    );
}
