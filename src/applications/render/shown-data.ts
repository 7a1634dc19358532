import { createHmac } from "node:crypto";
import type { Application } from "../discover/application.ts";
import type { Item } from "../../yaml/read/items.ts";
import { contentKeys, dataDigest, type Closed } from "./affected.ts";
import type { Root } from "./closure.ts";
import type { DataLookup, DataObject, DataReference } from "./data-objects.ts";
import { writtenData } from "./find-data.ts";
import { renderableOf } from "./renderable.ts";
import type { Renderable } from "./step.ts";
import { groupedBy, onceFor } from "../../base/grouped.ts";
import { hasHashSuffix, withoutHashSuffix } from "../../base/hosts/kustomize.ts";
import { isSource } from "../../base/referenced-kinds.ts";

// ConfigMaps and Secrets in renderings, whose values other renderings use: patched, merged by generators, with names
// that kustomize gave them. Files do not show these.

export interface ShownObject {
  readonly kind: DataReference["kind"];
  readonly namespace: string;
  readonly name: string;
  readonly object: DataObject;
}

/**
 * Finds an object in the rendering that contains the application, or in another one of its cluster. `"renamed"`: kustomize has
 * added a hash to its name there, and not to the reference of the release.
 */
export type ShownData = (application: Application, reference: DataReference) => DataObject | "renamed" | undefined;

/** Without renderings. */
export const NOTHING_SHOWN: ShownData = () => undefined;

/** An item as an object whose values may be used. */
export function shownObject(item: Item): readonly ShownObject[] {
  if (!isSource(item)) return [];
  const { kind, namespace, name } = item;
  return [{ kind, namespace, name, object: writtenData(item, []) }];
}

/** Searches the rendering that contains the application first, then the others of its cluster. */
export function shownData(
  showings: readonly { readonly application: Application; readonly data: readonly ShownObject[] }[],
): ShownData {
  const entries = showings.flatMap(({ application, data }) =>
    data.map((shown) => ({ ...shown, application, namespace: shown.namespace || (application.namespace ?? "") })),
  );
  const byName = groupedBy(entries, ({ kind, name }) => `${kind}/${name}`);
  const byPlainName = groupedBy(
    entries.filter(({ name }) => hasHashSuffix(name)),
    ({ kind, name }) => `${kind}/${withoutHashSuffix(name)}`,
  );
  return ({ foundBy, shownBy, cluster }, { kind, namespace, name }) => {
    const isThere = (entry: (typeof entries)[number]): boolean =>
      namespace === "" || entry.namespace === "" || entry.namespace === namespace;
    const isOwn = ({ application }: (typeof entries)[number]): boolean =>
      shownBy !== undefined && application.name === shownBy;
    const key = `${kind}/${name}`;
    const found = (byName.get(key) ?? []).filter(isThere);
    const other = found.find(({ application }) => cluster !== undefined && application.cluster === cluster);
    const known = (found.find(isOwn) ?? other)?.object;
    const renamed = foundBy === "HelmRelease" ? (byPlainName.get(key) ?? []) : [];
    return known ?? (renamed.some((entry) => isThere(entry) && isOwn(entry)) ? "renamed" : undefined);
  };
}

/** An application with everything that it is made from. */
export interface AppSide extends Closed {
  /** Equal if everything that it is made from is equal. */
  readonly key: string;
  /** Equal if everything that its rendering reads is equal. */
  readonly renderKey: string;
  readonly renderable: Renderable;
  /** Values of ConfigMaps or Secrets of its cluster, which come from other applications, are a part of it. */
  readonly readsData: boolean;
}

/** Collects what applications are made from. Values of renderings take precedence if they differ from the files. */
export async function appSides(
  applications: readonly Application[],
  {
    data,
    shown,
    hmacKey,
  }: {
    readonly data: DataLookup;
    readonly shown: ShownData;
    readonly hmacKey: Uint8Array | undefined;
  },
  close: (
    applications: readonly Application[],
    rootsOf: (application: Application) => readonly Root[],
  ) => Promise<readonly Closed[]>,
): Promise<readonly AppSide[]> {
  const made = new Map(
    applications.map((application) => {
      const taken: DataObject[] = [];
      let readsData = false;
      const lookUp: DataLookup = (reference, near) => {
        readsData = true;
        const written = data(reference, near);
        const rendered = shown(application, reference);
        if (rendered === "renamed") return undefined;
        if (rendered === undefined || (written !== undefined && textOf(written) === textOf(rendered))) return written;
        taken.push(rendered);
        return rendered;
      };
      const renderable = renderableOf(application, lookUp, hmacKey);
      return [application, { renderable, taken, readsData }];
    }),
  );
  const closed = await close(applications, (one) => made.get(one)?.renderable.roots ?? []);
  return closed.flatMap((one) => {
    const found = made.get(one.application);
    if (found === undefined) return [];
    const { renderable, taken, readsData } = found;
    // No file of the closure has these values.
    const more = taken.length === 0 ? "" : ` ${dataDigest(taken.map(textOf))}`;
    // The placeholders for values of Secrets depend on the key.
    const keyed = hmacKey === undefined ? "" : ` ${createHmac("sha256", hmacKey).update("renderings").digest("hex")}`;
    const { application, closure } = one;
    const { key, renderKey } = contentKeys(one);
    const given = `${more}${keyed}`;
    return [{ application, closure, key: `${key}${given}`, renderKey: `${renderKey}${given}`, renderable, readsData }];
  });
}

const textOf: (object: DataObject) => string = onceFor(({ data, other }) =>
  JSON.stringify([[...data].sort(([a], [b]) => (a < b ? -1 : 1)), other?.("") ?? ""]),
);
