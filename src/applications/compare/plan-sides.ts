import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { Account, NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { Manifests } from "../../yaml/read/items.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import type { PartFile } from "../discover/repeats.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";

/** One of the renderings that a plan compares, as it was read. */
export interface PlanSide {
  readonly read: Omit<ManifestFiles, "errors" | "unwanted">;
  /** A path as the other side has it as well. */
  readonly inSide: (path: string) => string;
  /** A path as people know it, whichever the revision. */
  readonly shown: (path: string) => string;
}

const NOTHING: PlanSide["read"] = { files: [], objects: 0, others: [], notExamined: [], findings: [] };

/** A side without files: what is not there, or the one stream that a command printed. */
export function streamSide(manifests: Manifests | undefined): PlanSide {
  const same = (path: string): string => path;
  if (manifests === undefined) return { read: NOTHING, inSide: same, shown: same };
  const { items } = manifests;
  const notExamined = renderedElsewhere(items, "rendering");
  const files = [{ path: "rendering", real: undefined, manifests, isNamed: true }];
  return { read: { ...NOTHING, files, objects: items.length, notExamined }, inSide: same, shown: same };
}

/** Both sides, with what was met on either. */
export interface PlanSides {
  /** By the paths that both sides have. */
  readonly base: readonly PartFile[];
  readonly head: readonly PartFile[];
  /** Without the workloads: they are the plan's to count. */
  readonly account: Account;
  /** Of files that can't be read. */
  readonly findings: readonly Finding<"unread-manifest">[];
  readonly others: readonly string[];
}

/**
 * Brings two sides together. A file that only one side can read is left out on both: that its objects are created or
 * deleted nobody can say. What neither side looked at is told once.
 */
export function joinSides(base: PlanSide, head: PlanSide): PlanSides {
  const unread = new Set([base, head].flatMap(unreadOf));
  const read = ({ read: { files }, inSide }: PlanSide): readonly ManifestFile[] =>
    unread.size === 0 ? files : files.filter(({ path }) => !unread.has(inSide(path)));
  const [baseFiles, headFiles] = [read(base), read(head)];
  return {
    base: baseFiles.map((file) => ({ path: base.inSide(file.path), file })),
    head: headFiles.map((file) => ({ path: head.inSide(file.path), file })),
    account: {
      examined: {
        files: baseFiles.length + headFiles.length,
        objects: base.read.objects + head.read.objects,
        workloads: 0,
        otherFiles: base.read.others.length + head.read.others.length,
      },
      notExamined: joinedRows(base, head),
    },
    findings: [...base.read.findings, ...head.read.findings],
    others: head.read.others.map(head.shown),
  };
}

function unreadOf({ read: { notExamined }, inSide }: PlanSide): string[] {
  const kinds: ReadonlySet<string> = new Set(["Manifest", "Template", "Unreadable", "TooLarge", "Encoding"]);
  return notExamined.filter(({ kind }) => kinds.has(kind)).map(({ path }) => inSide(path));
}

function joinedRows(base: PlanSide, head: PlanSide): NotExamined[] {
  const keyOf = ({ inSide }: PlanSide, { kind, path, name = "" }: NotExamined): string =>
    [kind, inSide(path), name].join("\n");
  const known = new Set(head.read.notExamined.map((row) => keyOf(head, row)));
  const gone = base.read.notExamined.filter((row) => !known.has(keyOf(base, row)));
  return [
    ...head.read.notExamined.map((row) => ({ ...row, path: head.shown(row.path) })),
    ...gone.map((row) => ({ ...row, path: base.shown(row.path) })),
  ];
}
