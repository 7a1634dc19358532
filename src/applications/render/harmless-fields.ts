/**
 * Fields of `spec` that say neither what an application is made from, nor where it is applied, nor what it is called: how it
 * is applied, and values that stand in the object itself (but those of the chart flux-instance).
 */
const HARMLESS: Readonly<Record<string, ReadonlySet<string>>> = {
  HelmRelease: new Set([
    "values",
    "install",
    "upgrade",
    "rollback",
    "uninstall",
    "test",
    "driftDetection",
    "interval",
    "timeout",
    "maxHistory",
    "postRenderers",
    "commonMetadata",
    "suspend",
  ]),
  Kustomization: new Set([
    "interval",
    "retryInterval",
    "timeout",
    "prune",
    "wait",
    "force",
    "deletionPolicy",
    "healthChecks",
    "healthCheckExprs",
    "decryption",
    "suspend",
  ]),
  Application: new Set(["syncPolicy", "ignoreDifferences", "revisionHistoryLimit", "info"]),
};

/** Such a field of an object of Argo CD or Flux. */
export function isHarmless(kind: string, field: string): boolean {
  return Object.hasOwn(HARMLESS, kind) && HARMLESS[kind]?.has(field) === true;
}
