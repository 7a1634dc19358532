import { annotationOf, type Item } from "./items.ts";

/** The annotation of objects that Helm makes beside a release, at moments that its value names. */
export const HELM_HOOK = "helm.sh/hook";

/** True for what Helm makes beside a release. */
export function isHelmHook(item: Item): boolean {
  return annotationOf(item, HELM_HOOK) !== undefined;
}
