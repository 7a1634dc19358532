// The scenarios of kustomize as kubectl has it. A file of its own: files run side by side.
import { checkScenarios } from "./kustomize-scenarios.ts";
import { KUBECTL } from "./kustomize.ts";

checkScenarios(KUBECTL);
