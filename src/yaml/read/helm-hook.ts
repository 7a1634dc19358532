import { HELM_HOOK } from "../../base/hosts/helm.ts";
import { annotationOf, type Item } from "./items.ts";

/** True for what Helm makes beside a release. */
export function isHelmHook(item: Item): boolean {
  return annotationOf(item, HELM_HOOK) !== undefined;
}
