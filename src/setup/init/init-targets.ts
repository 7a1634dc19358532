import { ARGOCD } from "./argocd.ts";
import { FLUX } from "./flux.ts";
import { GIT } from "./git.ts";
import { GITHUB } from "./github.ts";
import { GITLAB } from "./gitlab.ts";
import { HELM } from "./helm.ts";
import type { InitTarget } from "./init-target.ts";
import { KPT } from "./kpt.ts";
import { KUSTOMIZE, KUSTOMIZE_PLUGIN } from "./kustomize.ts";
import { PRE_COMMIT } from "./pre-commit.ts";

/** The hosts of `rollstamp init`. */
export const INIT_TARGETS: readonly InitTarget[] = [
  KUSTOMIZE,
  KUSTOMIZE_PLUGIN,
  KPT,
  ARGOCD,
  FLUX,
  HELM,
  PRE_COMMIT,
  GIT,
  GITHUB,
  GITLAB,
];
