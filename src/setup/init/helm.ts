import { CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import { posix } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { CHART_FILE } from "../../base/hosts/helm.ts";
import { filledText } from "./fill.ts";
import type { InitTarget, Proposal } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { addKey, readAuthored, valueAt } from "./yaml-insert.ts";

// Helmfile's own names (helmfile.readthedocs.io, "CLI reference").
const HELMFILES = ["helmfile.yaml", "helmfile.yml", "helmfile.yaml.gotmpl", "helmfile.yml.gotmpl"] as const;
const POST_RENDERER = ["helmDefaults", "postRenderer"] as const;

const INSTALL = "Helm 3 runs the command from PATH; Helm 4 needs the plugin first: helm plugin install (docs/helm.md).";

/** The post-renderer of a helmfile's releases; for a chart the configuration to run it with. */
export const HELM: InitTarget = {
  name: "helm",
  summary: "the post-renderer in a helmfile; for a chart its configuration",
  takes: [],
  propose: (folder) => {
    const helmfile = HELMFILES.find((name) => folder.read(name) !== undefined);
    if (helmfile !== undefined) return proposeHelmfile(helmfile, folder.read(helmfile) ?? "");
    if (folder.read(CHART_FILE) !== undefined) return proposeChart(folder);
    throw new RollstampError("usage", "there is no helmfile and no chart here", {
      remedy: "Give the folder of one: rollstamp init helm deploy.",
    });
  },
};

function proposeHelmfile(path: string, before: string): Proposal {
  if (/^[ \t]*postRenderer:[ \t]*["']?(?:\S*\/)?rollstamp\b/mu.test(before)) return { files: [], notes: [INSTALL] };
  // A template is no YAML before Helmfile has run it.
  if (path.endsWith(".gotmpl") || before.includes("{{")) {
    throw new RollstampError("usage", "this helmfile has templates in it: it can't be changed as YAML", {
      place: { file: path },
      remedy: "Add it by hand: 'helmDefaults: {postRenderer: rollstamp}'.",
    });
  }
  const authored = readAuthored(before, path);
  const other = valueAt(authored, ["helmDefaults"]);
  if (other !== null && typeof other === "object" && "postRenderer" in other) {
    throw new RollstampError("usage", "this helmfile has another post-renderer, and Helm runs one", {
      place: { file: path },
      remedy: "Call rollstamp at the end of that one: it takes a stream and gives a stream.",
    });
  }
  const after = addKey(authored, POST_RENDERER, "rollstamp");
  return { files: [{ path, before, after }], notes: ["A release with a postRenderer of its own keeps that.", INSTALL] };
}

function proposeChart(folder: InitFolder): Proposal {
  // Helm takes a bare name for one of a repository.
  const chart = folder.path.includes("/") || folder.path === "." ? folder.path : `./${folder.path}`;
  const notes = [
    `Run: ${CONFIG_VARIABLE}=${posix.join(folder.path, CONFIG_FILE)} helm upgrade --install NAME ${chart} --post-renderer rollstamp`,
    INSTALL,
  ];
  const known = folder.read(CONFIG_FILE);
  return known === undefined
    ? { files: [{ path: CONFIG_FILE, before: undefined, after: filledText("helm/rollstamp.yaml", {}) }], notes }
    : { files: [], notes };
}
