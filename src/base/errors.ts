import { dotted } from "./words.ts";

/** A place in an input, counted from 1 as in editors. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The file that the host names for the object: nobody sees the lines of its ResourceList. */
  readonly origin?: string;
}

/**
 * The class of an error, for programs; the message is for people. `usage`: a wrong command line, `config`: an invalid
 * configuration, `input`: an invalid manifest, `system`: a failed file, process or cluster.
 */
export type ErrorCode = "usage" | "config" | "input" | "system";

interface ErrorDetails {
  readonly place?: Place | undefined;
  readonly remedy?: string | undefined;
  readonly configPath?: readonly string[] | undefined;
  readonly problem?: string | undefined;
  readonly mayPass?: boolean | undefined;
  readonly missing?: string | undefined;
  readonly needsValues?: string | undefined;
}

const NAME = "RollstampError";

/**
 * The only error that is thrown on purpose: the run stops and writes nothing (exit status 2). `message` never contains
 * the value of a manifest, which could be a secret.
 */
export class RollstampError extends Error {
  /** Each bundle has its own copy of this class: errors of other bundles count too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === NAME;
  }

  override readonly name: string = NAME;
  readonly code: ErrorCode;
  readonly place: Place | undefined;
  readonly remedy: string | undefined;
  /** The path in the configuration that the error is about; its place is known where the configuration was read. */
  readonly configPath: readonly string[] | undefined;
  /** What is wrong with the option at that path, if the message is the path and this. */
  readonly problem: string | undefined;
  /** A temporary failure of a cluster or of the connection: a waiting caller may try again. */
  readonly mayPass: boolean;
  /** The part of the message that names what is missing, such as a chart: errors that differ only there are grouped. */
  readonly missing: string | undefined;

  /** Set if a chart cannot be rendered without further values: what it said, without the lines of its files. */
  readonly needsValues: string | undefined;

  constructor(code: ErrorCode, message: string, more: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.place = more.place;
    this.remedy = more.remedy;
    this.configPath = more.configPath;
    this.problem = more.problem;
    this.mayPass = more.mayPass === true;
    this.missing = more.missing;
    this.needsValues = more.needsValues;
  }
}

/** An invalid option of a configuration, by its path: `'spec.keep' is 0`. */
export function optionError(path: readonly string[], problem: string, remedy: string): RollstampError {
  return new RollstampError("config", optionMessage(path, problem), { configPath: path, problem, remedy });
}

export function optionMessage(path: readonly string[], problem: string): string {
  return `'${dotted(path)}' ${problem}`;
}

/** The code of a system error, such as ENOENT. */
export function errorCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown cause";
}

/** The result of a function, or undefined if it throws a RollstampError, for inputs that may be invalid. */
export function quietly<T>(make: () => T): T | undefined {
  return recovered(make, () => undefined);
}

/** The result of a function, or of `refused` if it throws a RollstampError. */
export function recovered<T, U>(make: () => T, refused: (error: RollstampError) => U): T | U {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RollstampError) return refused(cause);
    throw cause;
  }
}

/** `file:line:column`, as far as known, and the file that the host names. */
export function formatPlace({ file, line, column, origin }: Place): string {
  const position = [file, line, column].filter((part) => part !== undefined).join(":");
  return origin === undefined ? position : `${position} (in ${origin})`;
}

/**
 * 0 done; 1 findings of severity error, or --check found something to change; 2 invalid input, configuration or usage.
 */
export type ExitStatus = 0 | 1 | 2;

export const DONE: ExitStatus = 0;
export const FOUND: ExitStatus = 1;
export const BAD: ExitStatus = 2;

/** The status of a run of several parts: the worst one. */
export function worst(...statuses: readonly ExitStatus[]): ExitStatus {
  return statuses.reduce((a, b) => (b > a ? b : a), DONE);
}
