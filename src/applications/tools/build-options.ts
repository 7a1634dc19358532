import { RollstampError } from "../../base/errors.ts";

/** The variable with options of kustomize build. The owner of the sidecar sets it; an Application can't. */
export const BUILD_OPTIONS_VARIABLE = "ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS";

export interface BuildOptions {
  /** The options that are passed to kustomize. */
  readonly passed: readonly string[];
  /**
   * Whether a kustomization may use files above its folder. This is not passed to kustomize, which would allow every file of the
   * sidecar. Instead, such files are staged below the folder that names them.
   */
  readonly unrestricted: boolean;
  /** Whether charts are rendered. This is not passed to kustomize, which would run helm itself. */
  readonly charts: boolean;
  /** The version of the cluster for helm. */
  readonly kubeVersion: string;
  readonly apiVersions: readonly string[];
  /** Whether kustomize uses plugins of the owner. */
  readonly plugins: boolean;
}

type Use = "passed" | "helm" | "kubeVersion" | "apiVersions" | "restrictor" | "dropped";

/** kustomize/v5 commands/build/flag*.go. All other options are rejected. */
const OPTIONS: ReadonlyMap<string, { readonly use: Use; readonly takes: "text" | "boolean" }> = new Map([
  ["--enable-alpha-plugins", { use: "passed", takes: "boolean" }],
  ["--enable-managedby-label", { use: "passed", takes: "boolean" }],
  ["--reorder", { use: "passed", takes: "text" }],
  ["--stack-trace", { use: "passed", takes: "boolean" }],
  ["--enable-helm", { use: "helm", takes: "boolean" }],
  ["--helm-kube-version", { use: "kubeVersion", takes: "text" }],
  ["--helm-api-versions", { use: "apiVersions", takes: "text" }],
  // Would print templates and values.
  ["--helm-debug", { use: "dropped", takes: "boolean" }],
  ["--load-restrictor", { use: "restrictor", takes: "text" }],
]);

/** Reads the build options. Throws a RollstampError for an option that would run programs of a repository. */
export function readBuildOptions(text: string): BuildOptions {
  const words = text.split(/\s+/u).filter((word) => word !== "");
  const values: Record<Use, string[]> = {
    passed: [],
    helm: [],
    kubeVersion: [],
    apiVersions: [],
    restrictor: [],
    dropped: [],
  };
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const end = word.indexOf("=");
    const option = OPTIONS.get(end === -1 ? word : word.slice(0, end));
    if (option === undefined) throw refused(word);
    const { use, takes } = option;
    let value = end === -1 ? "true" : word.slice(end + 1);
    if (takes === "text" && end === -1) {
      index += 1;
      value = words[index] ?? "";
    }
    if (use === "restrictor" && !/^(?:LoadRestrictions(?:None|RootOnly))?$/u.test(value))
      throw refused(`${word} ${value}`);
    values[use].push(use === "passed" ? `${word.slice(0, end === -1 ? undefined : end)}=${value}` : value);
  }
  return {
    passed: values.passed,
    unrestricted: values.restrictor.at(-1) === "LoadRestrictionsNone",
    charts: values.helm.at(-1) === "true",
    kubeVersion: values.kubeVersion.at(-1) ?? "",
    apiVersions: values.apiVersions,
    plugins: values.passed.includes("--enable-alpha-plugins=true"),
  };
}

function refused(word: string): RollstampError {
  return new RollstampError(
    "config",
    `${BUILD_OPTIONS_VARIABLE} has '${word}', which the plugin doesn't pass on: programs of a repository could run, or read what is not theirs`,
    { remedy: `Remove it. Known options: ${[...OPTIONS.keys()].join(", ")}.` },
  );
}
