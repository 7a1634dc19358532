import { countBefore } from "../../base/sorted.ts";
import { RollstampError, type Place } from "../../base/errors.ts";
import { Lines } from "../../yaml/read/position.ts";
import type { Finding } from "../catalogue/finding.ts";

// Helm writes a comment with the template's path before the output of each template. Nobody sees the lines of the
// stream that a post-renderer gets, so places name the template instead.
const SOURCE = /^# Source: (\S.*)$/gmu;

/** A stream, and its name in messages. */
export interface Rendering {
  readonly text: string;
  readonly file: string;
}

/** Runs a function that may fail at a place in a Helm rendering: its error gets the template's path. */
export function locateErrorsInTemplates<T>(input: Rendering, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RollstampError) || cause.place === undefined) throw cause;
    const { code, message, remedy, configPath } = cause;
    throw new RollstampError(code, message, { remedy, configPath, place: locateInTemplate(input, cause.place) });
  }
}

/** Adds the templates' paths to the places of findings. */
export function locateFindingsInTemplates(input: Rendering, findings: readonly Finding[]): readonly Finding[] {
  if (findings.length === 0) return findings;
  const templates = templatesOf(input.text);
  return findings.map((finding) =>
    finding.place === undefined ? finding : { ...finding, place: placeIn(templates, input, finding.place) },
  );
}

function locateInTemplate(input: Rendering, place: Place): Place {
  return placeIn(templatesOf(input.text), input, place);
}

interface Template {
  /** The line of the comment, from 1. */
  readonly line: number;
  readonly path: string;
}

/** The comments of a rendering, found once for all findings: one search per finding took quadratic time. */
function templatesOf(text: string): readonly Template[] {
  const templates: Template[] = [];
  const lines = new Lines(text);
  for (const match of text.matchAll(SOURCE)) {
    templates.push({ line: lines.placeAt("", match.index).line ?? 1, path: (match[1] ?? "").trimEnd() });
  }
  return templates;
}

function placeIn(templates: readonly Template[], { file }: Rendering, place: Place): Place {
  const { line } = place;
  // A configuration has places too.
  if (templates.length === 0 || place.file !== file || place.origin !== undefined || line === undefined) return place;
  const origin = pathAt(templates, line);
  return origin === undefined ? place : { ...place, origin };
}

/** The last comment before a line names its template. */
function pathAt(templates: readonly Template[], line: number): string | undefined {
  return templates[countBefore(templates.length, (i) => (templates[i]?.line ?? 0) <= line) - 1]?.path;
}
