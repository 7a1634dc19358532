import type { Place } from "../../base/errors.ts";
import { RELOADER_DOMAIN, WAVE_DOMAIN } from "../../base/hosts/peers.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import { chartSources } from "../../kubernetes/workloads/find-workloads.ts";
import { unstampedRelease, VALUE_KINDS } from "../../kubernetes/workloads/value-templates.ts";
import { eachMapping } from "../../yaml/read/each-mapping.ts";
import { placeOf, type Item } from "../../yaml/read/items.ts";
import { endOf, entriesOf, resolve, startOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import { peerAnnotation, type PeerAnnotation } from "./peer-annotations.ts";

// Annotations of peers outside of workloads: in the values of a HelmRelease or an Application, in a string, in a values file.
// Only a rendering shows what becomes of them, so they are reported and not edited.

/** An annotation of a peer that is not on a workload or a source. */
export interface AnnotationElsewhere {
  readonly place: Place;
  readonly annotation: PeerAnnotation;
  /** The object that contains it; undefined in a values file. */
  readonly item: Item | undefined;
  /** The path of its mapping, or of the text that contains it; "" in a values file. */
  readonly field: string;
  /** Whether it is known how the values of this object annotate pods; undefined for an object without values. */
  readonly release: "known" | "unknown" | undefined;
  /** Whether its path is one of pods' annotations. rollstamp's annotation belongs on the workload. */
  readonly isOfPods: boolean;
}

/** The mappings of annotations that a migration edits. */
export type Handled = ReadonlyMap<YamlTree, ReadonlySet<number>>;

/** The annotations of peers in some objects, except those that are edited. */
export function annotationsElsewhere(items: readonly Item[], handled: Handled): AnnotationElsewhere[] {
  return items.flatMap((item) => (namesPeer(item.tree.text) ? inItem(item, handled.get(item.tree), items) : []));
}

function namesPeer(text: string): boolean {
  return text.includes(RELOADER_DOMAIN) || text.includes(WAVE_DOMAIN);
}

function inItem(item: Item, handled: ReadonlySet<number> | undefined, items: readonly Item[]): AnnotationElsewhere[] {
  const { tree } = item;
  const holds = VALUE_KINDS.find(({ group, kind }) => group === item.group && kind === item.kind)?.holds;
  const isKnown = holds !== undefined && unstampedRelease(item, holds, chartSources(items)) === undefined;
  const release: AnnotationElsewhere["release"] = holds === undefined ? undefined : isKnown ? "known" : "unknown";
  const found: { readonly offset: number; readonly row: AnnotationElsewhere }[] = [];
  eachMapping(tree, item.node, [], (mapping, path) => {
    if (handled?.has(mapping) === true) return;
    for (const { key, keyNode, valueNode } of entriesOf(tree, mapping)) {
      const text = stringOf(tree, valueNode);
      const annotation = peerAnnotation(key, text ?? "");
      if (annotation !== undefined) {
        const field = joined(path());
        const row = {
          place: placeOf(tree, keyNode),
          annotation,
          item,
          field,
          release,
          isOfPods: POD_FIELD.test(field),
        };
        found.push({ offset: startOf(tree, keyNode), row });
      } else if (text !== undefined && namesPeer(text)) {
        const node = resolve(tree, valueNode);
        const { line, file } = placeOf(tree, node);
        const field = joined([...path(), key]);
        for (const inside of inText(tree.text.slice(startOf(tree, node), endOf(tree, node)))) {
          const place: Place = { file, ...(line === undefined ? {} : { line: line + inside.line }) };
          const row = { place, annotation: inside.annotation, item, field, release, isOfPods: false };
          found.push({ offset: startOf(tree, node) + inside.line, row });
        }
      }
    }
  });
  return found.sort((a, b) => a.offset - b.offset).map(({ row }) => row);
}

function joined(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}

/** The fields by which charts annotate pods. */
const POD_FIELD =
  /(?:\bpodAnnotations|\b(?:pod|defaultPodOptions|podMetadata)\.annotations|template\.metadata\.annotations)$/u;

/** The annotations of peers in a values file. */
export function annotationsInValues(text: string, file: string): AnnotationElsewhere[] {
  return inText(text).map(({ line, annotation }) => ({
    place: { file, line: line + 1 },
    annotation,
    item: undefined,
    field: "",
    release: undefined,
    isOfPods: false,
  }));
}

const KEY = new RegExp(
  `(?<quote>["']?)\\b(?<key>(?:[a-z]+\\.){0,2}(?:${escapeRegExp(RELOADER_DOMAIN)}|${escapeRegExp(WAVE_DOMAIN)})/[\\w.-]+)\\k<quote>\\s*:\\s*(?<value>"[^"]*"|'[^']*'|[^\\s,}#]*(?:, ?[^\\s,}#:]+(?=[\\s,]|$))*)`,
  "gu",
);

/** No annotation that a person wrote is on a longer line. */
const LONGEST_LINE = 10_000;

/** Annotations in text, line by line: it may be a template, or embed another language. */
function inText(text: string): { readonly line: number; readonly annotation: PeerAnnotation }[] {
  return text.split("\n").flatMap((source, line) => {
    if (!namesPeer(source) || source.length > LONGEST_LINE || /^\s*#/u.test(source)) return [];
    return [...source.matchAll(KEY)].flatMap(({ groups }) => {
      const { key = "", value = "" } = groups ?? {};
      const annotation = peerAnnotation(key, value.replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/u, "$<inner>"));
      return annotation === undefined ? [] : [{ line, annotation }];
    });
  });
}
