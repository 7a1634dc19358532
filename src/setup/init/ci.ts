import type { InitFolder } from "../../platform/ports/files.ts";
import { checksOf, type Checks } from "./checks.ts";
import type { InitOptions } from "./init-target.ts";

/** The checks of a CI job; undefined if the repository has such a job, or if only a plan is wanted and nothing can be checked. */
export async function ciChecks(
  folder: InitFolder,
  { survey, plan }: InitOptions,
  hasJob: boolean,
): Promise<Checks | undefined> {
  return hasJob ? undefined : checksOf(folder, await survey(), plan === true ? "none" : "refuse");
}

// The versions that the tests of the hosts run: test/packaging/versions.test.ts compares them with scripts/hosts.
const KUSTOMIZE = "5.8.1";
const HELM = "3.22.0";

/** The lines that install kustomize and helm in an image that has neither. */
export function installRenderers({ kustomize, helm }: Readonly<Record<"kustomize" | "helm", boolean>>): string[] {
  return [
    ...(kustomize
      ? [
          `curl -fsSL https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize%2Fv${KUSTOMIZE}/kustomize_v${KUSTOMIZE}_linux_amd64.tar.gz | tar -xz -C /usr/local/bin`,
        ]
      : []),
    ...(helm
      ? [
          `curl -fsSL https://get.helm.sh/helm-v${HELM}-linux-amd64.tar.gz | tar -xz -C /usr/local/bin --strip-components=1 linux-amd64/helm`,
        ]
      : []),
  ];
}
