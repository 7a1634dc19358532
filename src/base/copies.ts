import { COMPARE_OPTIONS, SYNC_OPTIONS } from "./hosts/argocd.ts";
import { RESOURCE_POLICY } from "./hosts/helm.ts";

// Copies of sources (layout Versioned): contract, section 10.

/**
 * The annotations of a copy that stays in the cluster when it leaves its rendering. Argo CD needs both: without the
 * second, the Application is OutOfSync and syncs again and again.
 */
export const PROTECTION: Readonly<Record<string, string>> = {
  [SYNC_OPTIONS]: "Prune=false",
  [COMPARE_OPTIONS]: "IgnoreExtraneous",
  "kustomize.toolkit.fluxcd.io/prune": "disabled",
  "fluxcd.controlplane.io/prune": "disabled",
  "client.lifecycle.config.k8s.io/deletion": "detach",
};

/** What Helm's post-renderer also writes. Argo CD would keep it when its Application is deleted, so nothing else does. */
export const HELM_PROTECTION: Readonly<Record<string, string>> = { [RESOURCE_POLICY]: "keep" };

/** Whether annotations protect a copy from every engine. Options of Argo CD may have others beside them. */
export function protectsCopy(annotation: (key: string) => string | undefined): boolean {
  return Object.entries(PROTECTION).every(([key, value]) =>
    (annotation(key) ?? "").split(",").some((option) => option.trim() === value),
  );
}
