import { readManifestFiles, type ManifestFile } from "../adapters/manifest-files.ts";
import { applySplices, type Splice } from "../edit/splice.ts";
import { RollstampError } from "../ground/errors.ts";
import { BAD, DONE, type ExitStatus } from "../ground/exit-status.ts";
import { statusOf } from "../findings/finding.ts";
import { readConfigHash } from "../config/config-hash.ts";
import type { Manifests } from "../manifest/items.ts";
import { stampingUses } from "../pipeline.ts";
import type { FunctionConfig } from "../config/function-config.ts";
import type { KrmFunction } from "../krm/krm-function.ts";
import { runConfigured } from "../krm/run-function.ts";
import { atLeast, type Finding } from "../findings/finding.ts";
import { findingLines } from "../results/terminal.ts";
import { checkOption, configOption, diffOption, scopeOption } from "./options.ts";
import type { DefineCommand, Io } from "./command.ts";
import { readConfigs } from "./config-file.ts";
import {
  type FileText,
  NOTHING_WRITTEN,
  type OutputOptions,
  putOut,
  refuseContradictions,
  tellErrors,
} from "./file-changes.ts";
import { progressOf } from "./progress.ts";
import { scopes, type Scope } from "./scopes.ts";

interface StampOptions extends OutputOptions {
  readonly config?: string;
  readonly scope: Scope;
  readonly kustomizeInput?: boolean;
}

/** Defines `rollstamp stamp`. */
export const defineStamp: DefineCommand = (command, io, done) => {
  command
    .argument("<path...>", "files and folders")
    .addOption(checkOption(command))
    .addOption(diffOption(command))
    .option("--stdout", "write nothing; print all manifests as one stream")
    .addOption(configOption(command))
    .addOption(scopeOption(command))
    .option("--kustomize-input", "stamp files below a folder with a kustomization file too")
    .option("--keep-going", "stamp what can be stamped although some files can't be read or written")
    .addHelpText("after", STAMP_HELP)
    .action(async (paths: string[], options: StampOptions) => {
      done(await runStamp(io, paths, options));
    });
};

const STAMP_HELP = `
Writes the digests of ConfigMaps and Secrets into the pod templates that use them, in place. Prints
the files that it changed. Run it again and nothing changes.

Examples:
  rollstamp stamp .                        stamp the manifests of a repository
  rollstamp stamp --check .                in CI: 1 if a stamp is missing or stale
  rollstamp stamp --diff . | git apply     the same as stamp .
  rollstamp stamp --scope directory envs   several renderings of one application
`;

/** Stamps files and folders in place. */
async function runStamp(io: Io, paths: readonly string[], options: StampOptions): Promise<ExitStatus> {
  refuseContradictions(options);
  const configs = readConfigs(io, paths, options.config);
  const config = configs.of("ConfigHash");
  const isUsed = stampingUses(readConfigHash(config.config));
  const progress = progressOf(io, "reading manifests");
  const read = await readManifestFiles(paths, {
    limits: io.context.limits,
    kustomizeInput: options.kustomizeInput === true,
    onProgress: progress.report,
    // A stream of all manifests needs all of them.
    ...(options.stdout === true ? {} : { wants: ({ items }: Manifests) => items.some(isUsed) }),
    ...(configs.file === undefined ? {} : { except: new Set([configs.file]) }),
  });
  progress.end();
  tellErrors(io, read.errors);
  if (read.errors.length > 0 && options.keepGoing !== true) {
    io.writeStderr(NOTHING_WRITTEN);
    return BAD;
  }
  if (read.files.length + read.unwanted + read.errors.length + read.findings.length === 0) throw noManifests(paths);
  const { texts, findings } = stampFiles(io, scopes(read.files, options.scope), config);
  io.writeStderr(findingLines([...read.findings, ...findings].filter((finding) => atLeast(finding, "warning"))));
  // As in a pipe: what failed must not be taken for done.
  const failed = statusOf(findings);
  if (failed !== DONE) {
    io.writeStderr(NOTHING_WRITTEN);
    return failed;
  }
  const status = await putOut(io, texts, options);
  return read.errors.length > 0 ? BAD : status;
}

function noManifests(paths: readonly string[]): RollstampError {
  return new RollstampError("usage", `there are no Kubernetes manifests in ${paths.join(", ")}`, {
    remedy: "Give files or folders with manifests; ignore files and Helm templates may have left some out.",
  });
}

function stampFiles(
  io: Io,
  all: readonly (readonly ManifestFile[])[],
  config: FunctionConfig<KrmFunction>,
): { texts: FileText[]; findings: Finding[] } {
  const texts: FileText[] = [];
  const findings: Finding[] = [];
  for (const files of all) {
    const output = runConfigured(
      config,
      files.map((file) => file.manifests),
      io.context,
    );
    findings.push(...output.findings);
    for (const file of files) texts.push(fileText(file, output.edits.get(file.manifests.tree) ?? []));
  }
  return { texts, findings };
}

function fileText(file: ManifestFile, splices: readonly Splice[]): FileText {
  const before = file.manifests.tree.text;
  return { path: file.path, real: file.real ?? file.path, before, after: applySplices(before, splices) };
}
