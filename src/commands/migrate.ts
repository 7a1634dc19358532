import { readConfigHash } from "../stamping/function/config-hash.ts";
import { quietly, RollstampError, BAD, DONE, FOUND, worst, type ExitStatus } from "../base/errors.ts";
import { annotationsElsewhere } from "../setup/migrate/annotations-elsewhere.ts";
import { chartChecksums } from "../setup/migrate/peer-annotations.ts";
import { migrate, MIGRATION_DEFAULTS } from "../setup/migrate/migrate.ts";
import { notExaminedBlocks } from "../output/not-examined.ts";
import { migrateDocument } from "../output/migrate-text.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { reportOthers, unreadStatus } from "./analysed.ts";
import { configOption, verboseOption, type ColorWhen } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { noManifests, readInputs } from "../applications/inputs/read-inputs.ts";
import { writeChanges, fileText } from "./file-changes.ts";
import { scopesWithoutRepeats } from "../applications/inputs/parts.ts";
import { writeReport } from "./write-text.ts";

interface MigrateOptions {
  readonly write?: boolean;
  readonly diff?: boolean;
  readonly config?: string;
  readonly verbose?: boolean;
  readonly color?: ColorWhen;
}

/** Defines `rollstamp migrate`. */
export const defineMigrate: DefineCommand = (command, io, done) => {
  command
    .argument("<path...>", "files and folders")
    .option("--write", "replace the annotations by rollstamp's, in place")
    .option("--diff", "print the changes of --write as a diff for git apply")
    .addOption(configOption(command))
    .addOption(verboseOption(command))
    .addHelpText("after", MIGRATE_HELP)
    .action(async (paths: string[], options: MigrateOptions) => {
      done(await runMigrate(io, paths, options));
    });
};

const MIGRATE_HELP = `
Shows the annotations of Stakater Reloader, Wave and Helm charts (checksum/…), the annotations of
rollstamp that replace them, and what will be different. Changes files only with --write.

Examples:
  # Show what a migration would do
  rollstamp migrate .

  # Replace the annotations, then stamp
  rollstamp migrate --write deploy/
  rollstamp stamp deploy/
`;

async function runMigrate(io: Io, paths: readonly string[], options: MigrateOptions): Promise<ExitStatus> {
  if (options.write === true && options.diff === true) {
    throw new RollstampError("usage", "--write and --diff can't be used together", { remedy: "Use one of them." });
  }
  const configs = readConfigs(io, paths, options.config);
  const configured = configs.forKind("ConfigHash");
  const isConfigured = configured.source !== undefined;
  const spec = isConfigured ? readConfigHash(configured.config) : MIGRATION_DEFAULTS;
  const read = await readInputs(io, paths, {
    configFile: configs.file,
    // Annotations are written in bases and patches.
    kustomizeInput: true,
    writes: true,
    check: (manifests) => {
      migrate(manifests, spec);
    },
    onErrors: "writeNothing",
    stdin: false,
    // A chart has no manifests, but templates with checksums.
    empty: "found",
  });
  if (read === undefined) return BAD;
  const parts = scopesWithoutRepeats(read.files, spec.defaultNamespace).map((files) => ({
    files,
    migration: migrate(
      files.map((file) => file.manifests),
      spec,
    ),
  }));
  const migrations = parts.map(({ migration }) => migration);
  const texts = parts.flatMap(({ files, migration }) => files.map((file) => fileText(file, migration.edits)));
  io.writeStderr(findingLines(migrations.flatMap((migration) => migration.findings)));
  if (options.diff === true) return worst(unreadStatus(io, read), await writeChanges(io, texts, options));
  const templates = await io.files.chartTemplates(paths, io.context.limits);
  const charts = templates.flatMap(({ text, file }) => chartChecksums(text, file));
  const known = new Set(read.files.map(({ path }) => path));
  const valuesFiles = (await io.files.valuesFiles(paths, io.context.limits)).filter(({ file }) => !known.has(file));
  const values = valuesFiles.flatMap(({ text, file }) => annotationsElsewhere(text, file));
  const areValues = new Set(valuesFiles.map(({ file }) => file));
  // A patch needs no apiVersion.
  const others = read.others.flatMap((path) => {
    const text = areValues.has(path) ? undefined : quietly(() => io.files.readFound(path, io.context.limits));
    return text === undefined ? [] : annotationsElsewhere(text, path);
  });
  const found = [read.files, templates, values, others, read.findings];
  if (found.every(({ length }) => length === 0)) throw noManifests(paths);
  const report = { migrations, charts, others: [...others, ...values], isConfigured, written: options.write === true };
  const naming = { command: "migrate", verbose: options.verbose === true } as const;
  reportOthers(io, read, naming);
  // Charts are examined for their checksums.
  const notExamined = read.notExamined.filter(({ kind }) => kind !== "Chart");
  await writeReport(io, migrateDocument(report, notExaminedBlocks({ notExamined }, naming)));
  const unread = unreadStatus(io, read);
  if (options.write !== true) return unread;
  // What remains in patches would make the same workload roll twice.
  const isPartly = others.length > 0 || migrations.some(({ elsewhere }) => elsewhere.length > 0);
  // Standard output has the report.
  return worst(
    unread,
    isPartly ? FOUND : DONE,
    await writeChanges({ ...io, writeStdout: (text) => Promise.resolve(io.writeStderr(text)) }, texts, {}),
  );
}
