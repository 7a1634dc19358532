// The scenarios of kustomize with the two ways of standalone kustomize.
import { checkScenarios } from "./kustomize-scenarios.ts";
import { KUBECTL, KUSTOMIZE_HOSTS } from "./kustomize.ts";

for (const host of KUSTOMIZE_HOSTS) {
  if (host !== KUBECTL) checkScenarios(host);
}
