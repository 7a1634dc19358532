import { groupedBy, sumOf } from "../base/grouped.ts";
import { counted, pluralize, shellPath } from "../base/words.ts";
import { describeFinding } from "../findings/catalogue/describe.ts";
import { folderOf } from "../applications/discover/paths.ts";
import type { PlanFinding, PlannedObject, PlannedWorkload } from "../reports/plan/planned-workload.ts";
import type { FoundBy, PlannedApplication } from "../reports/plan/planned-application.ts";
import { rollsIfStamped } from "../reports/plan/counted.ts";
import type { Fix, StaleCause } from "../reports/plan/rows/effects.ts";
import type { Move } from "../reports/plan/rows/row-causes.ts";
import type { WorkloadRow } from "../reports/plan/rows/row-types.ts";
import { workloadsOf } from "../reports/plan/rows/report-rows.ts";
import { code, codes, labelled, paragraph } from "./document/blocks.ts";
import type { Block, Part, Words } from "./document/document.ts";
import { selectorSteps, type SelectorNext } from "./plan-selector.ts";
import { clause, nextText } from "./plan-words.ts";
import { RELEASE } from "./plan-causes.ts";

// What a person can do about a row: `Fix` changes Git, `Next` is done after the merge.

/** The page of the rules. */
const RULES = "https://github.com/rollstamp/rollstamp/blob/main/docs/reference/rules.md";

/** A rule in parentheses, with its link. */
export function ruleWords(id: string): Words {
  const shown: Part = /^RS\d+$/u.test(id) ? { link: `${RULES}#${id.toLowerCase()}`, words: [id] } : id;
  return [" (", shown, ")"];
}

const ACCEPT_OUTAGE = code('ignore.rollstamp.dev/RS004: "reason"');

/** What helps by rule and cause, if it is shorter than the remedy of the finding. */
const SHORT_FIXES: ReadonlyMap<string, Words> = new Map<string, Words>([
  ["RS004 recreate", ["use RollingUpdate if two versions may run side by side"]],
  ["RS004 singlePod", ["run more replicas, or accept it: ", ACCEPT_OUTAGE]],
  ["RS004 strategy", ["run more replicas, or start a new pod first (maxUnavailable 0, maxSurge 1)"]],
  ["RS004 exclusiveVolume", ["roll out when an outage is acceptable, or use a volume that several pods can mount"]],
  ["RS004 allAtOnce", ["lower maxUnavailable"]],
  ["RS004 allNodes", ["lower maxUnavailable"]],
  ["RS004 noTraffic", ["accept it if its work can pause: ", ACCEPT_OUTAGE]],
]);

/** What the fixes of a row need to know of the plan. */
export interface FixContext {
  readonly applications: readonly PlannedApplication[];
  readonly objects: readonly PlannedObject[];
}

/** What to do about a row of workloads. */
export function fixBlocks(row: WorkloadRow, context: FixContext): readonly Block[] {
  const { fix } = row;
  if (fix === undefined) return [];
  const workloads = workloadsOf(row);
  switch (fix.is) {
    case "rule":
      return [labelled("Fix", [{ words: ruleFix(fix, workloads) }])];
    case "selector":
      return [
        labelled(
          "Fix, safest first",
          selectorSteps(selectorsOf(workloads)).map((words) => ({ words })),
          true,
        ),
      ];
    case "move":
      return [labelled("Fix", [{ words: moveFix(fix) }])];
    case "lost":
      return [labelled("Fix", [{ words: lostFix(fix, workloads) }])];
    case "stale":
      return staleFix(fix.cause, workloads, context);
    case "promote":
      return [
        labelled("Next", [
          { words: [`promote ${pluralize(workloads.length, "it", "each")} when its new pods are healthy`] },
        ]),
      ];
    case "next": {
      const label = fix.next.id === "rollout" && row.label !== "refused" ? "Next" : "Fix";
      return [labelled(label, [{ words: [clause(nextText(fix.next))] }])];
    }
  }
}

function ruleFix({ id, cause }: Extract<Fix, { readonly is: "rule" }>, workloads: readonly PlannedWorkload[]): Words {
  const short = SHORT_FIXES.get(`${id} ${cause}`);
  if (short !== undefined) {
    // What accepts a finding names its rule.
    return short.includes(ACCEPT_OUTAGE) ? short : [...short, ...ruleWords(id)];
  }
  const finding = workloads[0]?.findings.find((one) => one.id === id && one.cause === cause);
  return finding === undefined ? [`see ${id}`] : remedyWords(finding);
}

/** The remedy of a finding, with its rule. */
function remedyWords(finding: PlanFinding): Words {
  const remedy = remedyText(finding);
  return remedy === undefined ? [`see ${finding.id}`] : [remedy, ...ruleWords(finding.id)];
}

/** What to do about a finding. */
export function remedyText(finding: PlanFinding): string | undefined {
  const { remedy } = describeFinding(finding);
  return remedy === undefined ? undefined : clause(remedy);
}

/** What workloads say about their changed selectors. */
export function selectorsOf(workloads: readonly PlannedWorkload[]): readonly SelectorNext[] {
  return workloads.flatMap(({ next }) => (next?.id === "keep-selector" ? [next] : []));
}

function lostFix({ hasKeys }: Extract<Fix, { readonly is: "lost" }>, workloads: readonly PlannedWorkload[]): Words {
  const kinds = new Set(workloads.flatMap(({ lost = [] }) => lost.map(({ source }) => source.kind)));
  const [kind = "source", ...others] = kinds;
  const what = hasKeys ? "key" : others.length === 0 ? kind : "source";
  return [`keep the ${what}, or remove the reference`, ...ruleWords(hasKeys ? "RS002" : "RS001")];
}

function staleFix(
  cause: StaleCause,
  workloads: readonly PlannedWorkload[],
  { applications }: FixContext,
): readonly Block[] {
  const finding = workloads[0]?.findings.find(({ id }) => id === "RS025");
  if (cause === "uncovered") return finding === undefined ? [] : [labelled("Fix", [{ words: remedyWords(finding) }])];
  const names = new Set(workloads.flatMap(({ application }) => application ?? []));
  const known = applications.filter(({ name }) => names.has(name));
  const ways = groupedBy(known, (one) => (cause === "forgotten" ? STAMP : stampingOf(one)));
  const items = [...(ways.size === 0 ? [[STAMP, []] as const] : ways)].map(([{ words, target }, alike]) => {
    const [first = ".", ...others] = new Set(alike.map(target));
    return { words: [...words(first === "." ? "" : ` ${shellPath(first)}`), ...andFor(others), ...ruleWords("RS025")] };
  });
  const rolling = workloads.filter(rollsIfStamped);
  return [
    labelled("Fix", items),
    ...(cause === "unstamped" && rolling.length > 0 ? [paragraph(ifStampedText(rolling, workloads.length))] : []),
  ];
}

function ifStampedText(rolling: readonly PlannedWorkload[], all: number): string {
  const { length } = rolling;
  const pods = sumOf(rolling, (workload) => workload.pods);
  const who =
    length < all
      ? `${length} of these ${all} ${pluralize(length, "rolls", "roll")}`
      : pluralize(length, "it rolls", `these ${length} roll`);
  return `With stamps ${who}${pods === 0 ? "" : `, ${counted(pods, "pod")}`}`;
}

const MOST_TARGETS = 4;

function andFor(others: readonly string[]): Words {
  if (others.length === 0) return [];
  return others.length <= MOST_TARGETS
    ? [", and the same for ", ...codes(others)]
    : [`, and the same for the other ${counted(others.length, "application")}`];
}

/** A way to set up stamping. */
interface Stamping {
  /** `target` begins with a space, or is empty. */
  readonly words: (target: string) => Words;
  readonly target: (application: PlannedApplication) => string;
}

const ofPath = ({ path }: PlannedApplication): string => path;
const ofObject = ({ definedIn: [file = "."] = [] }: PlannedApplication): string => folderOf(file);

const STAMP: Stamping = { words: (target) => [code(`rollstamp stamp${target}`)], target: ofPath };

/** By what renders an application; plain files are stamped in Git. */
const BY_KIND: Readonly<Record<PlannedApplication["kind"], Stamping>> = {
  Kustomize: { words: (target) => [code(`rollstamp init kustomize${target}`)], target: ofPath },
  // No file shows the flag of a release.
  Helm: {
    words: (target) => [
      code(`rollstamp init helm${target}`),
      ", or ",
      code("--stamped-by PostRenderer"),
      " if its releases are stamped",
    ],
    target: ofPath,
  },
  Kpt: { words: (target) => [code(`rollstamp init kpt${target}`)], target: ofPath },
  Files: STAMP,
};

const IN_ARGOCD: Stamping = { words: (target) => [code(`rollstamp init argocd${target}`)], target: ofObject };

/** Flux runs no functions: stamps are made before it reads the manifests (docs/reference/commands/init.md, "Flux"). */
const FOR_FLUX: Stamping = { words: (target) => [code(`rollstamp init flux${target}`)], target: ofObject };

const BY_ENGINE: Partial<Record<FoundBy, Stamping>> = {
  Application: IN_ARGOCD,
  ApplicationSet: IN_ARGOCD,
  FluxKustomization: { ...FOR_FLUX, target: ofPath },
  HelmRelease: FOR_FLUX,
};

function stampingOf({ kind, foundBy }: PlannedApplication): Stamping {
  const byEngine = kind === "Files" || foundBy === undefined ? undefined : BY_ENGINE[foundBy];
  return byEngine ?? BY_KIND[kind];
}

function moveFix({ from, to, ...move }: Move): Words {
  switch (move.place) {
    case "namespace":
      return ["add ", code(to), " beside ", code(from), ", move data and traffic, then remove ", code(from)];
    case "application":
      return ["add to ", code(to), " first, then remove from ", code(from)];
    case "release":
      return move.by === "chart"
        ? ["set ", code("upgrade.chartNameChangeStrategy: InPlaceUpdate")]
        : ["keep ", code(`${RELEASE[move.by]}: ${from}`)];
  }
}
