import { createHash } from "node:crypto";
import { onceFor } from "../../base/grouped.ts";
import type { Application, Render } from "../discover/application.ts";
import { isMapping, stableJson } from "../../yaml/read/json.ts";
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

/**
 * Digests of everything that a rendering is made from, and of the part that is read. Flux reads nothing else in a folder
 * without a kustomization, unless the source excludes files of its own: then it may not see a kustomization. The order of keys
 * changes nothing.
 */
export function contentKeys({ application, closure }: Closed): {
  readonly key: string;
  readonly renderKey: string;
} {
  const written = definitionKey(application);
  const keyWith = (digest: string): string => createHash("sha256").update(`${written}\0${digest}`).digest("hex");
  const key = keyWith(closure.digest);
  const isPartOf = isReadByDefault(application) && closure.read !== closure.digest;
  return { key, renderKey: isPartOf ? keyWith(closure.read) : key };
}

/** What a rendering needs on disk. */
export function neededFiles({ application, closure }: Closed): ReadonlySet<string> {
  return isReadByDefault(application) ? closure.neededByDefault() : closure.needed();
}

function isReadByDefault({ render }: Application): boolean {
  return render.by === "kustomize" && render.flux?.ignored.length === 0;
}

/** Equal if objects define two applications in the same way, whatever their files have. */
export function definitionKey({ render, namespace = "" }: Pick<Application, "render" | "namespace">): string {
  return `${namespace}\0${textOfRender(render)}`;
}

const textOfRender: (render: Render) => string = onceFor((render) => stableJson(withDigests(render)));

/** With a digest for each object of values: most of what is written is in there, and the same in all surveys. */
function withDigests(render: Render): unknown {
  if (render.by === "sources") return { ...render, sources: render.sources.map(withDigests) };
  if (render.by !== "helm") return render;
  const values = render.values.map((source) =>
    source.from === "values" && isMapping(source.values) ? { digest: digestOfValues(source.values) } : source,
  );
  return { ...render, values };
}

const digestOfValues: (values: object) => string = onceFor((values) =>
  createHash("sha256").update(stableJson(values)).digest("hex"),
);

/** A digest of data, which depends on the order. */
export function dataDigest(data: unknown): string {
  return createHash("sha256").update(jsonText(data)).digest("hex");
}
