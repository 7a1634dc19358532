import { onceFor } from "../../base/grouped.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { isInFolder } from "../discover/paths.ts";
import type { Node } from "../render/closure-node.ts";
import { isSubstituting, type Variables } from "../render/flux-variables.ts";
import type { Prediction } from "../render/predict-build.ts";
import { filledText } from "../render/predict-substitution.ts";
import type { AppSide } from "../render/shown-data.ts";

// Looks for names in the files of applications, which costs less than rendering them.

/**
 * Tests whether the rendering of an application may contain one of these names. It can't if its build is predicted, so that
 * nothing puts names together, and if neither its files, with their variables, nor its definition has one. A prediction is
 * undefined if only a rendering shows what it builds.
 */
export function mayName(
  snapshot: Snapshot,
  names: readonly string[],
): (side: AppSide, prediction: Prediction | undefined) => boolean {
  const isNamedIn = (text: string): boolean => names.some((name) => text.includes(name)) || HAS_ESCAPES.test(text);
  const filesOf = onceFor((node: Node) => filesIn(node, snapshot));
  const isNode = onceFor((node: Node) => filesOf(node).some((path) => snapshot.says(path, isNamedIn)));
  const templatesOf = onceFor((node: Node) => filesOf(node).filter((path) => snapshot.says(path, hasVariables)));
  const isFilled = (template: string, variables: Variables): boolean => {
    const text = filledText(template, variables);
    return text === undefined || isNamedIn(text);
  };
  return ({ application, closure, renderable }, prediction) => {
    if (prediction === undefined || prediction.leftOut.length > 0 || renderable.is !== "steps") return true;
    if (closure.nodes.some(({ wholes }) => wholes.some(({ as }) => as !== "manifests"))) return true;
    const definition = JSON.stringify(application.render);
    if (isNamedIn(definition) || closure.nodes.some(isNode)) return true;
    const [step] = renderable.steps;
    const variables = step?.by === "kustomize" ? step.flux?.objects.variables : undefined;
    if (variables === undefined || !isSubstituting(variables)) return false;
    const templates = [...new Set(closure.nodes.flatMap(templatesOf))].map((path) => snapshot.read(path));
    return (
      isFilled(definition, variables) || templates.some((read) => read.is !== "text" || isFilled(read.text, variables))
    );
  };
}

/** Tests whether files of an application write one of these names beside something that makes a ConfigMap or Secret. */
export function makesAny(snapshot: Snapshot, names: readonly string[]): (side: AppSide) => boolean {
  const isMaker = (text: string): boolean => MAKERS.test(text) && names.some((name) => text.includes(name));
  const isNode = onceFor((node: Node) => filesIn(node, snapshot).some((path) => snapshot.says(path, isMaker)));
  return ({ closure }) => closure.nodes.some(isNode);
}

/** As manifests and kustomizations write them. */
const MAKERS = /\bkind: *["']?(?:\w*Secret|ConfigMap|Certificate|OnePasswordItem)|\b(?:configMap|secret)Generator\b/u;

/** Characters of double-quoted strings that are written by their numbers, and words in two lines. */
const HAS_ESCAPES = /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8})|[\w-]\\\r?\n[ \t]*\\?[\w-]/iu;

function hasVariables(text: string): boolean {
  return text.includes("$");
}

/** The files that a node needs, also those below whole folders. */
function filesIn({ needed, wholes }: Node, { files }: Snapshot): readonly string[] {
  const below = wholes.flatMap(({ folder }) => files.filter((path) => isInFolder(folder, path)));
  return [...new Set([...needed, ...below])];
}
