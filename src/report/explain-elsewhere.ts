import { listWords, type SourceName } from "../findings/names.ts";
import { printable } from "../results/terminal.ts";

/** An application, with what it has: a name that another one lacks may be that of a source there. */
export interface HavingApplication {
  readonly application: string;
  readonly cluster: string | undefined;
  readonly has: readonly SourceName[];
}

const MOST = 3;

/** Which other applications have the sources that one names and has not; nothing where none has. */
export function elsewhereText(
  lacks: readonly SourceName[],
  { application, cluster }: Partial<Pick<HavingApplication, "application" | "cluster">>,
  others: readonly HavingApplication[],
): string {
  const wanted = new Map(lacks.map((source) => [keyOf(source), source]));
  const lines = [...wanted].flatMap(([key, { kind, namespace, name }]): string[] => {
    const having = others.filter((one) => one.application !== application && one.has.some((own) => keyOf(own) === key));
    const [first] = having;
    if (first === undefined) return [];
    const here = having.filter((one) => cluster !== undefined && one.cluster === cluster);
    const [told, where] =
      here.length > 0
        ? [here, `of the same cluster (${cluster})`]
        : cluster === undefined || having.some((one) => one.cluster === undefined)
          ? [having, "(whether of the same cluster isn't told)"]
          : [having, `of another cluster (${listWords([...new Set(having.map((one) => one.cluster ?? ""))], MOST)})`];
    const names = listWords(
      told.map((one) => one.application),
      MOST,
      " and ",
    );
    return [
      `${kind} ${namespace}/${name}: ${told.length === 1 ? `the application ${names}` : `the applications ${names}`} ${where} ${told.length === 1 ? "has" : "have"} it`,
    ];
  });
  if (lines.length === 0) return "";
  return [
    ...lines,
    "References are looked up within one application, as each is stamped by itself: no stamp covers it.",
  ]
    .map((line, i) => `  ${(i === 0 ? "elsewhere" : "").padEnd(LABEL)}${printable(line)}\n`)
    .join("");
}

const LABEL = 10;

function keyOf({ kind, namespace, name }: SourceName): string {
  return `${kind}\n${namespace}\n${name}`;
}
