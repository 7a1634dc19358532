import { RollstampError } from "../../base/errors.ts";
import { comparing, type Limits } from "../../base/limits.ts";
import { formatList } from "../../base/names.ts";
import { isMapping, type Mapping, fieldOf, fieldsOf } from "../../yaml/read/json.ts";
import { kubectlView, CollidingKeys, RefusedByKubectl } from "../../yaml/read/kubectl-view.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { filledIn, templateOf, type Part, type TemplateProblem } from "./flux-envsubst.ts";
import type { SubstitutionBudget } from "./flux-functions.ts";
import { isSubstituting, variableOf, type Variables } from "./flux-variables.ts";
import { fromGoText, goText, isUtf8 } from "../../base/go-text.ts";

// How Flux changes each object of a build (fluxcd/pkg/kustomize, SubstituteVariables; pkg/ssa, ReadObjects and
// SetCommonMetadata). Flux substitutes variables in the text that kustomize prints.

/** The changes of Flux to the objects of a build. */
export interface FluxObjects {
  /** Undefined if the Kustomization has no `postBuild`. */
  readonly variables: Variables | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A label or annotation that disables substitution in an object. */
export const SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute";

/** The objects of a build as they are applied. Unchanged objects keep their text. Throws a RollstampError if Flux fails. */
export function fluxObjects(printed: string, { variables, labels, annotations }: FluxObjects, limits: Limits): string {
  const isSubstituted = variables !== undefined && isSubstituting(variables);
  const isLabelled = Object.keys(labels).length + Object.keys(annotations).length > 0;
  if (!isSubstituted && !isLabelled) return printed;
  const budget = budgetOf(limits);
  const texts = printed.split(/^---$/mu).map((text) => text.replace(/^\n/u, ""));
  const made: string[] = [];
  const names = new Set<string>();
  for (const text of texts) {
    if (text.trim() === "") continue;
    const before = objectOf(text, limits);
    const isLeft = !isSubstituted || !text.includes("$") || isDisabled(before);
    const object = isLeft ? before : substituted(text, variables, limits, budget);
    if (isLeft && !isLabelled) made.push(text);
    else if (isObject(object))
      made.push(`${jsonText(isLabelled ? labelled(object, labels, annotations) : object, 0)}\n`);
    if (isSubstituted) refuseSecond(object, names);
  }
  return made.join("---\n");
}

/** Far more than a cluster accepts in objects; a few lines of variables could make gigabytes. */
const MOST_MEBIBYTES = 4;

function budgetOf(limits: Limits): SubstitutionBudget {
  const spend = comparing("values of variables with patterns");
  let made = 0;
  return {
    spend: (steps) => spend(steps, limits),
    grow: (characters) => {
      made += characters;
      if (made > MOST_MEBIBYTES << 20)
        throw new RollstampError("input", `the variables of Flux make more than ${MOST_MEBIBYTES} MiB of text`);
    },
  };
}

/** An object as Flux reads it. */
function objectOf(text: string, limits: Limits): Mapping {
  const tree = readTree(text, "the object", limits);
  const [root] = tree.documents;
  try {
    const value = root === undefined ? null : (kubectlView(tree, root) as Mapping | null);
    if (value === null) return {};
    if (isMapping(value)) return value;
  } catch (cause) {
    if (!(cause instanceof RefusedByKubectl) && !(cause instanceof CollidingKeys)) throw cause;
    throw new RollstampError("input", `Flux can't read an object after substitution: ${cause.message}`);
  }
  throw new RollstampError("input", "Flux can't read an object after substitution: it must be a mapping");
}

function isDisabled({ metadata }: Mapping): boolean {
  const { labels, annotations } = fieldsOf(metadata);
  return [labels, annotations].some((all) => isMapping(all) && all[SUBSTITUTE] === "disabled");
}

const MOST_UNSET = 5;

function substituted(text: string, variables: Variables, limits: Limits, budget: SubstitutionBudget): Mapping {
  const { kind, metadata } = objectOf(text, limits);
  const shown = `${typeof kind === "string" ? kind : ""} ${nameOf(metadata)}`;
  const template = templateOf(goText(text));
  if (!isTemplate(template))
    throw new RollstampError("input", `variables in ${shown} can't be substituted: ${template.problem}`, {
      remedy: "Write '$${' for a '${' that is not a variable of Flux.",
    });
  const known = new Map<string, { readonly value: string; readonly isGuess: boolean }>();
  const variableIn = (name: string): { readonly value: string; readonly isGuess: boolean } => {
    const first = known.get(name);
    if (first !== undefined) return first;
    const { value, isGuess } = variableOf(variables, fromGoText(name));
    const read = { value: goText(value), isGuess };
    known.set(name, read);
    return read;
  };
  const filled = filledIn(template, variableIn, budget);
  if (!isUtf8(filled)) throw new RollstampError("input", `${shown} is not valid UTF-8 after substitution`);
  try {
    return objectOf(fromGoText(filled), limits);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    const unset = [...known].flatMap(([name, { value }]) => (value === "" ? [fromGoText(name)] : []));
    // Its place would be the place of a value.
    throw new RollstampError(
      "input",
      `${shown} can't be read after substitution: ${cause.message}`,
      unset.length === 0 ? {} : { remedy: `Without a value: ${formatList(unset, MOST_UNSET, ", ")}.` },
    );
  }
}

function isTemplate(template: readonly Part[] | TemplateProblem): template is readonly Part[] {
  return Array.isArray(template);
}

/** Flux skips objects without a name, kind or apiVersion. */
function isObject({ apiVersion, kind, metadata }: Mapping): boolean {
  return [apiVersion, kind].every((one) => typeof one === "string" && one !== "") && nameOf(metadata) !== "";
}

function nameOf(metadata: Mapping[string] | undefined): string {
  const name = fieldOf(metadata, "name");
  return typeof name === "string" ? name : "";
}

function labelled(object: Mapping, labels: FluxObjects["labels"], annotations: FluxObjects["annotations"]): Mapping {
  const metadata = isMapping(object["metadata"]) ? object["metadata"] : {};
  const joined = (field: string, added: Readonly<Record<string, string>>): Mapping => {
    const all = { ...textsIn(metadata[field]), ...added };
    return Object.keys(all).length === 0 ? {} : { [field]: all };
  };
  return {
    ...object,
    metadata: { ...metadata, ...joined("labels", labels), ...joined("annotations", annotations) },
  };
}

/** Labels as Go's client reads them: null is "", and if any value is not a string, there are no labels. */
function textsIn(value: Mapping[string] | undefined): Record<string, string> {
  const entries = Object.entries(fieldsOf(value));
  if (!entries.every(([, one]) => one === null || typeof one === "string")) return {};
  return Object.fromEntries(entries.map(([key, one]) => [key, typeof one === "string" ? one : ""]));
}

/** Throws a RollstampError for two objects that became one, which makes the whole build fail. */
function refuseSecond({ apiVersion, kind, metadata }: Mapping, names: Set<string>): void {
  const namespace = fieldOf(metadata, "namespace");
  const applied = typeof namespace === "string" && namespace !== "" ? namespace : "default";
  const key = JSON.stringify([apiVersion, kind, applied, nameOf(metadata)]);
  if (names.has(key))
    throw new RollstampError(
      "input",
      `two objects are the same after substitution: ${String(kind)} ${nameOf(metadata)}`,
    );
  names.add(key);
}
