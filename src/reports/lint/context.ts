import { objectKey } from "../../base/identity.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { quietly } from "../../base/errors.ts";
import type { Item, Manifests } from "../../yaml/read/items.ts";
import { analyse, analyseParts, type Analysis, type Parts } from "../../stamping/pipeline.ts";
import { decide } from "../../stamping/policy/decide.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import type { Rollout } from "../../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../kubernetes/rollout/surroundings.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { DesiredStamps } from "../../stamping/stamps/types.ts";
import { sightingsOf, type Sighting } from "../../stamping/stamps/sightings.ts";
import type { PodTemplate, Workload } from "../../kubernetes/workloads/types.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { SourceUser } from "../../findings/catalogue/unrendered-rows.ts";

/** The input of the rules. */
export interface LintContext {
  readonly items: readonly Item[];
  /** All items of the run, if it has several parts: a name in any of them counts. */
  readonly run?: RunItems;
  readonly sources: SourceIndex;
  readonly workloads: readonly LintedWorkload[];
  /** The options for making stamps. */
  readonly spec: ConfigHashSpec;
  /** Whether keyed digests can be computed. */
  readonly hasHmacKey: boolean;
  /** The revision to compare with (RS006, RS024). Only `plan` has one. */
  readonly base?: Rendering;
  /** Whether the objects that an item makes are rendered too (RS024). Known in a plan over applications. */
  readonly isRendered?: ((item: Item) => boolean) | undefined;
  /** Why they are not, if that is known. */
  readonly whyNot?: ((item: Item) => string | undefined) | undefined;
  /** What uses a source, in all applications of a plan (RS024). */
  readonly usersOf?: ((item: Item) => readonly SourceUser[]) | undefined;
  /** A second rendering of the same revision (RS013). */
  readonly again?: Rendering;
}

export interface RunItems {
  readonly items: readonly Item[];
  /** The names of all sources, and of the objects that they make. */
  readonly names: ReadonlySet<string>;
}

/** The part of another rendering that rules compare with. */
export type Rendering = Pick<LintContext, "items" | "sources" | "workloads">;

export interface LintedWorkload {
  readonly workload: Workload;
  readonly templates: readonly LintedTemplate[];
  /** The effect of a changed template on its pods. */
  readonly rollout: Rollout;
  /** Whether it is stamped, and why. */
  readonly decision: Decision;
}

export interface LintedTemplate {
  readonly template: PodTemplate;
  /** The sources that it sees, whether or not the workload is stamped. */
  readonly seen: readonly Sighting[];
  /** Its correct stamps; undefined if the workload is left unchanged. */
  readonly desired: DesiredStamps | undefined;
}

export interface LintInputs {
  readonly again?: Rendering;
  /** Returns the key for `secrets: Keyed`, or throws a RollstampError if there is none. */
  readonly hmacKey?: () => Uint8Array;
}

/** The context for inputs that are one scope. */
export function lintContext(
  manifests: readonly Manifests[],
  spec: ConfigHashSpec,
  inputs: LintInputs = {},
): LintContext {
  const hmacKey = spec.secrets === "Keyed" ? keyIfAny(inputs.hmacKey) : undefined;
  return {
    ...analysedContext(analyse(manifests, spec, hmacKey), spec, hmacKey !== undefined),
    ...(inputs.again === undefined ? {} : { again: inputs.again }),
  };
}

/** The context of each part of a run, with its analysis. */
export function lintContexts(
  parts: Parts,
  spec: ConfigHashSpec,
  givesKey: LintInputs["hmacKey"],
): { readonly analyses: readonly Analysis[]; readonly contexts: readonly LintContext[] } {
  const hmacKey = spec.secrets === "Keyed" ? keyIfAny(givesKey) : undefined;
  const analyses = analyseParts(parts, spec, hmacKey);
  const whole = analyses.map((analysis) => analysedContext(analysis, spec, hmacKey !== undefined));
  const run = runItems(analyses);
  return { analyses, contexts: run === undefined ? whole : whole.map((context) => ({ ...context, run })) };
}

/** The items of all parts of a run; undefined if it has one part. */
export function runItems(analyses: readonly Analysis[]): RunItems | undefined {
  if (analyses.length < 2) return undefined;
  const names = new Set<string>();
  for (const { item, provides } of analyses.flatMap(({ sources }) => sources.all)) {
    names.add(item.name);
    names.add(provides.name);
  }
  return { items: analyses.flatMap(({ items }) => items), names };
}

/** The context for an analysed input. */
export function analysedContext(analysis: Analysis, spec: ConfigHashSpec, hasHmacKey: boolean): LintContext {
  const { items, sources } = analysis;
  return { items, sources, workloads: lintedWorkloads(analysis, spec), spec, hasHmacKey };
}

/** Lint may run without the key. Then everything except keyed stamps is checked. */
function keyIfAny(hmacKey: LintInputs["hmacKey"]): Uint8Array | undefined {
  return hmacKey === undefined ? undefined : quietly(hmacKey);
}

function lintedWorkloads(analysis: Analysis, spec: ConfigHashSpec): LintedWorkload[] {
  const { items, sources, workloads, decisions } = analysis;
  // A missing source prevents a pod from starting, whether or not the workload opted in. So this decides as if all were
  // stamped.
  const all = decide(workloads, sources, {
    ...spec,
    selection: "All",
    jobs: "Stamp",
    cronJobs: "Stamp",
    reloads: "Stamp",
    selector: undefined,
  });
  const desired = new Map(analysis.desired.map((stamps) => [stamps.decision.template, stamps]));
  const surroundings = surroundingsOf(items, workloads, spec.defaultNamespace);
  return decisions.map((decision, i) => {
    const { workload } = decision;
    const seen = all[i]?.templates ?? [];
    return {
      workload,
      templates: workload.templates.map((template, at) => ({
        template,
        seen: sightingsOf(seen[at] ?? wholeTemplate(template, sources), workload.namespace),
        desired: desired.get(template),
      })),
      rollout: rollsOf(workload, surroundings),
      decision,
    };
  });
}

/** All references of a template, whether or not stamps cover them. */
export function wholeTemplate(template: PodTemplate, sources: SourceIndex): Decision["templates"][number] {
  return {
    template,
    counted: template.references.map((reference) => ({
      reference,
      source: sources.find(reference.kind, reference.namespace, reference.name, template.item),
      rule: "it is referenced",
    })),
    leftOut: [],
  };
}

/** Identifies a source within its input. */
export function sourceId({ item, provides }: Source): string {
  return `${objectKey(item, provides.namespace)}\n${objectKey(provides)}`;
}
