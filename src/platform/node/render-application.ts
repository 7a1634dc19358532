import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { clearLeftBehind, copyPrefix } from "./left-behind.ts";
import { runProgram } from "./run-program.ts";
import { makeStage, type Stage } from "./staged-files.ts";
import { knownWords } from "./staged-words.ts";
import { withFolder } from "./with-folder.ts";
import { shownWords } from "../../applications/tools/masked-words.ts";
import { reasonOf } from "../../applications/tools/messages.ts";
import { programEnvironment } from "../../applications/tools/program-environment.ts";
import { RollstampError } from "../../base/errors.ts";
import type { ApplicationToRender } from "../ports/applications.ts";
import type { ProgramRun } from "../ports/programs.ts";

/** What a renderer is given. */
export interface Rendering extends ApplicationToRender {
  /** What the program opens, in a folder that only its owner can read. */
  readonly stage: Stage;
  /** A new one, for what has to be staged otherwise. */
  readonly anotherStage: () => Stage;
  /** An empty folder: the program's home, and where it may write. */
  readonly home: string;
}

// Once: a plan renders hundreds, and the folder of temporary files may hold thousands.
let isCleared = false;

/** A shell that starts programs is worth its own start from here on. */
const MANY = 3;
let started = 0;

/** Renders an application in a folder of our own, which goes whatever happens. */
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
    // What is spread comes last: a field behind that would make V8 a hidden class for each rendering.
    return work({
      stage: stageIn("in"),
      anotherStage: () => stageIn("again"),
      home: made("home"),
      ...toRender,
    });
  }, copyPrefix());
}

/** What a program gets beside its arguments. */
export interface StartOptions {
  /** Where it runs, from the stage's folder. */
  readonly at: string;
  readonly input?: string | undefined;
  /** Whether it may fetch anything. */
  readonly fetches?: boolean;
  /** The variables of the sidecar that its owner means for it. */
  readonly also?: readonly string[];
  /** Programs that it is to find in the place of others of that name. */
  readonly before?: string | undefined;
}

/**
 * Go's programs collect garbage at 4 MB for the first time: of a small rendering that is a seventh of the time. It costs
 * 25 MB at the most, with inputs of this size.
 */
const SMALL = 1 << 18;
const RARELY_COLLECTED = { GOGC: "400" };

/** What a program runs over. */
export interface RunOver extends Pick<Rendering, "application" | "environment" | "home"> {
  readonly stage: Pick<Stage, "folder" | "size">;
}

/** Runs a program over what is staged. */
export function start(
  { application, environment, stage, home }: RunOver,
  program: string,
  args: readonly string[],
  { at, input, fetches = false, also = [], before }: StartOptions,
): Promise<ProgramRun> {
  started += 1;
  return runProgram(program, args, {
    cwd: join(stage.folder, at),
    limits: application.limits,
    environment: Object.assign(
      programEnvironment(environment, home, { fetches, also, before }),
      stage.size() < SMALL ? RARELY_COLLECTED : {},
    ),
    input,
    prints: `${program} ${args[0] ?? ""}`,
    // What plugins and fetches start may write on when they have ended.
    inLane: started > MANY && !fetches && also.length === 0 && before === undefined,
  });
}

/** The error of a program that failed, in its own words, but for what may be a value. */
export function failed(
  { application, given, environment, stage, home }: Rendering,
  command: string,
  { failure, stderr }: ProgramRun,
): RollstampError {
  const said = shownWords(stderr, environment, knownWords(stage.folder, given));
  const reason = reasonOf(said, [stage.folder, home, application.folder, application.root]);
  return new RollstampError(
    "system",
    `${command} ended with ${failure}: ${reason || "it said nothing on standard error"}`,
  );
}
