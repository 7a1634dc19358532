import { posix } from "node:path";
import { CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { CHART_FILE, isReleaseName } from "../../base/hosts/helm.ts";
import { helmfilesIn } from "./helmfiles.ts";
import { filledText } from "./fill.ts";
import type { InitTarget, Proposal } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { FIRST_STAMPS, typedHere } from "./typed.ts";
import { addKey, readAuthored, valueAt } from "./yaml-insert.ts";

const POST_RENDERER = ["helmDefaults", "postRenderer"] as const;

const INSTALL =
  'Helm 3 runs the program from PATH. For Helm 4, install the plugin once: helm plugin install "$(npm root --global)/rollstamp/functions/helm-postrenderer" (docs/guides/helm.md)';

const FOR_PLANS =
  "A plan can't see this flag: declare 'stampedBy: PostRenderer' in rollstamp.yaml, or use plan --stamped-by PostRenderer (docs/start/helm.md).";

/** The post-renderer of a helmfile's releases; for a chart, a configuration. */
export const HELM: InitTarget = {
  name: "helm",
  summary: "the post-renderer in a helmfile; for a chart, a configuration",
  takes: [],
  propose: (folder) => {
    const helmfiles = helmfilesIn(folder);
    if (helmfiles.length > 0) return proposeHelmfiles(folder, helmfiles);
    const chart = folder.read(CHART_FILE);
    if (chart !== undefined) return proposeChart(folder, chart);
    throw new RollstampError("usage", "no helmfile and no chart found in this folder", {
      remedy: "Use a folder that has one: rollstamp init helm deploy.",
    });
  },
};

function proposeHelmfiles(folder: InitFolder, paths: readonly string[]): Proposal {
  const proposals = paths.map((path) => proposeHelmfile(folder, path, folder.read(path) ?? ""));
  const runs = paths.map((path) => `See the stamps: helmfile --file ${typedHere(folder, path)} template`);
  return {
    files: proposals.flatMap(({ files }) => files),
    notes: [...runs, ...new Set(proposals.flatMap(({ notes }) => notes)), FIRST_STAMPS],
  };
}

function proposeHelmfile(folder: InitFolder, path: string, before: string): Proposal {
  if (/^[ \t]*postRenderer:[ \t]*["']?(?:\S*\/)?rollstamp\b/mu.test(before)) return { files: [], notes: [INSTALL] };
  // A template becomes YAML only when Helmfile runs it.
  if (path.endsWith(".gotmpl") || before.includes("{{")) {
    throw new RollstampError("usage", "this helmfile contains templates and can't be edited as YAML", {
      place: { file: posix.join(folder.typed, path) },
      remedy: "Add it by hand: 'helmDefaults: {postRenderer: rollstamp}'.",
    });
  }
  const authored = readAuthored(before, path);
  const other = valueAt(authored, ["helmDefaults"]);
  if (other !== null && typeof other === "object" && "postRenderer" in other) {
    throw new RollstampError("usage", "this helmfile has another post-renderer, and Helm runs only one", {
      place: { file: posix.join(folder.typed, path) },
      remedy: "Run rollstamp at the end of that one: it reads a stream and prints a stream.",
    });
  }
  const after = addKey(authored, POST_RENDERER, "rollstamp");
  return { files: [{ path, before, after }], notes: ["A release with its own postRenderer keeps it.", INSTALL] };
}

function proposeChart(folder: InitFolder, text: string): Proposal {
  const name = valueAt(readAuthored(text, CHART_FILE), ["name"]);
  const release = typeof name === "string" && isReleaseName(name) ? name : "release";
  const here = typedHere(folder);
  // Helm reads a name without a slash as a chart of a repository.
  const chart = here.includes("/") || here === "." ? here : `./${here}`;
  const dependencies = /^dependencies\s*:/mu.test(text) ? " --dependency-update" : "";
  const config = typedHere(folder, CONFIG_FILE);
  const notes = [
    `See the stamps: helm template ${release} ${chart}${dependencies} | rollstamp --config ${config}`,
    `Release with: ${CONFIG_VARIABLE}=${config} helm upgrade --install ${release} ${chart} --post-renderer rollstamp`,
    INSTALL,
    FOR_PLANS,
    FIRST_STAMPS,
  ];
  const known = folder.read(CONFIG_FILE);
  return known === undefined
    ? { files: [{ path: CONFIG_FILE, before: undefined, after: filledText("helm/rollstamp.yaml") }], notes }
    : { files: [], notes };
}
