// Names and forms that Argo CD has fixed.

/** What it takes as a mark that a file is none of its manifests, wherever it stands in it (reposerver/repository). */
export const SKIP_MARK = "+argocd:skip-file-rendering";
