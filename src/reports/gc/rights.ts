import { groupOf } from "../../base/identity.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { ServedKind } from "../status/live-kinds.ts";
import { COPY_KINDS } from "./read-copies.ts";

export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** What `gc` needs: a role, and another one for copies of Secrets. */
export interface Rights {
  readonly role: readonly Rule[];
  readonly secrets: readonly Rule[];
}

/** The rights to list what may use a copy and the copies, and to delete these. */
export function rightsFor(users: readonly ServedKind[], isDeleting: boolean): Rights {
  const groups = groupedBy(
    [...users].sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    ({ apiVersion }) => groupOf(apiVersion),
  );
  const copies = COPY_KINDS.map(({ plural, isOptional }) => ({
    isOptional,
    rule: { apiGroups: [""], resources: [plural], verbs: isDeleting ? ["list", "delete"] : ["list"] },
  }));
  return {
    role: [
      ...[...groups].map(([group, kinds]) => ({
        apiGroups: [group],
        resources: kinds.map(({ plural }) => plural),
        verbs: ["list"],
      })),
      ...copies.filter(({ isOptional }) => !isOptional).map(({ rule }) => rule),
    ],
    secrets: copies.filter(({ isOptional }) => isOptional).map(({ rule }) => rule),
  };
}

function sortKey({ apiVersion, plural }: ServedKind): string {
  return `${groupOf(apiVersion)}\n${plural}`;
}
