import { posix } from "node:path";
import type { ChartSource } from "../discover/application.ts";
import type { Repository } from "../discover/repository.ts";
import { remoteDependencies } from "../tools/chart-dependencies.ts";
import { quietly } from "../../base/errors.ts";
import { textOf } from "../../platform/ports/files.ts";
import { CHARTS_FOLDER, DEPENDENCY_FILES, isVendoredAs } from "../../base/hosts/helm.ts";

/** Whether a chart, or a dependency that its folder `charts` lacks, has to be fetched. */
export function isFetched(chart: ChartSource, repository: Repository): boolean {
  if (chart.in !== "repository") return chart.in === "helm";
  const { files, limits } = repository.tree;
  const known = new Set(files);
  const vendored = `${posix.join(chart.folder, CHARTS_FOLDER)}/`;
  const entries = new Set(
    files.filter((file) => file.startsWith(vendored)).map((file) => file.slice(vendored.length).split("/", 1)[0] ?? ""),
  );
  return DEPENDENCY_FILES.map((name) => posix.join(chart.folder, name))
    .filter((file) => known.has(file))
    .flatMap((file) => quietly(() => remoteDependencies(textOf(repository.tree.read(file)), file, limits)) ?? [])
    .some(({ name }) => ![...entries].some((entry) => isVendoredAs(entry, name)));
}
