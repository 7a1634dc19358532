import { createRequire } from "node:module";

// What most runs never need: to read it would cost every start, and V8 looks through all of a file.
// In what ships each is a bundle of its own beside the others (scripts/bundles.mjs), loaded when it is
// first wanted, and at once, as the pipeline does not wait. As modules by themselves the sources have
// no `require`, and Node's own finds the libraries.

/** The functions but for ConfigHash: only in what ships, where they are a bundle. */
export function loadOtherFunctions(): typeof import("../functions/other-functions.ts") {
  return require("./functions.cjs");
}

/** RE2, for the regular expressions of compat: Reloader. */
export function loadRe2(): typeof import("re2js") {
  return typeof require === "function" ? require("re2js") : createRequire(import.meta.url)("re2js");
}

/** `yaml`, for texts that js-yaml refuses. */
export function loadYaml(): typeof import("yaml") {
  return typeof require === "function" ? require("yaml") : createRequire(import.meta.url)("yaml");
}

/** croner, for restarts on a schedule. */
export function loadCroner(): typeof import("croner") {
  return typeof require === "function" ? require("croner") : createRequire(import.meta.url)("croner");
}

/** The kubeconfig reader, for the commands that ask a cluster. */
export function loadKubeConfig(): typeof import("./adapters/kube-config.ts") {
  return typeof require === "function" ? require("./cluster.cjs") : createRequire(import.meta.url)("./cluster.cjs");
}
