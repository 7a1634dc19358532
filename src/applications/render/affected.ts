import { createHash } from "node:crypto";
import type { Application } from "../discover/application.ts";
import { stableJson } from "../../yaml/read/json.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import { closuresOf, type Closure, type Root } from "./closure.ts";

/** An application of a snapshot, with the files that its rendering reads. */
export interface Closed {
  readonly application: Application;
  readonly closure: Closure;
}

/** Computes the closures of applications, and loads the contents that this needs. */
export async function closuresIn(
  snapshot: Snapshot,
  applications: readonly Application[],
  rootsOf: (application: Application) => readonly Root[],
): Promise<readonly Closed[]> {
  const closures = closuresOf(snapshot);
  const found = new Map<Application, Closure>();
  for (let left = applications; left.length > 0;) {
    left = left.filter((application) => {
      const closure = closures.closureOf(rootsOf(application));
      if (closure !== undefined) found.set(application, closure);
      return closure === undefined;
    });
    await snapshot.contents.fetch(closures.takeWanted());
  }
  return applications.flatMap((application) => {
    const closure = found.get(application);
    return closure === undefined ? [] : [{ application, closure }];
  });
}

/** A digest of everything that a rendering is made from. The order of keys changes nothing. */
export function contentKey({ application: { render, namespace = "" }, closure }: Closed): string {
  return keyWith(stableJson({ render, namespace }), closure.digest);
}

/** A digest of data, which depends on the order. */
export function dataDigest(data: unknown): string {
  return createHash("sha256").update(jsonText(data)).digest("hex");
}
