import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { capped } from "../../findings/catalogue/cap.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import { objectKey } from "../../base/identity.ts";
import { resourceRef } from "../../findings/results/location.ts";
import type { Item } from "../../yaml/read/items.ts";
import { runItems } from "../../reports/lint/context.ts";
import { analyseParts, type Analysis, type Parts } from "../../stamping/pipeline.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { PlanPair } from "../../reports/plan/plan-context.ts";
import { isSameText } from "../../reports/plan/same-text.ts";
import { hasStamps, sideOf, type Side } from "../../reports/plan/side.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { unsureFinding, unsureReferences, type Unsure } from "../../stamping/stamps/in-several.ts";
import { nearestRoot, partsOfRepeats, repeatsOf, type PartFile, type Roots, type Twice } from "../discover/repeats.ts";
import { partFiles, duplicateObject, type ReadScope } from "../inputs/parts.ts";
import { placesOf, type PackageOf } from "./kept-objects.ts";
import type { PlanSides } from "./plan-sides.ts";

/** The parts of both sides in pairs, with findings about them. */
export interface PlanPairs {
  readonly as: ComparedAs;
  readonly pairs: readonly PlanPair[];
  readonly findings: readonly Finding[];
  /** Findings that the base has too. */
  readonly before: readonly Finding[];
}

/** How the sides of a plan are stamped and compared. */
export interface Pairing {
  readonly spec: ConfigHashSpec;
  readonly hmacKey: Uint8Array | undefined;
  /** By default as applied if either side has a stamp of ours, else as if both were stamped. */
  readonly as: ComparedAs | undefined;
  readonly packageOf?: PackageOf;
}

/** Divides both sides into the same parts, and analyzes them. Throws a RollstampError for invalid input. */
export function pairsOf(
  { base: given, head }: Pick<PlanSides, "base" | "head">,
  scope: ReadScope,
  { spec, hmacKey, as: asGiven, packageOf = () => undefined }: Pairing,
): PlanPairs {
  const repeated = scope === "auto" ? [head, given].map((files) => partsOfRepeats(files, spec)) : [];
  const [inHead = NO_REPEATS, inBase = NO_REPEATS] = repeated;
  const base = withMoved(given, head, new Set([...inHead.roots].filter((root) => !inBase.roots.has(root))));
  const roots = new Set(repeated.flatMap((side) => [...side.roots]));
  const repeats =
    scope === "auto"
      ? repeatsOf(
          repeated.map((side) => side.repeated),
          roots,
        )
      : undefined;
  const files = { base: partFiles(base, scope, roots), head: partFiles(head, scope, roots) };
  const keys = [...new Set([...files.base.keys(), ...files.head.keys()])];
  const analysed = {
    base: analyseParts(partsBy(keys, files.base, repeats), spec, hmacKey, { isBase: true }),
    head: analyseParts(partsBy(keys, files.head, repeats), spec, hmacKey),
  };
  const as = asGiven ?? ([...analysed.base, ...analysed.head].some(hasStamps) ? "applied" : "stamped");
  const sides = { base: sidesOf(analysed.base, spec, as), head: sidesOf(analysed.head, spec, as) };
  // Each file is intended to be applied alone.
  const places = scope === "file" ? undefined : placesOf({ base, head }, spec.defaultNamespace, packageOf);
  const pairs = keys.flatMap((root, i): PlanPair[] => {
    const [before, after] = [sides.base[i], sides.head[i]];
    if (before === undefined || after === undefined) return [];
    const stampedBy = [before, after].some(({ analysis }) => hasStamps(analysis)) ? "Files" : "Nothing";
    return [
      {
        base: before,
        head: after,
        stampedBy,
        ...(places && { places }),
        ...(keys.length === 1 || root === "" ? {} : { part: root }),
      },
    ];
  });
  const twice = inHead.twice ?? inBase.twice;
  const divided = twice === undefined ? [] : [duplicateObject(twice, [...roots])];
  const isDividedBefore = twice !== undefined && isRepeated(inBase.twice, twice);
  const unsure = unsureChanges(analysed, scope);
  return {
    as,
    pairs,
    findings: [...(isDividedBefore ? [] : divided), ...unsure.findings],
    before: [...(isDividedBefore ? divided : []), ...unsure.before],
  };
}

const NO_REPEATS = { roots: new Set<string>(), twice: undefined } as const;

/**
 * The files of the base. A file that only moves into a new part gets its new path, so that its objects do not count as deleted.
 */
function withMoved(base: readonly PartFile[], head: readonly PartFile[], made: Roots): readonly PartFile[] {
  if (made.size === 0) return base;
  const textOf = ({ file }: PartFile): string => file.manifests.items[0]?.tree.text ?? "";
  const missingIn = (files: readonly PartFile[]): ((file: PartFile) => boolean) => {
    const paths = new Set(files.map(({ path }) => path));
    return (file) => !paths.has(file.path) && textOf(file) !== "";
  };
  const gone = groupedBy(base.filter(missingIn(head)), textOf);
  const come = groupedBy(head.filter(missingIn(base)), textOf);
  return base.map((file) => {
    const [[only, ...others] = [], [to, ...more] = []] = [gone.get(textOf(file)), come.get(textOf(file))];
    const isMoved = only === file && to !== undefined && others.length + more.length === 0;
    return isMoved && nearestRoot(to.path, made) !== "" ? { ...file, path: to.path } : file;
  });
}

/** Whether the base has the duplicate objects of the head too. */
function isRepeated(before: Twice | undefined, { second, more }: Twice): boolean {
  return before !== undefined && before.more >= more && keyOf(before.second) === keyOf(second);
}

function keyOf(item: Item): string {
  return objectKey(resourceRef(item));
}

function partsBy(
  keys: readonly string[],
  files: ReadonlyMap<string, readonly PartFile[]>,
  repeats: Parts["repeats"],
): Parts {
  const parts = keys.map((root) => ({ root, manifests: (files.get(root) ?? []).map(({ file }) => file.manifests) }));
  return { parts, repeats };
}

function sidesOf(analyses: readonly Analysis[], spec: ConfigHashSpec, as: ComparedAs): Side[] {
  const stamps = as === "applied" ? "Standing" : "AsIfStamped";
  const run = runItems(analyses);
  return analyses.map((analysis) => sideOf(analysis, spec, stamps, run));
}

/**
 * Findings for ambiguous references of the head. They are errors if one of the sources differs. With --scope, parts are intended
 * to be separate, and only these errors are reported.
 */
function unsureChanges(
  { base, head }: Readonly<Record<"base" | "head", readonly Analysis[]>>,
  scope: ReadScope,
): Pick<PlanPairs, "findings" | "before"> {
  const findings: Finding[] = [];
  const before: Finding[] = [];
  for (const [i, analysis] of head.entries()) {
    const known = new Set(unsureIn(base[i]).map(unsureKey));
    for (const unsure of unsureIn(analysis)) {
      const { kind, namespace, name } = unsure.reference;
      const { item } = unsure.decision.workload;
      const isChanged = !areSame(unsure.sources)(base[i]?.sources.inSeveral(kind, namespace, name, item) ?? []);
      if (!isChanged && scope !== "auto") continue;
      const isKnown = !isChanged && known.has(unsureKey(unsure));
      (isKnown ? before : findings).push(unsureFinding(unsure, isChanged));
    }
  }
  return { findings: capped(findings), before: capped(before) };
}

function unsureIn(analysis: Analysis | undefined): readonly Unsure[] {
  return analysis === undefined ? [] : unsureReferences(analysis.decisions, analysis.sources);
}

function unsureKey({ decision, reference: { kind, namespace, name } }: Unsure): string {
  return JSON.stringify([keyOf(decision.workload.item), kind, namespace, name]);
}

function isSameObject(a: Item, b: Item): boolean {
  return isSameText(a, b) || (a.tree.text === b.tree.text && a.index === b.index);
}

// Cached, because thousands of workloads may use a source that hundreds of parts contain.
const areSame = onceFor((after: readonly Source[]) =>
  onceFor(
    (before: readonly Source[]): boolean =>
      before.length === after.length &&
      before.every((source, i) => {
        const other = after[i];
        return other !== undefined && isSameObject(source.item, other.item);
      }),
  ),
);
