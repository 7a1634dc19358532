import type { ManifestFile } from "../manifest/manifest-text.ts";
import { editedText } from "../edit/checked.ts";
import type { Splice } from "../edit/splice.ts";
import { BAD, DONE, type ExitStatus } from "../ground/exit-status.ts";
import { statusOf } from "../findings/finding.ts";
import { readConfigHash } from "../config/config-hash.ts";
import { stampingUses } from "../pipeline.ts";
import type { FunctionConfig } from "../config/function-config.ts";
import type { KrmFunction } from "../krm/krm-function.ts";
import { runConfigured } from "../krm/run-function.ts";
import { atLeast, type Finding } from "../findings/finding.ts";
import { findingLines } from "../results/terminal.ts";
import { checkOption, configOption, diffOption, scopeOption } from "./options.ts";
import type { Io } from "../io/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "./config-file.ts";
import { readInputs } from "./read-inputs.ts";
import { putOut, refuseContradictions, type FileText, type OutputOptions } from "./file-changes.ts";
import { NOTHING_WRITTEN } from "./tell-errors.ts";
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
  const read = await readInputs(io, paths, {
    configFile: configs.file,
    kustomizeInput: options.kustomizeInput === true,
    onErrors: options.keepGoing === true ? "goOn" : "writeNothing",
    stdin: false,
    empty: "refuse",
    // A stream of all manifests needs all of them.
    wants: options.stdout === true ? undefined : ({ items }) => items.some(isUsed),
  });
  if (read === undefined) return BAD;
  const { texts, findings } = stampFiles(io, scopes(read.files, options.scope), config);
  io.writeStderr(findingLines(findings.filter((finding) => atLeast(finding, "warning"))));
  // As in a pipe: what failed must not be taken for done.
  const failed = statusOf(findings);
  if (failed !== DONE) {
    io.writeStderr(NOTHING_WRITTEN);
    return failed;
  }
  const status = await putOut(io, texts, options);
  return read.errors.length > 0 ? BAD : status;
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
  return { path: file.path, real: file.real ?? file.path, before, after: editedText(file.manifests.tree, splices) };
}
