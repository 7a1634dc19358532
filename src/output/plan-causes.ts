import { code, codes, diff, inOneLine, paragraph } from "./document/blocks.ts";
import { shownValue, valuePair } from "../findings/results/value-pair.ts";
import type { ChangedField, ChangedKeys, Reason, SourceReason } from "../reports/plan/plan-reasons.ts";
import type { ReplacedRelease } from "../reports/plan/planned-workload.ts";
import { isImage, type RowCause } from "../reports/plan/rows/row-causes.ts";
import { isMapping } from "../yaml/read/json.ts";
import type { Json } from "../yaml/read/node.ts";
import type { Block, LabelledLine, Words } from "./document/document.ts";
import { counted } from "../base/words.ts";

// Why workloads change, in words: what changed, then how.

/** A cause of a row or of all rows, as a line of a report. `isStampAlone`: no content changes. */
export function causeLine(cause: RowCause, isStampAlone: boolean = false): LabelledLine {
  switch (cause.is) {
    case "reason": {
      const { reason } = cause;
      if (reason.type === "FirstStamp")
        return { words: [`first stamp of each pod template${isStampAlone ? "; no content changes" : ""}`] };
      const blocks = diffBlocks(reason);
      return { ...reasonParts(reason, cause), ...(blocks.length === 0 ? {} : { blocks }) };
    }
    case "move":
      return {
        words: [
          `${cause.place === "release" ? RELEASE[cause.by] : cause.place} `,
          code(cause.from),
          " → ",
          code(cause.to),
        ],
      };
    case "application":
      return { words: ["application ", code(cause.name), " is removed"] };
    case "lost": {
      const { source, keys } = cause.lost;
      const name = sourceName(source.name, cause.namespaces);
      return keys.length === 0
        ? { words: [`${source.kind} `, code(name), " is deleted, and the pod template still names it"] }
        : {
            words: [
              ...codes(keys),
              ` of ${source.kind} `,
              code(name),
              " is removed, and the pod template still names it",
            ],
          };
    }
  }
}

/** What changes of a release: fields of a HelmRelease, if it has one. */
export const RELEASE: Readonly<Record<ReplacedRelease["by"], string>> = {
  storageNamespace: "storageNamespace",
  namespace: "targetNamespace",
  name: "releaseName",
  chart: "name of the chart",
};

function diffBlocks(reason: Reason): readonly Block[] {
  if (reason.type !== "Source") return [];
  const { diffs = [], moreDiffs = 0 } = reason;
  return [
    ...diffs.map(({ key, lines }) => diff(lines, key)),
    ...(moreDiffs === 0 ? [] : [paragraph(`(${counted(moreDiffs, "more key changed", "more keys changed")})`)]),
  ];
}

/** Why a workload changes, in one line. `namespace` is the workload's: its own sources are named without it. */
export function reasonWords(reason: Reason, namespace: string): Words {
  if (reason.type === "FirstStamp") return ["first stamp"];
  const named =
    reason.type === "Source"
      ? { name: reason.source.name, namespaces: reason.source.namespace === namespace ? [] : [reason.source.namespace] }
      : { name: "", namespaces: [] };
  return inOneLine(reasonParts(reason, named));
}

function reasonParts(
  reason: Exclude<Reason, { readonly type: "FirstStamp" }>,
  named: { readonly name: string; readonly namespaces: readonly string[] },
): LabelledLine {
  switch (reason.type) {
    case "Source":
      return sourceParts(reason, sourceName(named.name, named.namespaces));
    case "Template":
      if (reason.order === true) return { words: pathWords(reason), rest: ["the order changed"] };
      return changeParts(pathWords(reason), reason);
    case "Stamp":
      if (reason.hidden === true) return { words: ["stamp ", ...pathWords(reason), " changed"] };
      return changeParts(["stamp ", ...pathWords(reason)], reason);
    case "Restart":
      return changeParts(["restart: ", code(reason.field)], { ...reason, path: reason.field });
    case "Immutable": {
      const end = `; ${fixedNoun(reason.path)} cannot be changed`;
      const { words, rest } = changeParts([code(reason.path)], reason);
      return rest === undefined ? { words: [...words, end] } : { words, rest: [...rest, end] };
    }
    case "Invalid":
      return { words: [code(reason.path), ` ${reason.message}`] };
  }
}

function pathWords({ template, path }: { readonly template?: string; readonly path: string }): Words {
  return [code([template, path].filter((part) => part !== undefined && part !== "").join(" "))];
}

/** What an immutable field is called. */
function fixedNoun(path: string): string {
  if (path.startsWith("spec.selector")) return "a selector";
  return path.startsWith("spec.volumeClaimTemplates") ? "a volume claim template" : "this field";
}

/** A source that is in several namespaces is named without them. */
function sourceName(name: string, namespaces: readonly string[]): string {
  const [only = "", ...others] = namespaces;
  return others.length === 0 && only !== "" ? `${only}/${name}` : name;
}

function sourceParts({ source, keys }: SourceReason, name: string): LabelledLine {
  const { kind, name: current, previousName, madeBy } = source;
  const isRenamed = previousName !== undefined && name.endsWith(current);
  const renamed: Words = isRenamed ? [" (formerly ", code(previousName), ")"] : [];
  const maker: Words = madeBy === undefined ? [] : [" from ", code(madeBy)];
  const changed = keyWords(keys);
  const what: Words = [`${kind} `, code(name), ...renamed, ...maker];
  if (changed.length > 0) return { words: what, rest: changed };
  return { words: [...what, previousName === undefined ? " changed" : " was renamed"] };
}

const MOST_KEYS = 8;

function keyWords(keys: ChangedKeys): Words {
  const groups = [
    { names: keys.changed, word: "changed" },
    { names: keys.added, word: "added" },
    { names: keys.removed, word: "removed" },
  ].filter(({ names }) => names.length > 0);
  const words = groups.flatMap(({ names, word }, i): Words => [
    ...(i === 0 ? [] : ["; "]),
    ...codes(names, MOST_KEYS),
    ` ${word}`,
  ]);
  return keys.more === undefined ? words : [...words, `; and ${keys.more} more`];
}

interface ShownChange {
  readonly path: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
  readonly hidden?: true;
}

/** `a → b`, `a added`, `a removed`. */
function changeParts(what: Words, { path, from = null, to = null, hidden }: ShownChange): LabelledLine {
  if (hidden === true) return { words: [...what, " changed (its values are not shown)"] };
  if (from === null) return wholeParts(what, "added", to, path);
  if (to === null) return wholeParts(what, "removed", from, path);
  const pair = valuePair(from, to, isImage(path) ? { longest: Infinity } : {});
  return { words: what, rest: [code(pair.from), " → ", code(pair.to)] };
}

/** A field of an object, and how it changes. */
export function fieldParts(field: ChangedField): LabelledLine {
  return changeParts([code(field.path)], field);
}

/** What is added or removed as a whole, in one line, without the key by which its path names it. */
function wholeParts(what: Words, verb: string, value: Json, path: string): LabelledLine {
  const shown = (text: string): LabelledLine => ({ words: what, rest: [code(text), ` ${verb}`] });
  if (isImage(path)) return shown(shownValue(value, Infinity));
  if (!isMapping(value)) return shown(shownValue(value));
  const [, key = "", named = ""] = /\[([^=\]]+)=([^\]]*)\]$/u.exec(path) ?? [];
  const { image, ...rest } = Object.fromEntries(Object.entries(value).filter(([k, v]) => k !== key || v !== named));
  // An image, as containers have, comes first and in full.
  const first = typeof image === "string" ? { image } : {};
  const fields = { ...first, ...(image === undefined || typeof image === "string" ? {} : { image }), ...rest };
  if (Object.keys(fields).length === 0) return { words: [...what, ` ${verb}`] };
  return shown(shownValue(fields, typeof image === "string" ? JSON.stringify(first).length - 1 : 0));
}
