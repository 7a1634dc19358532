// The scenarios of kustomize in standalone kustomize's two ways.
import { checkScenarios } from "./kustomize-scenarios.ts";
import { KUBECTL, KUSTOMIZE_HOSTS } from "./kustomize.ts";

for (const host of KUSTOMIZE_HOSTS) {
  if (host !== KUBECTL) checkScenarios(host);
}
