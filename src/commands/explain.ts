import leven from "leven";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import type { SourceName } from "../base/names.ts";
import { RollstampError } from "../base/errors.ts";
import { BAD, worst, type ExitStatus } from "../base/exit-status.ts";
import type { Item } from "../yaml/read/items.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import type { Decision } from "../stamping/policy/types.ts";
import { notExaminedLines } from "../findings/not-examined/account-words.ts";
import { notExaminedText } from "../output/not-examined-text.ts";
import { elsewhereIn } from "../output/explain-elsewhere.ts";
import { explainSource, isSourceKind, type ExplainedSource } from "../output/explain-source.ts";
import { explainText } from "../output/explain-text.ts";
import { KIND_AND_NAME_REMEDY, namesKind, readKindAndName, type KindAndName } from "../base/kind-names.ts";
import type { Rollout } from "../kubernetes/rollout/rollout-types.ts";
import { printable } from "../findings/results/terminal.ts";
import { rollsOf } from "../kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../kubernetes/rollout/surroundings.ts";
import type { Workload } from "../kubernetes/workloads/types.ts";
import { unreadStatus, addInputOptions, readAnalysed, type InputOptions } from "./analysed.ts";
import { FILES_AND_FOLDERS } from "./options.ts";
import { colorOption, wantsColor, type ColorWhen } from "./color.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import type { AppsOptions } from "../applications/compare/look-at-applications.ts";
import { writeReport } from "./write-text.ts";

interface ExplainOptions extends InputOptions, AppsOptions {
  readonly namespace?: string;
  readonly key?: string;
  readonly color: ColorWhen;
}

/** Defines `rollstamp explain`. */
export const defineExplain: DefineCommand = (command, io, done) => {
  command
    .argument("<kind/name>", "the workload, such as deployment/api, or the source, such as configmap/app")
    .argument("<path...>", FILES_AND_FOLDERS)
    .option("-n, --namespace <namespace>", "its namespace, where several have one of that name")
    .option("--key <key>", "of a source: only who sees this key")
    .addOption(colorOption(command))
    .addHelpText("after", EXPLAIN_HELP)
    .action(async (target: string, paths: string[], options: ExplainOptions) => {
      done(await runExplain(io, target, paths, options));
    });
  addInputOptions(command);
};

const EXPLAIN_HELP = `
Tells why a workload has the stamps that it has: which sources it sees, which of their keys, through
which container and field, what is left out and by which rule. Of a source, which workloads see it.

Examples:
  rollstamp explain deployment/api .
  rollstamp explain configmap/app --key LOG_LEVEL .
  rollstamp explain --apps deployment/api .   in what the applications of a repository render to
  kustomize build overlays/prod | rollstamp explain Deployment/api -
`;

async function runExplain(
  io: Io,
  target: string,
  paths: readonly string[],
  options: ExplainOptions,
): Promise<ExitStatus> {
  const wanted = readTarget(target);
  const isSource = isSourceKind(wanted.kind);
  if (options.key !== undefined && !isSource)
    throw new RollstampError("usage", "--key goes with a source, such as configmap/app");
  const color = wantsColor(options.color, io);
  const asked = { wanted, namespace: options.namespace, key: options.key, color };
  const explain = isSource ? explainedSource : explainedWorkloads;
  const analysed = await readAnalysed(io, paths, options, (analysis, { spec }) => ({
    ...explain([analysis], spec, { ...asked, within: "this application" }),
    has: sourcesIn(analysis),
  }));
  if (analysed === undefined) return BAD;
  const { analyses, spec, account, looked, status } = analysed;
  const plain = explain(analyses, spec, asked);
  const told = { command: "explain", verbose: options.verbose === true } as const;
  const elsewhere = elsewhereIn(
    looked.map(({ application: { name, cluster }, result: { has } }) => ({ application: name, cluster, has })),
  );
  const ofApplications = looked.flatMap(({ application: { name, cluster }, result }) =>
    result.texts.map(
      ({ text, lacks }) =>
        `${printable(`application ${name}`)}\n${text}${elsewhere(lacks, { application: name, cluster })}`,
    ),
  );
  const texts = [...plain.texts.map(({ text, lacks }) => `${text}${elsewhere(lacks, {})}`), ...ofApplications];
  if (texts.length === 0) {
    const notExamined = notExaminedLines(account, told);
    const names = new Set([...plain.names, ...looked.flatMap(({ result }) => result.names)]);
    throw isSource
      ? unknownSource(wanted, notExamined)
      : unknownWorkload(target, options.namespace, names, notExamined);
  }
  const notExamined = notExaminedText(account, told);
  await writeReport(io, [...texts, ...(notExamined === "" ? [] : [notExamined])].join("\n"));
  return worst(unreadStatus(io, analysed.read), status);
}

interface Asked {
  readonly wanted: KindAndName;
  readonly namespace: string | undefined;
  readonly key: string | undefined;
  readonly color: boolean;
  /** What sources are looked up in. */
  readonly within?: string;
}

/** What is said of what was asked for; nothing where it isn't there, with what is. */
interface Explained {
  readonly texts: readonly ExplainedSource[];
  readonly names: readonly string[];
}

/** Why workloads have the stamps that they have. */
function explainedWorkloads(
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  { wanted, namespace, color, within }: Asked,
): Explained {
  const all = analyses.flatMap((analysis) => analysis.decisions.map((decision) => ({ analysis, decision })));
  const found = all.filter(({ decision }) => isWanted(decision, wanted, namespace));
  const rolls = new Map(
    [...new Set(found.map(({ analysis }) => analysis))].map((analysis) => {
      const workloads = analysis.decisions.map((each) => each.workload);
      return [analysis, surroundingsOf(analysis.items, workloads, spec.defaultNamespace)] as const;
    }),
  );
  const runs = runsOf(found);
  const texts = found.flatMap(({ analysis, decision }) => {
    const surroundings = rolls.get(analysis) ?? surroundingsOf([], [], spec.defaultNamespace);
    const rollout = (workload: Workload): Rollout => rollsOf(workload, surroundings);
    return [decision, ...runs(decision)].map((each) => ({
      text: explainText(analysis, each, { spec, color, rollout, ...(within === undefined ? {} : { within }) }),
      lacks: lackedBy(each),
    }));
  });
  const names = all.map(({ decision: { workload } }) => {
    const inNamespace = namespace === undefined ? "" : ` -n ${workload.namespace}`;
    return `${workload.item.kind.toLowerCase()}/${workload.item.name}${inNamespace}`;
  });
  return { texts, names: [...new Set(names)] };
}

/** Who sees a source. */
function explainedSource(
  analyses: readonly Analysis[],
  _spec: ConfigHashSpec,
  { wanted, namespace, key, color, within }: Asked,
): Explained {
  return { texts: explainSource(analyses, { ...wanted, namespace, key }, { color, within }), names: [] };
}

function sourcesIn({ sources }: Analysis): SourceName[] {
  return sources.all.map(({ provides: { kind, namespace, name } }) => ({ kind, namespace, name }));
}

function lackedBy({ templates }: Decision): SourceName[] {
  return templates.flatMap(({ counted }) =>
    counted
      .filter(({ source }) => source === undefined)
      .map(({ reference: { kind, namespace, name } }) => ({ kind, namespace, name })),
  );
}

function unknownSource({ kind, name }: KindAndName, notExamined: readonly string[]): RollstampError {
  return new RollstampError("usage", `there is no source '${kind}/${name}', and nothing names one`, {
    remedy: ["rollstamp graph lists all sources, with who sees them.", ...notExamined].join("\n"),
  });
}

function readTarget(target: string): KindAndName {
  const wanted = readKindAndName(target);
  if (wanted !== undefined) return wanted;
  throw new RollstampError("usage", `'${target}' names no workload`, { remedy: KIND_AND_NAME_REMEDY });
}

function isWanted({ workload }: Decision, { kind, name }: KindAndName, namespace: string | undefined): boolean {
  const { item } = workload;
  return namesKind(kind, item) && name === item.name && (namespace === undefined || namespace === workload.namespace);
}

/** The workloads whose pod templates Rollouts run: the stamps are there. */
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
  return new RollstampError("usage", `there is no workload '${target}'${where}`, {
    remedy: [
      nearest.length === 0 ? "The input has no workload at all." : `The nearest: ${nearest.join(", ")}.`,
      ...notExamined,
    ].join("\n"),
  });
}

/** How far a name is from what was asked for: the name counts for more than the kind. */
function distanceOf(target: string, name: string): number {
  const [, targetName = ""] = target.split("/");
  const [, ownName = ""] = name.split(" ")[0]?.split("/") ?? [];
  return (
    leven(targetName.slice(0, LONGEST), ownName.slice(0, LONGEST)) * 2 +
    leven(target.slice(0, LONGEST), name.slice(0, LONGEST))
  );
}

const LONGEST = 100;
