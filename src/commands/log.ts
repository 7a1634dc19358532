import { posix } from "node:path";
import { readConfigHash } from "../stamping/function/config-hash.ts";
import { API_VERSION } from "../base/keys.ts";
import { quietly, RollstampError, DONE, type ExitStatus } from "../base/errors.ts";
import { KIND_AND_NAME_REMEDY, readKindAndName } from "../base/kind-names.ts";
import type { RolloutLog } from "../reports/log/changes.ts";
import { finder, type Found, type Reading, type Wanted } from "../reports/log/find-workload.ts";
import type { Io } from "../platform/ports/io.ts";
import { isManifestName } from "../yaml/read/manifest-text.ts";
import { jsonReport } from "../findings/results/json-text.ts";
import { printable } from "../findings/results/terminal.ts";
import { logDocument } from "../output/log-text.ts";
import { writeReport } from "./write-text.ts";
import type { DefineCommand } from "./command.ts";
import { readConfigs } from "../applications/inputs/config-file.ts";
import { noCommitYet } from "../applications/inputs/revision-range.ts";
import { commitsOf } from "../reports/log/history.ts";
import type { HistoryReader } from "../reports/log/changes-in-history.ts";
import { configOption, outputOption } from "./options.ts";

const REPORTERS = { text: logDocument, json: jsonReport } as const;

interface LogOptions {
  readonly namespace?: string;
  readonly config?: string;
  readonly output: keyof typeof REPORTERS;
}

/** Defines `rollstamp log`. */
export const defineLog: DefineCommand = (command, io, done) => {
  command
    .argument("<kind/name>", "the workload, such as deployment/api")
    .argument("[path]", "the file or folder with the workload", ".")
    .option("-n, --namespace <namespace>", "the namespace of the workload")
    .addOption(outputOption(command, REPORTERS))
    .addOption(configOption(command, "the path"))
    .addHelpText("after", LOG_HELP)
    .action(async (target: string, path: string, options: LogOptions) => {
      done(await runLog(io, target, path, options));
    });
};

const LOG_HELP = `
Lists the commits in Git's history, up to HEAD, that rolled out a workload, and why: each changed stamp
with the keys of its source, each changed field of the pod template, each restart. Nothing is rendered.
Values of ConfigMaps and Secrets are not shown.

Examples:
  rollstamp log deployment/api
  rollstamp log deployment/api clusters/prod -o json
`;

async function runLog(io: Io, target: string, path: string, options: LogOptions): Promise<ExitStatus> {
  const named = readKindAndName(target);
  if (named === undefined)
    throw new RollstampError("usage", `expected KIND/NAME, found '${target}'`, { remedy: KIND_AND_NAME_REMEDY });
  if (io.files.kindOf(path) === undefined) {
    throw new RollstampError("usage", "file or folder not found", {
      place: { file: path },
      remedy: "Give the file or folder with the workload.",
    });
  }
  const wanted: Wanted = { ...named, namespace: options.namespace };
  const config = readConfigs(io, [path], options.config).forKind("ConfigHash");
  const spec = readConfigHash(config.config);
  const { limits } = io.context;
  const hmacKey = spec.secrets === "Keyed" ? quietKey(io) : undefined;
  const reading: Reading = { limits, spec: hmacKey === undefined ? { ...spec, secrets: "Digest" } : spec, hmacKey };
  const isFolder = io.files.kindOf(path) === "folder";
  const real = io.files.realPath(path) ?? path;
  const reader: HistoryReader = {
    git: await io.git.history(),
    options: { cwd: isFolder ? real : posix.dirname(real), environment: io.environment, limits },
    reading,
    wanted,
    find: finder(wanted, reading),
  };
  const pathAtHead = await reader.git.pathInRepository(isFolder ? "" : posix.basename(real), reader.options);
  const { file, found } = await currentFile(reader, pathAtHead, target);
  const log: RolloutLog = {
    apiVersion: API_VERSION,
    kind: "RolloutLog",
    workload: {
      apiVersion: found.item.apiVersion,
      kind: found.item.kind,
      namespace: found.namespace,
      name: found.item.name,
    },
    path: file,
    shallow: await reader.git.isShallow(reader.options),
    commits: await commitsOf(reader, file),
  };
  await writeReport(io, REPORTERS[options.output](log));
  return DONE;
}

/** Without the key, digests cannot be computed, but the committed ones can still be compared. */
function quietKey(io: Io): Uint8Array | undefined {
  return quietly(() => io.context.hmacKey());
}

/** The file at HEAD that contains the workload. */
async function currentFile(
  { git, options, wanted, find }: HistoryReader,
  path: string,
  target: string,
): Promise<{ readonly file: string; readonly found: Found }> {
  const files = await git.filesWith(wanted.name, { commit: "HEAD", path }, options).catch(async (cause: unknown) => {
    throw (await git.firstParents(options)).length === 0 ? noCommitYet() : cause;
  });
  const paths = files.filter(isManifestName);
  const texts = await git.textsAt(
    paths.map((each) => ({ commit: "HEAD", path: each })),
    options,
  );
  const all = paths.flatMap((file, i) => {
    const found = find(texts[i] ?? "");
    return found === undefined ? [] : [{ file, found }];
  });
  const [first, second] = all;
  if (first === undefined) {
    throw new RollstampError("usage", `no workload '${target}' was found at HEAD`, {
      remedy: "Give the file or folder with the workload. Rendered workloads have no history here.",
    });
  }
  if (second === undefined) return first;
  throw new RollstampError("usage", `'${target}' is in ${all.length} files`, {
    remedy: `Give one of them: ${all
      .slice(0, MOST_NAMED)
      .map(({ file }) => printable(file))
      .join(", ")}.`,
  });
}

const MOST_NAMED = 5;
