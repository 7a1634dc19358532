import type { HistoryOptions, RevisionPath } from "../ports/git.ts";
import { readObjects } from "./git-batch.ts";

/** The texts of files at revisions; undefined for one that is not there, or is no text. */
export async function textsAt(
  files: readonly RevisionPath[],
  options: HistoryOptions,
): Promise<readonly (string | undefined)[]> {
  const texts: (string | undefined)[] = [];
  await eachText(files, (text) => texts.push(text), options);
  return texts;
}

/** Gives the texts of blobs to `use`, in their order, one by one. */
export async function eachText(
  blobs: readonly (string | RevisionPath)[],
  use: (text: string | undefined, i: number) => void,
  { cwd, environment, limits }: HistoryOptions,
): Promise<void> {
  const names = blobs.map((blob) => (typeof blob === "string" ? blob : `${blob.commit}:${blob.path}`));
  let pieces: Buffer[] = [];
  let isText = false;
  const taker = {
    begin: (_i: number, size: number, type: string) => (isText = type === "blob" && size <= limits.inputSize),
    take: (piece: Buffer) => {
      pieces.push(piece);
    },
    end: (i: number) => {
      const text = isText ? Buffer.concat(pieces).toString("utf8") : undefined;
      pieces = [];
      use(text, i);
    },
    missing: (i: number) => use(undefined, i),
  };
  await readObjects(names, taker, { cwd, environment });
}
