import type { Application } from "./application.ts";
import type { NotFound } from "./not-found.ts";
import type { Repository } from "./repository.ts";

/** The result of a finder. Names may not be unique yet. */
export interface Found {
  readonly applications: readonly Application[];
  readonly notFound: readonly NotFound[];
  /** Files and folders that later finders skip. */
  readonly taken: readonly string[];
  /** Patterns of the paths that something which is not resolved here may lead to; `**` is any path. */
  readonly mayLeadTo?: readonly string[];
}

/** `isTaken`: an earlier finder has taken the path. `isFound`: it has found an application with that path. */
export type Finder = (
  repository: Repository,
  isTaken: (path: string) => boolean,
  isFound?: (path: string) => boolean,
) => Found;

export const NOTHING_FOUND: Found = { applications: [], notFound: [], taken: [] };
