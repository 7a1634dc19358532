import type { SourceName } from "../../base/names.ts";
import type { PlanPart, PlanRow } from "./parts.ts";
import type { PlanFinding } from "./planned-workload.ts";

// Sources that a part seems to lose or to miss, and that the cluster has all the same.

/** What workloads of a part lose, unless another application has it, and the copies that leave it. */
export function lostIn({ rows }: PlanPart): readonly SourceName[] {
  return rows.flatMap(({ planned: { namespace, lost = [], findings } }) => [
    ...lost.map(({ source }) => source),
    ...findings.flatMap((finding) =>
      finding.id === "leaving-copy" ? finding.params.copies.map((copy) => ({ namespace, ...copy })) : [],
    ),
  ]);
}

/** What pod templates of a part name and its application does not have. */
export function missingIn({ rows }: PlanPart): readonly SourceName[] {
  return rows.flatMap(({ planned }) => planned.findings.flatMap(missingSources));
}

function missingSources(finding: PlanFinding): readonly SourceName[] {
  return finding.id === "RS001" && finding.cause === "missingInRendering" ? [finding.params.source] : [];
}

/** A part without findings about missing sources that another application of the cluster has. */
export function withoutMissing(part: PlanPart, isElsewhere: (source: SourceName) => boolean): PlanPart {
  const isFound = (finding: PlanFinding): boolean => missingSources(finding).some(isElsewhere);
  const withoutFoundIn = ({ planned, isListed }: PlanRow): PlanRow => ({
    isListed,
    planned: { ...planned, findings: planned.findings.filter((finding) => !isFound(finding)) },
  });
  return { ...part, rows: part.rows.map(withoutFoundIn) };
}

/** A part without lost sources that are, or may be, in the cluster: prune leaves them, or another application has them. */
export function withoutFound(part: PlanPart, isThere: (source: SourceName) => boolean): PlanPart {
  const isLeaving = ({ id }: PlanFinding): boolean => id === "leaving-copy";
  if (part.rows.every(({ planned }) => planned.lost === undefined && !planned.findings.some(isLeaving))) return part;
  return {
    ...part,
    rows: part.rows.map((given): PlanRow => {
      const row = withoutKeptCopies(given, isThere);
      const { lost, ...planned } = row.planned;
      if (lost === undefined) return row;
      // A source that is there lacks the key, whatever others have.
      const left = lost.filter(({ source, keys }) => keys.length > 0 || !isThere(source));
      if (left.length > 0) return { ...row, planned: { ...planned, lost: left } };
      return { isListed: row.isListed && planned.action !== "None", planned };
    }),
  };
}

/** A row without the finding about its copies, if they stay in the cluster. */
function withoutKeptCopies(row: PlanRow, isThere: (source: SourceName) => boolean): PlanRow {
  const { namespace, findings } = row.planned;
  const left = findings.filter(
    (finding) =>
      finding.id !== "leaving-copy" || !finding.params.copies.every((copy) => isThere({ namespace, ...copy })),
  );
  return left.length === findings.length ? row : { ...row, planned: { ...row.planned, findings: left } };
}
