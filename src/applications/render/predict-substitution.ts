import { isMapping } from "../../yaml/read/json.ts";
import { isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import type { Json } from "../../yaml/read/node.ts";
import { isSubstituting, variableOf, type Variables } from "./flux-variables.ts";
import { Unpredictable } from "./predict-patches.ts";

// Flux substitutes variables in the text that kustomize prints, and reads the result again. Predicted is only what is the same
// text in whatever style kustomize prints it: plain, in quotes or as a block.

/** A variable, alone or with a default that also replaces an empty value. */
const VARIABLE = /\$\{([A-Za-z_]\w*)(?::[-=]([\w./:@+-]*))?\}/gu;
const SAFE_VALUE = /^[\w./:@+-]*$/u;
/** Read as it stands if it is not quoted, unless it is a number or the like. With two dots, as in a version, it is no number. */
const PLAIN = /^(?:[A-Za-z./]|\d+\.\d+\.)(?:[\w./@+-]|:(?=[\w./]))*$/u;
/** Always in single quotes. */
const QUOTED = /^"[^"'\\\s]*"$/u;

/** A value with its variables. Throws Unpredictable if only Flux knows the result. */
export function substituted(value: Json, variables: Variables): Json {
  if (typeof value === "string") return substitutedText(value, variables);
  if (Array.isArray(value)) return value.map((item) => substituted(item, variables));
  if (!isMapping(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (key.includes("$")) throw new Unpredictable();
      return [key, substituted(inner, variables)];
    }),
  );
}

/** The text with its variables, for a search; undefined if it has more than variables with or without a default. */
export function filledText(text: string, variables: Variables): string | undefined {
  const filled = text.replace(
    VARIABLE,
    (_all, name: string, fallback?: string) => valueOf(variables, name, fallback).value,
  );
  return text.replace(VARIABLE, "").includes("${") ? undefined : filled;
}

/** As in a rendering (flux-envsubst.ts): a default replaces an empty value and one that only the cluster knows. */
function valueOf(variables: Variables, name: string, fallback: string = ""): ReturnType<typeof variableOf> {
  const known = variableOf(variables, name);
  return fallback !== "" && (known.isGuess || known.value === "") ? { value: fallback, isGuess: false } : known;
}

/** The same for text. */
export function substitutedText(text: string, variables: Variables): string {
  if (!text.includes("$")) return text;
  const filled = text.replace(VARIABLE, (_all, name: string, fallback?: string) => {
    const { value, isGuess } = valueOf(variables, name, fallback);
    if (isGuess || !SAFE_VALUE.test(value)) throw new Unpredictable();
    return value;
  });
  const isSame = text.includes("\n")
    ? /^[^\s$]/u.test(text) && filled.endsWith("\n") === text.endsWith("\n")
    : (PLAIN.test(filled) && isTextToKubectl(filled)) || (QUOTED.test(text) && QUOTED.test(filled));
  if (!isSame || filled.includes("$") || !isSubstituting(variables)) throw new Unpredictable();
  return filled;
}
