import { objectKey } from "../base/identity.ts";
import { formatList, type SourceName } from "../base/names.ts";
import { addTo } from "../base/grouped.ts";
import { labelled } from "./explain-words.ts";

/** An application, with what it has: a name that another one lacks may be that of a source there. */
export interface HavingApplication {
  readonly application: string;
  readonly cluster: string | undefined;
  readonly has: readonly SourceName[];
}

/** Which other applications have the sources that one names and has not; "" where none has. */
export type TellElsewhere = (
  lacks: readonly SourceName[],
  of: Partial<Pick<HavingApplication, "application" | "cluster">>,
) => string;

const MOST = 3;

/** Looked up once for all that lack something: one name may be that of a workload in each of hundreds. */
export function elsewhereIn(applications: readonly HavingApplication[]): TellElsewhere {
  const havingBySource = new Map<string, HavingApplication[]>();
  for (const one of applications)
    for (const key of new Set(one.has.map((source) => objectKey(source)))) addTo(havingBySource, key, one);
  return (lacks, { application, cluster }) => {
    const wanted = new Map(lacks.map((source) => [objectKey(source), source]));
    const lines = [...wanted].flatMap(([key, { kind, namespace, name }]): string[] => {
      const having = (havingBySource.get(key) ?? []).filter((one) => one.application !== application);
      return having.length === 0 ? [] : [`${kind} ${namespace}/${name}: ${havingWords(having, cluster)}`];
    });
    if (lines.length === 0) return "";
    const why = "References are looked up within one application, as each is stamped by itself: no stamp covers it.";
    return labelled("elsewhere", [...lines, why])
      .map((line) => `${line}\n`)
      .join("");
  };
}

function havingWords(having: readonly HavingApplication[], cluster: string | undefined): string {
  const here = having.filter((one) => cluster !== undefined && one.cluster === cluster);
  const [told, where] =
    here.length > 0
      ? [here, `of the same cluster (${cluster})`]
      : cluster === undefined || having.some((one) => one.cluster === undefined)
        ? [having, "(whether of the same cluster isn't told)"]
        : [having, `of another cluster (${formatList([...new Set(having.map((one) => one.cluster ?? ""))], MOST)})`];
  const names = formatList(
    told.map(({ application }) => application),
    MOST,
    " and ",
  );
  return told.length === 1 ? `the application ${names} ${where} has it` : `the applications ${names} ${where} have it`;
}
