import { RollstampError, type Place } from "../../base/errors.ts";
import type { Limits } from "../../base/limits.ts";

// Errors about the input, each with its location and remedy. They contain no value, which could be a secret.

/** The error for input that nests too deeply. */
export function tooDeep(maxDepth: number, place: Place): RollstampError {
  return new RollstampError("input", `the YAML nests deeper than ${maxDepth} levels`, {
    place,
    remedy:
      "Kubernetes manifests nest less than 100 levels: check that this file is one. --max-depth raises the limit.",
  });
}

/** The error for a second merge key in a mapping. */
export function mergedTwice(place: Place): RollstampError {
  return new RollstampError("input", "the merge key '<<' is duplicated in this mapping", {
    place,
    remedy: "Write one with a list: '<<: [*a, *b]'.",
  });
}

/** The error for a collection as a key. */
export function noScalarKey(place: Place): RollstampError {
  return new RollstampError("input", "a key must not be a mapping or a list", {
    place,
    remedy:
      "Is this a template that was not rendered, such as '{{ .Values.name }}'? Render it first, or put it in quotes.",
  });
}

/** The error for an alias without an anchor, or inside of its own node. */
export function wrongAlias(place: Place, isUnknown: boolean): RollstampError {
  const message = isUnknown ? "this alias has no anchor before it" : "this alias refers to a node that contains it";
  return new RollstampError("input", message, {
    place,
    remedy: "Define the anchor before its alias, or quote a string that begins with '*'.",
  });
}

/** The error for a value that does not match its tag. */
export function wrongTag(tag: string, problem: string, place: Place): RollstampError {
  return new RollstampError("input", `the value of the tag '${tag}' is ${problem}`, {
    place,
    remedy: "Remove the tag, or fix the value: kubectl rejects it.",
  });
}

/** The error for a document after `...`: kubectl and kustomize ignore it, go-yaml rejects it. */
export function withoutMarker(place: Place): RollstampError {
  return new RollstampError("input", "a document begins here, after '...', without '---'", {
    place,
    remedy: "Write '---' before it: kubectl and kustomize ignore this document.",
  });
}

/** The error for aliases that stand for too many values. */
export function tooManyAliases(place: Place): RollstampError {
  return new RollstampError("input", "aliases and merge keys expand to too many values here", {
    place,
    remedy: "Write the values out: a manifest needs no nested aliases. --max-aliased-values raises the limit.",
  });
}

/** The error for too many documents or items. */
export function tooMany(what: string, { documents }: Pick<Limits, "documents">, place: Place): RollstampError {
  return new RollstampError("input", `the input has more than ${documents} ${what}`, {
    place,
    remedy: "Split the input, or raise the limit: --max-documents.",
  });
}

/**
 * Counts what aliases expand to: each one stands for all values of its anchor, including the aliases in them. Five
 * lines can stand for more values than fit into memory, and all code after the parser follows aliases.
 */
interface AliasGrowth {
  /** A collection begins. */
  readonly opened: () => void;
  /** A collection ends. */
  readonly closed: (node: number, isAnchored: boolean) => void;
  /** An alias is used. The arguments are what aliases have added before it, and the number of levels it adds. */
  readonly used: (target: number, values: number) => { readonly total: number; readonly levels: number };
}

interface Grown {
  readonly added: number;
  readonly levels: number;
}

/** Starts to count. The cost per event does not depend on the size of the aliases. */
export function aliasGrowth(): AliasGrowth {
  let total = 0;
  const before: number[] = [];
  const levels: number[] = [];
  const grown = new Map<number, Grown>();
  const contain = (inner: number): void => {
    const top = levels.length - 1;
    if (top >= 0) levels[top] = Math.max(levels[top] ?? 1, inner + 1);
  };
  return {
    opened: () => {
      before.push(total);
      levels.push(1);
    },
    closed: (node, isAnchored) => {
      const depth = levels.pop() ?? 1;
      const added = total - (before.pop() ?? 0);
      if (isAnchored) grown.set(node, { added, levels: depth });
      contain(depth);
    },
    used: (target, values) => {
      const growth = grown.get(target) ?? { added: 0, levels: 0 };
      total += values + growth.added;
      contain(growth.levels);
      return { total, levels: growth.levels };
    },
  };
}
