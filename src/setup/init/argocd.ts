import { editAnnotations } from "../../yaml/edit/annotations.ts";
import { editedText } from "../../yaml/edit/checked.ts";
import { RollstampError } from "../../base/errors.ts";
import { describe, readManifests, type Item } from "../../yaml/read/items.ts";
import { get, getPath, kindOf } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";
import { FIRST_STAMPS } from "./typed.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";

const PLUGIN = "rollstamp";

/** The path of the spec with the source. */
const SPECS: Readonly<Record<string, readonly string[]>> = {
  Application: ["spec"],
  ApplicationSet: ["spec", "template", "spec"],
};

/** The plugin in the Applications of a folder. */
export const ARGOCD: InitTarget = {
  name: "argocd",
  summary: "the plugin in the Applications of a folder",
  takes: [],
  propose: (folder) => {
    const notes: string[] = [];
    let applications = 0;
    const files = folder.find("**/*.{yaml,yml}").flatMap((path): FileProposal[] => {
      const before = folder.read(path);
      if (before === undefined || !/^[ \t]*apiVersion:[ \t]*argoproj\.io\//mu.test(before)) return [];
      const tree = readTree(before, path, folder.limits);
      const items = readManifests(tree).items.filter(
        (item) => item.group === "argoproj.io" && Object.hasOwn(SPECS, item.kind),
      );
      applications += items.length;
      const splices = items.flatMap((item) => wire(item, path, notes));
      return splices.length === 0 ? [] : [{ path, before, after: editedText(tree, splices) }];
    });
    if (applications === 0) {
      throw new RollstampError("usage", "no Application found in this folder", {
        remedy: "Use the folder of your Argo CD Applications.",
      });
    }
    return { files, notes: [...notes, "Add the plugin's sidecar to the repo-server: docs/argocd.md.", FIRST_STAMPS] };
  },
};

/** Fields of a source that exclude a plugin (argo-cd pkg/apis/application/v1alpha1, ApplicationSource). */
const TOOLS = ["chart", "directory"] as const;

function wire(item: Item, path: string, notes: string[]): ReturnType<typeof editAnnotations> {
  const { tree, node } = item;
  const spec = SPECS[item.kind] ?? [];
  const source = getPath(tree, node, [...spec, "source"]);
  if (source === NONE) {
    notes.push(
      `${path}: ${describe(item)} has no single source: add 'plugin: {name: ${PLUGIN}}' to the source that is rendered.`,
    );
    return [];
  }
  const other = TOOLS.find((tool) => get(tree, source, tool) !== NONE);
  if (other !== undefined) {
    notes.push(`${path}: ${describe(item)} has '${other}', which can't be combined with a plugin: not changed.`);
    return [];
  }
  if (kindOf(tree, get(tree, source, "plugin")) === "mapping") return [];
  if (["kustomize", "helm"].some((tool) => get(tree, source, tool) !== NONE)) {
    notes.push(
      `${path}: ${describe(item)} has options for kustomize or Helm, which Argo CD ignores with a plugin: not changed.`,
    );
    return [];
  }
  return editAnnotations(
    { item, base: node, path: [...spec, "source", "plugin"] },
    { set: new Map([["name", PLUGIN]]), remove: new Set() },
  );
}
