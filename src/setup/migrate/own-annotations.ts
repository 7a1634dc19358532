import { trimmedParts } from "../../base/words.ts";
import type { ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { EXCLUDE, SOURCES, STAMP } from "../../base/keys.ts";
import { annotationOf, type Item } from "../../yaml/read/items.ts";
import { RELOADER_KEYS } from "../../base/hosts/peers.ts";
import type { AskPeer, Decision, PeerVerdicts } from "../../stamping/policy/types.ts";
import { isSourceKind, REFERENCED_KINDS, RELOADED_KINDS, type ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Reference, Workload } from "../../kubernetes/workloads/types.ts";
import { peerAnnotations, type OwnAnnotations } from "./peer-annotations.ts";

/** What peers say about each type of source as a whole. */
interface Wholes {
  /** Every reference of the type counts. */
  readonly on: ReadonlySet<ReferencedKind>;
  /** Only named sources of the type count. */
  readonly off: ReadonlySet<ReferencedKind>;
}

/**
 * The annotations of rollstamp that make the same sources count as the peers' annotations on an object: on the workload, or on
 * what runs its pods. Patterns become the names that they match now.
 */
export function ownAnnotations(
  marked: Item,
  decision: Decision,
  peers: readonly AskPeer[],
  selection: ConfigHashSpec["selection"],
): OwnAnnotations {
  const { workload } = decision;
  const verdicts = workload.templates.flatMap((template) => peers.map((ask) => ask(marked, workload, template)));
  const present = annotationOf(marked, STAMP);
  const wholes = present === "true" ? EVERYTHING : wholeTypes(verdicts, workload);
  const named = namedSources(decision, wholes, selection);
  const excluded = [...excludedTypes(wholes, workload, selection), ...excludedNames(marked, wholes, selection)];
  const isOut = isOptedOut(wholes) && named.length === 0 && (selection === "All" || saysFalse(marked));
  const found = new Map<string, string>();
  const stamp = present ?? (wholes.on.size > 0 ? "true" : isOut ? "false" : undefined);
  if (stamp !== undefined) found.set(STAMP, stamp);
  const sources = merged(annotationOf(marked, SOURCES), named);
  if (sources !== "") found.set(SOURCES, sources);
  const exclude = isOut ? "" : merged(annotationOf(marked, EXCLUDE), excluded);
  if (exclude !== "") found.set(EXCLUDE, exclude);
  return found;
}

/** rollstamp's own opt-in takes precedence over peers. */
const EVERYTHING: Wholes = { on: new Set(REFERENCED_KINDS), off: new Set() };

function isOptedOut({ on, off }: Wholes): boolean {
  return on.size === 0 && off.has("ConfigMap") && off.has("Secret");
}

/** With `selection: Annotated`, only a value that means false opts out. */
function saysFalse(marked: Item): boolean {
  return peerAnnotations(marked).some(({ value }) => /^(?:0|f|false)$/iu.test(value));
}

/** Asks the peers about a source that no list names: the answer is about the whole type. */
function wholeTypes(verdicts: readonly PeerVerdicts[], workload: Workload): Wholes {
  const answers = (ask: (verdict: PeerVerdicts, probe: Reference) => string | undefined): ReadonlySet<ReferencedKind> =>
    new Set(
      RELOADED_KINDS.filter((kind) => verdicts.some((verdict) => ask(verdict, probeOf(kind, workload)) !== undefined)),
    );
  return {
    on: answers((verdict, probe) => verdict.optsIn(probe, undefined)),
    off: answers((verdict, probe) => verdict.optsOut(probe, undefined)),
  };
}

// A line break is not a name, and the dot of a pattern does not match it.
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

/** The sources that count although their type does not, or although no pod template names them. */
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

/** The types that don't count beside one that does. Others than ConfigMap and Secret are listed only if the pods use one. */
function excludedTypes({ on, off }: Wholes, { templates }: Workload, selection: ConfigHashSpec["selection"]): string[] {
  const isSeen = (kind: ReferencedKind): boolean =>
    templates.some(({ references }) => references.some((reference) => reference.kind === kind));
  const isLeftOut = (kind: ReferencedKind): boolean =>
    !on.has(kind) && (selection === "All" ? off.has(kind) : on.size > 0);
  return REFERENCED_KINDS.filter((kind) => isLeftOut(kind) && (isSourceKind(kind) || isSeen(kind))).map(
    (kind) => `${kind.toLowerCase()}/*`,
  );
}

/** The names in Reloader's exclude lists that would count otherwise. */
function excludedNames(marked: Item, { on, off }: Wholes, selection: ConfigHashSpec["selection"]): string[] {
  return RELOADED_KINDS.filter((kind) => on.has(kind) || (selection === "All" && !off.has(kind))).flatMap((kind) =>
    trimmedParts(annotationOf(marked, RELOADER_KEYS[kind].exclude) ?? "").map(
      (name) => `${kind.toLowerCase()}/${name}`,
    ),
  );
}

/** Joins lists, without repeats; the present entries come first. */
function merged(present: string | undefined, more: readonly string[]): string {
  return [...new Set([...trimmedParts(present ?? ""), ...[...more].sort()])].join(", ");
}
