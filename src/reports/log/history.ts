import type { HistoryStep, RevisionPath, ChangedFile } from "../../platform/ports/git.ts";
import {
  effectsIn,
  keyOf,
  manifestPaths,
  nearestFirst,
  type Changed,
  type ChangedSteps,
  type HistoryReader,
  type Version,
} from "./changes-in-history.ts";
import { secretFinder, type LoggedCommit, type Change } from "./changes.ts";
import { proseWithout, reasonsWithout, secretsOf } from "../plan/secret-texts.ts";

/** The commits that rolled out a workload, newest first, starting with its file at HEAD. */
export async function commitsOf(reader: HistoryReader, file: string): Promise<LoggedCommit[]> {
  const logged: LoggedCommit[] = [];
  const searches = { left: MOST_SEARCHED };
  const secrets = new Set<string>();
  let start: { readonly path: string; readonly from: string } | undefined = { path: file, from: "HEAD" };
  for (let moves = 0; start !== undefined && moves < MOST_MOVES; moves++) {
    const { changed, names } = await changedIn(reader, start.path, start.from);
    const files = await reader.git.changedFilesOf(
      changed.map(({ step }) => step.commit),
      reader.options,
    );
    const { steps, moved } = await untilMoved(reader, changed, files);
    start = moved;
    const changes = await effectsIn(reader, { steps, names, files, older: changed[steps.length] }, searches, secrets);
    logged.push(...changes.map(({ step, change }) => asLogged(step, change)));
  }
  if (logged.length > 0) await addSecretsAtHead(reader, file, secrets);
  const texts = secretsOf([...secrets]);
  return logged.map((commit) => ({
    ...commit,
    subject: proseWithout(texts, commit.subject),
    reasons: reasonsWithout(() => texts, commit.reasons),
  }));
}

/** Most Secrets are in files that the commits do not change. */
async function addSecretsAtHead(
  { git, options, reading }: HistoryReader,
  file: string,
  secrets: Set<string>,
): Promise<void> {
  // What trees repeat billions of times is not searched.
  const files = await git.filesWith("Secret", { commit: "HEAD", path: "" }, options).catch(() => []);
  const versions = nearestFirst(manifestPaths(files), file).map((path) => ({ commit: "HEAD", path }));
  const add = secretFinder(reading, secrets);
  await git.eachText(versions, (text) => add(text ?? ""), options);
}

/** Each search for a source starts git several times. A history without correct stamps would need thousands. */
const MOST_SEARCHED = 20;

// A workload is followed when it moves between files, but not more often than this.
const MOST_MOVES = 20;

function asLogged({ commit, date, author, subject, path, before }: HistoryStep, change: Change): LoggedCommit {
  return { commit, date, author, subject, path: path ?? before ?? "", ...change };
}

/** The commits of a file's history in which the document of the workload differs from every parent. */
async function changedIn({ git, options, find }: HistoryReader, path: string, from: string): Promise<ChangedSteps> {
  const steps = await git.historyOf(path, from, options);
  const versions = steps.map((step) => {
    const now = step.path ?? step.before ?? path;
    const then = step.before ?? step.path ?? path;
    const [first, ...others] = step.parents.map((parent): RevisionPath => ({ commit: parent, path: then }));
    return {
      step,
      after: step.blob ?? { commit: step.commit, path: now },
      // git reports the blob of the first parent, unless the file is not there.
      parents: [...(first === undefined ? [] : [step.blobBefore ?? first]), ...others],
    };
  });
  const asked = [
    ...new Map(versions.flatMap(({ after, parents }) => [after, ...parents]).map((one) => [keyOf(one), one])),
  ];
  const found = new Map<string, string | undefined>();
  let names: Set<string> | undefined = new Set();
  const use = (text: string | undefined, i: number): void => {
    const known = text === undefined ? undefined : find(text);
    found.set(asked[i]?.[0] ?? "", known?.digest);
    if (known === undefined) return;
    if (known.names === undefined) names = undefined;
    for (const name of known.names ?? []) names?.add(name);
  };
  await git.eachText(
    asked.map(([, version]) => version),
    use,
    { ...options, isRequired: true },
  );
  const digestOf = (version: Version | undefined): string | undefined =>
    version === undefined ? undefined : found.get(keyOf(version));
  const changed = versions.flatMap(({ step, after, parents }): Changed[] => {
    const [now, ...then] = [after, ...parents].map(digestOf);
    // Changes that a merge brings in have their own commits.
    if (then.includes(now) || (now === undefined && parents.length === 0)) return [];
    const [before] = parents;
    return [{ step, before: then[0] === undefined ? undefined : before, after: now === undefined ? undefined : after }];
  });
  return { changed, names };
}

interface UntilMoved {
  /** The commits down to the one that moved the workload into the file, and its previous file. */
  readonly steps: readonly Changed[];
  readonly moved: { readonly path: string; readonly from: string } | undefined;
}

async function untilMoved(
  reader: HistoryReader,
  changed: readonly Changed[],
  files: ReadonlyMap<string, readonly ChangedFile[]>,
): Promise<UntilMoved> {
  for (const [i, one] of changed.entries()) {
    const from = one.before === undefined ? await movedFrom(reader, one, files.get(one.step.commit) ?? []) : undefined;
    if (from === undefined) continue;
    return { steps: [...changed.slice(0, i), { ...one, before: from }], moved: { path: from.path, from: from.commit } };
  }
  return { steps: changed, moved: undefined };
}

/** The previous file of a workload that a commit moved into this file: a file that the commit changed too. */
async function movedFrom(
  { git, options, find }: HistoryReader,
  { step }: Changed,
  files: readonly ChangedFile[],
): Promise<RevisionPath | undefined> {
  const [commit] = step.parents;
  if (commit === undefined) return undefined;
  const paths = manifestPaths(files.map(({ before }) => before));
  const isIn = new Map<string, boolean>();
  const asked = [commit, step.commit].flatMap((each) => paths.map((path) => ({ commit: each, path })));
  const use = (text: string | undefined, i: number): void => {
    const version = asked[i];
    if (version !== undefined) isIn.set(keyOf(version), text !== undefined && find(text) !== undefined);
  };
  await git.eachText(asked, use, options);
  const path = paths.find(
    (each) => isIn.get(keyOf({ commit, path: each })) && !isIn.get(keyOf({ commit: step.commit, path: each })),
  );
  return path === undefined ? undefined : { commit, path };
}
