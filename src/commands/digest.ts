import { BAD, worst, type ExitStatus } from "../base/errors.ts";
import { digestReport, joinedDigests } from "../reports/digest/digest-report.ts";
import { jsonReport } from "../findings/results/json-text.ts";
import { digestDocument } from "../output/digest-text.ts";
import { reportOthers, unreadStatus, addInputOptions, readAnalysed, type InputOptions } from "./analysed.ts";
import { FILES_AND_FOLDERS, outputOption } from "./options.ts";
import type { Io } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";
import { writeReport } from "./write-text.ts";

const REPORTERS = { text: digestDocument, json: jsonReport } as const;

interface DigestOptions extends InputOptions {
  readonly output: keyof typeof REPORTERS;
}

/** Defines `rollstamp digest`. */
export const defineDigest: DefineCommand = (command, io, done) => {
  command
    .argument("<path...>", FILES_AND_FOLDERS)
    .addOption(outputOption(command, REPORTERS))
    .addHelpText("after", DIGEST_HELP)
    .action(async (paths: string[], options: DigestOptions) => {
      done(await runDigest(io, paths, options));
    });
  addInputOptions(command);
};

const DIGEST_HELP = `
Prints the digest of every ConfigMap, Secret and declared source, as a whole and for each key: the value
of the stamp if a pod template sees all keys, or only that one. Content is never printed.

Examples:
  rollstamp digest .
  rollstamp digest --files .               without rendering the applications
  kustomize build overlays/prod | rollstamp digest -o json -
`;

async function runDigest(io: Io, paths: readonly string[], options: DigestOptions): Promise<ExitStatus> {
  const analysed = await readAnalysed(io, paths, options, (analysis, of) =>
    digestReport([analysis], of.spec, of.hmacKey),
  );
  if (analysed === undefined) return BAD;
  const { analyses, spec, hmacKey, read, account, looked, status } = analysed;
  const plain = digestReport(analyses, spec, hmacKey);
  const digests = joinedDigests(
    plain,
    looked.map(({ application: { name }, result }) => ({ application: name, ...result })),
  );
  const naming = { command: "digest", verbose: options.verbose === true } as const;
  reportOthers(io, read, naming);
  await writeReport(io, REPORTERS[options.output]({ ...digests, ...account }, naming));
  return worst(unreadStatus(io, read), status);
}
