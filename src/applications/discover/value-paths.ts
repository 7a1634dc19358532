import { posix } from "node:path";
import { quietly } from "../../base/errors.ts";
import { onceFor } from "../../base/grouped.ts";
import { fieldsOf, foldedGet, isMapping, listOf, textOrEmpty, textsOf } from "../../yaml/read/json.ts";
import { firstDocument } from "../../yaml/read/manifest-text.ts";
import type { Json } from "../../yaml/read/node.ts";
import { pathFrom } from "./paths.ts";
import { pathPattern, pathTests } from "./path-patterns.ts";
import type { Repository } from "./repository.ts";

// A chart can make the objects of Argo CD or Flux from its values (an app of apps). If it is not in the repository, its
// values still name the paths of those objects.

/** The values of charts that a kustomization or an object gives. */
export interface ValuePaths {
  /** The folder of the kustomization, or the file of the object. */
  readonly place: string;
  /** Tests a path for being named. */
  readonly names: (path: string) => boolean;
}

/** What the values of charts name as a `path`. */
export const valuePaths: (repository: Repository) => readonly ValuePaths[] = onceFor(
  ({ kustomizations, objects, tree }) => {
    const inFile = (path: string | undefined): Json => {
      const read = path === undefined ? undefined : tree.read(path);
      return read?.is === "text" ? inText(read.text) : null;
    };
    const inText = (text: string): Json => quietly(() => firstDocument(text, "", tree.limits)) ?? null;
    const given = [
      ...[...kustomizations.values()].flatMap(({ folder, content }) =>
        listOf(foldedGet(fieldsOf(content), "helmcharts")).map((item) => {
          const chart = fieldsOf(item);
          const files = [foldedGet(chart, "valuesfile") ?? null, ...listOf(foldedGet(chart, "additionalvaluesfiles"))];
          const values = [
            foldedGet(chart, "valuesinline"),
            ...textsOf(files).map((file) => inFile(pathFrom(folder, file))),
          ];
          return { place: folder, values };
        }),
      ),
      ...objects.flatMap(({ kind, file, spec }) => {
        if (kind === "HelmRelease") return [{ place: file, values: [spec["values"]] }];
        if (kind !== "Application") return [];
        return [spec["source"], ...listOf(spec["sources"])].map((source) => {
          const { values, valuesObject, valueFiles } = fieldsOf(fieldsOf(source)["helm"]);
          // Of another source of the Application; those of the chart itself are not here.
          const files = textsOf(valueFiles).flatMap((path) => /^\$[^/]+\/(.+)$/u.exec(path)?.[1] ?? []);
          return {
            place: file,
            values: [valuesObject, inText(textOrEmpty(values)), ...files.map((path) => inFile(posix.normalize(path)))],
          };
        });
      }),
    ];
    const testOf = pathTests(tree.limits);
    return given.flatMap(({ place, values }) => {
      const patterns = values.flatMap((value) => pathsIn(value ?? null));
      return patterns.length === 0 ? [] : [{ place, names: testOf(patterns) }];
    });
  },
);

/** All relative paths. An absolute one is a path in a container, or of an Ingress. */
function pathsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(pathsIn);
  if (!isMapping(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = key === "path" ? textOrEmpty(inner) : "";
    return path === "" || path.startsWith("/") ? pathsIn(inner) : [pathPattern(path)];
  });
}
