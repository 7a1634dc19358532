import { groupedBy } from "../../base/grouped.ts";
import type { Application } from "../discover/application.ts";
import { foldersAround } from "../discover/paths.ts";
import { NOTHING_SHOWN } from "../render/shown-data.ts";
import { isPlain } from "./not-rendered.ts";
import type { Both } from "./picked.ts";
import type { Survey } from "./survey.ts";

// A folder of plain manifests gets a kustomization, or an object of Argo CD or Flux, or loses its kustomization: whoever
// applied the files deletes none of their objects. So the files are an application of their own in the other revision too.

type Revision = "before" | "after";

/** An application that the other revision lacks, and that may be plain manifests there. */
interface Taker {
  readonly both: Both;
  readonly application: Application;
}

/** Pairs applications of one revision with plain manifests of the other one that are in their folders. */
export async function withTakenFiles(
  all: readonly Both[],
  surveys: Readonly<Record<"base" | "head", Pick<Survey, "close">>>,
): Promise<readonly Both[]> {
  const before = await withFilesTakenBy(all, "before", surveys.base);
  return withFilesTakenBy(before, "after", surveys.head);
}

async function withFilesTakenBy(
  all: readonly Both[],
  own: Revision,
  { close }: Pick<Survey, "close">,
): Promise<readonly Both[]> {
  const takerOf = takersOf(all, own);
  if (takerOf === undefined) return all;
  const changed = new Map<Both, Both>();
  for (const both of all) {
    const application = both[own]?.application;
    if (application?.foundBy !== "Manifests" || application.render.by !== "files") continue;
    const { render } = application;
    const byTaker = groupedBy(render.files, (file) => {
      const taker = takerOf(file);
      return taker === undefined || changed.has(taker.both) ? undefined : taker;
    });
    const left = byTaker.get(undefined) ?? [];
    if (left.length === render.files.length) continue;
    const closed = async (part: Application): Promise<Partial<Both>> =>
      part.render.by === "files" && part.render.files.length === 0
        ? { [own]: undefined }
        : { [own]: (await close([part], NOTHING_SHOWN))[0] };
    changed.set(both, { ...both, ...(await closed({ ...application, render: { ...render, files: left } })) });
    for (const [taker, files] of byTaker) {
      // What deploys now what nothing deployed is added.
      if (taker === undefined || (application.orphan === true && taker.application.orphan !== true)) continue;
      const { path } = taker.application;
      const part = { ...application, name: path, path, render: { ...render, folder: path, files } };
      changed.set(taker.both, { ...taker.both, ...(await closed(part)) });
    }
  }
  return all
    .map((both) => changed.get(both) ?? both)
    .filter(({ before, after }) => before !== undefined || after !== undefined);
}

/** Finds the application in whose folder a file is, the nearest one; undefined if there is none at all. */
function takersOf(all: readonly Both[], own: Revision): ((file: string) => Taker | undefined) | undefined {
  const takers = new Map<string, Taker & { readonly files?: ReadonlySet<string> }>();
  for (const both of all) {
    const application = both[own] === undefined ? (both.after ?? both.before)?.application : undefined;
    if (application === undefined || !mayTake(application, own) || takers.has(application.path)) continue;
    const { path, render } = application;
    takers.set(path, { both, application, ...(render.by === "files" ? { files: new Set(render.files) } : {}) });
  }
  if (takers.size === 0) return undefined;
  return (file) => {
    const folder = foldersAround(file).find((around) => takers.has(around));
    const taker = folder === undefined ? undefined : takers.get(folder);
    return taker?.files?.has(file) === false ? undefined : taker;
  };
}

/** Engines say what becomes of what they applied. */
function mayTake(application: Application, own: Revision): boolean {
  if (own === "after") return application.foundBy === "Kustomization";
  return !isPlain(application) && (application.render.by === "kustomize" || application.render.by === "files");
}
