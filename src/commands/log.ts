import { posix } from "node:path";
import { readConfigHash } from "../config/config-hash.ts";
import { API_VERSION } from "../ground/keys.ts";
import { RollstampError } from "../ground/errors.ts";
import { DONE, type ExitStatus } from "../ground/exit-status.ts";
import { KIND_AND_NAME_REMEDY, readKindAndName } from "../ground/kind-names.ts";
import {
  changeOf,
  finder,
  type Change,
  type Found,
  type LoggedCommit,
  type Reading,
  type RolloutLog,
  unexplainedSources,
  type Wanted,
} from "../history/rollout-log.ts";
import type { ChangedFile, GitHistory, HistoryOptions, HistoryStep, RevisionPath } from "../io/git.ts";
import type { Io } from "../io/io.ts";
import { isManifestName } from "../manifest/manifest-text.ts";
import { logJson, logText } from "../report/rollout-log.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "./config-file.ts";
import { configOption, outputOption } from "./options.ts";

const REPORTERS = { text: logText, json: logJson } as const;

interface LogOptions {
  readonly namespace?: string;
  readonly config?: string;
  readonly output: keyof typeof REPORTERS;
}

/** Defines `rollstamp log`. */
export const defineLog: DefineCommand = (command, io, done) => {
  command
    .argument("<kind/name>", "the workload, such as deployment/api")
    .argument("[path]", "the file or folder that it is in", ".")
    .option("-n, --namespace <namespace>", "its namespace, where several have one of that name")
    .addOption(outputOption(command, REPORTERS))
    .addOption(configOption(command, "the path"))
    .addHelpText("after", LOG_HELP)
    .action(async (target: string, path: string, options: LogOptions) => {
      done(await runLog(io, target, path, options));
    });
};

const LOG_HELP = `
Tells from Git's history, up to HEAD, which commits rolled a workload and why: each stamp that changed
with the keys of its source, each field of the pod template, each restart. Nothing is rendered, no value
is shown.

Examples:
  rollstamp log deployment/api
  rollstamp log deployment/api clusters/prod -o json
`;

/** What reads the history of one repository. */
interface Reader {
  readonly git: GitHistory;
  readonly options: HistoryOptions;
  readonly reading: Reading;
  readonly wanted: Wanted;
  readonly find: (text: string) => Found | undefined;
}

async function runLog(io: Io, target: string, path: string, options: LogOptions): Promise<ExitStatus> {
  const named = readKindAndName(target);
  if (named === undefined)
    throw new RollstampError("usage", `'${target}' names no workload`, { remedy: KIND_AND_NAME_REMEDY });
  if (io.files.kindOf(path) === undefined) {
    throw new RollstampError("usage", "there is no such file or folder", {
      place: { file: path },
      remedy: "Give the file or the folder that the workload is in.",
    });
  }
  const wanted: Wanted = { ...named, namespace: options.namespace };
  const config = readConfigs(io, [path], options.config).of("ConfigHash");
  const spec = readConfigHash(config.config);
  const { limits } = io.context;
  const hmacKey = spec.secrets === "Keyed" ? quietKey(io) : undefined;
  const reading: Reading = { limits, spec: hmacKey === undefined ? { ...spec, secrets: "Digest" } : spec, hmacKey };
  const isFolder = io.files.kindOf(path) === "folder";
  const real = io.files.realPath(path) ?? path;
  const reader: Reader = {
    git: await io.git.history(),
    options: { cwd: isFolder ? real : posix.dirname(real), environment: io.environment, limits },
    reading,
    wanted,
    find: finder(wanted, reading),
  };
  const own = await reader.git.pathInRepository(isFolder ? "" : posix.basename(real), reader.options);
  const { file, found } = await currentFile(reader, own, target);
  const log: RolloutLog = {
    apiVersion: API_VERSION,
    kind: "RolloutLog",
    workload: {
      apiVersion: found.item.apiVersion,
      kind: found.item.kind,
      namespace: found.namespace,
      name: found.item.name,
    },
    path: file,
    shallow: await reader.git.isShallow(reader.options),
    commits: await commitsOf(reader, file),
  };
  await io.writeStdout(REPORTERS[options.output](log));
  return DONE;
}

/** Without the key no digest can be made: those that stand there are compared all the same. */
function quietKey(io: Io): Uint8Array | undefined {
  try {
    return io.context.hmacKey();
  } catch (cause) {
    if (cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/** The file at HEAD that holds the workload. */
async function currentFile(
  { git, options, wanted, find }: Reader,
  path: string,
  target: string,
): Promise<{ readonly file: string; readonly found: Found }> {
  const paths = (await git.filesWith(wanted.name, { commit: "HEAD", path }, options)).filter(isManifestName);
  const texts = await git.textsAt(
    paths.map((each) => ({ commit: "HEAD", path: each })),
    options,
  );
  const all = paths.flatMap((file, i) => {
    const found = find(texts[i] ?? "");
    return found === undefined ? [] : [{ file, found }];
  });
  const [first, second] = all;
  if (first === undefined) {
    throw new RollstampError("usage", `HEAD has no workload '${target}' here`, {
      remedy: "Give the file or the folder that it is in. What is rendered elsewhere has no history here.",
    });
  }
  if (second === undefined) return first;
  throw new RollstampError("usage", `'${target}' stands in ${all.length} files`, {
    remedy: `Give one of them: ${all
      .slice(0, MOST_NAMED)
      .map(({ file }) => file)
      .join(", ")}.`,
  });
}

const MOST_NAMED = 5;

/** A commit that changed the document of the workload. */
interface Changed {
  readonly step: HistoryStep;
  readonly before: Found | undefined;
  readonly after: Found | undefined;
}

async function commitsOf(reader: Reader, file: string): Promise<LoggedCommit[]> {
  const logged: LoggedCommit[] = [];
  const searches = { left: MOST_SEARCHED };
  let at: { readonly path: string; readonly from: string } | undefined = { path: file, from: "HEAD" };
  for (let moves = 0; at !== undefined && moves < MOST_MOVES; moves++) {
    const changed = await changedIn(reader, at.path, at.from);
    at = undefined;
    const files = await reader.git.changedFilesOf(
      changed.map(({ step }) => step.commit),
      reader.options,
    );
    const sides = await sidesOf(reader, changed, files);
    for (const [i, one] of changed.entries()) {
      const known = files.get(one.step.commit) ?? [];
      const moved = one.before === undefined ? await movedFrom(reader, one, known) : undefined;
      const whole = moved === undefined ? one : { ...one, before: moved.found };
      const change = await explained(reader, whole, sides, changed[i + 1], searches);
      if (change !== undefined) logged.push(asLogged(one.step, change));
      if (moved !== undefined) {
        at = { path: moved.path, from: moved.commit };
        break;
      }
    }
  }
  return logged;
}

// A workload that moves between files is followed; more than so often nobody moves one.
const MOST_MOVES = 20;

function asLogged({ commit, date, author, subject, path, before }: HistoryStep, change: Change): LoggedCommit {
  return { commit, date, author, subject, path: path ?? before ?? "", ...change };
}

/** The commits of a file's history in which the document of the workload is another than in each parent. */
async function changedIn({ git, options, find }: Reader, path: string, from: string): Promise<Changed[]> {
  const steps = await git.historyOf(path, from, options);
  const asked = steps.flatMap(({ commit, parents, path: now, before }) => [
    { commit, path: now ?? before ?? path },
    ...parents.map((parent) => ({ commit: parent, path: before ?? now ?? path })),
  ]);
  const texts = await git.textsAt(asked, options);
  let next = 0;
  return steps.flatMap((step): Changed[] => {
    const read = (): Found | undefined => find(texts[next++] ?? "");
    const after = read();
    const parents = step.parents.map(read);
    const [before] = parents;
    // What a merge brings has its own commit.
    return parents.some((parent) => parent?.text === after?.text) || (after === undefined && parents.length === 0)
      ? []
      : [{ step, before, after }];
  });
}

/** Where a workload was that a commit brings into this file: in another file, which that commit changed too. */
async function movedFrom(
  { git, options, find }: Reader,
  { step }: Changed,
  files: readonly ChangedFile[],
): Promise<{ readonly path: string; readonly commit: string; readonly found: Found } | undefined> {
  const [commit] = step.parents;
  if (commit === undefined) return undefined;
  const paths = manifestPaths(files.map(({ before }) => before));
  const [texts, now] = [
    await git.textsAt(
      paths.map((path) => ({ commit, path })),
      options,
    ),
    await git.textsAt(
      paths.map((path) => ({ commit: step.commit, path })),
      options,
    ),
  ];
  for (const [i, path] of paths.entries()) {
    const found = find(texts[i] ?? "");
    if (found !== undefined && find(now[i] ?? "") === undefined) return { path, commit, found };
  }
  return undefined;
}

/** The manifests that commits changed, as they were before and are behind them. */
type Sides = ReadonlyMap<string, { readonly before: readonly string[]; readonly after: readonly string[] }>;

/** Reads them all at once: a start of git for each commit takes longer than all else. */
async function sidesOf(
  { git, options }: Reader,
  changed: readonly Changed[],
  files: ReadonlyMap<string, readonly ChangedFile[]>,
): Promise<Sides> {
  const asked = changed.map(({ step }) => {
    const own = step.path ?? step.before ?? "";
    const known = files.get(step.commit) ?? [];
    const [parent] = step.parents;
    const at = (commit: string | undefined, paths: readonly (string | undefined)[]): RevisionPath[] =>
      commit === undefined ? [] : nearestFirst(manifestPaths(paths), own).map((path) => ({ commit, path }));
    return {
      commit: step.commit,
      before: at(
        parent,
        known.map((file) => file.before),
      ),
      after: at(
        step.commit,
        known.map((file) => file.path),
      ),
    };
  });
  const sides = new Map<string, { readonly before: readonly string[]; readonly after: readonly string[] }>();
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const some = asked.slice(from, from + AT_ONCE);
    const texts = await git.textsAt(
      some.flatMap(({ before, after }) => [...before, ...after]),
      options,
    );
    let next = 0;
    const take = (list: readonly RevisionPath[]): string[] => list.flatMap(() => texts[next++] ?? []);
    for (const { commit, before, after } of some) sides.set(commit, { before: take(before), after: take(after) });
  }
  return sides;
}

/** Each search for a source starts git some times: a history that was never stamped rightly has thousands. */
const MOST_SEARCHED = 20;

// What git prints for them is held in memory.
const AT_ONCE = 200;

/** What a commit did to the workload, with the sources as they were before and behind it. */
async function explained(
  { git, options, wanted, reading }: Reader,
  { step, before, after }: Changed,
  sides: Sides,
  older: Changed | undefined,
  searches: { left: number },
): Promise<Change | undefined> {
  const own = step.path ?? step.before ?? "";
  const known = sides.get(step.commit) ?? { before: [], after: [] };
  const change = changeOf(
    { workload: before, others: known.before },
    { workload: after, others: known.after },
    wanted,
    reading,
  );
  const names = change === undefined ? [] : unexplainedSources(change);
  if (names.length === 0 || searches.left === 0) return change;
  searches.left -= 1;
  // The source had changed before the stamp did: it is compared with what it was at the last roll.
  const sourcesAt = async (commit: string | undefined): Promise<string[]> => {
    if (commit === undefined) return [];
    const found = await Promise.all(names.map((name) => git.filesWith(name, { commit, path: "" }, options)));
    const paths = nearestFirst(manifestPaths(found.flat()), own);
    const texts = await git.textsAt(
      paths.map((path) => ({ commit, path })),
      options,
    );
    return texts.flatMap((text) => text ?? []);
  };
  const again = changeOf(
    { workload: before, others: await sourcesAt(older?.step.commit ?? step.parents[0]) },
    { workload: after, others: await sourcesAt(step.commit) },
    wanted,
    reading,
  );
  return again === undefined || unexplainedSources(again).length > names.length ? change : again;
}

// A commit that touches all files of a repository is no cause by itself: its nearest files are looked at.
const MOST_FILES = 200;

function manifestPaths(paths: readonly (string | undefined)[]): string[] {
  return [...new Set(paths.flatMap((path) => (path !== undefined && isManifestName(path) ? [path] : [])))];
}

/** Paths by how much of their folders they share with a file: a source stands beside its workload. */
function nearestFirst(paths: readonly string[], file: string): string[] {
  const folders = posix.dirname(file).split("/");
  const shared = (path: string): number => {
    const own = posix.dirname(path).split("/");
    let same = 0;
    while (same < own.length && own[same] === folders[same]) same += 1;
    return path === file ? folders.length + 1 : same;
  };
  return paths
    .map((path) => ({ path, shared: shared(path) }))
    .sort((a, b) => b.shared - a.shared || (a.path < b.path ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ path }) => path);
}
