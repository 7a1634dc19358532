import {
  RELOADER_AUTO_KEYS,
  RELOADER_DOMAIN,
  RELOADER_KEYS,
  WAVE_DOMAIN,
  WAVE_OPT_IN,
} from "../../base/hosts/peers.ts";
import type { Place } from "../../base/errors.ts";
import { EXCLUDE, SOURCES, STAMP } from "../../base/keys.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import { REFERENCED_KINDS } from "../../base/referenced-kinds.ts";
import { eachMapping } from "../../yaml/read/each-mapping.ts";
import { placeOf, type Item } from "../../yaml/read/items.ts";
import { endOf, entriesOf, resolve, startOf, stringOf } from "../../yaml/read/node.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import { chartSources } from "../../kubernetes/workloads/find-workloads.ts";
import { unstampedRelease, VALUE_KINDS } from "../../kubernetes/workloads/value-templates.ts";
import { peerAnnotation, type PeerAnnotation } from "./peer-annotations.ts";

// Annotations of peers that stand where no workload is: among the values of a HelmRelease or an Application, in a text, in a
// file of values. What comes of them only a rendering shows, so they are told and not edited.

/** An annotation of a peer that is no workload's, nor a source's. */
export interface AnnotationElsewhere {
  readonly place: Place;
  readonly annotation: PeerAnnotation;
  /** The object that it stands in; undefined in a file of values. */
  readonly item: Item | undefined;
  /** The path of the mapping that it is in, or of the text; "" in a file of values. */
  readonly field: string;
  /** Of an object that holds a chart's values, whether stamps can go into these. */
  readonly release: "known" | "unknown" | undefined;
  /** Whether it is, by its path, one of pods: ours is read on the workload. */
  readonly isOfPods: boolean;
  /** What stands for it. */
  readonly own: readonly (readonly [key: string, value: string])[];
}

/** The mappings of annotations that are taken care of. */
export type Handled = ReadonlyMap<YamlTree, ReadonlySet<number>>;

/** Those of some objects, but for those that are taken care of. */
export function annotationsElsewhere(items: readonly Item[], handled: Handled): AnnotationElsewhere[] {
  return items.flatMap((item) => (namesPeer(item.tree.text) ? ofItem(item, handled.get(item.tree), items) : []));
}

function namesPeer(text: string): boolean {
  return text.includes(RELOADER_DOMAIN) || text.includes(WAVE_DOMAIN);
}

function ofItem(item: Item, handled: ReadonlySet<number> | undefined, items: readonly Item[]): AnnotationElsewhere[] {
  const { tree } = item;
  const release = releaseOf(item, items);
  const found: { readonly at: number; readonly one: AnnotationElsewhere }[] = [];
  eachMapping(tree, item.node, [], (mapping, path) => {
    if (handled?.has(mapping) === true) return;
    for (const { key, keyNode, valueNode } of entriesOf(tree, mapping)) {
      const text = stringOf(tree, valueNode);
      const known = peerAnnotation(key, text ?? "");
      if (known !== undefined) {
        const field = joined(path());
        const one = { item, field, release, isOfPods: POD_FIELD.test(field), own: ownFor(known) };
        found.push({ at: startOf(tree, keyNode), one: { ...one, place: placeOf(tree, keyNode), annotation: known } });
      } else if (text !== undefined && namesPeer(text)) {
        const node = resolve(tree, valueNode);
        const { line, ...place } = placeOf(tree, node);
        const source = tree.text.slice(startOf(tree, node), endOf(tree, node));
        for (const one of inText(source)) {
          const told = {
            item,
            field: joined([...path(), key]),
            release,
            isOfPods: false,
            own: ownFor(one.annotation),
          };
          const at: Place = { file: place.file, ...(line === undefined ? {} : { line: line + one.line }) };
          found.push({ at: startOf(tree, node) + one.line, one: { ...told, place: at, annotation: one.annotation } });
        }
      }
    }
  });
  return found.sort((a, b) => a.at - b.at).map(({ one }) => one);
}

function releaseOf(item: Item, items: readonly Item[]): AnnotationElsewhere["release"] {
  const holds = VALUE_KINDS.find(({ group, kind }) => group === item.group && kind === item.kind)?.holds;
  if (holds === undefined) return undefined;
  return unstampedRelease(item, holds, chartSources(items)) === undefined ? "known" : "unknown";
}

function joined(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}

/** The field by which charts annotate pods, whatever they call it. */
const POD_FIELD =
  /(?:\bpodAnnotations|\b(?:pod|defaultPodOptions|podMetadata)\.annotations|template\.metadata\.annotations)$/u;

/** Those of a file of values. */
export function annotationsInValues(text: string, file: string): AnnotationElsewhere[] {
  if (!namesPeer(text)) return [];
  return inText(text).map(({ line, annotation }) => ({
    place: { file, line: line + 1 },
    annotation,
    item: undefined,
    field: "",
    release: undefined,
    isOfPods: false,
    own: ownFor(annotation),
  }));
}

const KEY = new RegExp(
  `(?<quote>["']?)\\b(?<key>(?:[a-z]+\\.){0,2}(?:${escapeRegExp(RELOADER_DOMAIN)}|${escapeRegExp(WAVE_DOMAIN)})/[\\w.-]+)\\k<quote>\\s*:\\s*(?<value>"[^"]*"|'[^']*'|[^\\s,}#]*(?:, ?[^\\s,}#:]+(?=[\\s,]|$))*)`,
  "gu",
);

/** Keys with their values as they are written in a text, by its lines: a template or another language may be around them. */
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

/** No annotation that a person wrote stands on a longer one. */
const LONGEST_LINE = 10_000;

/** What of ours says the same, as far as a list without the objects that it names can tell. */
function ownFor({ key, value }: PeerAnnotation): AnnotationElsewhere["own"] {
  if (RELOADER_AUTO_KEYS.includes(key) || key === WAVE_OPT_IN) {
    const isOn = /^(?:1|t|true)$/iu.test(value);
    const typed = REFERENCED_KINDS.find((kind) => RELOADER_KEYS[kind].auto === key);
    const others = REFERENCED_KINDS.filter((kind) => kind !== typed && kind !== "SecretProviderClass");
    if (!isOn || typed === undefined) return [[STAMP, isOn ? "true" : "false"]];
    return [
      [STAMP, "true"],
      [EXCLUDE, others.map((kind) => `${kind.toLowerCase()}/*`).join(", ")],
    ];
  }
  for (const kind of REFERENCED_KINDS) {
    const names = value
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "");
    const entries = names.map((name) => `${kind.toLowerCase()}/${name}`).join(", ");
    if (key === RELOADER_KEYS[kind].exclude) return [[EXCLUDE, entries]];
    // Of an expression the names that match it stand in a list of ours; those only the objects tell.
    if (key === RELOADER_KEYS[kind].reload && names.length > 0 && names.every((name) => /^[\w.-]+$/u.test(name)))
      return [
        [STAMP, "true"],
        [SOURCES, entries],
      ];
  }
  return [];
}
