import { RollstampError } from "../base/errors.ts";
import { BAD, DONE, type ExitStatus } from "../base/exit-status.ts";
import type { Io } from "../platform/ports/io.ts";
import { builtInKinds } from "../reports/kinds/built-in-kinds.ts";
import { DEFINITION_GROUP, DEFINITION_KIND, DEFINITIONS_PATH, readDefinition } from "../reports/kinds/definitions.ts";
import { derivedKind, sortedKinds } from "../reports/kinds/derived-kinds.ts";
import type { KindReport, KindsReport } from "../reports/kinds/kinds-report.ts";
import type { Item } from "../yaml/read/items.ts";
import { fieldsOf } from "../yaml/read/json.ts";
import { get, toJson } from "../yaml/read/node.ts";
import { builtInText, kindsJson, kindsText } from "../output/kinds-text.ts";
import { accountOf, unreadStatus } from "./account.ts";
import { addClusterOptions, CLUSTER_OPTIONS, clusterOptions, type ClusterCommandOptions } from "./cluster-options.ts";
import type { DefineCommand } from "./command.ts";
import { beside, refuseIdleOptions, without } from "./idle-options.ts";
import { outputOption, verboseOption } from "./options.ts";
import { waitingFor } from "./progress.ts";
import { readInputs } from "./read-inputs.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = { text: kindsText, json: kindsJson } as const;

interface KindsOptions extends ClusterCommandOptions {
  readonly fromCrds?: readonly string[];
  readonly live?: boolean;
  readonly output: keyof typeof REPORTERS;
  readonly verbose?: boolean;
}

/** Defines `rollstamp kinds`. */
export const defineKinds: DefineCommand = (command, io, done) => {
  command
    .option(
      "--from-crds <path...>",
      "derive entries from the CustomResourceDefinitions in files and folders; - for standard input",
    )
    .option("--live", "derive entries from those of a cluster")
    .addOption(outputOption(command, REPORTERS))
    .addOption(verboseOption(command))
    .addHelpText("after", KINDS_HELP)
    .action(async (options: KindsOptions) => {
      done(await runKinds(io, options));
    });
  addClusterOptions(command);
  refuseIdleOptions(command, [
    beside("--live", "--from-crds"),
    without("--live", ...CLUSTER_OPTIONS),
    without("--from-crds", "--verbose"),
  ]);
};

const KINDS_HELP = `
Lists the kinds whose pods are stamped without configuration. With --from-crds or --live: entries of
'workloads' for the others, derived from the schemas of their definitions, as a configuration.

Examples:
  rollstamp kinds
  rollstamp kinds --from-crds crds/ >> rollstamp.yaml
  kubectl get crds -o yaml | rollstamp kinds --from-crds -
  rollstamp kinds --live -o json
`;

async function runKinds(io: Io, options: KindsOptions): Promise<ExitStatus> {
  if (options.live === true) return await fromCluster(io, options);
  if (options.fromCrds !== undefined) return await fromFiles(io, options.fromCrds, options);
  const report = { kinds: builtInKinds(), ...NOTHING_READ };
  await writeReport(io, options.output === "json" ? kindsJson(report) : builtInText(report), options.output);
  return DONE;
}

const NOTHING_READ = { examined: { files: 0, objects: 0, workloads: 0, otherFiles: 0 }, notExamined: [] } as const;

async function fromFiles(io: Io, paths: readonly string[], options: KindsOptions): Promise<ExitStatus> {
  const kinds: KindReport[] = [];
  const read = await readInputs(io, paths, {
    configFile: undefined,
    kustomizeInput: true,
    onErrors: "goOn",
    stdin: true,
    empty: "refuse",
    // Definitions are large: each file's are looked at while it is read, and nothing of it is kept.
    wants: ({ items }) => {
      for (const item of items) if (isDefinition(item)) kinds.push(...kindOf(item));
      return false;
    },
  });
  if (read === undefined || kinds.length === 0) throw noDefinitions(paths.join(", "));
  await print(io, { kinds: sortedKinds(kinds), ...accountOf(read, 0) }, options);
  return read.errors.length > 0 ? BAD : unreadStatus(io, read);
}

function isDefinition({ group, kind }: Item): boolean {
  return group === DEFINITION_GROUP && kind === DEFINITION_KIND;
}

function kindOf({ tree, node }: Item): KindReport[] {
  const definition = readDefinition(toJson(tree, get(tree, node, "spec")));
  return definition === undefined ? [] : [derivedKind(definition)];
}

// A definition may have half a megabyte.
const PAGE = 20;

async function fromCluster(io: Io, options: KindsOptions): Promise<ExitStatus> {
  const cluster = await io.connectCluster(clusterOptions(io, options));
  let kinds: KindReport[] = [];
  const waiting = waitingFor(io, "reading the cluster");
  const answer = await cluster
    .list(
      DEFINITIONS_PATH,
      { limit: PAGE },
      {
        begin: () => {
          kinds = [];
        },
        take: (items) => {
          for (const item of items) {
            const definition = readDefinition(fieldsOf(item)["spec"]);
            if (definition !== undefined) kinds.push(derivedKind(definition));
          }
        },
      },
    )
    .finally(waiting.end);
  if (answer !== "found") {
    throw new RollstampError(
      "input",
      `the cluster ${cluster.context} does not show its CustomResourceDefinitions (${answer})`,
      {
        remedy: "Ask for the right to list customresourcedefinitions, or give their files: --from-crds.",
      },
    );
  }
  if (kinds.length === 0) throw noDefinitions(`the cluster ${cluster.context}`);
  await print(io, { context: cluster.context, kinds: sortedKinds(kinds), ...NOTHING_READ }, options);
  return DONE;
}

async function print(io: Io, report: KindsReport, { output, verbose = false }: KindsOptions): Promise<void> {
  await writeReport(io, REPORTERS[output](report, { verbose }), output);
}

function noDefinitions(where: string): RollstampError {
  return new RollstampError("input", `there are no CustomResourceDefinitions in ${where}`, {
    remedy:
      "Give files or folders that hold some; charts have them in 'crds', or print them with 'helm template --include-crds'.",
  });
}
