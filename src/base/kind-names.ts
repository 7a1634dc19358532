// How people name kinds and objects, as kubectl takes it.

/** kubectl's short names (pkg/apis and its CRDs). */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  deploy: "deployment",
  sts: "statefulset",
  ds: "daemonset",
  cj: "cronjob",
  rs: "replicaset",
  rc: "replicationcontroller",
  po: "pod",
  ro: "rollout",
  ksvc: "service",
};

/**
 * Whether a text names a kind as kubectl takes it: any case, the plural and the short name too, with the group
 * or the version and the group behind it (`deployment.apps`, `deployments.v1.apps`).
 */
export function namesKind(given: string, { group, kind }: { readonly group: string; readonly kind: string }): boolean {
  const [name = "", ...rest] = given.toLowerCase().split(".");
  const known = kind.toLowerCase();
  if (name !== known && name !== `${known}s` && SHORT_NAMES[name] !== known) return false;
  const behind = rest.join(".");
  return behind === "" || behind === group || (VERSION.test(rest[0] ?? "") && rest.slice(1).join(".") === group);
}

const VERSION = /^v\d+(?:(?:alpha|beta)\d+)?$/u;

export interface KindAndName {
  readonly kind: string;
  readonly name: string;
}

/** Reads `KIND/NAME`, whatever the two are; undefined for a text of another form. */
export function readKindAndName(text: string): KindAndName | undefined {
  const [kind = "", name = "", ...more] = text.split("/");
  return kind === "" || name === "" || more.length > 0 ? undefined : { kind, name };
}

export const KIND_AND_NAME_REMEDY = "Write KIND/NAME, such as deployment/api.";
