import { API_VERSION } from "../../base/keys.ts";
import { RollstampError } from "../../base/errors.ts";
import { KUSTOMIZATION_FILES } from "../../base/hosts/kustomize.ts";
import type { FileProposal, InitOptions, InitTarget, Proposal } from "./init-target.ts";
import type { InitFolder } from "../../platform/ports/files.ts";
import { configHashIn, includedBy, kustomizationsIn } from "./kustomizations.ts";
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
        remedy: "Use the folder of the outermost overlay: rollstamp init kustomize overlays/prod.",
      });
    }
    const isOurs = (text: string | undefined): boolean => configHashIn(text, folder) !== undefined;
    const authored = readAuthored(before, path);
    const listed = texts(valueAt(authored, ["transformers"]));
    const ours = listed.findIndex((entry) => isOurs(entry.includes("\n") ? entry : folder.read(entry)));
    const notes = [...builtBy(folder), ...buildNotes(options)];
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

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function transformerText({ image, plugin }: InitOptions): string {
  if (plugin === true) return filledText("kustomize/plugin.yaml");
  return image === undefined
    ? filledText("kustomize/exec.yaml")
    : filledText("kustomize/container.yaml", { IMAGE: image });
}

function buildNotes({ image, plugin }: InitOptions): string[] {
  if (plugin === true)
    return [
      "Build with: kubectl kustomize --enable-alpha-plugins ., with rollstamp in the plugin folder (docs/init.md).",
    ];
  if (image !== undefined) return ["Build with: kustomize build --enable-alpha-plugins ."];
  return [
    "Build with: kustomize build --enable-alpha-plugins --enable-exec . (without --enable-exec, kustomize skips it silently).",
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
      "Build with: KUSTOMIZE_PLUGIN_HOME=<this folder> kubectl kustomize --enable-alpha-plugins .",
      "The scripts call rollstamp, which must be on PATH.",
    ];
    return { files: files.filter(({ before, after }) => before !== after), notes };
  },
};
