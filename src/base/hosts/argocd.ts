// Names and formats of Argo CD.

/** Marks a file as not being a manifest, wherever it is in the file (reposerver/repository). */
export const SKIP_MARK = "+argocd:skip-file-rendering";
