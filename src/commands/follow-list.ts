import { RollstampError } from "../base/errors.ts";
import type { Change, Cluster, ListQuery } from "../platform/ports/cluster.ts";
import type { Json } from "../yaml/read/node.ts";

/** A list of a cluster that is followed. */
export interface FollowedList {
  readonly path: string;
  readonly query: ListQuery;
  /** Takes all objects, in place of those before. */
  readonly listed: (objects: readonly Json[]) => void;
  readonly changed: (change: Change) => void;
  /** What is kept of an object from one page to the next. */
  readonly keep: (object: Json) => Json;
}

export interface Following {
  readonly cluster: Cluster;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** The way to the cluster is lost, or it is there: told each time that a watch begins. */
  readonly lost: (list: FollowedList, because: string) => void;
  readonly regained: (list: FollowedList) => void;
}

/** A list that is followed, once it has been read. */
export interface Begun {
  readonly is: "found" | "forbidden" | "notFound";
  /** Resolves when the signal has come; rejects where it can't be followed any more. */
  readonly end: Promise<void>;
}

// The server ends a watch after so long. A connection that is dead is noticed so much later.
const WATCH_SECONDS = 30;
// An API server that starts refuses what it allows, until it has read who may do what.
const REFUSED_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/** Reads a list, and from then on tells its changes. Throws where the first reading fails. */
export async function followList(world: Following, list: FollowedList): Promise<Begun> {
  const first = await read(world, list);
  if (first.is !== "found") return { is: first.is, end: Promise.resolve() };
  return { is: "found", end: follow(world, list, first.version) };
}

async function follow(world: Following, list: FollowedList, first: string): Promise<void> {
  const { cluster, signal } = world;
  const { path, query } = list;
  let version: string | undefined = first;
  let wait = 0;
  let allowedAt: number | undefined;
  const refused = (): RollstampError =>
    mayNotWatch(cluster, path, allowedAt !== undefined && performance.now() - allowedAt < REFUSED_MS);
  while (!signal.aborted) {
    try {
      version ??= await readAgain(world, list, refused);
      const began = performance.now();
      const { fieldSelector, metadataOnly } = query;
      const selected = fieldSelector === undefined ? {} : { fieldSelector };
      const reduced = metadataOnly === undefined ? {} : { metadataOnly };
      const begun = (): void => {
        allowedAt = Infinity;
        world.regained(list);
      };
      const asked = { resourceVersion: version, seconds: WATCH_SECONDS, signal, begun, ...selected, ...reduced };
      const end = await cluster.watch(path, asked, list.changed);
      if (end.is === "forbidden" || end.is === "notFound") {
        if (allowedAt === Infinity) allowedAt = performance.now();
        throw refused();
      }
      version = end.is === "ended" ? end.resourceVersion : undefined;
      // One that is ended at once, again and again, is asked for no more often than one that fails.
      wait = performance.now() - began < FIRST_WAIT_MS ? longer(wait) : 0;
    } catch (cause) {
      if (signal.aborted) return;
      if (!(cause instanceof RollstampError) || !cause.mayPass) throw cause;
      world.lost(list, cause.message);
      wait = longer(wait);
    }
    if (wait > 0 && !signal.aborted) await world.sleep(wait, signal);
  }
}

function longer(wait: number): number {
  return Math.min(Math.max(FIRST_WAIT_MS, wait * 2), LONGEST_WAIT_MS);
}

type Read = { readonly is: "found"; readonly version: string } | { readonly is: "forbidden" | "notFound" };

async function read({ cluster }: Following, { path, query, keep, listed }: FollowedList): Promise<Read> {
  let objects: Json[] = [];
  let version = "";
  const is = await cluster.list(path, query, {
    begin: () => {
      objects = [];
    },
    take: (items) => {
      for (const item of items) objects.push(keep(item));
    },
    end: (resourceVersion) => {
      version = resourceVersion;
    },
  });
  if (is !== "found") return { is };
  listed(objects);
  return { is, version };
}

/** Reads a list that could be read before. */
async function readAgain(world: Following, list: FollowedList, refused: () => RollstampError): Promise<string> {
  const again = await read(world, list);
  if (again.is === "found") return again.version;
  throw refused();
}

function mayNotWatch({ context, server }: Cluster, path: string, mayPass: boolean): RollstampError {
  return new RollstampError(
    "system",
    `the user of context '${context}' may not watch ${path} (forbidden by ${server})`,
    {
      remedy: "Bind the ClusterRole rollstamp-wait of docs/wait.md.",
      mayPass,
    },
  );
}
