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

/** A kind as kubectl takes it: any case, the plural and the short name too. */
export function sameKind(given: string, kind: string): boolean {
  const lower = given.toLowerCase();
  const known = kind.toLowerCase();
  return lower === known || lower === `${known}s` || SHORT_NAMES[lower] === known;
}

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

/** The group in which a kind is known: one Deployment was served by `extensions` and `apps`, and either means the other. */
export function knownGroup(group: string): string {
  return group === "extensions" ? "apps" : group;
}
