import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { LARGEST_CHART } from "../../base/hosts/helm.ts";
import { helmPull } from "../../applications/tools/helm-pull.ts";
import type { Environment } from "../ports/environment.ts";
import type { ChartAddress } from "../ports/applications.ts";
import type { Limits } from "../../base/limits.ts";
import { failed, inOwnFolder, start } from "./render-application.ts";
import { rawBytesInside } from "./repository-files.ts";

/** No file of a repository is read for it. */
const NOWHERE = "/dev/null";

/** Where helm puts the chart, from the stage's folder. */
const PULLED = "pulled";

/**
 * `helm pull`, with an empty home: no repository, no login and no plugin that a person has. Where an index leads, helm
 * follows. Throws a RollstampError.
 */
export function pullChart(
  chart: ChartAddress,
  { environment, limits }: { readonly environment: Environment; readonly limits: Limits },
): Promise<Buffer> {
  const args = helmPull(chart);
  const none = { folder: NOWHERE, root: NOWHERE, limits };
  return inOwnFolder({ application: none, given: new Map(), environment }, async (rendering) => {
    const { stage } = rendering;
    mkdirSync(join(stage.folder, PULLED), { mode: 0o700 });
    const run = await start(rendering, "helm", [...args, `--destination=${PULLED}`], { at: ".", fetches: true });
    if (run.failure !== undefined) throw failed(rendering, `helm pull of ${chart.name} ${chart.version}`, run);
    const [file, ...others] = readdirSync(join(stage.folder, PULLED)).filter((name) => name.endsWith(".tgz"));
    if (file === undefined || others.length > 0) throw new RollstampError("system", "helm pull has put no chart there");
    const at = join(stage.folder, PULLED, file);
    // The bytes that are read are good until the next file is.
    return Buffer.from(rawBytesInside(at, { root: stage.folder, shown: file, most: LARGEST_CHART }));
  });
}
