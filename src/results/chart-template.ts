import { RollstampError, type Place } from "../errors.ts";
import type { Finding } from "./findings.ts";

// Helm writes a comment with the template's path before what it rendered from it; the lines of the
// stream that a post-renderer gets nobody has seen.
const SOURCE = /^# Source: (\S.*)$/u;

/** A stream, and the name that messages give it. */
export interface Rendering {
  readonly text: string;
  readonly file: string;
}

/** Runs what may fail at a place in a rendering of Helm: its error is given the template's path. */
export function withTemplates<T>(input: Rendering, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RollstampError) || cause.place === undefined) throw cause;
    const { code, message, remedy, configPath } = cause;
    throw new RollstampError(code, message, { remedy, configPath, place: inTemplate(input, cause.place) });
  }
}

/** The findings with the templates' paths in their places. */
export function inTemplates(input: Rendering, findings: readonly Finding[]): readonly Finding[] {
  return findings.map((finding) =>
    finding.place === undefined ? finding : { ...finding, place: inTemplate(input, finding.place) },
  );
}

function inTemplate({ text, file }: Rendering, place: Place): Place {
  // A configuration has places too.
  if (place.file !== file || place.origin !== undefined || place.line === undefined) return place;
  const before = text.split("\n", place.line).toReversed();
  const [, origin] = before.map((line) => SOURCE.exec(line.trimEnd())).find((found) => found !== null) ?? [];
  return origin === undefined ? place : { ...place, origin };
}
