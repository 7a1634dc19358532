import { CONFIG_VARIABLE } from "../base/keys.ts";
import { statusOf } from "../findings/catalogue/finding.ts";
import type { ExitStatus } from "../base/exit-status.ts";
import { inTemplates, withTemplates } from "../findings/results/chart-template.ts";
import { findingLines } from "../findings/results/terminal.ts";
import { runFunction, type GivenConfig } from "../stamping/function/run-function.ts";
import { atLeast } from "../findings/catalogue/finding.ts";
import type { FunctionIo } from "../platform/ports/io.ts";
import type { DefineCommand } from "./command.ts";

/** Defines `rollstamp fn`. */
export const defineFn: DefineCommand = (command, io, done) => {
  command
    .option("--config <file>", "a functionConfig for a plain stream (else the file that ROLLSTAMP_CONFIG names)")
    .addHelpText("after", FN_HELP)
    .action(async (options: { config?: string }) => {
      done(await runFn(io, options.config));
    });
};

const FN_HELP = `
Reads a KRM ResourceList or a YAML stream from stdin and writes it back with its stamps put right.
A ResourceList brings its own functionConfig; a stream is configured by --config.

Examples:
  kustomize build overlays/prod | rollstamp fn | kubectl apply -f -
  kustomize build overlays/prod | rollstamp fn --config rollstamp.yaml
  helm template web ./chart | rollstamp fn
`;

/** The function: stdin to stdout. Diagnostics go to stderr, in a ResourceList also to its results. */
export async function runFn(io: FunctionIo, configFile: string | undefined): Promise<ExitStatus> {
  const text = await io.readStdin(io.context.limits);
  const input = { text, file: "stdin" };
  const run = withTemplates(input, () => runFunction(io.functions, input, configFor(io, configFile), io.context));
  const status = statusOf(run.findings);
  const shown = run.findings.filter((finding) => atLeast(finding, "warning"));
  io.writeStderr(findingLines(inTemplates(input, shown)));
  // A stream has no place for results: what failed must not be applied.
  if (status === 0 || run.form === "ResourceList") await io.writeStdout(run.text);
  return status;
}

/** `--config`, else the file that ROLLSTAMP_CONFIG names: for a plain stream. */
function configFor(io: FunctionIo, configFile: string | undefined): GivenConfig | undefined {
  const file = configFile ?? io.environment[CONFIG_VARIABLE];
  if (file === undefined || file === "") return undefined;
  return { read: () => ({ text: io.readNamed(file, io.context.limits), file }), forLists: false };
}
