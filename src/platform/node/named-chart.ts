import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { clearLeftBehind, copyPrefix } from "./left-behind.ts";
import { rawBytesInside, repositoryOf } from "./repository-files.ts";
import { unpacked } from "./staged-chart.ts";
import { makeStage } from "./staged-files.ts";
import { withFolder } from "./with-folder.ts";
import { FILES } from "./files.ts";
import { RollstampError } from "../../base/errors.ts";
import { CHART_FILE, LARGEST_CHART } from "../../base/hosts/helm.ts";
import type { Limits } from "../../base/limits.ts";
import type { ApplicationFolder } from "../ports/applications.ts";

/**
 * A chart that a person names as the folder of an application: its own folder, or one of ours in which a packed chart is
 * unpacked, which goes whatever happens. Throws a RollstampError for what is no chart.
 */
export function withChart<T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>): Promise<T> {
  const kind = FILES.kindOf(path);
  if (kind === "folder") {
    const folder = realpathSync(path);
    if (FILES.kindOf(join(folder, CHART_FILE)) === undefined) throw noChart(path, `it has no ${CHART_FILE}`);
    return work({ folder, root: realpathSync(repositoryOf(folder) ?? folder), limits });
  }
  if (kind === "file") return withUnpacked(path, limits, work);
  throw noChart(path, kind === undefined ? "there is nothing" : "it is neither a folder nor a file");
}

function withUnpacked<T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>): Promise<T> {
  const repository = repositoryOf(dirname(resolve(path)));
  const root = repository === undefined ? undefined : realpathSync(repository);
  const bytes = rawBytesInside(path, { root, shown: path, most: LARGEST_CHART });
  return withArchive(Buffer.from(bytes), path, limits, work);
}

/** A packed chart as the folder of an application: one of ours, which goes whatever happens. */
export function withArchive<T>(
  archive: Buffer,
  shown: string,
  limits: Limits,
  work: (chart: ApplicationFolder) => Promise<T>,
): Promise<T> {
  clearLeftBehind();
  return withFolder(async (ownFolder) => {
    const files = unpacked(archive, shown);
    const folder = join(ownFolder(), "chart");
    mkdirSync(folder, { mode: 0o700 });
    const stage = makeStage({ folder, root: folder, most: limits.inputSize });
    for (const { name, bytes } of files) stage.put(name, bytes);
    if (!files.some(({ name }) => name === CHART_FILE)) throw noChart(shown, `it has no ${CHART_FILE}`);
    return work({ folder: realpathSync(folder), root: realpathSync(folder), limits });
  }, copyPrefix());
}

function noChart(path: string, why: string): RollstampError {
  return new RollstampError("usage", `${path} is no chart: ${why}`, {
    remedy: "Give the folder of a chart, or a packed one (.tgz).",
  });
}
