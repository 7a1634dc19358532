import { readFileSync } from "node:fs";

/** Matches test files that start programs, directly or through imports. */
const STARTS = /child_process|repository\.[jt]s|every-command\.[jt]s|fake-(?:helm|kustomize)\.[jt]s|shipped\.[jt]s/u;

/** Whether a test file, compiled or not, starts programs. */
export const startsPrograms = (file) => STARTS.test(readFileSync(file, "utf8"));
