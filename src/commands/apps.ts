import { DONE, FOUND, type ExitStatus } from "../base/errors.ts";
import type { Io } from "../platform/ports/io.ts";
import { appsDocument, appsJson, appsNames, notFoundLines } from "../output/apps-report.ts";
import type { DefineCommand } from "./command.ts";
import { idleWithout, refuseIdleOptions } from "./idle-options.ts";
import { jobsNumber, outputOption, verboseOption } from "./options.ts";
import { lineText, printable } from "../findings/results/terminal.ts";
import { applicationsIn } from "../applications/compare/applications-in.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = { text: appsDocument, json: appsJson, name: appsNames } as const;

interface AppsOptions {
  readonly output: keyof typeof REPORTERS;
  readonly verbose?: boolean;
  readonly clusters?: string;
  readonly expand?: boolean;
  readonly fetchCharts?: boolean;
  readonly jobs?: number;
}

/** Defines `rollstamp apps`. */
export const defineApps: DefineCommand = (command, io, done) => {
  command
    .argument("[path]", "a folder: those applications of its repository that are in it", ".")
    .addOption(outputOption(command, REPORTERS))
    .addOption(verboseOption(command))
    .option("--clusters <file>", "the values that generators of ApplicationSets get from clusters or providers")
    .option("--expand", "also render, to find Applications, Kustomizations and HelmReleases that are not in files")
    .option("--fetch-charts", "with --expand: let helm download charts over https, without credentials")
    .option(
      "--jobs <n>",
      "with --expand: how many applications are rendered at once (default: number of processors)",
      jobsNumber,
    )
    .addHelpText("after", APPS_HELP)
    .action(async (path: string, options: AppsOptions) => {
      done(await runApps(io, path, options));
    });
  refuseIdleOptions(command, [idleWithout("--expand", "--fetch-charts", "--jobs")]);
};

const APPS_HELP = `
Lists the applications of a repository. An application is what is rendered and applied as one unit. The
list has the applications of Argo CD's Applications and ApplicationSets and of Flux's Kustomizations and
HelmReleases, then kustomizations that no other one includes, charts that are not a dependency, packages
with a Kptfile, and the remaining manifests. It fetches and runs nothing, and renders only with --expand.
If something is unknown, the list gives the reason. The exit status is 1 if the repository has an error.

Examples:
  rollstamp apps
  rollstamp apps clusters/prod
  rollstamp apps --clusters clusters.yaml
  rollstamp apps --expand                   also those that only a rendering shows
  rollstamp apps -o name                    only the names, for scripts and --app
`;

async function runApps(io: Io, path: string, options: AppsOptions): Promise<ExitStatus> {
  const { output, verbose = false, expand: isRendered = false } = options;
  const found = await applicationsIn(io, [path], { ...options, isRendered });
  await writeReport(io, REPORTERS[output](found, { verbose, isRendered }));
  // Names alone do not say what is missing.
  if (output === "name")
    io.writeStderr(
      notFoundLines(found.notFound, verbose)
        .map((line) => `rollstamp: ${lineText(printable(line))}\n`)
        .join(""),
    );
  return found.notFound.some(({ isFailure }) => isFailure) ? FOUND : DONE;
}
