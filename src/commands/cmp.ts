import { CONFIG_FILE } from "../base/keys.ts";
import type { ApplicationFolder } from "../platform/ports/applications.ts";
import { announcement, ownAnnouncement } from "../applications/tools/announcements.ts";
import { errorLine, findingsLine } from "../applications/tools/messages.ts";
import { PARAMETERS } from "../applications/tools/parameter-rows.ts";
import { booleanParameter, readParameters } from "../applications/tools/parameters.ts";
import { jsonnetFileOf, repositoryRoot, sourceTypeOf } from "../applications/tools/source-type.ts";
import { RollstampError, BAD, DONE, type ExitStatus } from "../base/errors.ts";
import { statusOf, atLeast } from "../findings/catalogue/finding.ts";
import { jsonText } from "../findings/results/json-text.ts";
import { findingLines } from "../findings/results/terminal.ts";
import type { Io } from "../platform/ports/io.ts";
import { chartValues, generated } from "../applications/render/plugin.ts";
import type { DefineCommand } from "./command.ts";

/** Defines `rollstamp cmp`. */
export const defineCmp: DefineCommand = (command, io, done) => {
  command.addHelpText("after", CMP_HELP);
  const subcommand = (name: string, summary: string): typeof command => command.command(name).description(summary);
  subcommand("generate", "render the application in the current folder, stamped").action(async () => {
    done(await inOneLine(io, () => generate(io)));
  });
  subcommand(
    "discover",
    "print the type of the current folder: kustomization, chart or plain; nothing if it is none of them",
  )
    .option("--opted-in", `only for an Application that has a plugin section, or a ${CONFIG_FILE} in its repository`)
    .action(async ({ optedIn }: { optedIn?: boolean }) => {
      done(await inOneLine(io, () => discover(io, optedIn === true)));
    });
  subcommand("parameters", "the parameters that the application in the current folder takes, as JSON").action(
    async () => {
      done(await inOneLine(io, () => announce(io)));
    },
  );
};

const CMP_HELP = `
For Argo CD's plugin server, which calls it in an application's folder with the Application's
parameters in ARGOCD_APP_PARAMETERS: docs/guides/argocd.md. Runs kustomize and helm from PATH, without a
shell. ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS has the options of kustomize build; the owner of the
sidecar sets it.

Examples:
  rollstamp cmp discover                       chart
  ARGOCD_APP_NAME=web rollstamp cmp generate   what Argo CD would apply
  rollstamp cmp parameters                     what its UI would offer
`;

/** Argo CD's UI shows standard error as the Application's condition: one line has to say it all. */
async function inOneLine(io: Io, run: () => Promise<ExitStatus>): Promise<ExitStatus> {
  try {
    return await run();
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    io.writeStderr(errorLine(cause));
    return BAD;
  }
}

async function generate(io: Io): Promise<ExitStatus> {
  const { findings, text } = await generated(io, applicationFolder(io));
  const status = statusOf(findings);
  if (status !== DONE) {
    io.writeStderr(findingsLine(findings.filter((finding) => atLeast(finding, "error"))));
    return status;
  }
  io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
  await io.writeStdout(text());
  return DONE;
}

function applicationFolder(io: Io): ApplicationFolder {
  const folder = io.files.here();
  const sourcePath = io.environment["ARGOCD_APP_SOURCE_PATH"];
  return {
    folder,
    limits: io.context.limits,
    root: sourcePath === undefined ? (io.files.repositoryOf(folder) ?? folder) : repositoryRoot(folder, sourcePath),
  };
}

async function discover(io: Io, optedIn: boolean): Promise<ExitStatus> {
  const application = applicationFolder(io);
  if (optedIn && !isOptedIn(io, application)) return DONE;
  const names = io.applications.namesIn(application.folder);
  const type = sourceTypeOf(names);
  if (type === "plain" && !isPlain(io, application, names)) return DONE;
  await io.writeStdout(`${type}\n`);
  return DONE;
}

/**
 * Argo CD asks every plugin about every Application that names no tool; it sends parameters, if
 * only an empty list, where the Application has a plugin section (reposerver, getPluginParamEnvs).
 */
function isOptedIn(io: Io, application: ApplicationFolder): boolean {
  const isAsked =
    io.environment["ARGOCD_APP_NAME"] === undefined || io.environment["ARGOCD_APP_PARAMETERS"] !== undefined;
  return isAsked || io.applications.nearestFile(application, CONFIG_FILE) !== undefined;
}

/** A folder that holds manifests, perhaps in folders below, and nothing that only Argo CD renders. */
function isPlain(io: Io, application: ApplicationFolder, names: readonly string[]): boolean {
  if (jsonnetFileOf(names) !== undefined) return false;
  const recurse = booleanParameter(readParameters(io.environment), "directory-recurse");
  return io.applications.plainManifests(application, { recurse, except: new Set() }).length > 0;
}

async function announce(io: Io): Promise<ExitStatus> {
  const application = applicationFolder(io);
  const names = io.applications.namesIn(application.folder);
  const type = sourceTypeOf(names);
  // Those for every application stand in plugin.yaml.
  const ours = PARAMETERS.filter((row) => row.only === type).map(ownAnnouncement);
  const values = type === "chart" ? chartValues(io, application, names).map(announcement) : [];
  await io.writeStdout(`${jsonText([...ours, ...values], 2)}\n`);
  return DONE;
}
