import { onceFor } from "./grouped.ts";

/** A label selector, as in `kubectl -l` and LabelSelector: all requirements must match. */
export type LabelSelector = readonly Requirement[];

export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** Whether labels match a selector (k8s.io/apimachinery pkg/labels: NotIn matches if the key is missing). */
export function matchesSelector(selector: LabelSelector, labels: ReadonlyMap<string, string>): boolean {
  return selector.every(({ key, operator, values }) => {
    const value = labels.get(key);
    switch (operator) {
      case "In":
        return valuesOf(values).has(value);
      case "NotIn":
        return !valuesOf(values).has(value);
      case "Exists":
        return value !== undefined;
      case "DoesNotExist":
        return value === undefined;
      default:
        return false;
    }
  });
}

// A set per requirement, because many workloads may be checked against many values. A missing label matches none.
const valuesOf = onceFor((values: readonly string[]): ReadonlySet<string | undefined> => new Set(values));

const KEY = "(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
const VALUE = "[A-Za-z0-9_.-]*";
const TERM = new RegExp(
  `^(?:(?<not>!)\\s*(?<absent>${KEY})|(?<key>${KEY})(?:\\s*(?<sign>==|=|!=)\\s*(?<value>${VALUE})|\\s+(?<set>in|notin)\\s*\\((?<values>[^()]*)\\))?)$`,
  "u",
);

/** Parses the syntax of `kubectl -l`, such as `app=web,tier in (a, b),!legacy`; undefined for any other text. */
export function parseSelector(text: string): LabelSelector | undefined {
  const requirements: Requirement[] = [];
  for (const term of splitTerms(text)) {
    const groups = TERM.exec(term.trim())?.groups;
    if (groups === undefined) return undefined;
    if (groups["absent"] !== undefined) {
      requirements.push({ key: groups["absent"], operator: "DoesNotExist", values: [] });
      continue;
    }
    const key = groups["key"] ?? "";
    if (groups["set"] !== undefined) {
      const values = (groups["values"] ?? "").split(",").map((value) => value.trim());
      if (!values.every((value) => new RegExp(`^${VALUE}$`, "u").test(value))) return undefined;
      requirements.push({ key, operator: groups["set"] === "in" ? "In" : "NotIn", values });
    } else if (groups["sign"] !== undefined) {
      requirements.push({ key, operator: groups["sign"] === "!=" ? "NotIn" : "In", values: [groups["value"] ?? ""] });
    } else requirements.push({ key, operator: "Exists", values: [] });
  }
  return requirements;
}

/** Splits at commas outside of parentheses. */
function splitTerms(text: string): string[] {
  if (text.trim() === "") return [];
  const terms = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    if (char === "," && depth === 0) terms.push("");
    else terms.push((terms.pop() ?? "") + char);
  }
  return terms;
}
