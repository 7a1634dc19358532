import { posix } from "node:path";
import type { Levels } from "../../reports/lint/lint.ts";
import type { PlanFinding } from "../../reports/plan/planned-workload.ts";
import { helmfilesNaming } from "../discover/helmfiles.ts";
import { isInFolder } from "../discover/paths.ts";
import { changedFiles } from "./changed-files.ts";
import { chartParts, isInput, isTemplate, readByTemplates, type ChartPart } from "./chart-files.ts";
import { shownBy, unrendered, type Renderings } from "./not-fetched.ts";
import type { AppPair } from "./pairs.ts";

// A chart that no object names is rendered with its own values. Users may install it with other values.

/**
 * RS024 for such a chart if helmfiles release it, or if its change does not show with its own values. What only such a chart shows
 * gets its values: there, also files that templates may read.
 */
export function otherValues(pair: AppPair, rendered: Renderings, levels: Levels): readonly PlanFinding[] {
  const { base, head, isAffected, shownByChart } = pair;
  const { name, foundBy, render } = pair.application;
  const isByPlace = foundBy === "Chart";
  if (
    (!isByPlace && shownByChart === undefined) ||
    !isAffected ||
    head === undefined ||
    head.application.orphan === true
  )
    return [];
  if (base === undefined || "error" in rendered.base || "error" in rendered.head) return [];
  if (render.by !== "helm" || render.chart.in !== "repository") return [];
  const sides = [rendered.base.text, rendered.head.text] as const;
  const path = render.chart.folder;
  const changed = changedFiles(base.snapshot, head.snapshot);
  const parts = chartParts(head.snapshot, path);
  const changedInParts = (matches: (part: ChartPart) => (inPart: string) => boolean): readonly string[] => [
    ...new Set(
      parts.flatMap((part) => {
        const isMatching = matches(part);
        return changed.filter((file) => isInFolder(part.folder, file) && isMatching(posix.relative(part.folder, file)));
      }),
    ),
  ];
  const helmfiles = isByPlace ? releasing(pair, { path, name: render.releaseName }) : [];
  if (helmfiles.length > 0) {
    const isUnchanged = sides[0] === sides[1];
    if (isUnchanged && changedInParts(({ folder }) => isInput(head.snapshot, folder)).length === 0) return [];
    const params = { application: name, path, helmfiles };
    return unrendered(pair, levels, { id: "RS024", cause: "byHelmfiles", params });
  }
  const isHidden = isByPlace ? isHiddenTemplate(sides) : () => false;
  const isSame = isSameExceptVersions(sides);
  const hidden = changedInParts(({ folder, within }) => {
    const isRead = isSame ? readByTemplates(head.snapshot, folder) : () => false;
    return (file) => isHidden(`${within}${file}`) || isRead(file);
  });
  if (hidden.length === 0) return [];
  const params = { application: name, path, changed: hidden, ...shownBy(pair) };
  return unrendered(pair, levels, { id: "RS024", cause: "hiddenByValues", params });
}

/** The helmfiles of both revisions that name a chart. */
function releasing(
  { base, head }: AppPair,
  chart: { readonly path: string; readonly name: string },
): readonly string[] {
  const found = [head, base].flatMap((side) => (side === undefined ? [] : helmfilesNaming(side.snapshot)(chart)));
  return [...new Set(found)];
}

type Sides = readonly [base: string, head: string];

/** Tests whether a template of a chart, by its path in the chart, gives nothing that would show its change. */
function isHiddenTemplate([base, head]: Sides): (inChart: string) => boolean {
  const shown = new Set([...templatesIn(base), ...templatesIn(head)]);
  // Other templates that give objects show what changes in these.
  return (inChart) =>
    isTemplate(inChart) && (base === head || (!posix.basename(inChart).startsWith("_") && !shown.has(inChart)));
}

/** The templates that give objects, relative to the chart: helm writes a comment with the path before each object. */
function templatesIn(text: string): readonly string[] {
  return [...text.matchAll(/^# Source: [^/\n]+\/([^\n]+)$/gmu)].map(([, template = ""]) => template);
}

/** The labels that name the version of a chart, which most changes of a chart also change. */
const VERSIONS = /^[ \t]*(?:helm\.sh\/chart|chart|app\.kubernetes\.io\/version):[^\n]*$/gmu;

function isSameExceptVersions([base, head]: Sides): boolean {
  return base === head || base.replaceAll(VERSIONS, "") === head.replaceAll(VERSIONS, "");
}
