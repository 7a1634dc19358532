/** A place in an input, counted from 1 as editors do. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The file that the host says the object is from: the lines of its ResourceList nobody has seen. */
  readonly origin?: string;
}

/**
 * What went wrong, for programs; the message is for people. `usage` is a wrong command line,
 * `config` a wrong configuration, `input` a manifest that can't be taken, `system` a file, a
 * process or a cluster that failed.
 */
export type ErrorCode = "usage" | "config" | "input" | "system";

interface ErrorDetails {
  readonly place?: Place | undefined;
  readonly remedy?: string | undefined;
  readonly configPath?: readonly string[] | undefined;
  readonly mayPass?: boolean | undefined;
  readonly missing?: string | undefined;
}

const NAME = "RollstampError";

/**
 * The only error that is thrown on purpose: the run can't go on and nothing is written
 * (exit status 2). `message` never holds text of a manifest's value: it could be a secret.
 */
export class RollstampError extends Error {
  /** What ships is several bundles, each with this class of its own: an error of another's is one, too. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === NAME;
  }

  override readonly name: string = NAME;
  readonly code: ErrorCode;
  readonly place: Place | undefined;
  readonly remedy: string | undefined;
  /** The path in the configuration that the error is about: its place is known where that was read. */
  readonly configPath: readonly string[] | undefined;
  /** A failure on the way to a cluster, or of the cluster for a while: who waits for it may ask again. */
  readonly mayPass: boolean;
  /** What of the message isn't there, such as a chart: errors that differ in nothing else are alike. */
  readonly missing: string | undefined;

  constructor(code: ErrorCode, message: string, more: ErrorDetails = {}) {
    super(message);
    this.code = code;
    this.place = more.place;
    this.remedy = more.remedy;
    this.configPath = more.configPath;
    this.mayPass = more.mayPass === true;
    this.missing = more.missing;
  }
}

/** The code of a system error, such as ENOENT. */
export function errorCode(cause: unknown): string {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : "unknown cause";
}

/** What comes of it, or undefined where that throws a RollstampError: for what need not be right, and is nothing then. */
export function quietly<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof RollstampError) return undefined;
    throw cause;
  }
}

/** `file:line:column`, or as much of it as is known, and the file that the host names. */
export function formatPlace({ file, line, column, origin }: Place): string {
  const at = [file, line, column].filter((part) => part !== undefined).join(":");
  return origin === undefined ? at : `${at} (in ${origin})`;
}

/** 0 done; 1 findings of severity error, or a check found something; 2 bad input, configuration or usage. */
export type ExitStatus = 0 | 1 | 2;

export const DONE: ExitStatus = 0;
export const FOUND: ExitStatus = 1;
export const BAD: ExitStatus = 2;

/** The status of a run of several parts: that of the worst. */
export function worst(...statuses: readonly ExitStatus[]): ExitStatus {
  return statuses.reduce((a, b) => (b > a ? b : a), DONE);
}
