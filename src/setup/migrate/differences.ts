import { comparing, type Limits, type Spend } from "../../base/limits.ts";
import { compileExpression, loadRe2, splitExpressions } from "../../stamping/policy/expressions.ts";
import { RELOADER_KEYS, RELOADER_MATCH, RELOADER_SEARCH } from "../../base/hosts/peers.ts";
import type { Decision } from "../../stamping/policy/types.ts";
import { REFERENCED_KINDS, type ReferencedKind } from "../../base/referenced-kinds.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { pluralize } from "../../base/words.ts";
import type { PeerAnnotation } from "./peer-annotations.ts";

/** What one difference is told from. */
interface Compared {
  readonly decision: Decision;
  readonly annotations: readonly PeerAnnotation[];
  readonly sources: SourceIndex;
  readonly loose: LooseNames;
}

/** A way in which rollstamp does something else than a peer: a row of DIFFERENCES. */
type Difference = (compared: Compared) => readonly string[];

/** What will be otherwise for a workload, and why; in words. */
export function differencesOf(compared: Compared): string[] {
  return DIFFERENCES.flatMap((difference) => difference(compared));
}

const reads = ({ annotations }: Compared, peer: PeerAnnotation["peer"]): boolean =>
  annotations.some((annotation) => annotation.peer === peer);

/** Only the keys that the pods see: peers take any change of the object. */
const fewerKeys: Difference = ({ decision }) => {
  const parts = new Map<string, Set<string>>();
  const whole = new Set<string>();
  for (const { reference } of decision.templates.flatMap(({ counted }) => counted)) {
    const name = `${reference.kind} ${reference.name}`;
    if (reference.keys === "*") whole.add(name);
    else for (const key of reference.keys) parts.set(name, (parts.get(name) ?? new Set()).add(key));
  }
  return [...parts]
    .filter(([name]) => !whole.has(name))
    .map(
      ([name, keys]) =>
        `${name}: only its ${pluralize(keys.size, "key")} ${[...keys].sort().join(", ")} will roll it, which the pods see; any change of it does now`,
    );
};

/** A pattern becomes names: what is added later has to be named. */
const patterns: Difference = ({ annotations, decision }) =>
  reloadLists(annotations).flatMap(({ texts }) =>
    texts.flatMap((text) => {
      const expression = compileExpression(text, longestIn(decision));
      if ("problem" in expression)
        return [`the expression '${text}' names nothing, in the cluster neither: ${expression.problem}`];
      return expression.isName
        ? []
        : [
            `the expression '${text}' becomes the names that it matches now: a source that comes later has to be added to rollstamp.dev/sources`,
          ];
    }),
  );

function longestIn({ workload }: Decision): number {
  return workload.item.tree.limits.expression;
}

function reloadLists(annotations: readonly PeerAnnotation[]): { kind: ReferencedKind; texts: string[] }[] {
  return REFERENCED_KINDS.flatMap((kind) =>
    annotations
      .filter(({ key }) => key === RELOADER_KEYS[kind].reload)
      .map(({ value }) => ({ kind, texts: splitExpressions(value) })),
  );
}

/** Reloader anchors `a|b` as `^a|b$`: it takes more than the two names. */
const looseAlternation: Difference = ({ annotations, decision, loose }) =>
  reloadLists(annotations).flatMap(({ kind, texts }) =>
    texts
      .filter((text) => text.includes("|"))
      .flatMap((text) => {
        const names = loose(kind, decision.workload.namespace, text, decision.workload.item.tree.limits);
        return names.length === 0
          ? []
          : [
              `Reloader takes '${text}' for '^${text}$' without a group, and so ${names.join(", ")} too: not meant, and not taken over`,
            ];
      }),
  );

/** The names of sources that Reloader takes by an expression with alternatives, and that it doesn't mean. */
export type LooseNames = (kind: ReferencedKind, namespace: string, text: string, limits: Limits) => readonly string[];

/** Looks for each expression once, however many workloads have it; what all of them take is limited. */
export function looseNames({ all }: SourceIndex): LooseNames {
  const spend = comparing("regular expressions with names");
  const byScope = new Map<string, Set<string>>();
  for (const { provides } of all) {
    const scope = `${provides.kind}/${provides.namespace}`;
    byScope.set(scope, (byScope.get(scope) ?? new Set<string>()).add(provides.name));
  }
  const known = new Map<string, readonly string[]>();
  return (kind, namespace, text, limits) => {
    const scope = `${kind}/${namespace}`;
    const id = `${scope} ${text}`;
    let names = known.get(id);
    if (names === undefined)
      known.set(id, (names = looselyNamed([...(byScope.get(scope) ?? [])], text, limits, spend)));
    return names;
  };
}

function looselyNamed(names: readonly string[], text: string, limits: Limits, spend: Spend): readonly string[] {
  const strict = compileExpression(text, limits.expression);
  const loose = looseExpression(text);
  if ("problem" in strict || loose === undefined) return [];
  return names
    .filter((name) => {
      spend(2 * text.length * name.length, limits);
      return loose(name) && !strict.matches(name);
    })
    .sort();
}

function looseExpression(text: string): ((name: string) => boolean) | undefined {
  const { RE2JS } = loadRe2();
  try {
    const expression = RE2JS.compile(`^${text}$`);
    return (name) => expression.matcher(name).find();
  } catch {
    return undefined;
  }
}

const search: Difference = ({ annotations }) =>
  annotations.some(({ key, value }) => key === RELOADER_SEARCH && value === "true")
    ? [
        `${RELOADER_SEARCH} becomes the names of the sources that have ${RELOADER_MATCH} now: one that comes later has to be added to rollstamp.dev/sources`,
      ]
    : [];

const missing: Difference = ({ decision }) => {
  const gone = decision.templates.flatMap(({ counted }) =>
    counted.filter(({ source }) => source === undefined).map(({ reference }) => reference),
  );
  const names = [...new Set(gone.map(({ kind, name }) => `${kind} ${name}`))].sort();
  return names.length === 0
    ? []
    : [
        `${names.join(", ")}: not in these files, so no stamp: what makes it in the cluster has to be rendered here, or it stays unwatched`,
      ];
};

const jobs: Difference = (compared) => {
  const { kind } = compared.decision.workload.kind;
  const isRolled = compared.decision.templates.some(({ counted }) => counted.length > 0);
  if (!reads(compared, "Reloader") || !isRolled) return [];
  if (kind === "CronJob") return ["Reloader starts a Job at once; the stamp waits for the next run"];
  return kind === "Job" ? ["Reloader deletes the Job and makes it anew; rollstamp leaves Jobs alone"] : [];
};

/** Annotations that tell a controller how and when to act. */
const timing: Difference = ({ annotations }) =>
  annotations
    .filter(({ key }) => /\/(?:rollout-strategy|pause-period)$/u.test(key))
    .map(({ key }) => `${key} has no counterpart: the rollout is the commit's`);

const waveSchedules: Difference = (compared) =>
  reads(compared, "Wave")
    ? [
        "init containers count too, which Wave does not look at; a missing source is a warning, and keeps no pod from being scheduled",
      ]
    : [];

const checksums: Difference = (compared) =>
  reads(compared, "Helm")
    ? ["a chart's checksum is one of rendered text: labels and the chart's version roll it now, and will not"]
    : [];

const DIFFERENCES: readonly Difference[] = [
  fewerKeys,
  patterns,
  looseAlternation,
  search,
  missing,
  jobs,
  timing,
  waveSchedules,
  checksums,
];
