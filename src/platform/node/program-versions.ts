import type { Environment } from "../ports/environment.ts";
import type { Renderer } from "../ports/programs.ts";
import { runChild } from "./child-processes.ts";

const ARGUMENTS: Readonly<Record<Renderer, readonly string[]>> = {
  kustomize: ["version"],
  helm: ["version", "--short"],
};

/** What a program calls itself; "" for one that isn't there: it renders nothing. */
export async function versionOf(program: Renderer, environment: Environment): Promise<string> {
  const run = await runChild(program, ARGUMENTS[program], { cwd: "/", environment, most: 1 << 16, timeoutMs: 20_000 });
  return run.is === "done" ? run.stdout.toString("utf8").trim() : "";
}
