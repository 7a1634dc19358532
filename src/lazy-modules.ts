import { createRequire } from "node:module";

// Libraries that most runs never need: loading them would cost every start. Each is loaded when it
// is first wanted, and at once, as the pipeline does not wait. In the bundles they stand behind a
// `require` of their own; as modules by themselves there is none, and Node's own finds them.

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

/** The kubeconfig reader, for the commands that ask a cluster: a file of its own beside the bundle. */
export function loadKubeConfig(): typeof import("./adapters/kube-config.ts") {
  return typeof require === "function" ? require("./cluster.cjs") : createRequire(import.meta.url)("./cluster.cjs");
}
