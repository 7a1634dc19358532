import { RollstampError } from "../base/errors.ts";
import { BAD, type ExitStatus } from "../base/exit-status.ts";
import type { Io } from "../platform/ports/io.ts";
import { errorText, lineText } from "../findings/results/terminal.ts";

/** Runs something that may throw: what a person should know of a failure is on stderr. Never throws. */
export async function reportingFailures(
  io: Pick<Io, "environment" | "writeStderr">,
  run: () => Promise<ExitStatus>,
): Promise<ExitStatus> {
  try {
    return await run();
  } catch (cause) {
    io.writeStderr(`rollstamp: error: ${describeFailure(cause, io)}\n`);
    return BAD;
  }
}

function describeFailure(cause: unknown, io: Pick<Io, "environment">): string {
  if (cause instanceof RollstampError) return errorText(cause);
  const detail = cause instanceof Error ? cause : new Error(String(cause));
  const isWanted = (io.environment["ROLLSTAMP_DEBUG"] ?? "") !== "";
  const head = `internal error: ${detail.name}`;
  // A message of a library may quote its input, which could be a secret: only on demand.
  return isWanted
    ? `${head}\n${(detail.stack ?? detail.message).split("\n").map(lineText).join("\n")}`
    : `${head}\n  Set ROLLSTAMP_DEBUG=1 to see its stack trace, and report it.`;
}
