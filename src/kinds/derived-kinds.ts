import { compareBytes } from "../digest/hash-v1.ts";
import { DECLARED_KINDS } from "../sources/declared-kinds.ts";
import { entriesOf } from "../workloads/entries-of-uses.ts";
import { leftOut } from "../workloads/kinds-left-out.ts";
import { findUses } from "../workloads/uses.ts";
import { WORKLOAD_KINDS } from "../workloads/workload-kinds.ts";
import { builtInKind } from "./built-in-kinds.ts";
import type { KindDefinition } from "./definitions.ts";
import type { KindReport, KindStatus } from "./kinds-report.ts";
import { schemaShape } from "./schema-shape.ts";

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

/** The reports of kinds, each kind once, in an order that does not depend on that of the files. */
export function sortedKinds(kinds: readonly KindReport[]): readonly KindReport[] {
  const byKey = new Map<string, KindReport>();
  for (const report of kinds) if (!byKey.has(keyOf(report))) byKey.set(keyOf(report), report);
  return [...byKey.values()].toSorted((a, b) => compareBytes(a.group, b.group) || compareBytes(a.kind, b.kind));
}
