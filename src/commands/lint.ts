import { sumOf } from "../base/grouped.ts";
import { dirname, relative, resolve } from "node:path";
import { readConfigHash, type ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { readRolloutLint, lint, withDocs, type Levels } from "../reports/lint/lint.ts";
import { suggestion } from "../base/nearest-name.ts";
import { RollstampError, BAD, worst, type ExitStatus } from "../base/errors.ts";
import { isRuleId, RULE_IDS, type RuleId } from "../findings/catalogue/catalogue.ts";
import { renderedElsewhere } from "../findings/not-examined/elsewhere.ts";
import type { Account } from "../findings/not-examined/not-examined.ts";
import { statusOf, type Finding } from "../findings/catalogue/finding.ts";
import { wrongCopies } from "../stamping/stamps/wrong-copies.ts";
import { LEVELS, type Level } from "../findings/catalogue/severity.ts";
import { lintedTogether, sourcesOfContext, type LintedApplication } from "../reports/lint/across-applications.ts";
import { lintContext, lintContexts, type LintContext } from "../reports/lint/context.ts";
import { readManifests } from "../yaml/read/items.ts";
import { readTree } from "../yaml/read/tree.ts";
import { lintGithub } from "../output/lint-github.ts";
import { lintJson } from "../output/lint-json.ts";
import type { LintReportOptions } from "../output/lint-report.ts";
import { lintSarif } from "../output/lint-sarif.ts";
import { lintDocument } from "../output/lint-text.ts";
import { withConfigPlaces } from "../stamping/function/config.ts";
import {
  accountOf,
  accountStatus,
  reportOthers,
  addInputOptions,
  plainParts,
  chooseInput,
  pathsOr,
  unsureFindings,
  type InputOptions,
} from "./analysed.ts";
import type { ManifestFiles } from "../applications/inputs/manifest-files.ts";
import { FILES_AND_FOLDERS_OR_HERE, outputOption, colorOption, wantsColor, type ColorWhen } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs, type Configs } from "../applications/inputs/config-file.ts";
import { idleWith, refuseIdleOptions } from "./idle-options.ts";
import { lookAtApplications } from "../applications/compare/look-at-applications.ts";
import { renderingName } from "../applications/compare/source-places.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = { text: lintDocument, json: lintJson, sarif: lintSarif, github: lintGithub } as const;

interface LintOptions extends InputOptions {
  readonly output: keyof typeof REPORTERS;
  readonly rule: Levels;
  readonly render?: string;
  readonly color: ColorWhen;
}

/** Defines `rollstamp lint`. */
export const defineLint: DefineCommand = (command, io, done) => {
  command
    .argument("[path...]", FILES_AND_FOLDERS_OR_HERE)
    .addOption(outputOption(command, REPORTERS))
    .option(
      "--rule <id=level>",
      "the severity of a rule: error, warning, info or off; may be repeated",
      addLevel,
      new Map(),
    )
    .option("--render <command>", "lint the output of a command, which is run twice to find differences (RS013)")
    .addOption(colorOption(command))
    .addHelpText("after", LINT_HELP)
    .action(async (paths: string[], options: LintOptions) => {
      done(await runLint(io, paths, options));
    });
  addInputOptions(command);
  refuseIdleOptions(command, [idleWith("--render", "--scope", "--kustomize-input", "--apps", "--files")]);
};

const LINT_HELP = `
Finds causes of unsafe, useless or unexpected rollouts. docs/reference/rules.md explains each rule. To ignore a rule
for an object, set the annotation ignore.rollstamp.dev/RS004 to the reason.

Examples:
  rollstamp lint                                         the applications and manifests of a repository
  rollstamp lint --files .                               without rendering the applications
  kustomize build overlays/prod | rollstamp lint -       a rendering
  rollstamp lint --rule RS004=error --rule RS012=off .   other severities
  rollstamp lint -o sarif . > rollstamp.sarif            for code scanning
  rollstamp lint --render 'helm template web ./chart'    sources that differ in each rendering
`;

/** Reads one `--rule RS004=error`. Throws for an unknown rule or level. */
function addLevel(text: string, levels: Levels): Levels {
  const [id = "", level = ""] = text.split("=");
  if (!isRuleId(id)) {
    throw new RollstampError("usage", `--rule ${text}: unknown rule '${id}'${suggestion(id, RULE_IDS)}`, {
      remedy: `Write a rule and a level, such as --rule RS004=error. Rules: ${RULE_IDS.join(", ")}.`,
    });
  }
  const known = LEVELS.find((candidate) => candidate === level);
  if (known === undefined) {
    throw new RollstampError("usage", `--rule ${text}: unknown level '${level}'${suggestion(level, LEVELS)}`, {
      remedy: `Levels: ${LEVELS.join(", ")}.`,
    });
  }
  return new Map<RuleId, Level>([...levels, [id, known]]);
}

/** The input of lint: contexts that do not see each other. */
interface Linted {
  readonly contexts: readonly LintContext[];
  readonly account: Account;
  /** Findings about files that cannot be read. */
  readonly findings: readonly Finding[];
  readonly pathOf: (path: string) => string | undefined;
  /** Applications, which know each other's sources. */
  readonly applications?: readonly LintedApplication[];
  readonly madeFrom?: LintReportOptions["madeFrom"];
}

async function runLint(io: Io, given: readonly string[], options: LintOptions): Promise<ExitStatus> {
  refuseContradictions(given, options);
  const paths = pathsOr(given);
  const configs = readConfigs(io, paths, options.config);
  const rules = configs.forKind("RolloutLint");
  const configured = withConfigPlaces(rules, () => readRolloutLint(rules.config));
  const stamps = configs.forKind("ConfigHash");
  const spec = configured.configHash ?? withConfigPlaces(stamps, () => readConfigHash(stamps.config));
  const levels: Levels = new Map([...configured.levels, ...options.rule]);
  const linted =
    options.render !== undefined
      ? await readRendering(io, options.render, spec)
      : await readPaths(io, paths, options, { spec, levels, configs });
  if (linted === undefined) return BAD;
  const { account, contexts, pathOf, applications = [], madeFrom } = linted;
  const findings = [
    ...linted.findings.map(withDocs),
    ...contexts.flatMap((context) => lint(context, levels)),
    ...lintedTogether(applications),
  ];
  const naming = { command: "lint", verbose: options.verbose === true } as const;
  const report = REPORTERS[options.output](findings, { account, verbose: naming.verbose, pathOf, madeFrom });
  await writeReport(io, report, wantsColor(options.color, io));
  return worst(statusOf(findings), accountStatus(io, account, naming));
}

function refuseContradictions(paths: readonly string[], { render }: LintOptions): void {
  if (render !== undefined && paths.length > 0) {
    throw new RollstampError("usage", "--render and paths exclude each other", {
      remedy: "--render lints the output of the command.",
    });
  }
}

interface LintConfiguration {
  readonly spec: ConfigHashSpec;
  readonly levels: Levels;
  readonly configs: Configs;
}

/** The contexts of the manifests at paths, or of the applications there; undefined if some cannot be read, which is reported. */
async function readPaths(
  io: Io,
  paths: readonly string[],
  options: LintOptions,
  configuration: LintConfiguration,
): Promise<Linted | undefined> {
  const input = await chooseInput(io, paths, options, configuration);
  if (input.is === "unread") return undefined;
  if (input.is === "applications") return readApplications(io, paths, options, configuration);
  const { inputs } = input;
  const { spec } = configuration;
  const { hmacKey } = io.context;
  const { read } = inputs;
  const { analyses, contexts } = lintContexts(inputs.parts, spec, hmacKey);
  reportOthers(io, read, { command: "lint", verbose: options.verbose === true });
  return {
    contexts,
    account: accountOf(read, workloadsIn(contexts)),
    findings: [
      ...read.findings,
      ...inputs.findings,
      ...unsureFindings(inputs.parts, analyses),
      ...contexts.flatMap(copyFindings),
    ],
    pathOf: pathsFromRoot(io, read),
  };
}

/** Lints each application as soon as it is rendered. Returns them with the contexts of plain manifests. */
async function readApplications(
  io: Io,
  paths: readonly string[],
  options: LintOptions,
  { spec, levels, configs }: LintConfiguration,
): Promise<Linted | undefined> {
  const { hmacKey } = io.context;
  const apps = await lookAtApplications(io, paths, options, { spec, configFile: configs.file }, (rendered) => {
    const { application, manifests, spec: own, placed } = rendered;
    const context = lintContext(manifests, own, { hmacKey });
    const findings = placed([...lint(context, levels), ...copyFindings(context)]);
    const result = { application: application.name, cluster: application.cluster, findings };
    return { result: { ...result, ...sourcesOfContext(context) }, workloads: context.workloads.length };
  });
  if (apps === undefined) return undefined;
  const { read, parts, findings } = plainParts(apps.plain, spec);
  const { analyses, contexts } = lintContexts(parts, spec, hmacKey);
  reportOthers(io, read, { command: "lint", verbose: options.verbose === true });
  return {
    contexts,
    applications: apps.looked.map(({ result }) => result),
    account: apps.account(workloadsIn(contexts)),
    findings: [
      ...read.findings,
      ...findings,
      ...apps.failures,
      ...unsureFindings(parts, analyses),
      ...contexts.flatMap(copyFindings),
    ],
    pathOf: pathsFromRoot(
      io,
      read,
      apps.looked.map(({ application: { name } }) => renderingName(name)),
    ),
    madeFrom: apps.madeFrom,
  };
}

async function readRendering(io: Io, command: string, spec: ConfigHashSpec): Promise<Linted> {
  const { limits, hmacKey } = io.context;
  const [first, second] = await io.programs.renderTwice(command, {
    cwd: io.files.here(),
    environment: io.environment,
    limits,
  });
  const manifests = readManifests(readTree(first, "rendering", limits));
  const again = lintContext([readManifests(readTree(second, "second rendering", limits))], spec, { hmacKey });
  const contexts = [lintContext([manifests], spec, { again, hmacKey })];
  const { items } = manifests;
  return {
    contexts,
    account: {
      examined: { files: 1, objects: items.length, workloads: workloadsIn(contexts), otherFiles: 0 },
      notExamined: renderedElsewhere(items, "rendering"),
    },
    findings: contexts.flatMap(copyFindings),
    pathOf: () => undefined,
  };
}

/** Copies are no subject of a rule: engines refuse those with other content. */
function copyFindings({ sources, spec }: LintContext): Finding[] {
  return wrongCopies(sources, spec, undefined, []);
}

function workloadsIn(contexts: readonly LintContext[]): number {
  return sumOf(contexts, ({ workloads }) => workloads.length);
}

/**
 * Paths relative to the root of the repository, as hosts expect them. Outside a repository, paths stay as given.
 * Standard input and renderings have no path.
 */
function pathsFromRoot(
  { files }: Io,
  { files: read }: ManifestFiles,
  renderings: readonly string[] = [],
): (path: string) => string | undefined {
  const here = files.here();
  const streams = new Set([...read.filter(({ real }) => real === undefined).map(({ path }) => path), ...renderings]);
  const roots = new Map<string, string | undefined>();
  return (path) => {
    if (streams.has(path)) return undefined;
    const absolute = resolve(here, path);
    const folder = dirname(absolute);
    if (!roots.has(folder)) roots.set(folder, files.repositoryOf(folder));
    const root = roots.get(folder);
    return root === undefined ? path : relative(root, absolute) || ".";
  };
}
