/** What a test does with a GitOps engine. */

/** Texts by path. */
export type Files = Readonly<Record<string, string>>;

/** What an engine did with a commit. */
export interface Reconciled {
  readonly isReady: boolean;
  readonly message: string;
}

export interface Engine {
  /** Commits files to a repository, which is made at first and applied by itself; resolves once it is reconciled. */
  readonly push: (name: string, files: Files, options?: { readonly prune?: boolean }) => Promise<Reconciled>;
  /** Has the engine look again at once. */
  readonly reconcile: (name: string) => Promise<Reconciled>;
}
