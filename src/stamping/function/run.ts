import { CONFIG_VARIABLE } from "../../base/keys.ts";
import type { ExitStatus } from "../../base/errors.ts";
import { atLeast, statusOf, type Finding } from "../../findings/catalogue/finding.ts";
import { locateFindingsInTemplates, locateErrorsInTemplates } from "../../findings/results/chart-template.ts";
import { appendResults } from "../../findings/results/krm-results.ts";
import { findingLines } from "../../findings/results/terminal.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { readManifests, type Manifests } from "../../yaml/read/items.ts";
import { endOf, endOfTree, ownEntries } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";
import { readConfigText, readFunctionConfig, withConfigPlaces, type FunctionConfig, type NamedText } from "./config.ts";
import type { FunctionIo, FunctionOutput, KrmFunctions, RunContext } from "./krm-function.ts";

/** Runs the function from stdin to stdout. Diagnostics go to stderr, and into the results of a ResourceList. */
export async function runFunction(io: FunctionIo, configFile: string | undefined): Promise<ExitStatus> {
  const input = { text: await io.readStdin(io.context.limits), file: "stdin" };
  const run = locateErrorsInTemplates(input, () =>
    runFunctionOnText(io.functions, input, configFor(io, configFile), io.context),
  );
  const status = statusOf(run.findings);
  const shown = run.findings.filter((finding) => atLeast(finding, "warning"));
  io.writeStderr(findingLines(locateFindingsInTemplates(input, shown)));
  // A stream has no field for results: output of a failed run must not be applied.
  if (status === 0 || run.form === "ResourceList") await io.writeStdout(run.text);
  return status;
}

/** The configuration of a plain stream: the file of `--config`, else the one that ROLLSTAMP_CONFIG names. */
function configFor(io: FunctionIo, configFile: string | undefined): GivenConfig | undefined {
  const file = configFile ?? io.environment[CONFIG_VARIABLE];
  if (file === undefined || file === "") return undefined;
  return { read: () => ({ text: io.readNamed(file, io.context.limits), file }), forLists: false };
}

/** A configuration that is not part of the input. */
export interface GivenConfig {
  /** Called only if the configuration applies. */
  readonly read: () => NamedText;
  /** Whether it applies to a ResourceList without a functionConfig. On the command line it does not. */
  readonly forLists: boolean;
}

export interface FunctionRun {
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly form: Manifests["form"];
}

/**
 * Runs the function that the configuration selects over a ResourceList or a YAML stream. The result is the same text with
 * the edits of the function. A ResourceList is configured by its functionConfig, a stream by `config`. Throws a
 * RollstampError for invalid input.
 */
export function runFunctionOnText(
  functions: KrmFunctions,
  input: NamedText,
  config: GivenConfig | undefined,
  context: RunContext,
): FunctionRun {
  const manifests = readManifests(readTree(input.text, input.file, context.limits));
  const isOwn = manifests.form === "ResourceList" && (manifests.functionConfig !== NONE || config?.forLists !== true);
  const selected = isOwn
    ? readFunctionConfig(functions, manifests.tree, manifests.functionConfig)
    : readConfigText(functions, config?.read(), context);
  const { edits, findings, emptyItems } = runConfigured(selected, [manifests], context);
  // kustomize's legacy plugins exchange plain streams: without items, the output is empty.
  if (manifests.form === "stream" && emptyItems === true) return { text: "", findings, form: manifests.form };
  const splices = [...(edits.get(manifests.tree) ?? [])];
  if (manifests.form === "ResourceList") {
    for (const splice of appendResults(manifests, findings)) splices.push(splice);
    if (emptyItems === true) for (const splice of emptyItemsSplices(manifests)) splices.push(splice);
  }
  return { text: editedText(manifests.tree, splices), findings, form: manifests.form };
}

/** Runs a function. Errors about its configuration get their location. */
export function runConfigured(
  selected: FunctionConfig,
  inputs: readonly Manifests[],
  context: RunContext,
): FunctionOutput {
  return withConfigPlaces(selected, () => selected.fn.run(inputs, selected.config, context));
}

/** Replaces the items with `[]`. A list in block style begins on the line after its key. */
function emptyItemsSplices({ tree, root }: Manifests): Splice[] {
  const entry = ownEntries(tree, root).find(({ key }) => key === "items");
  if (entry === undefined) return [];
  const offset = endOf(tree, entry.keyNode);
  const end = endOfTree(tree, entry.valueNode);
  // If the last item ends with a block scalar, the line break belongs to the scalar.
  const eol = /\r?\n$/u.exec(tree.text.slice(offset, end))?.[0] ?? "";
  return [{ offset, remove: end - offset, insert: `: []${eol}`, intended: { base: root, path: ["items"], value: [] } }];
}
