import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { EXCLUDE, SOURCES, STAMP } from "../../base/keys.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { RELOADER_KEYS } from "../../base/hosts/peers.ts";
import type { AskPeer, Decision, PeerVerdicts } from "../../stamping/policy/types.ts";
import { REFERENCED_KINDS, type ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Reference, Workload } from "../../kubernetes/workloads/types.ts";
import { peerAnnotations } from "./peer-annotations.ts";

/** rollstamp's annotations of a workload: what stands for its peers' ones. */
export type OwnAnnotations = ReadonlyMap<string, string>;

/** What peers say of each type of source as a whole. */
interface Wholes {
  /** Every reference of the type counts. */
  readonly on: ReadonlySet<ReferencedKind>;
  /** None does that isn't named. */
  readonly off: ReadonlySet<ReferencedKind>;
}

/**
 * The annotations of ours by which the same sources count as by the peers' annotations on an object:
 * on the workload itself, or on what runs its pods. Patterns become the names that they match now.
 */
export function ownAnnotations(
  marked: Item,
  decision: Decision,
  peers: readonly AskPeer[],
  selection: ConfigHashSpec["selection"],
): OwnAnnotations {
  const { workload } = decision;
  const verdicts = workload.templates.flatMap((template) => peers.map((ask) => ask(marked, workload, template)));
  const standing = annotationOf(marked, STAMP);
  const wholes = standing === "true" ? EVERYTHING : wholesOf(verdicts, workload);
  const named = namedSources(decision, wholes, selection);
  const excluded = [...excludedTypes(wholes, workload, selection), ...excludedNames(marked, wholes, selection)];
  const isOut = isOptedOut(wholes) && named.length === 0 && (selection === "All" || saysFalse(marked));
  const found = new Map<string, string>();
  const stamp = standing ?? (wholes.on.size > 0 ? "true" : isOut ? "false" : undefined);
  if (stamp !== undefined) found.set(STAMP, stamp);
  const sources = merged(annotationOf(marked, SOURCES), named);
  if (sources !== "") found.set(SOURCES, sources);
  const exclude = isOut ? "" : merged(annotationOf(marked, EXCLUDE), excluded);
  if (exclude !== "") found.set(EXCLUDE, exclude);
  return found;
}

/** rollstamp's own opting in goes before what peers say. */
const EVERYTHING: Wholes = { on: new Set(REFERENCED_KINDS), off: new Set() };

function isOptedOut({ on, off }: Wholes): boolean {
  return on.size === 0 && off.has("ConfigMap") && off.has("Secret");
}

/** Where only what is annotated counts, a value that a peer does not take opts nothing out. */
function saysFalse(marked: Item): boolean {
  return peerAnnotations(marked).some(({ value }) => /^(?:0|f|false)$/iu.test(value));
}

/** Asks about a source that no list names: what is said of it is said of the whole type. */
function wholesOf(verdicts: readonly PeerVerdicts[], workload: Workload): Wholes {
  const said = (ask: (verdict: PeerVerdicts, probe: Reference) => string | undefined): ReadonlySet<ReferencedKind> =>
    new Set(
      REFERENCED_KINDS.filter((kind) =>
        verdicts.some((verdict) => ask(verdict, probeOf(kind, workload)) !== undefined),
      ),
    );
  return {
    on: said((verdict, probe) => verdict.optsIn(probe, undefined)),
    off: said((verdict, probe) => verdict.optsOut(probe, undefined)),
  };
}

// No name is a line break, and no pattern's dot matches one.
const NO_NAME = "\n";

function probeOf(kind: ReferencedKind, { namespace, item }: Workload): Reference {
  return {
    kind,
    namespace,
    name: NO_NAME,
    keys: "*",
    requiredKeys: [],
    via: "env",
    optional: false,
    containers: [],
    field: "",
    node: item.node,
  };
}

/** The sources that count though their type as a whole doesn't, or though no pod template names them. */
function namedSources(
  { workload, templates }: Decision,
  { on, off }: Wholes,
  selection: ConfigHashSpec["selection"],
): string[] {
  const counts = (kind: ReferencedKind): boolean => on.has(kind) || (selection === "All" && !off.has(kind));
  return templates.flatMap(({ counted }) =>
    counted
      .map(({ reference }) => reference)
      .filter(({ kind, via }) => via === "extra" || !counts(kind))
      .map(
        ({ kind, namespace, name }) =>
          `${kind.toLowerCase()}/${namespace === workload.namespace ? "" : `${namespace}/`}${name}`,
      ),
  );
}

/** The types that don't count beside one that does. A type that the pods don't see is told only where it could be meant. */
function excludedTypes({ on, off }: Wholes, { templates }: Workload, selection: ConfigHashSpec["selection"]): string[] {
  const isSeen = (kind: ReferencedKind): boolean =>
    templates.some(({ references }) => references.some((reference) => reference.kind === kind));
  const isLeftOut = (kind: ReferencedKind): boolean =>
    !on.has(kind) && (selection === "All" ? off.has(kind) : on.size > 0);
  return REFERENCED_KINDS.filter((kind) => isLeftOut(kind) && (kind !== "SecretProviderClass" || isSeen(kind))).map(
    (kind) => `${kind.toLowerCase()}/*`,
  );
}

/** The names that Reloader's exclude lists hold, where they would count else. */
function excludedNames(marked: Item, { on, off }: Wholes, selection: ConfigHashSpec["selection"]): string[] {
  return REFERENCED_KINDS.filter((kind) => on.has(kind) || (selection === "All" && !off.has(kind))).flatMap((kind) =>
    (annotationOf(marked, RELOADER_KEYS[kind].exclude) ?? "")
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => `${kind.toLowerCase()}/${name}`),
  );
}

/** A list with more entries, each once: those that stand there first. */
function merged(standing: string | undefined, more: readonly string[]): string {
  const entries = (standing ?? "").split(",").map((entry) => entry.trim());
  return [...new Set([...entries, ...[...more].sort()])].filter((entry) => entry !== "").join(", ");
}
