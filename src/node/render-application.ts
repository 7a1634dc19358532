import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { shownWords } from "../applications/tools/masked-words.ts";
import { reasonOf } from "../applications/tools/messages.ts";
import { programEnvironment } from "../applications/tools/program-environment.ts";
import { RENDERED_FILE } from "../applications/render/step.ts";
import { RollstampError } from "../base/errors.ts";
import { tooLarge, tooLate } from "../base/limits.ts";
import type { ApplicationToRender } from "../platform/ports/applications.ts";
import type { Environment } from "../platform/ports/environment.ts";
import type { Renderer } from "../platform/ports/programs.ts";
import { runChild } from "./processes.ts";
import { clearLeftBehind, copyPrefix, withFolder } from "./temporary-folders.ts";
import type { Stage } from "../platform/ports/stage.ts";
import { makeStage } from "./stage.ts";
import { knownWords } from "./known-words.ts";
import { decodeUtf8 } from "./utf8.ts";

export interface Rendering extends ApplicationToRender {
  /** The files that the program opens, in a folder that only its owner can read. */
  readonly stage: Stage;
  /** Makes another stage, for a kustomization that has to be staged again with other settings. */
  readonly anotherStage: () => Stage;
  /** An empty folder: the home folder of the program, and the only folder that it may write to. */
  readonly home: string;
}

// Only once: a plan renders hundreds of applications, and the temporary folder may hold thousands of entries.
let isCleared = false;

/** Renders an application in a temporary folder, which is removed even if the rendering fails. */
export function inOwnFolder<T>(toRender: ApplicationToRender, work: (rendering: Rendering) => Promise<T>): Promise<T> {
  if (!isCleared) clearLeftBehind();
  isCleared = true;
  return withFolder((ownFolder) => {
    const made = (name: string): string => {
      mkdirSync(join(ownFolder(), name), { mode: 0o700 });
      return join(ownFolder(), name);
    };
    const { root, limits } = toRender.application;
    const stageIn = (name: string): Stage => makeStage({ folder: made(name), root, most: limits.inputSize });
    let stages = 0;
    // The spread comes last: with a field after it, V8 would create a hidden class for each rendering.
    return work({
      stage: stageIn("in"),
      anotherStage: () => stageIn(`again-${(stages += 1)}`),
      home: made("home"),
      ...toRender,
    });
  }, copyPrefix());
}

/** The settings of a program, apart from its arguments. */
export interface StartOptions {
  /** The folder that it runs in, relative to the stage. */
  readonly workingFolder: string;
  readonly input?: string | undefined;
  /** Whether it may use the network. */
  readonly fetches?: boolean;
  /** Names of environment variables that are passed on. */
  readonly also?: readonly string[];
  /** A folder that comes first on its PATH. */
  readonly before?: string | undefined;
}

/**
 * Go programs run their first garbage collection at 4 MB, which takes a seventh of the time of a small rendering. For
 * inputs of this size, collecting less often costs at most 25 MB.
 */
const SMALL = 1 << 18;
const RARELY_COLLECTED = { GOGC: "400" };

/** What a program needs from a rendering. */
export interface RunOver extends Pick<Rendering, "application" | "environment" | "home"> {
  readonly stage: Pick<Stage, "folder" | "size">;
}

export interface ProgramRun {
  /** `status 1` or `the signal SIGKILL`; undefined if it succeeded. */
  readonly failure: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** What to know about the program that ran, if it fails. */
  readonly remedy?: string | undefined;
}

/**
 * Runs a program over the staged files, without a shell. Throws a RollstampError if it can't be started, prints too much or
 * runs too long.
 */
export async function start(
  { application: { limits }, environment, stage, home }: RunOver,
  program: Renderer,
  args: readonly string[],
  { workingFolder, input, fetches = false, also = [], before }: StartOptions,
): Promise<ProgramRun> {
  const prints = `${program} ${args[0] ?? ""}`;
  const { remedy, ...run } = await runRenderer(program, args, {
    cwd: join(stage.folder, workingFolder),
    environment: Object.assign(
      programEnvironment(environment, home, { fetches, also, before }),
      stage.size() < SMALL ? RARELY_COLLECTED : {},
    ),
    input,
    most: limits.inputSize,
    timeoutMs: limits.renderTime * 1000,
    inOurGroup: true,
  });
  switch (run.is) {
    case "done":
      return { failure: undefined, stdout: decodeUtf8(run.stdout, prints), stderr: run.stderr };
    case "failed":
      return { failure: run.how, stdout: "", stderr: run.stderr, remedy };
    case "timedOut":
      throw tooLate(prints, limits);
    case "tooMuch":
      throw tooLarge(`the output of ${program}`, limits.inputSize);
    case "notStarted":
      throw notStarted(program, run.code);
  }
}

const IN_KUBECTL =
  "kubectl kustomize built it, because kustomize is not on PATH. It can have another version, and has fewer options: if that is the cause, install kustomize.";

/** Runs a renderer. If kustomize is not on the path, the one in kubectl takes its place. */
async function runRenderer(
  program: Renderer,
  args: readonly string[],
  options: Parameters<typeof runChild>[2],
): Promise<Awaited<ReturnType<typeof runChild>> & { readonly remedy?: string }> {
  const run = await runChild(program, args, options);
  if (program !== "kustomize" || !isAbsent(run)) return run;
  // kubectl has one command for what is `kustomize build` (kubectl/pkg/cmd/kustomize).
  const instead = await runChild("kubectl", ["kustomize", ...args.slice(1)], options);
  if (isAbsent(instead)) return run;
  return {
    ...("stderr" in instead ? { ...instead, stderr: asOfKustomize(instead.stderr) } : instead),
    remedy: IN_KUBECTL,
  };
}

/** The errors of kubectl as kustomize writes them: some builds of it log them with the time and the process. */
function asOfKustomize(stderr: string): string {
  return stderr
    .replaceAll(/^[EF]\d{4} [\d:.]+ +\d+ \S+\] "[^"\n]*" err="(.*)"$/gmu, (_, said: string) =>
      said.replaceAll(/\\(["\\])/gu, "$1"),
    )
    .replaceAll(/^error: /gmu, "Error: ");
}

function isAbsent(run: Awaited<ReturnType<typeof runChild>>): boolean {
  return run.is === "notStarted" && run.code === "ENOENT";
}

const INSTALL: Readonly<Record<Renderer, string>> = {
  kustomize: "Install kustomize or kubectl beside rollstamp.",
  helm: "Install helm beside rollstamp.",
};

function notStarted(program: Renderer, code: string): RollstampError {
  return code === "ENOENT"
    ? new RollstampError("system", `${program} is not on PATH`, { remedy: INSTALL[program] })
    : new RollstampError("system", `${program} can't be started (${code})`);
}

/** The error for a program that failed, with its own message; possible secret values are masked. */
export function failed(
  { application, given, environment, stage, home }: Rendering,
  command: string,
  { failure, stderr, remedy }: ProgramRun,
): RollstampError {
  const said = shownWords(stderr, environment, knownWords(stage.folder, given));
  const reason = reasonOf(said, [stage.folder, home, application.folder, application.root]);
  return new RollstampError(
    "system",
    `${command} ended with ${failure}: ${reason || "it said nothing on standard error"}`,
    { remedy, ...(NEEDS_VALUES.test(stderr) ? { needsValues: said.replaceAll(/:\d+/gu, "") } : {}) },
  );
}

/**
 * What helm says of a chart that is not complete without values: `required`, `fail`, its schema, a manifest in which a value
 * is missing, or what Go's text/template and its functions make of a missing one (exec.go, funcs.go).
 */
const NEEDS_VALUES = new RegExp(
  [
    "execution error at \\(",
    "values don't meet the specifications of the schema",
    "YAML parse error on ",
    "nil pointer",
    "untyped nil",
    "(?:wrong type for|invalid) value; expected",
    "can't evaluate field",
    "range can't iterate over",
    "types? for comparison",
  ].join("|"),
  "u",
);

/** Runs `kustomize build` with the given files over rendered manifests. Throws a RollstampError. */
export function postRender(
  application: ApplicationToRender,
  rendered: string,
  files: ReadonlyMap<string, string>,
): Promise<string> {
  return inOwnFolder(application, async (rendering) => {
    rendering.stage.put(RENDERED_FILE, rendered);
    for (const [name, text] of files) rendering.stage.put(name, text);
    const run = await start(rendering, "kustomize", ["build", "."], { workingFolder: "." });
    if (run.failure !== undefined) throw failed(rendering, "kustomize build of its postRenderers", run);
    return run.stdout;
  });
}

const VERSION_ARGUMENTS: Readonly<Record<Renderer, readonly string[]>> = {
  kustomize: ["version"],
  helm: ["version", "--short"],
};

/** The version that a renderer on the path prints; "" if it is not installed. */
export async function versionOf(program: Renderer, environment: Environment): Promise<string> {
  const options = { cwd: "/", environment, most: 1 << 16, timeoutMs: 20_000 };
  const run = await runChild(program, VERSION_ARGUMENTS[program], options);
  if (run.is === "done") return run.stdout.toString("utf8").trim();
  if (program !== "kustomize" || !isAbsent(run)) return "";
  const kubectl = await runChild("kubectl", ["version", "--client"], options);
  return kubectl.is === "done" ? kubectl.stdout.toString("utf8").trim().replaceAll("\n", ", ") : "";
}
