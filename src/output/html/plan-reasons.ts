import type { Reason } from "../../reports/plan/plan-reasons.ts";
import { counted } from "../../base/words.ts";
import { moreDiffs, reasonWords, type Words } from "../plan-words.ts";
import { element, type Child, type Html } from "./html.ts";

// What follows them, what to do, is to be seen without a search.
const MOST_REASONS = 5;

/** Why a workload changes: many reasons fold. `namespace` is the workload's: its own sources go without. */
export function reasonsList(reasons: readonly Reason[], namespace: string): Child {
  if (reasons.length === 0) return undefined;
  const items = reasons.map((reason) => reasonItem(reason, namespace));
  if (items.length <= MOST_REASONS + 1) return list(items);
  const rest = items.slice(MOST_REASONS);
  return [
    list(items.slice(0, MOST_REASONS)),
    element("details", {}, element("summary", {}, counted(rest.length, "more change")), list(rest)),
  ];
}

function list(items: readonly Html[]): Html {
  return element("ul", { class: "reasons" }, items);
}

/** One of the reasons, with the values that differ where they are shown. */
export function reasonItem(reason: Reason, namespace: string, more: Child = undefined): Html {
  const diffs = reason.type === "Source" ? (reason.diffs ?? []) : [];
  return element(
    "li",
    {},
    shown(reasonWords(reason, namespace)),
    more,
    diffs.map(({ key, lines }) =>
      element("details", {}, element("summary", {}, element("code", {}, key)), element("pre", {}, lines.map(diffLine))),
    ),
    moreDiffs(reason).map((line) => element("p", {}, line)),
  );
}

function diffLine(line: string): Html {
  const sign = line.slice(0, 1);
  return element("span", { class: sign === "+" ? "added" : sign === "-" ? "removed" : "same" }, `${line}`, {
    html: "\n",
  });
}

/** Words as the page has them: texts from manifests stand as code. */
export function shown(words: Words): Child {
  return words.map((piece) => (typeof piece === "string" ? piece : element("code", {}, piece.code)));
}
