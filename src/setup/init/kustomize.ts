import { API_VERSION } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { FileProposal, InitOptions, InitTarget, Proposal } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import {
  buildCommand,
  configHashIn,
  includedBy,
  kustomizationsIn,
  outermostKustomizations,
  usesCharts,
} from "./kustomizations.ts";
import { FIRST_STAMPS, typedFromRoot, typedHere } from "./typed.ts";
import { filledText } from "./fill.ts";
import { addToList, readAuthored, valueAt } from "./yaml-insert.ts";

const NEW_FILES = ["stamp.yaml", "config-hash.yaml"] as const;

/** A transformer in a kustomization, listed last. */
export const KUSTOMIZE: InitTarget = {
  name: "kustomize",
  summary: "a transformer in the kustomization of a folder",
  takes: ["image", "plugin"],
  propose: (folder, options) => {
    const path = KUSTOMIZATION_FILES.find((name) => folder.read(name) !== undefined);
    const before = path === undefined ? undefined : folder.read(path);
    if (path === undefined || before === undefined) {
      throw new RollstampError("usage", "no kustomization file found in this folder", {
        remedy: whereOverlaysAre(folder),
      });
    }
    const isOurs = (text: string | undefined): boolean => configHashIn(text, folder) !== undefined;
    const authored = readAuthored(before, path);
    const listed = texts(valueAt(authored, ["transformers"]));
    const ours = listed.findIndex((entry) => isOurs(entry.includes("\n") ? entry : folder.read(entry)));
    const notes = [...builtBy(folder), ...buildNotes(folder, options), FIRST_STAMPS];
    if (ours >= 0)
      return {
        files: [],
        notes:
          ours < listed.length - 1
            ? [`List ${listed[ours] ?? ""} last: transformers after it make its stamps stale.`, ...notes]
            : notes,
      };
    const file = NEW_FILES.find((name) => folder.read(name) === undefined || isOurs(folder.read(name)));
    if (file === undefined) {
      throw new RollstampError("usage", `${NEW_FILES.join(" and ")} have other content`, {
        remedy: "Rename one of them.",
      });
    }
    const transformer = folder.read(file);
    const kustomization: FileProposal = { path, before, after: addToList(authored, ["transformers"], [file]) };
    const added: FileProposal[] =
      transformer === undefined ? [{ path: file, before: undefined, after: transformerText(options) }] : [];
    return { files: [kustomization, ...added], notes };
  },
};

function whereOverlaysAre(folder: InitFolder): string {
  const [first, ...others] = outermostKustomizations(folder, kustomizationsIn(folder));
  if (first === undefined) return "Use the folder of the outermost overlay.";
  const more = others.length === 0 ? "" : ` (or one of ${others.length} other folders)`;
  return `Use the folder of an outermost overlay${more}: rollstamp init kustomize ${typedFromRoot(folder, first.folder)}`;
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function transformerText({ image, plugin }: InitOptions): string {
  if (plugin === true) return filledText("kustomize/plugin.yaml");
  return image === undefined
    ? filledText("kustomize/exec.yaml")
    : filledText("kustomize/container.yaml", { IMAGE: image });
}

const PLUGINS = "~/.config/kustomize/plugin";

function buildNotes(folder: InitFolder, { image, plugin }: InitOptions): string[] {
  const isHelm = usesCharts(folder, folder.path, kustomizationsIn(folder));
  if (plugin === true)
    return [
      `Install the plugin once: mkdir -p ${PLUGINS} && rollstamp init kustomize-plugin ${PLUGINS} --write`,
      `Build with: KUSTOMIZE_PLUGIN_HOME=${PLUGINS} kubectl kustomize --enable-alpha-plugins${isHelm ? " --enable-helm" : ""} ${typedHere(folder)}`,
    ];
  if (image !== undefined) return [`Build with: ${buildCommand("container", isHelm, typedHere(folder))}`];
  return [
    `Build with: ${buildCommand("exec", isHelm, typedHere(folder))}`,
    "Without --enable-exec, kustomize skips the transformer silently.",
  ];
}

/** Warns about a transformer in a base: an overlay may change content after it, and its stamps become stale. */
function builtBy(folder: InitFolder): Proposal["notes"] {
  const overlays = [...kustomizationsIn(folder)]
    .filter(([at, { content }]) => at !== folder.path && includedBy(at, content).includes(folder.path))
    .map(([, { path }]) => path);
  const [first, ...more] = overlays.sort();
  if (first === undefined) return [];
  return [
    `This folder is built into ${first}${more.length > 0 ? ` and ${more.length} more` : ""}: use the outermost overlay instead. A stamp made here becomes stale when an overlay changes the content.`,
  ];
}

const KINDS = ["ConfigHash", "Restart", "RolloutLint"] as const;

/** The legacy plugin, where kustomize looks for it: $KUSTOMIZE_PLUGIN_HOME. */
export const KUSTOMIZE_PLUGIN: InitTarget = {
  name: "kustomize-plugin",
  summary: "the legacy plugin, in the folder that KUSTOMIZE_PLUGIN_HOME names",
  takes: [],
  propose: (folder) => {
    // kustomize api/internal/plugins/loader: HOME/group/version/kind in lower case/Kind.
    const files = KINDS.map((kind): FileProposal => {
      const path = `${API_VERSION}/${kind.toLowerCase()}/${kind}`;
      return { path, before: folder.read(path), after: filledText("kustomize/plugin.sh"), executable: true };
    });
    const notes = [
      `Before kubectl kustomize --enable-alpha-plugins, run: export KUSTOMIZE_PLUGIN_HOME="$(cd ${typedHere(folder)} && pwd)"`,
      "The scripts call rollstamp, which must be on PATH.",
    ];
    return { files: files.filter(({ before, after }) => before !== after), notes };
  },
};
