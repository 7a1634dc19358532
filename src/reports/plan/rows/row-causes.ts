import { groupedBy } from "../../../base/grouped.ts";
import type { Reason, SourceReason } from "../plan-reasons.ts";
import type { LostSource, MovedTo, PlannedWorkload, ReplacedRelease } from "../planned-workload.ts";

/** Why the workloads of a row change: equal reasons of several workloads are one cause. */
export type RowCause =
  | {
      readonly is: "reason";
      readonly reason: Reason;
      /** Of a source: its name without the suffix of a generator, and the namespaces that have it. */
      readonly name: string;
      readonly namespaces: readonly string[];
    }
  /** The workloads move. */
  | ({ readonly is: "move" } & Move)
  /** Their application is removed. */
  | { readonly is: "application"; readonly name: string }
  /** A source or a key that they need is gone. */
  | { readonly is: "lost"; readonly lost: LostSource; readonly namespaces: readonly string[] };

/** From where to where workloads move: to another namespace, or within theirs to another application or release. */
export type Move =
  | { readonly place: "namespace" | "application"; readonly from: string; readonly to: string }
  | ({ readonly place: "release" } & ReplacedRelease);

/** The move of a workload. */
export function moveOf({
  namespace,
  application = "",
  movedTo,
}: {
  readonly namespace: string;
  readonly application?: string | undefined;
  readonly movedTo: MovedTo;
}): Move {
  const { release } = movedTo;
  if (release !== undefined) return { place: "release", ...release };
  return movedTo.namespace === namespace
    ? { place: "application", from: application, to: movedTo.application ?? application }
    : { place: "namespace", from: namespace, to: movedTo.namespace };
}

/** Whether a workload moves to where its volumes are new: claims belong to a namespace. */
export function leavesVolumes({ kind, namespace, movedTo }: PlannedWorkload): boolean {
  return kind === "StatefulSet" && movedTo !== undefined && movedTo.namespace !== namespace;
}

/** A cause of one workload, with the key that equal causes share. */
export interface KeyedCause {
  readonly key: string;
  readonly cause: RowCause;
}

/** The causes of a workload, what decides first. */
export function causesOfWorkload(
  { reasons, movedTo, lost = [], namespace, action, application }: PlannedWorkload,
  isRemoved: (application: string) => boolean,
): readonly KeyedCause[] {
  if (movedTo !== undefined) {
    const move = moveOf({ namespace, application, movedTo });
    return [{ key: JSON.stringify(["move", move]), cause: { is: "move", ...move } }];
  }
  if (action === "Delete" && application !== undefined && isRemoved(application))
    return [{ key: JSON.stringify(["application", application]), cause: { is: "application", name: application } }];
  const keyed = [...withoutRenamed(reasons).map(ofReason), ...lost.map(ofLost)];
  return [...new Map(keyed.map((one) => [one.key, one])).values()].sort((a, b) => weight(a.cause) - weight(b.cause));
}

/** The same causes of several workloads as one list: those of each key are one cause. */
export function joinedCauses(all: readonly KeyedCause[]): readonly KeyedCause[] {
  return [...groupedBy(all, ({ key }) => key).values()].map((same) => {
    const [{ key, cause: first }] = same;
    const namespaces = [...new Set(same.flatMap(({ cause }) => ("namespaces" in cause ? cause.namespaces : [])))];
    return { key, cause: "namespaces" in first ? { ...first, namespaces } : first };
  });
}

/**
 * A reference that names another source says that all keys of the old one are gone, and those of the new one are there: only
 * what differs in sources that are named before and after is a cause of its own.
 */
function withoutRenamed(reasons: readonly Reason[]): readonly Reason[] {
  const names = (side: "from" | "to"): Set<string> =>
    new Set(
      reasons.flatMap((reason) => {
        const name = reason.type === "Template" && reason.path.endsWith("ame") ? reason[side] : undefined;
        return typeof name === "string" ? [name] : [];
      }),
    );
  const [before, after] = [names("from"), names("to")];
  return reasons.filter((reason) => {
    if (reason.type !== "Source") return true;
    const { keys, source } = reason;
    if (keys.changed.length > 0) return true;
    return keys.added.length === 0 ? !before.has(source.name) : keys.removed.length > 0 || !after.has(source.name);
  });
}

function ofReason(reason: Reason): KeyedCause {
  if (reason.type !== "Source") return { key: JSON.stringify(keyOf(reason)), cause: whole(reason) };
  return causeOfSource(reason);
}

/** A changed source is one cause in all environments, each of which has it in a namespace of its own. */
export function causeOfSource(reason: SourceReason): KeyedCause {
  const { source, keys, diffs } = reason;
  const name = ungeneratedName(source);
  return {
    key: JSON.stringify(["source", source.kind, name, keys, diffs]),
    cause: { is: "reason", reason, name, namespaces: [source.namespace] },
  };
}

function whole(reason: Reason): RowCause {
  return { is: "reason", reason, name: "", namespaces: [] };
}

/** Restarts at one time are one cause, whenever the last ones were. */
function keyOf(reason: Exclude<Reason, SourceReason>): unknown {
  return reason.type === "Restart" ? [reason.type, reason.field, reason.to] : reason;
}

function ofLost(lost: LostSource): KeyedCause {
  const { source, keys } = lost;
  return {
    key: JSON.stringify(["lost", source.kind, source.name, keys]),
    cause: { is: "lost", lost, namespaces: [source.namespace] },
  };
}

/** kustomize adds ten characters to the name of what it generates. */
const GENERATED = /^(.+)-[0-9a-z]{10}$/u;

/** A change may also begin or end to generate the name. */
function ungeneratedName({ name, previousName = "" }: SourceReason["source"]): string {
  const base = withoutHash(name);
  return base === withoutHash(previousName) ? base : name;
}

function withoutHash(name: string): string {
  return GENERATED.exec(name)?.[1] ?? name;
}

/** What decides comes first, then images and sources, then what stamps and charts write. */
function weight(cause: RowCause): number {
  if (cause.is !== "reason") return 0;
  const { reason } = cause;
  switch (reason.type) {
    case "Invalid":
    case "Immutable":
      return 0;
    case "FirstStamp":
    case "Restart":
      return 1;
    case "Source":
      return 3;
    case "Stamp":
      return 5;
    case "Template":
      if (isImage(reason.path)) return 2;
      return reason.path.startsWith("metadata") ? 5 : 4;
  }
}

/** Whether a field holds an image: images mostly differ at their ends, and people copy them. */
export function isImage(path: string): boolean {
  return /(?:^|\.)(?:image|image\.reference)$/u.test(path);
}
