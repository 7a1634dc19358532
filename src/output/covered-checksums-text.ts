import { SOURCES } from "../base/keys.ts";
import { kindWord } from "../base/referenced-kinds.ts";
import { counted, pluralize } from "../base/words.ts";
import { yamlText } from "../base/yaml-text.ts";
import { describe } from "../yaml/read/items.ts";
import type { Coverage, CoveredChecksum } from "../setup/migrate/covered-checksums.ts";
import { printable } from "../findings/results/terminal.ts";
import type { Source } from "../kubernetes/sources/types.ts";

const WORDS: Readonly<Record<Coverage, string>> = {
  covered: "covered",
  lost: "lost",
  nothing: "covers nothing",
  unknown: "not known",
};

/** What each checksum of a rendering is over, and the entries of `overrides` for what no stamp would cover. */
export function coveredChecksumsText(checksums: readonly CoveredChecksum[]): string {
  if (checksums.length === 0) return "No checksum of a chart is in this rendering.\n";
  const sections: string[][] = [];
  let before: CoveredChecksum | undefined;
  for (const checksum of checksums) {
    if (checksum.workload !== before?.workload) sections.push([describe(checksum.workload)]);
    before = checksum;
    sections.at(-1)?.push(...linesOf(checksum));
  }
  sections.push(summary(checksums), ...overrides(checksums));
  return sections.map((lines) => `${lines.map(printable).join("\n")}\n`).join("\n");
}

function linesOf(checksum: CoveredChecksum): string[] {
  const { key, coverage, written } = checksum;
  const place = written === undefined ? "" : `  ${written.file}:${written.line}`;
  return [`  ${key}: ${WORDS[coverage]}${place}`, `    ${overWords(checksum)}`];
}

function overWords({ coverage, written, digests, seen, unseen, onlyKeys, others }: CoveredChecksum): string {
  if (written === undefined) return "no line of the chart's templates writes it: give the chart's folder as a path";
  if (coverage === "unknown")
    return digests.length === 0
      ? "its line names no template"
      : `over ${digests.join(", ")}: what that renders, its line doesn't say`;
  const all = [
    ...seen.map((source) => `${sourceWords(source)}, ${seenWords(onlyKeys.get(source))}`),
    ...unseen.map((source) => `${sourceWords(source)}, which its pods don't name`),
    ...others.map((other) => `${other}, which is no source`),
  ];
  return all.length === 0 ? `over ${digests.join(", ")}, which renders no object` : `over ${all.join("; ")}`;
}

function seenWords(keys: readonly string[] | undefined): string {
  if (keys === undefined) return "which its pods see";
  return `of which its pods see only ${pluralize(keys.length, "key")} ${keys.join(", ")}: a change of another one rolls nothing`;
}

function sourceWords({ provides: { kind, name } }: Source): string {
  return `${kind} ${name}`;
}

function summary(checksums: readonly CoveredChecksum[]): string[] {
  const of = (coverage: Coverage): number => checksums.filter((checksum) => checksum.coverage === coverage).length;
  return [
    `${counted(checksums.length, "checksum")}: ${of("covered")} covered by stamps, ${of("nothing")} over nothing that is a source, ${of("lost")} lost, ${of("unknown")} not known.`,
  ];
}

/** What is lost, each workload once, with what is named for it already: of two lists of sources the last counts. */
function overrides(checksums: readonly CoveredChecksum[]): string[][] {
  const lost = new Map<CoveredChecksum["workload"], { readonly names: Set<string>; readonly byAnnotation: boolean }>();
  for (const { workload, unseen, listed } of checksums) {
    if (unseen.length === 0) continue;
    const entry = lost.get(workload) ?? { names: new Set(listed.entries), byAnnotation: listed.byAnnotation };
    lost.set(workload, entry);
    for (const { provides } of unseen) entry.names.add(`${kindWord(provides.kind)}/${provides.name}`);
  }
  const annotated = [...lost].filter(([, { byAnnotation }]) => byAnnotation);
  const others = [...lost].filter(([, { byAnnotation }]) => !byAnnotation);
  const sections: string[][] = [];
  if (others.length > 0) {
    sections.push(
      ["With 'checksums: Remove', for what the pods read and don't name, in the configuration's spec:"],
      [
        "overrides:",
        ...others.map(
          ([{ kind, name }, { names }]) =>
            `  - {target: {kind: ${yamlText(kind)}, name: ${yamlText(name)}}, sources: [${[...names].map(yamlText).join(", ")}]}`,
        ),
      ],
    );
  }
  if (annotated.length > 0) {
    sections.push(
      ["By an annotation of the workload, which counts before any override:"],
      annotated.map(([workload, { names }]) => `  ${describe(workload)}: '${SOURCES}: ${[...names].join(",")}'`),
    );
  }
  return sections;
}
