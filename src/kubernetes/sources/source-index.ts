import { kindKey, objectKey } from "../../base/identity.ts";
import { dirname } from "node:path";
import type { ConfigHashValue } from "../../base/config-hash-options.ts";
import { compareBytes, type Entries } from "../../base/digest/hash-v1.ts";
import { formatPlace, RollstampError } from "../../base/errors.ts";
import { STAMP } from "../../base/keys.ts";
import { comparing } from "../../base/limits.ts";
import { once, onceForPair } from "../../base/grouped.ts";
import { describe, hasOwnName, placeIn, type Item, isHelmHook, readFlag } from "../../yaml/read/items.ts";
import { declaredObject, isSopsEncrypted, readEntries } from "./content.ts";
import { isMarkedCopy, separateCopies, type Copy } from "./copies.ts";
import { indexMakers, type Makers } from "./makers.ts";
import { COVERAGE_RANK, DECLARED_KINDS } from "./declared-kinds.ts";
import { indexPreviousNames, needsHashSuffix, pickByPreviousName } from "./kustomize-names.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { DeclaredKind, Provided, Source } from "./types.ts";

export interface SourceOptions {
  readonly defaultNamespace: string;
  /** Whether DECLARED_KINDS and those of the configuration count, and which optional ones. */
  readonly declaredSources: boolean;
  readonly declaredKinds: readonly DeclaredKind[];
  readonly optionalKinds: readonly ConfigHashValue<"optionalKinds">[];
}

/** The sources of an input, by the name that pod templates write. */
export interface SourceIndex {
  /** In input order. A declared source appears once for each object that it creates. */
  readonly all: readonly Source[];
  /** The copies of sources in the input (layout Versioned), in input order: they are not among the sources. */
  readonly copies: readonly Copy[];
  /** The copy that a name means. */
  readonly findCopy: (kind: ReferencedKind, namespace: string, name: string, referrer?: Item) => Copy | undefined;
  /** The source of a reference; undefined if it is not in the input. */
  readonly find: (kind: ReferencedKind, namespace: string, name: string, referrer?: Item) => Source | undefined;
  /** The content of a source, read once. Throws for content that the API server rejects. */
  readonly entries: (source: Source) => Entries;
  /** The first source of a kind and name in any namespace; `written`: one that sets its namespace, or does not. */
  readonly named: (kind: ReferencedKind, name: string, written?: boolean) => Source | undefined;
  /** Whether something creates the source although the input does not have it: a reference to it is not missing. */
  readonly isMade: (kind: ReferencedKind, namespace: string, name: string, referrer?: Item) => boolean;
  /** What creates a source of this name, in any namespace. */
  readonly makerNamed: (kind: ReferencedKind, name: string, referrer?: Item) => ReturnType<Makers["named"]>;
  /** The sources of a name that only other parts of the run have, if none is found (linked-index.ts). */
  readonly inSeveral: (kind: ReferencedKind, namespace: string, name: string, referrer?: Item) => readonly Source[];
}

// The default of kubectl and Helm: another value means that someone has set it.
const DEFAULT_NAMESPACE = "default";

// A cluster-scoped source creates its objects in namespaces that only the cluster knows.
const EVERY_NAMESPACE = "*";

/** The cost of reading a path, in comparisons of characters. */
const STEPS_OF_A_PATH = 100;

/** Indexes the sources among items. Throws for duplicate objects. */
export function indexSources(items: readonly Item[], options: SourceOptions): SourceIndex {
  const read: Source[] = [];
  const marked = new Set<Source>();
  const rows = declaredRows(options);
  const spend = comparing("paths of 'declaredKinds' with objects");
  for (const item of items) {
    if (item.group === "" && (item.kind === "ConfigMap" || item.kind === "Secret")) {
      const source = plainSource(item, options);
      read.push(source);
      if (isMarkedCopy(item)) marked.add(source);
      continue;
    }
    const row = rows.get(kindKey(item));
    if (row?.configured === true) spend(row.required.length * STEPS_OF_A_PATH, item.tree.limits);
    if (row !== undefined) for (const source of declaredSources(item, row, options)) read.push(source);
  }
  refuseDuplicates(read, options);
  const { sources: all, copies } = separateCopies(read, marked);

  // On first use: thousands of files are only checked, one by one.
  const byName = once(() => bestByName(all));
  const previous = once(() => indexPreviousNames(all));
  const contents = new Map<Item, Entries>();
  // Needed only if something is missing.
  const named = once(() => byKindAndName(all));
  const makers = once(() => indexMakers(items, options.defaultNamespace));
  const only = once(() => onlyNamespace(items));
  /**
   * Charts set the namespace in some templates and leave it to Helm in others: if the input sets only one namespace,
   * objects without one belong to it.
   */
  const inOnlyNamespace = (
    kind: ReferencedKind,
    namespace: string,
    name: string,
    referrer: Item | undefined,
  ): Source | undefined => {
    if (referrer === undefined || options.defaultNamespace !== DEFAULT_NAMESPACE) return undefined;
    const written = only();
    if (written === undefined) return undefined;
    if (referrer.namespace === "" && namespace === DEFAULT_NAMESPACE)
      return byName().get(objectKey({ kind, namespace: written, name }));
    if (referrer.namespace !== written || namespace !== written) return undefined;
    const source = byName().get(objectKey({ kind, namespace: options.defaultNamespace, name }));
    return source?.item.namespace === "" ? source : undefined;
  };
  return {
    all,
    copies,
    findCopy: copyFinder(copies),
    find: (kind, namespace, name, referrer) =>
      pickByPreviousName(previous(), kind, namespace, name, referrer) ??
      byName().get(objectKey({ kind, namespace, name })) ??
      byName().get(objectKey({ kind, namespace: EVERY_NAMESPACE, name })) ??
      inOnlyNamespace(kind, namespace, name, referrer),
    entries: (source) => {
      const known = contents.get(source.item);
      if (known !== undefined) return known;
      const entries = readEntries(source);
      contents.set(source.item, entries);
      return entries;
    },
    named: (kind, name, written) => {
      const found = named().get(objectKey({ kind: kind, namespace: "", name: name }));
      return written === undefined ? found?.any : written ? found?.written : found?.unwritten;
    },
    isMade: (kind, namespace, name) => makers().isMade(kind, namespace, name),
    makerNamed: (kind, name) => makers().named(kind, name),
    inSeveral: () => [],
  };
}

/** The sources by kind, namespace and name. */
function bestByName(all: readonly Source[]): ReadonlyMap<string, Source> {
  const byName = new Map<string, Source>();
  for (const source of all) {
    const key = objectKey(source.provides);
    const other = byName.get(key);
    if (other === undefined || precedence(source, other) < 0) byName.set(key, source);
  }
  return byName;
}

/** Finds copies by their names, also those that they had earlier in kustomize's build. */
function copyFinder(copies: readonly Copy[]): SourceIndex["findCopy"] {
  if (copies.length === 0) return () => undefined;
  const bySource = new Map(copies.map((copy) => [copy.source, copy]));
  const byName = new Map(copies.map((copy) => [objectKey(copy.source.provides), copy]));
  const previous = indexPreviousNames([...bySource.keys()]);
  return (kind, namespace, name, referrer) => {
    const picked = pickByPreviousName(previous, kind, namespace, name, referrer);
    return picked === undefined ? byName.get(objectKey({ kind, namespace, name })) : bySource.get(picked);
  };
}

/** The namespace that the objects of an input set, if it is only one. */
function onlyNamespace(items: readonly Item[]): string | undefined {
  const written = new Set(items.map(({ namespace }) => namespace));
  written.delete("");
  return written.size === 1 ? [...written][0] : undefined;
}

/** The first sources of a name, which thousands of namespaces may have. */
interface FirstNamed {
  readonly any: Source;
  written?: Source;
  unwritten?: Source;
}

function byKindAndName(all: readonly Source[]): ReadonlyMap<string, FirstNamed> {
  const named = new Map<string, FirstNamed>();
  for (const source of all) {
    const key = objectKey({ kind: source.provides.kind, namespace: "", name: source.provides.name });
    const known = named.get(key) ?? { any: source };
    named.set(key, known);
    if (source.item.namespace === "") known.unwritten ??= source;
    else known.written ??= source;
  }
  return named;
}

/**
 * If several objects create one source: plain Secrets take precedence, then what remains after a Helm hook, then the
 * better coverage; never the order.
 */
function precedence(a: Source, b: Source): number {
  return (
    Number(a.declared !== undefined) - Number(b.declared !== undefined) ||
    Number(isHelmHook(a.item)) - Number(isHelmHook(b.item)) ||
    COVERAGE_RANK[a.coverage] - COVERAGE_RANK[b.coverage] ||
    compareBytes(a.item.kind, b.item.kind) ||
    compareBytes(a.item.name, b.item.name)
  );
}

function plainSource(item: Item, options: SourceOptions): Source {
  const kind = item.kind === "ConfigMap" ? "ConfigMap" : "Secret";
  return {
    item,
    provides: { kind, name: item.name, namespace: item.namespace || options.defaultNamespace },
    coverage: isSopsEncrypted(item) ? "ciphertext" : "content",
    declared: undefined,
    ...marks(item),
  };
}

/** The settings in the object's annotations. */
function marks(item: Item): Pick<Source, "needsHashSuffix" | "neverCounts"> {
  if (!item.isAnnotated) return { needsHashSuffix: false, neverCounts: false };
  return { needsHashSuffix: needsHashSuffix(item), neverCounts: readFlag(item, STAMP) === false };
}

type DeclaredRows = ReadonlyMap<string, DeclaredKind>;

const NO_ROWS: DeclaredRows = new Map();

function declaredRows({ declaredSources: are, optionalKinds, declaredKinds }: SourceOptions): DeclaredRows {
  return are ? indexedRows(optionalKinds, declaredKinds) : NO_ROWS;
}

// Computed once per configuration, because thousands of files may be processed separately.
const indexedRows = onceForPair(
  (optionalKinds: SourceOptions["optionalKinds"], declaredKinds: SourceOptions["declaredKinds"]): DeclaredRows => {
    const rows = DECLARED_KINDS.filter((row) => row.optional === undefined || optionalKinds.includes(row.optional));
    // A row of the configuration replaces a built-in row of the same kind.
    return new Map([...rows, ...declaredKinds].map((row) => [kindKey(row), row]));
  },
);

function declaredSources(item: Item, row: DeclaredKind, options: SourceOptions): Source[] {
  const object = declaredObject(item);
  if (!row.required.some((path) => object.get(path) !== undefined)) throw incomplete(item, row, row.required);
  const made = row.provides(object);
  if (made.length === 0 && row.namedBy !== undefined) throw incomplete(item, row, row.namedBy);
  const namespace = row.everyNamespace === true ? EVERY_NAMESPACE : item.namespace || options.defaultNamespace;
  return made.map((provided: Provided) => ({
    item,
    provides: { kind: provided.kind, name: provided.name, namespace: provided.namespace ?? namespace },
    coverage: row.coverage,
    declared: row,
    ...marks(item),
  }));
}

function incomplete(item: Item, row: DeclaredKind, paths: readonly string[]): RollstampError {
  return new RollstampError("input", `${describe(item)} must have ${paths.map((path) => `'${path}'`).join(" or ")}`, {
    place: placeIn(item, item.node),
    remedy:
      row.configured === true
        ? "Add the field, or correct the entry of this kind in 'declaredKinds' of the configuration."
        : "Add the field, or set 'declaredSources: false' to ignore such objects.",
  });
}

function refuseDuplicates(all: readonly Source[], options: SourceOptions): void {
  const seen = new Map<string, Item>();
  for (const { item } of all) {
    if (!hasOwnName(item)) continue;
    const key = objectKey(item, item.namespace || options.defaultNamespace);
    const first = seen.get(key);
    seen.set(key, first === undefined || first === item ? item : lasting(first, item));
  }
}

/**
 * Which of two objects with one identity the cluster has in the end. A chart may have an object as a hook too, for the
 * time before the release; the release's own replaces it (helm/helm#32049, fluxcd/helm-controller#1449). Otherwise it
 * is unpredictable: throws.
 */
function lasting(first: Item, second: Item): Item {
  if (isHelmHook(first) === isHelmHook(second)) throw duplicate(first, second);
  return isHelmHook(first) ? second : first;
}

/** The error for duplicate objects. */
export function duplicate(first: Item, second: Item): RollstampError {
  const { column: _, ...at } = placeIn(first, first.node);
  return new RollstampError("input", `${describe(second)} is duplicated: the first is at ${formatPlace(at)}`, {
    place: placeIn(second, second.node),
    remedy: duplicateRemedy(first.tree.file, second.tree.file),
  });
}

/** Suggests a smaller scope only if it separates the two. */
function duplicateRemedy(first: string, second: string): string {
  if (first === second) return "Remove one of the two: it is unpredictable which one the cluster would get.";
  return dirname(first) === dirname(second)
    ? "Remove one of the two, or list one in .krmignore. If each file is a separate rendering, use --scope file."
    : "Remove one of the two. If the folders are renderings of several environments, use --scope directory.";
}
