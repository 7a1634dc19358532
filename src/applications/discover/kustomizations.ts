import { inflatedFolder, PLUGIN_FIELDS, RESOURCE_FIELDS } from "../../base/hosts/kustomize.ts";
import { onceFor } from "../../base/once-for.ts";
import { foldedGet, isMapping, type Mapping, textOrEmpty } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { pathFrom } from "./paths.ts";
import type { Repository } from "./repository.ts";

// What kustomizations bring in (kustomize/api, types/kustomization.go).

/** The fields that name kustomizations and files that become part of the build. */
const INCLUDES = [...RESOURCE_FIELDS, ...PLUGIN_FIELDS];

/** The paths that each kustomization includes, in the repository, by their folders. */
const inclusions: (kustomizations: Repository["kustomizations"]) => ReadonlyMap<string, readonly string[]> = onceFor(
  (kustomizations) =>
    new Map(
      [...kustomizations.values()].flatMap(({ folder, content }) =>
        content === undefined ? [] : [[folder, includedBy(folder, content)] as const],
      ),
    ),
);

function includedBy(folder: string, content: Mapping): string[] {
  return INCLUDES.flatMap((field) => texts(foldedGet(content, field))).flatMap((way) => pathFrom(folder, way) ?? []);
}

/** The paths that the kustomization of a folder includes, in the repository; none where there is none. */
export function includedIn(folder: string, { kustomizations }: Pick<Repository, "kustomizations">): readonly string[] {
  return inclusions(kustomizations).get(folder) ?? [];
}

/** The folders of the charts that a kustomization inflates, where they would be in the repository. */
export function chartsInflatedBy(folder: string, content: Mapping): string[] {
  const globals = foldedGet(content, "helmglobals");
  const home = isMapping(globals) ? textOrEmpty(foldedGet(globals, "charthome")) : "";
  const charts = foldedGet(content, "helmcharts");
  if (!Array.isArray(charts)) return [];
  return charts.filter(isMapping).flatMap((chart) => {
    const text = (field: string): string => textOrEmpty(foldedGet(chart, field));
    const name = text("name");
    if (name === "") return [];
    return pathFrom(folder, inflatedFolder({ name, home, version: text("version"), repo: text("repo") })) ?? [];
  });
}

/** True for what others list under `components`. */
export function isComponent(content: Mapping): boolean {
  return foldedGet(content, "kind") === "Component";
}

/** All that the kustomizations of a repository include: kustomizations, files, and charts that they inflate. */
export function allIncluded({ kustomizations }: Pick<Repository, "kustomizations">): ReadonlySet<string> {
  return allOf(kustomizations);
}

const allOf: (kustomizations: Repository["kustomizations"]) => ReadonlySet<string> = onceFor((kustomizations) => {
  const included = new Set<string>();
  for (const { folder, content } of kustomizations.values()) {
    if (content === undefined) continue;
    // One that includes itself is no other's, and fails when it is built.
    for (const path of includedIn(folder, { kustomizations })) if (path !== folder) included.add(path);
    for (const path of chartsInflatedBy(folder, content)) included.add(path);
  }
  return included;
});

/** All that the builds of some kustomizations include, themselves too. */
export function closureOf(
  folders: readonly string[],
  { kustomizations }: Pick<Repository, "kustomizations">,
): ReadonlySet<string> {
  const closure = new Set(folders);
  for (const at of closure) for (const path of includedIn(at, { kustomizations })) closure.add(path);
  return closure;
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value)
    ? value.filter((item): item is string => typeof item === "string" && !item.includes("\n"))
    : [];
}
