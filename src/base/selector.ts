import { onceFor } from "./grouped.ts";

/** A label selector, as `kubectl -l` and a LabelSelector say it: every requirement has to hold. */
export type LabelSelector = readonly Requirement[];

export interface Requirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values: readonly string[];
}

/** True where labels meet a selector (k8s.io/apimachinery pkg/labels: NotIn holds where the key is missing). */
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

// Looked up: each of many workloads may be asked for many. What isn't there is among none.
const valuesOf = onceFor((values: readonly string[]): ReadonlySet<string | undefined> => new Set(values));

const KEY = "(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?";
const VALUE = "[A-Za-z0-9_.-]*";
const TERM = new RegExp(
  `^(?:(?<not>!)\\s*(?<absent>${KEY})|(?<key>${KEY})(?:\\s*(?<sign>==|=|!=)\\s*(?<value>${VALUE})|\\s+(?<set>in|notin)\\s*\\((?<values>[^()]*)\\))?)$`,
  "u",
);

/** Parses `kubectl -l` text, such as `app=web,tier in (a, b),!legacy`; undefined where it is none. */
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
