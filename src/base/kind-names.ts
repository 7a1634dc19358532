// How people name kinds and objects, as in kubectl.

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
 * Whether a string names a kind as kubectl accepts it: any case, plural or short name, with an optional group, or version
 * and group (`deployment.apps`, `deployments.v1.apps`).
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

/** Parses `KIND/NAME`; undefined for other texts. */
export function readKindAndName(text: string): KindAndName | undefined {
  const [kind = "", name = "", ...more] = text.split("/");
  return kind === "" || name === "" || more.length > 0 ? undefined : { kind, name };
}

export const KIND_AND_NAME_REMEDY = "Write KIND/NAME, such as deployment/api.";
