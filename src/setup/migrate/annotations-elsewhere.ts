import type { Place } from "../../base/errors.ts";
import { RELOADER_DOMAIN, WAVE_DOMAIN } from "../../base/hosts/peers.ts";
import { escapeRegExp } from "../../base/stamp-keys.ts";
import type { Splice } from "../../yaml/edit/splice.ts";
import { peerAnnotation, type PeerAnnotation } from "./peer-annotations.ts";

// Annotations of peers outside of workloads and sources: in the values of a HelmRelease or an Application, in a string, in a
// values file. Only a rendering shows what becomes of them, so they are listed and not edited. They are found line by line: the
// text may be a template, or contain another language.

/** An annotation of a peer that is not edited. */
export interface AnnotationElsewhere {
  readonly place: Place;
  readonly annotation: PeerAnnotation;
}

const KEY = new RegExp(
  `(?<quote>["']?)\\b(?<key>(?:[a-z]+\\.){0,2}(?:${escapeRegExp(RELOADER_DOMAIN)}|${escapeRegExp(WAVE_DOMAIN)})/[\\w.-]+)\\k<quote>\\s*:\\s*(?<value>"[^"]*"|'[^']*'|[^\\s,}#]*(?:, ?[^\\s,}#:]+(?=[\\s,]|$))*)`,
  "gu",
);

/** No annotation that a person wrote is on a longer line. */
const LONGEST_LINE = 10_000;

/** The annotations of peers in text, except those that edits replace. */
export function annotationsElsewhere(text: string, file: string, edits: readonly Splice[] = []): AnnotationElsewhere[] {
  if (!text.includes(RELOADER_DOMAIN) && !text.includes(WAVE_DOMAIN)) return [];
  const left = edits.toSorted((a, b) => a.offset - b.offset);
  let next = 0;
  return text.split("\n").flatMap((source, i) => {
    const start = next;
    next += source.length + 1;
    if (source.length > LONGEST_LINE || /^\s*#/u.test(source)) return [];
    return [...source.matchAll(KEY)].flatMap(({ index, groups }) => {
      const offset = start + index;
      while (left[0] !== undefined && left[0].offset + left[0].remove <= offset) left.shift();
      const isEdited = left[0] !== undefined && left[0].offset <= offset;
      const { key = "", value = "" } = groups ?? {};
      const annotation = peerAnnotation(key, value.replace(/^(?<quote>["'])(?<inner>.*)\k<quote>$/u, "$<inner>"));
      return isEdited || annotation === undefined ? [] : [{ place: { file, line: i + 1 }, annotation }];
    });
  });
}
