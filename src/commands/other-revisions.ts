import type { Application } from "../applications/discover/application.ts";
import { revisionsMoved } from "../applications/discover/source-revisions.ts";
import { RollstampError } from "../base/errors.ts";

/** Why an application can't be compared that goes from one revision of the repository to another: neither is rendered here. */
export function otherRevisions(
  before: Application | undefined,
  after: Application | undefined,
): RollstampError | undefined {
  const moved = revisionsMoved(before, after);
  if (moved === undefined) return undefined;
  const [from, to] = [moved.from.join(", "), moved.to.join(", ")];
  const range = [from, to].every((one) => PLAIN.test(one)) ? `${from}..${to}` : "with these two";
  return new RollstampError(
    "input",
    `what it takes of this repository goes from revision ${from} to ${to}: what differs between these is not seen here`,
    { remedy: `rollstamp plan --git ${range} --app NAME compares them.` },
  );
}

/** What is one revision to git, and one word to a shell. */
const PLAIN = /^[\w/][\w./-]*$/u;
