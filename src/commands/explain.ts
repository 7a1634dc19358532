import leven from "leven";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { REFERENCED_KINDS } from "../base/referenced-kinds.ts";
import { RollstampError, BAD, worst, type ExitStatus } from "../base/errors.ts";
import type { Item } from "../yaml/read/items.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { Decision } from "../stamping/policy/types.ts";
import { notExaminedLines } from "../findings/not-examined/account-words.ts";
import { printable } from "../findings/results/terminal.ts";
import { notExaminedBlocks } from "../output/not-examined.ts";
import { heading } from "../output/document/blocks.ts";
import type { Block } from "../output/document/document.ts";
import { explainWorkload } from "../output/explain-workload.ts";
import { KIND_AND_NAME_REMEDY, namesKind, readKindAndName, type KindAndName } from "../base/kind-names.ts";
import type { Rollout } from "../kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../kubernetes/rollout/surroundings.ts";
import type { Workload } from "../kubernetes/workloads/types.ts";
import { unreadStatus, addInputOptions, readAnalysed, type InputOptions } from "./analysed.ts";
import { FILES_AND_FOLDERS, colorOption, wantsColor, type ColorWhen } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { writeReport } from "./write-text.ts";

interface ExplainOptions extends InputOptions {
  readonly namespace?: string;
  readonly color: ColorWhen;
}

/** Defines `rollstamp explain`. */
export const defineExplain: DefineCommand = (command, io, done) => {
  command
    .argument("<kind/name>", "the workload, such as deployment/api")
    .argument("<path...>", FILES_AND_FOLDERS)
    .option("-n, --namespace <namespace>", "the namespace of the workload")
    .addOption(colorOption(command))
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (target: string, paths: string[], options: ExplainOptions) => {
      done(await runExplain(io, target, paths, options));
    });
  addInputOptions(command);
};

const EXPLAIN_HELP = `
Explains why a workload has its stamps: which sources and keys it sees, through which container and field,
and which rule leaves out the others.

Examples:
  rollstamp explain deployment/api .
  rollstamp explain --app 'prod-*' deployment/api .   in some applications of a repository
  kustomize build overlays/prod | rollstamp explain Deployment/api -
`;

async function runExplain(
  io: Io,
  target: string,
  paths: readonly string[],
  options: ExplainOptions,
): Promise<ExitStatus> {
  const wanted = readTarget(target);
  if (isNamedSource(wanted)) throw notExplained(target);
  const asked = { wanted, namespace: options.namespace };
  const analysed = await readAnalysed(io, paths, options, (analysis, { spec }) =>
    explainWorkloads([analysis], spec, { ...asked, within: "this application" }),
  );
  if (analysed === undefined) return BAD;
  const { analyses, spec, account, looked, status } = analysed;
  const plain = explainWorkloads(analyses, spec, asked);
  const naming = { command: "explain", verbose: options.verbose === true } as const;
  const ofApplications = looked.flatMap(({ application: { name }, result }) =>
    result.explanations.flatMap((blocks): Block[] => [heading(1, `Application ${name}`), ...blocks]),
  );
  const blocks = [...plain.explanations.flat(), ...ofApplications];
  if (blocks.length === 0) {
    const notExamined = notExaminedLines(account, naming);
    const names = new Set([...plain.names, ...looked.flatMap(({ result }) => result.names)]);
    throw unknownWorkload(target, options.namespace, names, notExamined);
  }
  const document = { title: target, blocks: [...blocks, ...notExaminedBlocks(account, naming)] };
  await writeReport(io, document, wantsColor(options.color, io));
  return worst(unreadStatus(io, analysed.read), status);
}

interface Asked {
  readonly wanted: KindAndName;
  readonly namespace: string | undefined;
  /** Where sources are looked up. */
  readonly within?: string;
}

/** The explanations of what was asked for; if there are none, the names of what there is. */
interface Explained {
  readonly explanations: readonly (readonly Block[])[];
  readonly names: readonly string[];
}

/** Why workloads have their stamps. */
function explainWorkloads(
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  { wanted, namespace, within = "the input" }: Asked,
): Explained {
  const all = analyses.flatMap((analysis) => analysis.decisions.map((decision) => ({ analysis, decision })));
  const found = all.filter(({ decision }) => isWanted(decision, wanted, namespace));
  const surroundings = new Map(
    [...new Set(found.map(({ analysis }) => analysis))].map((analysis) => {
      const workloads = analysis.decisions.map((each) => each.workload);
      return [analysis, surroundingsOf(analysis.items, workloads, spec.defaultNamespace)] as const;
    }),
  );
  const runs = runsOf(found);
  const explanations = found.flatMap(({ analysis, decision }) => {
    const around = surroundings.get(analysis) ?? surroundingsOf([], [], spec.defaultNamespace);
    const rollout = (workload: Workload): Rollout => rollsOf(workload, around);
    return [decision, ...runs(decision)].map((each) => explainWorkload(analysis, each, { spec, rollout, within }));
  });
  const names = all.map(({ decision: { workload } }) => {
    const inNamespace = namespace === undefined ? "" : ` -n ${workload.namespace}`;
    return `${workload.item.kind.toLowerCase()}/${workload.item.name}${inNamespace}`;
  });
  return { explanations, names: [...new Set(names)] };
}

/** Whether a kind is one that pod templates name, also by kubectl's short name. */
function isNamedSource({ kind }: KindAndName): boolean {
  return kind.toLowerCase() === "cm" || REFERENCED_KINDS.some((known) => namesKind(kind, { group: "", kind: known }));
}

function notExplained(target: string): RollstampError {
  return new RollstampError("usage", `'${target}' is a source, and explain is about workloads`, {
    remedy: "'rollstamp graph' lists each source with the workloads that see it, and their keys.",
  });
}

function readTarget(target: string): KindAndName {
  const wanted = readKindAndName(target);
  if (wanted !== undefined) return wanted;
  throw new RollstampError("usage", `expected KIND/NAME, found '${target}'`, { remedy: KIND_AND_NAME_REMEDY });
}

function isWanted({ workload }: Decision, { kind, name }: KindAndName, namespace: string | undefined): boolean {
  const { item } = workload;
  return namesKind(kind, item) && name === item.name && (namespace === undefined || namespace === workload.namespace);
}

/** For a Rollout with a workloadRef, the workload whose pod template it runs: the stamps are there. */
function runsOf(
  found: readonly { readonly analysis: Analysis; readonly decision: Decision }[],
): (decision: Decision) => readonly Decision[] {
  const wanted = new Set(found.flatMap(({ decision }) => decision.workload.borrows?.item ?? []));
  const byItem = new Map<Item, Decision[]>();
  for (const analysis of wanted.size === 0 ? [] : new Set(found.map((one) => one.analysis))) {
    for (const decision of analysis.decisions) {
      const { item } = decision.workload;
      if (wanted.has(item)) byItem.set(item, [...(byItem.get(item) ?? []), decision]);
    }
  }
  return ({ workload: { borrows } }) => (borrows?.item === undefined ? [] : (byItem.get(borrows.item) ?? []));
}

const MOST_NAMED = 5;

function unknownWorkload(
  target: string,
  namespace: string | undefined,
  names: ReadonlySet<string>,
  notExamined: readonly string[],
): RollstampError {
  const where = namespace === undefined ? "" : ` in namespace '${namespace}'`;
  const nearest = [...names]
    .map((name) => ({ name, distance: distanceOf(target.toLowerCase(), name) }))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMED)
    .map(({ name }) => name);
  return new RollstampError("usage", `no workload '${target}' was found${where}`, {
    remedy: linesOf([
      nearest.length === 0 ? "The input has no workload." : `Similar names: ${nearest.join(", ")}.`,
      ...notExamined,
    ]),
  });
}

/** Names in them make no further line. */
function linesOf(lines: readonly string[]): string {
  return lines.map(printable).join("\n");
}

/** How different a name is from the target. The name counts more than the kind. */
function distanceOf(target: string, name: string): number {
  const [, targetName = ""] = target.split("/");
  const [, ownName = ""] = name.split(" ")[0]?.split("/") ?? [];
  return (
    leven(targetName.slice(0, LONGEST), ownName.slice(0, LONGEST)) * 2 +
    leven(target.slice(0, LONGEST), name.slice(0, LONGEST))
  );
}

const LONGEST = 100;
