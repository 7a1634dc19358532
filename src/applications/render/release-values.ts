import type { HelmRender, ValuesSource } from "../discover/application.ts";
import { quietly, recovered } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { outsideReason, type OutsidePart } from "../../base/outside.ts";
import { onceFor } from "../../base/grouped.ts";
import type { Json } from "../../yaml/read/node.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { valueOf, type NearLookup, type UnknownValues } from "./data-objects.ts";
import { documentValues, mergedValues, valuesText, wholeNumbers, type GivenValues } from "./merged-values.ts";
import type { Value } from "./set-values.ts";
import { withoutUserInfo } from "../../base/user-info.ts";
import { withoutSops } from "./unknown-values.ts";
import type { StepFile, StepValues } from "./step.ts";
import { isSourceKind } from "../../base/referenced-kinds.ts";

/** The values of a release for helm, or why they are unknown. */
export type ReleaseValues =
  | {
      readonly is: "values";
      readonly values: readonly StepValues[];
      /** Whole numbers for --set, with their paths. */
      readonly set: readonly (readonly [string, string])[];
      readonly defaults: readonly StepFile[] | undefined;
      readonly files: readonly string[];
      /** The objects that placeholders stand for. */
      readonly unknownValues: readonly UnknownValues[];
      /** Texts from Secrets that are not encrypted in Git. */
      readonly secrets: readonly string[];
    }
  /** `part`: they are outside of the repository. */
  | {
      readonly is: "unknown";
      readonly because: string;
      readonly files: readonly string[];
      readonly part?: OutsidePart;
    };

/** The values of a chart, by the rules of Flux or Argo CD. */
export function releaseValues(render: HelmRender, data: NearLookup): ReleaseValues {
  const address = render.values.find((source) => source.from === "address");
  const files = render.values.flatMap((source) => (source.from === "file" ? [source.path] : []));
  if (address?.from === "address")
    return { is: "unknown", ...outside({ is: "values", name: withoutUserInfo(address.address) }), files };
  return render.flux === undefined ? plainValues(render.values, files) : fluxValues(render, render.flux, data, files);
}

function outside(part: OutsidePart): { readonly because: string; readonly part: OutsidePart } {
  return { because: outsideReason(part, part.name), part };
}

function plainValues(sources: readonly ValuesSource[], files: readonly string[]): ReleaseValues {
  const values = sources.flatMap((source): StepValues[] => {
    const file = fileOf(source);
    if (file !== undefined) return [{ is: "file", ...file }];
    if (source.from === "text") return [{ is: "text", text: source.text }];
    return source.from === "values" ? [{ is: "text", text: inlineText(source.values) }] : [];
  });
  return { is: "values", values, set: [], defaults: undefined, files, unknownValues: [], secrets: [] };
}

// An object of values is the same in all surveys that find it in the same file.
const inlineTextOf: (values: object) => string = onceFor((values) => jsonText(values, 0));

function inlineText(values: Json): string {
  return typeof values === "object" && values !== null ? inlineTextOf(values) : jsonText(values, 0);
}

function fileOf(source: ValuesSource): StepFile | undefined {
  if (source.from === "file") return { in: "repository", path: source.path, optional: source.optional };
  return source.from === "chart" ? { in: "chart", path: source.path, optional: source.optional } : undefined;
}

/** Flux: files that replace the values of the chart, then objects, then the values of the release. helm merges them if it can. */
function fluxValues(
  { values: sources }: HelmRender,
  { namespace, replacesDefaults }: NonNullable<HelmRender["flux"]>,
  data: NearLookup,
  named: readonly string[],
): ReleaseValues {
  const files = [...named];
  const given: GivenValues[] = [];
  const unknownValues: UnknownValues[] = [];
  const secrets: string[] = [];
  for (const source of sources) {
    if (source.from !== "object") continue;
    const { kind, name, key } = source;
    const unknown = (because: string): ReleaseValues => ({ is: "unknown", because, files });
    if (!isSourceKind(kind)) return unknown(`Flux takes no values from a ${kind || "nothing"}`);
    const shown = `the ${kind} ${name}`;
    const object = data({ kind, namespace, name });
    files.push(...(object?.files ?? []));
    const value = object === undefined ? undefined : valueOf(object, key);
    const objectName = `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;
    const elsewhere = (problem?: string): ReleaseValues => ({
      is: "unknown",
      ...outside({ is: "data", name: objectName, ...(problem === undefined ? {} : { problem }) }),
      files,
    });
    if (value === undefined) {
      if (source.optional) continue;
      return object === undefined ? elsewhere() : unknown(`its values come from ${shown}, which has no ${key}`);
    }
    if (source.targetPath === undefined) {
      if (value.is === "unknown") return elsewhere(value.because);
      const sops = withoutSops(value.text, DEFAULT_LIMITS);
      given.push({ is: "document", text: sops?.text ?? value.text, shown });
      if (kind === "Secret" && sops === undefined) for (const text of textsOf(value.text)) secrets.push(text);
      if (sops !== undefined && sops.hidden > 0) {
        const because = `it is encrypted with SOPS: a placeholder replaces ${sops.hidden} of the values of ${key}`;
        unknownValues.push({ object: objectName, file: files.at(-1) ?? "", because });
      }
    } else {
      const isUnknown = value.is === "unknown";
      const text = isUnknown ? value.placeholder : value.text;
      if (kind === "Secret" && !isUnknown) secrets.push(text);
      given.push({ is: "path", path: source.targetPath, text, isLiteral: source.literal || isUnknown, shown });
    }
  }
  const inline = sources.find((source) => source.from === "values")?.values;
  const defaults = replacesDefaults ? sources.flatMap((source) => fileOf(source) ?? []) : undefined;
  const documents = given.flatMap((one) => (one.is === "document" ? [one] : []));
  if (documents.length === given.length) {
    // Helm merges them by the same rule.
    const texts = [...documents.map(({ text }) => text), ...(inline === undefined ? [] : [inlineText(inline)])];
    return {
      is: "values",
      values: texts.map((text) => ({ is: "text", text })),
      set: [],
      defaults,
      files,
      unknownValues,
      secrets,
    };
  }
  return recovered(
    (): ReleaseValues => {
      const values = mergedValues(given, inline, DEFAULT_LIMITS);
      const text: StepValues = { is: "text", text: valuesText(values) };
      return { is: "values", values: [text], set: wholeNumbers(values), defaults, files, unknownValues, secrets };
    },
    ({ message }) => ({ is: "unknown", because: message, files }),
  );
}

/** The strings and numbers in a document of values; none if it can't be read, which helm rejects too. */
function textsOf(document: string): readonly string[] {
  const leaves = (value: Value): string[] => {
    if (value instanceof Map) return [...value.values()].flatMap(leaves);
    if (Array.isArray(value)) return value.flatMap(leaves);
    return value === null || typeof value === "boolean" ? [] : [String(value)];
  };
  return leaves(quietly(() => documentValues(document, "the values", DEFAULT_LIMITS)) ?? null);
}
