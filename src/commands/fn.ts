import { runFunction } from "../stamping/function/run.ts";
import type { DefineCommand } from "./command.ts";

/** Defines `rollstamp fn`. */
export const defineFn: DefineCommand = (command, io, done) => {
  command
    .option("--config <file>", "the functionConfig for a plain stream (default: the file that ROLLSTAMP_CONFIG names)")
    .addHelpText("after", FN_HELP)
    .action(async (options: { config?: string }) => {
      done(await runFunction(io, options.config));
    });
};

const FN_HELP = `
Reads a KRM ResourceList or a YAML stream from stdin and writes it to stdout with updated stamps.
A ResourceList contains its functionConfig; a stream is configured with --config.

Examples:
  kustomize build overlays/prod | rollstamp fn > shop.yaml
  kustomize build overlays/prod | rollstamp fn --config rollstamp.yaml
  helm template web ./chart | rollstamp fn
`;
