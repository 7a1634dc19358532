import { createHash } from "node:crypto";
import type { Application } from "../discover/application.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import type { Limits } from "../../base/limits.ts";
import type { Revision, Revisions } from "../../platform/ports/revisions.ts";
import { closuresOf, type Closure, type Root } from "./closure.ts";

/** An application of one revision with what its rendering reads there. */
export interface Closed {
  readonly application: Application;
  readonly closure: Closure;
}

/** The closures of applications of a revision; contents that they have to look into are got. */
export async function closedIn(
  revision: Revision,
  applications: readonly Application[],
  rootsOf: (application: Application) => readonly Root[],
  revisions: Pick<Revisions, "fetch" | "has" | "text" | "limits">,
): Promise<readonly Closed[]> {
  const closures = closuresOf(revision, revisions, revisions.limits satisfies Limits);
  const found = new Map<Application, Closure>();
  for (let left = applications; left.length > 0;) {
    left = left.filter((application) => {
      const closure = closures.of(rootsOf(application));
      if (closure !== undefined) found.set(application, closure);
      return closure === undefined;
    });
    await revisions.fetch(closures.takeWanted());
  }
  return applications.flatMap((application) => {
    const closure = found.get(application);
    return closure === undefined ? [] : [{ application, closure }];
  });
}

/** What a rendering is made from, as one digest: it is the same where that is. */
export function contentKey({ application: { render, namespace = "" }, closure }: Closed): string {
  const hash = createHash("sha256");
  hash.update(jsonText({ render, namespace }, 0));
  hash.update(`\0${closure.digest}`);
  return hash.digest("hex");
}

/** A digest of data: the same where they are, in the same order. */
export function dataDigest(data: unknown): string {
  return createHash("sha256").update(jsonText(data)).digest("hex");
}
