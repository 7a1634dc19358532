import { readFunctionConfig, type FunctionConfig } from "./function-config.ts";
import { placeAtPath } from "./validate.ts";
import { APPLICATIONS_KIND } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import type { FunctionOutput, KrmFunction, RunContext } from "./krm-function.ts";
import { readManifests, type Manifests } from "../../yaml/read/items.ts";
import { endOf, endOfTree, getString, ownEntries } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { appendResults } from "../../findings/results/krm-results.ts";

/** A text and the name that messages give it. */
export interface NamedText {
  readonly text: string;
  readonly file: string;
}

/** A configuration beside the input. */
export interface GivenConfig {
  /** Read only where it counts. */
  readonly read: () => NamedText;
  /** Whether it counts for a ResourceList that brings none: on the command line it never does. */
  readonly forLists: boolean;
}

export interface FunctionRun {
  readonly text: string;
  readonly findings: readonly Finding[];
  readonly form: Manifests["form"];
}

/**
 * Runs the function that the configuration picks over a ResourceList or a YAML stream; what comes
 * back is the same text with the function's edits. A ResourceList's own functionConfig counts, in a
 * stream the one given, if any. Throws a RollstampError for what can't be taken.
 */
export function runFunction(
  functions: readonly [KrmFunction, ...KrmFunction[]],
  input: NamedText,
  config: GivenConfig | undefined,
  context: RunContext,
): FunctionRun {
  const manifests = readManifests(readTree(input.text, input.file, context.limits));
  const isOwn = manifests.form === "ResourceList" && (manifests.functionConfig !== NONE || config?.forLists !== true);
  const picked = isOwn
    ? readFunctionConfig(functions, manifests.tree, manifests.functionConfig)
    : readConfigText(functions, config?.read(), context);
  const { edits, findings, emptyItems } = runConfigured(picked, [manifests], context);
  // A legacy plugin of kustomize gets and gives a plain stream: no items are no text there.
  if (manifests.form === "stream" && emptyItems === true) return { text: "", findings, form: manifests.form };
  const splices = [...(edits.get(manifests.tree) ?? [])];
  if (manifests.form === "ResourceList") {
    for (const splice of appendResults(manifests, findings)) splices.push(splice);
    if (emptyItems === true) for (const splice of emptyItemsSplices(manifests)) splices.push(splice);
  }
  return { text: editedText(manifests.tree, splices), findings, form: manifests.form };
}

/** Runs a function; an error about its configuration is given the place at which that stands. */
export function runConfigured(
  picked: FunctionConfig<KrmFunction>,
  inputs: readonly Manifests[],
  context: RunContext,
): FunctionOutput {
  return withConfigPlaces(picked, () => picked.fn.run(inputs, picked.config, context));
}

/** Runs what may find something wrong in a configuration: its error is given the place at which that stands. */
export function withConfigPlaces<T>({ source }: Pick<FunctionConfig<KrmFunction>, "source">, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RollstampError) || cause.configPath === undefined || source === undefined) throw cause;
    const { code, message, remedy, configPath } = cause;
    throw new RollstampError(code, message, { remedy, place: cause.place ?? placeAtPath(source, configPath) });
  }
}

/** Reads a configuration file: one functionConfig object. */
export function readConfigText<F extends KrmFunction>(
  functions: readonly [F, ...F[]],
  config: NamedText | undefined,
  { limits }: Pick<RunContext, "limits">,
): FunctionConfig<F> {
  if (config === undefined) return readFunctionConfig(functions, undefined, NONE);
  const tree = readTree(config.text, config.file, limits);
  // The applications of a repository may stand before it.
  const own = tree.documents.find((root) => getString(tree, root, "kind") !== APPLICATIONS_KIND);
  return readFunctionConfig(functions, tree, own ?? NONE);
}

/** `items: []` in place of the items: a list in block style begins on the line behind its key. */
function emptyItemsSplices({ tree, root }: Manifests): Splice[] {
  const entry = ownEntries(tree, root).find(({ key }) => key === "items");
  if (entry === undefined) return [];
  const offset = endOf(tree, entry.keyNode);
  const end = endOfTree(tree, entry.valueNode);
  // A block scalar at the end of the last item has the line's end in it.
  const eol = /\r?\n$/u.exec(tree.text.slice(offset, end))?.[0] ?? "";
  return [{ offset, remove: end - offset, insert: `: []${eol}`, meant: { base: root, path: ["items"], value: [] } }];
}
