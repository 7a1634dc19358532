// Names and formats of Argo CD.

/** Marks a file as not being a manifest, wherever it is in the file (reposerver/repository). */
export const SKIP_MARK = "+argocd:skip-file-rendering";

/** The annotation with options of the sync of an object, separated by commas. */
export const SYNC_OPTIONS = "argocd.argoproj.io/sync-options";

/** The annotation with options of the comparison with Git, separated by commas. */
export const COMPARE_OPTIONS = "argocd.argoproj.io/compare-options";

/** The finalizer of Applications whose objects are deleted with them; a slash and a policy may follow. */
export const RESOURCES_FINALIZER = "resources-finalizer.argocd.argoproj.io";

/** The annotation of hooks: objects that Argo CD applies at phases of a sync, and then may delete. */
export const ARGO_HOOK = "argocd.argoproj.io/hook";

/** The annotation with the wave of an object: what is in a later wave waits until the earlier ones are healthy. */
export const SYNC_WAVE = "argocd.argoproj.io/sync-wave";

/** The annotation of Applications with the paths whose changes are rendered, separated by semicolons. */
export const MANIFEST_PATHS = "argocd.argoproj.io/manifest-generate-paths";
