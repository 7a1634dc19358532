// An apiVersion as objects have it: `apps/v1`, or `v1` for the core group.

/** The group of an apiVersion; "" for the core group. */
export function groupOf(apiVersion: string): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0));
}

/** The version without its group. */
export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** The path at which an API server has a group and version. */
export function apiPath(apiVersion: string): string {
  return groupOf(apiVersion) === "" ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
}
