import type { Application, FoundBy } from "./application.ts";
import type { NotFound } from "./not-found.ts";
import type { Repository } from "./repository.ts";

/** What a finder found; names may be equal still. */
export interface Found {
  readonly applications: readonly Application[];
  readonly notFound: readonly NotFound[];
  /** The files and folders that are theirs: no later finder makes an application of one. */
  readonly taken: readonly string[];
}

/** A way to find applications. */
export interface Finder {
  readonly foundBy: readonly FoundBy[];
  /** `isTaken`: the path is of an application that a finder before this one has found. */
  readonly find: (repository: Repository, isTaken: (path: string) => boolean) => Found;
}

/** For a finder of which there is nothing in most repositories. */
export const NOTHING_FOUND: Found = { applications: [], notFound: [], taken: [] };
