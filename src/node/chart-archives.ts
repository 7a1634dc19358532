import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { clearLeftBehind, copyPrefix, withFolder } from "./temporary-folders.ts";
import { failed, inOwnFolder, start } from "./render-application.ts";
import { rawBytesInside, repositoryOf } from "./repository-files.ts";
import { unpacked } from "../applications/render/stage/stage-chart.ts";
import { makeStage } from "./stage.ts";
import { FILES } from "./files.ts";
import { helmPull } from "../applications/tools/helm-pull.ts";
import { RollstampError } from "../base/errors.ts";
import { CHART_FILE, LARGEST_CHART } from "../base/hosts/helm.ts";
import type { Limits } from "../base/limits.ts";
import type { ApplicationFolder, ChartAddress } from "../platform/ports/applications.ts";
import type { Environment } from "../platform/ports/environment.ts";

/**
 * Opens the chart at a path that the user named. A packed chart is unpacked into a temporary folder, which is removed even if
 * `work` fails. Throws a RollstampError if the path is not a chart.
 */
export function withChart<T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>): Promise<T> {
  const kind = FILES.kindOf(path);
  if (kind === "folder") {
    const folder = realpathSync(path);
    if (FILES.kindOf(join(folder, CHART_FILE)) === undefined) throw noChart(path, `it has no ${CHART_FILE}`);
    return work({ folder, root: realpathSync(repositoryOf(folder) ?? folder), limits });
  }
  if (kind === "file") return withUnpacked(path, limits, work);
  throw noChart(path, kind === undefined ? "the path does not exist" : "it is not a folder or a file");
}

function withUnpacked<T>(path: string, limits: Limits, work: (chart: ApplicationFolder) => Promise<T>): Promise<T> {
  const repository = repositoryOf(dirname(resolve(path)));
  const root = repository === undefined ? undefined : realpathSync(repository);
  const bytes = rawBytesInside(path, { root, shown: path, most: LARGEST_CHART });
  return withArchive(Buffer.from(bytes), path, limits, work);
}

/** Unpacks a chart into a temporary folder, which is removed even if `work` fails. */
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
  return new RollstampError("usage", `${path} is not a chart: ${why}`, {
    remedy: "Give the folder of a chart, or a packed chart (.tgz).",
  });
}

/** For programs that read no file of a repository. */
const NOWHERE = "/dev/null";

/** The folder into which helm downloads, relative to the stage. */
const PULLED = "pulled";

/**
 * Runs `helm pull` with an empty home folder: without the user's repositories, logins and plugins. helm follows the URLs in
 * an index. Throws a RollstampError.
 */
export function pullChart(
  chart: ChartAddress,
  { environment, limits }: { readonly environment: Environment; readonly limits: Limits },
): Promise<Buffer> {
  const args = helmPull(chart);
  const none = { folder: NOWHERE, root: NOWHERE, limits };
  return inOwnFolder({ application: none, given: new Map(), environment }, async (rendering) => {
    const { stage } = rendering;
    const folder = join(stage.folder, PULLED);
    mkdirSync(folder, { mode: 0o700 });
    const run = await start(rendering, "helm", [...args, `--destination=${PULLED}`], {
      workingFolder: ".",
      fetches: true,
    });
    if (run.failure !== undefined) throw failed(rendering, `helm pull of ${chart.name} ${chart.version}`, run);
    const [file, ...others] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
    if (file === undefined || others.length > 0) throw new RollstampError("system", "helm pull did not write a chart");
    // The reader reuses its buffer for the next file.
    return Buffer.from(rawBytesInside(join(folder, file), { root: stage.folder, shown: file, most: LARGEST_CHART }));
  });
}
