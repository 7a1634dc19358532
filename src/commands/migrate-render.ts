import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { RollstampError } from "../base/errors.ts";
import { DONE, type ExitStatus } from "../base/exit-status.ts";
import type { Io } from "../platform/ports/io.ts";
import { readManifests } from "../yaml/read/items.ts";
import { readTree } from "../yaml/read/tree.ts";
import { chartChecksums } from "../setup/migrate/chart-checksums.ts";
import { decisionsOf } from "../setup/migrate/migrate.ts";
import { coveredChecksums } from "../setup/migrate/covered-checksums.ts";
import { coveredChecksumsText } from "../output/covered-checksums-text.ts";
import { templateAt } from "../findings/results/chart-template.ts";

/** Tells what the checksums of a chart's rendering are over. `paths` are the folders of the chart. */
export async function runMigrateRender(
  io: Io,
  command: string,
  paths: readonly string[],
  spec: ConfigHashSpec,
): Promise<ExitStatus> {
  const { limits } = io.context;
  const templates = await io.files.chartTemplates(paths, limits);
  if (templates.length === 0) {
    throw new RollstampError("usage", "no chart is at the paths: --render needs the templates that it renders", {
      remedy: "Give the chart's folder: rollstamp migrate --render 'helm template web ./chart' ./chart",
    });
  }
  const text = await io.programs.render(command, { cwd: io.files.here(), environment: io.environment, limits });
  const manifests = readManifests(readTree(text, "rendering", limits));
  const { sources, decisions } = decisionsOf([manifests], spec);
  const checksums = coveredChecksums({
    items: manifests.items,
    sources: sources.all,
    decisions: decisions.filter(({ touched, selected }) => touched && selected),
    templateAt: templateAt(text),
    lines: templates.flatMap((template) => chartChecksums(template.text, template.file)),
  });
  await io.writeStdout(coveredChecksumsText(checksums));
  return DONE;
}
