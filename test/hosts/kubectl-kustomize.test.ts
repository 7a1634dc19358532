// The scenarios of kustomize with kubectl. A separate file, so that it runs in parallel.
import { checkScenarios } from "./kustomize-scenarios.ts";
import { KUBECTL } from "./kustomize.ts";

checkScenarios(KUBECTL);
