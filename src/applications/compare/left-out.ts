import type { Failure } from "../../base/alike.ts";
import { outsideReason, outsideRemedy, type OutsidePart } from "../../base/outside.ts";
import { withRemedy } from "../../base/words.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { LeftOut } from "../../platform/ports/applications.ts";
import type { MissingPart } from "../../reports/plan/planned-application.ts";
import type { Application } from "../discover/application.ts";
import { saysNothing } from "../kustomize/inflated-charts.ts";
import { unrenderedRow } from "./not-rendered.ts";
import type { Rendered } from "./rendering.ts";

// Applications that are rendered without something outside of the repository (contract, section 8, "Files that belong
// to no application").

/** What a rendering was made without. */
export function leftOutOf(rendered: Rendered): readonly LeftOut[] {
  return "text" in rendered ? (rendered.leftOut ?? []) : [];
}

/** Whether a rendering has nothing but missing parts. */
export function isNothing(rendered: Rendered): boolean {
  return "text" in rendered && leftOutOf(rendered).length > 0 && saysNothing(rendered.text);
}

/** Why nothing of an application is rendered. */
export function failureOfParts([first]: readonly OutsidePart[]): Failure {
  if (first === undefined) throw new Error("no part is missing");
  return { message: outsideReason(first, first.name), missing: first.name };
}

/** The row of a part in a report without plans. */
export function missingRow(application: Application, part: LeftOut): NotExamined {
  const reason = withRemedy(outsideReason(part, part.name), outsideRemedy(part));
  return { ...unrenderedRow(application, reason), missing: part.name };
}

/** How many missing parts the row of an application has. */
const MOST_PARTS = 100;

/** The missing parts of a row, each once. */
export function missingParts(parts: readonly LeftOut[]): readonly MissingPart[] {
  const all = new Map(parts.map((part) => [part.name, { path: part.name, reason: outsideReason(part) }]));
  return [...all.values()].slice(0, MOST_PARTS);
}
