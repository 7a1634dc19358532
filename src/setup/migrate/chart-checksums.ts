import { isChecksumKey } from "../../base/hosts/chart-marks.ts";

/** A line of a chart's template that digests rendered text into a pod template's annotation. */
export interface ChartChecksum {
  readonly file: string;
  readonly line: number;
  readonly key: string;
  /** The templates and values that it digests, as the line names them. */
  readonly digests: readonly string[];
}

const LINE = /^\s*["']?(?<key>[\w./-]+)["']?\s*:(?<value>.*)$/u;
const DIGESTED = /"([^"]+\.ya?ml)"|\.Values(?:\.\w+)+/gu;

/** The checksum lines of a chart's template. Templates are no manifests: they are read as text. */
export function chartChecksums(text: string, file: string): ChartChecksum[] {
  return text.split("\n").flatMap((line, i) => {
    const { key, value = "" } = LINE.exec(line)?.groups ?? {};
    if (key === undefined || !isChecksumKey(key)) return [];
    return [{ file, line: i + 1, key, digests: [...value.matchAll(DIGESTED)].map(([whole, name]) => name ?? whole) }];
  });
}
