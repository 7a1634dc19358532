import { join } from "node:path";
import { findApplications, type Applications } from "../applications/find-applications.ts";
import { isIn } from "../applications/paths.ts";
import { readGivenValues } from "../applications/read-given-values.ts";
import { surveyed } from "../applications/repository.ts";
import { RollstampError } from "../ground/errors.ts";
import { DONE, FOUND, type ExitStatus } from "../ground/exit-status.ts";
import type { Io } from "../io/io.ts";
import { appsJson, appsText } from "../report/apps-report.ts";
import type { DefineCommand } from "./command.ts";
import { outputOption, verboseOption } from "./options.ts";
import { waitingFor } from "./progress.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = { text: appsText, json: appsJson } as const;

interface AppsOptions {
  readonly output: keyof typeof REPORTERS;
  readonly verbose?: boolean;
  readonly clusters?: string;
}

/** Defines `rollstamp apps`. */
export const defineApps: DefineCommand = (command, io, done) => {
  command
    .argument("[path]", "a folder: those applications of its repository that are in it", ".")
    .addOption(outputOption(command, REPORTERS))
    .addOption(verboseOption(command))
    .option("--clusters <file>", "what generators of ApplicationSets would ask a cluster or a provider for")
    .addHelpText("after", APPS_HELP)
    .action(async (path: string, options: AppsOptions) => {
      done(await runApps(io, path, options));
    });
};

const APPS_HELP = `
Lists the applications of a repository, each that which is rendered and applied as one: those that Argo
CD's Applications and ApplicationSets and Flux's Kustomizations and HelmReleases tell of, then
kustomizations that no other one includes, charts that are no one's dependency, packages with a Kptfile,
and the manifests that remain. Nothing is rendered, fetched or run. What can't be told is listed with its
reason; status 1 where that is something wrong in the repository.

Examples:
  rollstamp apps
  rollstamp apps clusters/prod
  rollstamp apps --clusters clusters.yaml
  rollstamp apps -o json | jq -r '.applications[].name'
`;

async function runApps(io: Io, path: string, options: AppsOptions): Promise<ExitStatus> {
  const { output, verbose = false, clusters } = options;
  const waiting = waitingFor(io, "looking for applications");
  const found = await applicationsAt(io, path, clusters).finally(waiting.end);
  await writeReport(io, REPORTERS[output](found, { verbose }), output);
  return found.notFound.some(({ isFailure }) => isFailure) ? FOUND : DONE;
}

/** The applications in a folder: what is in the rest of its repository is looked at, and not told. */
async function applicationsAt(io: Io, path: string, clusters: string | undefined): Promise<Applications> {
  const {
    files,
    context: { limits },
  } = io;
  const real = files.realPath(path);
  if (real === undefined || files.kindOf(path) !== "folder") {
    throw new RollstampError("usage", real === undefined ? "there is no such folder" : "this is no folder", {
      place: { file: path },
      remedy: "Give the root of a repository, or a folder in it.",
    });
  }
  const root = files.repositoryOf(real) ?? real;
  const given =
    clusters === undefined ? {} : { given: readGivenValues(io.readNamed(clusters, limits), clusters, limits) };
  const isClone = files.kindOf(join(root, ".git")) !== undefined;
  const remotes = isClone ? await io.git.remotes({ cwd: root, environment: io.environment }) : [];
  const repository = surveyed(await files.tree(root, limits), { remotes, ...given });
  const { applications, notFound } = findApplications(repository);
  const below = real.slice(root.length).replaceAll("\\", "/").replace(/^\//u, "") || ".";
  return {
    applications: applications.filter(
      (one) => isIn(below, one.path) || one.definedIn.some((file) => isIn(below, file)),
    ),
    notFound: notFound.filter((row) => isIn(below, row.path)),
  };
}
