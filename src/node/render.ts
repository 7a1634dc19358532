import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { shownWords } from "../applications/tools/masked-words.ts";
import { RollstampError } from "../base/errors.ts";
import { tooLarge, tooLate } from "../base/limits.ts";
import type { RenderOptions } from "../platform/ports/programs.ts";
import { runAtExit } from "./process-end.ts";
import { runChild, type ChildRun } from "./processes.ts";
import { decodeUtf8 } from "./utf8.ts";
import { makeTemporaryFolder } from "./temporary-folders.ts";

/**
 * Runs a shell command that prints manifests, and returns its output. Throws a RollstampError with its status and messages
 * if it fails or prints nothing.
 */
export async function render(command: string, options: RenderOptions): Promise<string> {
  const ran = await run(command, options);
  const { stdout, stderr } = ran;
  const which = options.revision === undefined ? "" : ` of ${options.revision}`;
  const words = named(shownWords(stderr, options.environment, { open: [command], values: [] }).trim(), options);
  const said = words === "" ? "It printed nothing on standard error." : `Its standard error:\n${words}`;
  if (ran.is === "failed") {
    throw new RollstampError("system", `the render command${which} ended with ${ran.how}: ${command}`, {
      remedy: said,
    });
  }
  if (stdout.length === 0 && options.allowEmpty !== true) {
    throw new RollstampError("input", `the render command${which} printed nothing: ${command}`, { remedy: said });
  }
  return decodeUtf8(stdout, `the render command's output${which}`);
}

/** Names files of a temporary checkout as `main:deploy/web.yaml`. */
function named(text: string, { cwd, revision }: RenderOptions): string {
  return revision === undefined ? text : text.replaceAll(`${cwd}/`, `${revision}:`);
}

type Ended = Extract<ChildRun, { is: "done" | "failed" }>;

async function run(command: string, { cwd, environment, limits, signal, isTimed }: RenderOptions): Promise<Ended> {
  const timeoutMs = isTimed === true ? limits.renderTime * 1000 : undefined;
  const ran = await runChild(command, [], { cwd, environment, shell: true, signal, timeoutMs, most: limits.inputSize });
  if (ran.is === "done" || ran.is === "failed") return ran;
  if (ran.is === "notStarted") {
    throw new RollstampError("system", `the render command can't be started (${ran.code})`);
  }
  if (ran.is === "timedOut") throw tooLate("the render command", limits);
  throw tooLarge("what the render command prints", limits.inputSize);
}

// Only what is needed to find and start programs, so that nothing else is the same in both renderings.
const KEPT_VARIABLES = ["PATH", "PATHEXT", "SystemRoot", "COMSPEC"] as const;

// Templates often print the time in seconds, so the renderings start in different seconds.
const APART_MS = 1100;

/**
 * Renders twice, each time with an empty home folder, an empty temporary folder and only PATH in the environment, so that the
 * second rendering can't use a cache of the first.
 */
export async function renderTwice(command: string, options: RenderOptions): Promise<readonly [string, string]> {
  const start = Date.now();
  const first = await renderInEmptyEnvironment(command, options);
  const elapsed = Date.now() - start;
  if (elapsed < APART_MS) await new Promise((resolve) => setTimeout(resolve, APART_MS - elapsed));
  return [first, await renderInEmptyEnvironment(command, options)];
}

async function renderInEmptyEnvironment(command: string, { cwd, environment, limits }: RenderOptions): Promise<string> {
  const folder = makeTemporaryFolder("rollstamp-render-");
  const removal = runAtExit(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  try {
    const home = join(folder, "home");
    const temporary = join(folder, "tmp");
    mkdirSync(home);
    mkdirSync(temporary);
    const kept = KEPT_VARIABLES.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]]));
    return await render(command, {
      cwd,
      limits,
      environment: {
        ...Object.fromEntries(kept),
        HOME: home,
        USERPROFILE: home,
        TMPDIR: temporary,
        TEMP: temporary,
        TMP: temporary,
      },
    });
  } finally {
    removal.now();
  }
}
