import type { ArgoEnvironment } from "./application.ts";

// The variables that Argo CD sets for a rendering of an Application, and how it substitutes them (Env.Envsubst of
// pkg/apis/application/v1alpha1, which is Go's os.Expand).

/** The variables of an Application; those of the commit only if it is known (reposerver/repository, newEnv). */
export function argoVariables(
  environment: ArgoEnvironment,
  commit: string | undefined,
): Readonly<Record<string, string>> {
  return {
    ARGOCD_APP_NAME: environment.name,
    ARGOCD_APP_NAMESPACE: environment.namespace,
    ARGOCD_APP_PROJECT_NAME: environment.project,
    ARGOCD_APP_SOURCE_REPO_URL: environment.repoUrl,
    ARGOCD_APP_SOURCE_PATH: environment.path,
    ARGOCD_APP_SOURCE_TARGET_REVISION: environment.targetRevision,
    ...(commit === undefined
      ? {}
      : {
          ARGOCD_APP_REVISION: commit,
          ARGOCD_APP_REVISION_SHORT: commit.slice(0, 7),
          ARGOCD_APP_REVISION_SHORT_8: commit.slice(0, 8),
        }),
  };
}

// A brace that is not closed is removed with its dollar sign, and so are empty braces.
const NAMES = /\$(?:\{([*#$@!?\-0-9])\}|\{([^}]{0,300})\}|\{|([*#$@!?\-0-9])|([A-Za-z0-9_]+))/gu;

/** The names of the variables in a string. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(NAMES)].map((match) => match.slice(1).find((name) => name !== undefined) ?? "");
}

/** Substitutes variables. A missing one is empty, and `$$` is a dollar sign. */
export function withVariables(text: string, variables: Readonly<Record<string, string>>): string {
  return text.replace(NAMES, (...match: readonly unknown[]) => {
    const name = match.slice(1, 5).find((group) => typeof group === "string");
    if (name === "$") return "$";
    return typeof name === "string" && Object.hasOwn(variables, name) ? (variables[name] ?? "") : "";
  });
}
