import { inOneLine, joined, labelled, row } from "./document/blocks.ts";
import { groupOf } from "../base/identity.ts";
import { formatList, formatObject, type ResourceRef } from "../base/names.ts";
import { counted, pluralize } from "../base/words.ts";
import { REPLACE } from "../kubernetes/rollout/mechanics.ts";
import { holdsData } from "../reports/plan/judged.ts";
import type { Reason } from "../reports/plan/plan-reasons.ts";
import type { PlannedObject } from "../reports/plan/planned-workload.ts";
import type { RowCause } from "../reports/plan/rows/row-causes.ts";
import { SOPS } from "../reports/plan/refused-objects.ts";
import type { ChangeRow } from "../reports/plan/rows/row-types.ts";
import type { Row, Words } from "./document/document.ts";
import { fieldParts } from "./plan-causes.ts";
import { namedRow } from "./plan-names.ts";
import {
  causeBlocks,
  headOf,
  heldByRefusal,
  mostNames,
  namesBlocks,
  objectParts,
  pluralOf,
  type RowContext,
} from "./plan-row-parts.ts";
import { clause, nextText } from "./plan-words.ts";

// The rows of objects that are created or changed, besides workloads, as blocks of a document.

const CHANGE_MARKS = { Create: "+", Change: "~", Delete: "-" } as const;
const MOST_FIELDS = 3;

/** Objects of one kind that the API server refuses to create, or to change in the same way. */
function refusedRow(given: ChangeRow, context: RowContext, path: string): Row {
  const { change, objects, fields } = given;
  const { head, names } = objectParts(given, context);
  const [first] = objects;
  const { problem } = first;
  const changed = fields.filter(
    (field) => field.path === path || (/^[.[]/u.test(field.path.slice(path.length)) && field.path.startsWith(path)),
  );
  const reasons: readonly Reason[] =
    problem === undefined
      ? (changed.length === 0 ? [{ path, hidden: true as const }] : changed).map((field) => ({
          type: "Immutable",
          ...field,
        }))
      : [{ type: "Invalid", path, message: problem }];
  const causes = reasons.map((reason): RowCause => ({ is: "reason", reason, name: "", namespaces: [] }));
  const fix =
    path === SOPS
      ? "set spec.decryption in the Kustomization, or in what patches it"
      : problem !== undefined
        ? clause(nextText({ id: "correct-field" }))
        : holdsData(first)
          ? "keep the field, or create an object with another name: deleting this one can delete its data"
          : clause(REPLACE);
  return row(
    {
      ...head,
      mark: change === "Create" ? CHANGE_MARKS.Create : CHANGE_MARKS.Change,
      effect: [
        path === SOPS
          ? "Flux does not decrypt it"
          : `the API server rejects ${change === "Create" ? "it" : "the update"}`,
      ],
    },
    [
      ...names,
      ...causeBlocks(causes, context),
      ...(path === SOPS ? [] : heldByRefusal(objects, context)),
      labelled("Fix", [{ words: [fix] }]),
    ],
  );
}

const NEEDED = "Argo CD applies no more changes of Applications that need what is gone";
const DENIED = "Argo CD applies no more changes of Applications that have these kinds";

const UNSYNCED = "Argo CD now also applies earlier changes that nobody has synced";
const LEFT_BEHIND = "Argo CD now also deletes what earlier changes left in the cluster";

/** What a field says by whose change others lose something, if its values do not. */
const LOSING: Readonly<Record<string, string>> = {
  "spec.ordinals.start": "pods with other names, and other volumes, replace those that are no longer numbered",
  "spec.suspend": "it starts no more Jobs",
  "spec.storageClassName": "the API server rejects it if the cluster gave the claim another class by default",
  "spec.externalName": "requests to it go to this name, and no longer to its pods",
  "spec.decryption": "Flux no longer decrypts its Secrets: it refuses them, or gives pods the encrypted text",
  "spec.versions": "the API server no longer serves a version: objects and clients that use it fail",
  "spec.syncPolicy.automated": UNSYNCED,
  "spec.syncPolicy.automated.prune": LEFT_BEHIND,
  "spec.template.spec.syncPolicy.automated": UNSYNCED,
  "spec.template.spec.syncPolicy.automated.prune": LEFT_BEHIND,
  "spec.destinations": NEEDED,
  "spec.sourceRepos": NEEDED,
  "spec.clusterResourceWhitelist": NEEDED,
  "spec.namespaceResourceWhitelist": NEEDED,
  "spec.clusterResourceBlacklist": DENIED,
  "spec.namespaceResourceBlacklist": DENIED,
};

const LOSING_ANY: readonly (readonly [RegExp, string])[] = [
  [/\.image$/u, "its operator may replace its pods"],
  [/backend/iu, "it sends requests to a Service, or a port of it, that is not here"],
];

/** Other objects: few by name, many by the number of each kind, and each by name if it is a risk. */
export function changeRow(given: ChangeRow, context: RowContext): Row {
  const [{ refused }] = given.objects;
  if (refused !== undefined && given.label === "refused") return refusedRow(given, context, refused);
  const { change, objects, fields, moreFields } = given;
  const head = {
    ...headOf(given),
    ...(change === "Move" ? {} : { mark: CHANGE_MARKS[change] }),
    facets: { ...context.facets.ofRow(given), ...context.facets.ofObjects(objects) },
  };
  const shown = fields.slice(0, MOST_FIELDS).map((field) => inOneLine(fieldParts(field)));
  const more = fields.length - shown.length + moreFields;
  const users = new Map(given.objects.flatMap(({ usedBy = [] }) => usedBy).map((user) => [formatObject(user), user]));
  const [{ loses = "" }] = given.objects;
  const losing = LOSING_ANY.find(([pattern]) => pattern.test(loses))?.[1] ?? LOSING[loses];
  const all: Words[] = [
    ...shown,
    ...(more > 0 ? [[counted(more, "more field")]] : []),
    ...(users.size > 0 ? [[usersWords([...users.values()], "what is gone", given.objects)]] : []),
    ...(losing === undefined ? [] : [[losing]]),
  ];
  if (change === "Move")
    return row({
      ...head,
      words: [],
      size: `${counted(objects.length, "object moves", "objects move")} too`,
      effect: kindCounts(objects),
    });
  const named = namedRow(objects, context.places, context.facets.ofObjects);
  if (named.title !== undefined)
    return row({ ...head, words: named.title, ...(all.length === 0 ? {} : { effect: joined(all, "; ") }) });
  const [kind = "", ...kinds] = new Set(objects.map((one) => one.kind));
  const size = kinds.length === 0 ? counted(objects.length, kind, pluralOf(kind)) : counted(objects.length, "object");
  const counts = kinds.length === 0 ? {} : { effect: kindCounts(objects) };
  const names = given.level === "ok" ? [] : namesBlocks(named, mostNames(given, context));
  return all.length === 0
    ? row({ ...head, words: [], size, ...counts }, names)
    : row({ ...head, words: [...joined(all, "; "), ` in ${size}`], ...counts }, names);
}

/** `8 PodDisruptionBudgets, 4 ConfigMaps`. */
function kindCounts(objects: readonly PlannedObject[]): Words {
  const counts = new Map<string, number>();
  for (const { kind } of objects) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  const kinds = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  return [kinds.map(([kind, n]) => counted(n, kind, pluralOf(kind)).replace(" ", NO_BREAK)).join(", ")];
}

/** A number and its word stay in one line. */
const NO_BREAK = "\u00a0";

const MOST_USERS = 3;

/** `HTTPRoute shop/web names it`; of a role or a binding, `pods of Deployment shop/web lose permissions`. */
export function usersWords(
  users: readonly ResourceRef[],
  what: string,
  [{ apiVersion }]: readonly [PlannedObject, ...PlannedObject[]],
): string {
  const names = formatList(users.map(formatObject), MOST_USERS);
  return groupOf(apiVersion) === "rbac.authorization.k8s.io"
    ? `pods of ${names} lose permissions`
    : `${names} ${pluralize(users.length, "names", "name")} ${what}`;
}
