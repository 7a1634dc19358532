import { comparedContext } from "./compared-findings.ts";
import { objectKey } from "../../base/identity.ts";
import { lint, type Levels } from "../lint/lint.ts";
import { RULE_IDS } from "../../findings/catalogue/catalogue.ts";
import type { Item } from "../../yaml/read/items.ts";
import { getString } from "../../yaml/read/node.ts";
import { recreatedBy } from "../../kubernetes/rollout/written-rollout.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { PodTemplate } from "../../kubernetes/workloads/types.ts";
import type { Applying } from "./planned-application.ts";
import type { Side, SideWorkload } from "./side.ts";

/** ConfigMaps and Secrets of the head whose apply the API server refuses, given those of the base. */
export type RefusedSources = ReadonlyMap<Item, Finding>;

const ONLY_RS006: Levels = new Map(RULE_IDS.filter((id) => id !== "RS006").map((id) => [id, "off"]));

/** The sources whose apply is refused: immutable ones with changed content, and Secrets with a changed type. */
export function refusedSources(base: Side, head: Side, { isForced }: Applying): RefusedSources {
  const { sources } = head.analysis;
  const context = { ...comparedContext(base, head), items: [] };
  const byId = itemsById(sources.all.filter(isPlain));
  const refused = new Map<Item, Finding>();
  for (const finding of [...changedTypes(base, head), ...lint(context, ONLY_RS006)]) {
    const { kind = "", namespace = head.spec.defaultNamespace, name = "" } = finding.resource ?? {};
    const item = byId.get(objectKey({ kind, namespace, name }));
    if (item !== undefined && recreatedBy(item, isForced) === undefined) refused.set(item, finding);
  }
  return refused;
}

function idOf({ item: { kind, name }, provides }: Source): string {
  return objectKey({ kind, name }, provides.namespace);
}

function itemsById(sources: readonly Source[]): ReadonlyMap<string, Item> {
  return new Map(sources.map((source) => [idOf(source), source.item]));
}

function isPlain({ declared }: Source): boolean {
  return declared === undefined;
}

// ValidateSecretUpdate in pkg/apis/core/validation: the type is always immutable.
function changedTypes(base: Side, head: Side): Finding[] {
  const isSecret = (source: Source): boolean => isPlain(source) && source.item.kind === "Secret";
  const before = itemsById(base.analysis.sources.all.filter(isSecret));
  return head.analysis.sources.all.filter(isSecret).flatMap((source): Finding[] => {
    const { item } = source;
    const old = before.get(idOf(source));
    if (old === undefined || typeOf(old) === typeOf(item)) return [];
    const params = { source: resourceRef(item), from: typeOf(old), to: typeOf(item) };
    return [{ id: "RS006", cause: "type", params, resource: resourceRef(item) }];
  });
}

function typeOf(item: Item): string {
  return getString(item.tree, item.node, "type") || "Opaque";
}

/** The refused sources that a workload references, whether or not they count for its stamps. */
export function refusedFor(
  head: Side,
  own: SideWorkload,
  templates: readonly PodTemplate[],
  refused: RefusedSources,
): Item[] {
  if (refused.size === 0) return [];
  const references = [
    ...templates.flatMap((template) => template.references),
    ...own.decision.templates.flatMap(({ counted }) => counted.map(({ reference }) => reference)),
  ];
  const items = new Set<Item>();
  for (const { kind, namespace, name } of references) {
    const item = head.analysis.sources.find(kind, namespace, name, own.workload.item)?.item;
    if (item !== undefined && refused.has(item)) items.add(item);
  }
  return [...items];
}
