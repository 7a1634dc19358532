import { compareBytes } from "../../base/digest/hash-v1.ts";
import { DECLARED_KINDS } from "../../kubernetes/sources/declared-kinds.ts";
import { entriesOf } from "../../kubernetes/workloads/entries-of-uses.ts";
import { leftOut } from "../../kubernetes/workloads/kinds-left-out.ts";
import { findUses } from "../../kubernetes/workloads/uses.ts";
import { WORKLOAD_KINDS } from "../../kubernetes/workloads/workload-kinds.ts";
import { builtInKind } from "./built-in-kinds.ts";
import type { KindDefinition } from "./definitions.ts";
import type { KindReport, KindStatus } from "./kinds-report.ts";
import { schemaShape } from "./schema-shape.ts";
import { groupedBy } from "../../base/grouped.ts";

const keyOf = ({ group, kind }: { readonly group: string; readonly kind: string }): string => `${group}/${kind}`;
const BUILT_IN = new Map(WORKLOAD_KINDS.map((row) => [keyOf(row), row]));
const MAKERS = new Set(DECLARED_KINDS.map(keyOf));

/** What a definition says of its kind: the entries of `workloads` that its schema shows. */
export function derivedKind(definition: KindDefinition): KindReport {
  const { group, kind, version, schema } = definition;
  const builtIn = BUILT_IN.get(keyOf(definition));
  if (builtIn !== undefined) return { ...builtInKind(builtIn), version };
  const uses = findUses(schemaShape(schema), () => true);
  const { entries, homeless } = entriesOf(group, kind, uses);
  const hasPods = entries.length + homeless.length + uses.open.length > 0;
  const isLeftOut = leftOut(definition) !== undefined || MAKERS.has(keyOf(definition));
  return {
    group,
    kind,
    version,
    status: hasPods && isLeftOut ? "LeftOut" : statusOf(entries.length, homeless.length, uses.open.length),
    workloads: isLeftOut ? [] : entries,
    ...(homeless.length === 0 || isLeftOut ? {} : { references: homeless }),
    ...(uses.open.length === 0 || isLeftOut ? {} : { open: uses.open }),
  };
}

function statusOf(entries: number, homeless: number, open: number): KindStatus {
  if (entries > 0) return "Derived";
  if (homeless > 0) return "NoPlace";
  return open > 0 ? "Open" : "None";
}

/**
 * The reports of kinds, each kind once, in an order that does not depend on that of the files. Of a kind that is defined
 * more than once (an old definition lies beside the new one) each definition counts: which of them a cluster has is not
 * known here, and an entry that leads nowhere does nothing.
 */
export function sortedKinds(kinds: readonly KindReport[]): readonly KindReport[] {
  return [...groupedBy(kinds, keyOf).values()]
    .map(joined)
    .toSorted((a, b) => compareBytes(a.group, b.group) || compareBytes(a.kind, b.kind));
}

function joined(reports: KindReport[]): KindReport {
  const [first, ...others] = reports;
  if (first === undefined) throw new Error("a kind without a definition");
  if (others.length === 0 || first.status === "BuiltIn") return first;
  const workloads = union(reports.map((report) => report.workloads));
  const references = union(reports.map((report) => report.references ?? []));
  const open = union(reports.map((report) => report.open ?? []));
  const versions = union(reports.map(({ version = "" }) => (version === "" ? [] : [version])));
  const isLeftOut = reports.some(({ status }) => status === "LeftOut");
  return {
    group: first.group,
    kind: first.kind,
    version: versions.join(", "),
    status: isLeftOut ? "LeftOut" : statusOf(workloads.length, references.length, open.length),
    workloads,
    ...(references.length === 0 ? {} : { references }),
    ...(open.length === 0 ? {} : { open }),
  };
}

/** What any of them has, once, in an order of its own. */
function union<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const byText = new Map(lists.flat().map((each) => [JSON.stringify(each), each]));
  return [...byText].toSorted(([a], [b]) => compareBytes(a, b)).map(([, each]) => each);
}
