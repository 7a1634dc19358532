import type { Account } from "../../src/findings/not-examined/not-examined.ts";

/** The account of a run that looked at all there was. */
export function examinedAll(files: number, workloads: number = 1): Account {
  return { examined: { files, objects: files, workloads, otherFiles: 0 }, notExamined: [] };
}
