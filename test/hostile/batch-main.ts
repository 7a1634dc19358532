// The process of a batch (batch.ts): runs the command lines that standard input names one after another,
// each in its folder, and prints how each ended as soon as it has.
import { readFileSync, writeSync } from "node:fs";
import { cli } from "../support/cli.ts";
import type { Start } from "./batch.ts";

for (const { cwd, args, environment } of JSON.parse(readFileSync(0, "utf8")) as Start[]) {
  process.chdir(cwd);
  const ended = await cli(args, { environment });
  writeSync(1, `${JSON.stringify(ended)}\n`);
}
