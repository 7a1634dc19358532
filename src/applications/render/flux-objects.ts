import { RollstampError } from "../../base/errors.ts";
import { comparing, type Limits } from "../../base/limits.ts";
import { isMapping, type Mapping } from "../../yaml/read/json.ts";
import { kubectlView, LeftToChance, RefusedByKubectl } from "../../yaml/read/kubectl-view.ts";
import { readTree } from "../../yaml/read/tree.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { filledIn, templateOf, type Part, type TemplateProblem } from "./flux-envsubst.ts";
import { isSubstituting, variableOf, type Variables } from "./flux-variables.ts";
import { fromGoText, goText, isUtf8 } from "../../base/go-text.ts";

// What Flux makes of what kustomize has built, object by object (fluxcd/pkg/kustomize, SubstituteVariables; pkg/ssa,
// ReadObjects and SetCommonMetadata). kustomize writes each object as the text in which Flux looks for variables.

/** What is made of the objects of a build. */
export interface FluxObjects {
  /** Undefined where the Kustomization has no `postBuild`. */
  readonly variables: Variables | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Leaves an object as it is, among its labels or annotations. */
const SUBSTITUTE = "kustomize.toolkit.fluxcd.io/substitute";

/** The objects of a build as they are applied; what nothing is done to stays as it was printed. Throws as Flux fails. */
export function fluxObjects(printed: string, { variables, labels, annotations }: FluxObjects, limits: Limits): string {
  const isSubstituted = variables !== undefined && isSubstituting(variables);
  const isLabelled = Object.keys(labels).length + Object.keys(annotations).length > 0;
  if (!isSubstituted && !isLabelled) return printed;
  const spend = comparing("values of variables with patterns");
  const texts = printed.split(/^---$/mu).map((text) => text.replace(/^\n/u, ""));
  const made: string[] = [];
  const names = new Set<string>();
  for (const text of texts) {
    if (text.trim() === "") continue;
    const before = objectOf(text, limits);
    const isLeft = !isSubstituted || !text.includes("$") || isDisabled(before);
    const object = isLeft ? before : substituted(text, variables, limits, (steps) => spend(steps, limits));
    if (isLeft && !isLabelled) made.push(text);
    else if (isObject(object))
      made.push(`${jsonText(isLabelled ? labelled(object, labels, annotations) : object, 0)}\n`);
    if (isSubstituted) refuseSecond(object, names);
  }
  return made.join("---\n");
}

/** What Flux sees of an object. */
function objectOf(text: string, limits: Limits): Mapping {
  const tree = readTree(text, "the object", limits);
  const [root] = tree.documents;
  try {
    const value = root === undefined ? null : (kubectlView(tree, root) as Mapping | null);
    if (value === null) return {};
    if (isMapping(value)) return value;
  } catch (cause) {
    if (!(cause instanceof RefusedByKubectl) && !(cause instanceof LeftToChance)) throw cause;
    throw new RollstampError("input", `Flux can't read what its variables make of an object: ${cause.message}`);
  }
  throw new RollstampError("input", "Flux can't read what its variables make of an object: it is none");
}

function isDisabled({ metadata }: Mapping): boolean {
  const { labels, annotations } = isMapping(metadata) ? metadata : {};
  return [labels, annotations].some((all) => isMapping(all) && all[SUBSTITUTE] === "disabled");
}

function substituted(text: string, variables: Variables, limits: Limits, spend: (steps: number) => void): Mapping {
  const { kind, metadata } = objectOf(text, limits);
  const shown = `${typeof kind === "string" ? kind : ""} ${nameOf(metadata)}`;
  const template = templateOf(goText(text));
  if (!isTemplate(template))
    throw new RollstampError("input", `variables of ${shown} can't be substituted: ${template.problem}`, {
      remedy: "A '${' that is no variable of Flux's is written '$${'.",
    });
  const variableIn = (name: string): { value: string; isGuess: boolean } => {
    const { value, isGuess } = variableOf(variables, fromGoText(name));
    return { value: goText(value), isGuess };
  };
  const filled = filledIn(template, variableIn, spend);
  if (!isUtf8(filled)) throw new RollstampError("input", `what variables make of ${shown} is no UTF-8`);
  try {
    return objectOf(fromGoText(filled), limits);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    // Where in it would be where a value stands.
    throw new RollstampError("input", `what variables make of ${shown} can't be read: ${cause.message}`);
  }
}

function isTemplate(template: readonly Part[] | TemplateProblem): template is readonly Part[] {
  return Array.isArray(template);
}

/** Without a name, a kind or a version it is nothing that Flux applies. */
function isObject({ apiVersion, kind, metadata }: Mapping): boolean {
  return [apiVersion, kind].every((one) => typeof one === "string" && one !== "") && nameOf(metadata) !== "";
}

function nameOf(metadata: Mapping[string] | undefined): string {
  const name = isMapping(metadata) ? metadata["name"] : undefined;
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

/** Labels as Go's client reads them: null is "", and with a value that is no text there are none. */
function textsIn(value: Mapping[string] | undefined): Record<string, string> {
  const entries = Object.entries(isMapping(value) ? value : {});
  if (!entries.every(([, one]) => one === null || typeof one === "string")) return {};
  return Object.fromEntries(entries.map(([key, one]) => [key, typeof one === "string" ? one : ""]));
}

/** Two objects that have become one fail the whole. */
function refuseSecond({ apiVersion, kind, metadata }: Mapping, names: Set<string>): void {
  const namespace = isMapping(metadata) ? metadata["namespace"] : undefined;
  const at = typeof namespace === "string" && namespace !== "" ? namespace : "default";
  const key = JSON.stringify([apiVersion, kind, at, nameOf(metadata)]);
  if (names.has(key))
    throw new RollstampError("input", `its variables make two objects one: ${String(kind)} ${nameOf(metadata)}`);
  names.add(key);
}
