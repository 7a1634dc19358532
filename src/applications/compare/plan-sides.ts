import { RollstampError } from "../../base/errors.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { notExaminedCounts, notExaminedGroups } from "../../findings/not-examined/account-words.ts";
import { renderedElsewhere } from "../../findings/not-examined/elsewhere.ts";
import type { Account, NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Files } from "../../platform/ports/files.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { PlannedRange, UnreadFile } from "../../reports/plan/plan-report.ts";
import { holdsNothing, readManifests, type Manifests } from "../../yaml/read/items.ts";
import type { ManifestFile } from "../../yaml/read/manifest-text.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { PartFile } from "../discover/repeats.ts";
import type { ManifestFiles } from "../inputs/manifest-files.ts";
import { readInputs } from "../inputs/read-inputs.ts";
import { PLAIN_KINDS } from "./not-rendered.ts";

/** One side of a plan, as it was read. */
export interface PlanSide {
  readonly read: Omit<ManifestFiles, "errors" | "unwanted">;
  /** A path relative to the side, so that it is the same on both sides. */
  readonly inSide: (path: string) => string;
  /** A path in reports. */
  readonly shown: (path: string) => string;
}

const NOTHING: PlanSide["read"] = {
  files: [],
  objects: 0,
  others: [],
  templates: new Map(),
  notExamined: [],
  findings: [],
};

/** A side without files: an empty one, or the stream that a command printed. */
export function streamSide(manifests: Manifests | undefined): PlanSide {
  const same = (path: string): string => path;
  if (manifests === undefined) return { read: NOTHING, inSide: same, shown: same };
  const { items } = manifests;
  const notExamined = renderedElsewhere(items, "rendering");
  const files = [{ path: "rendering", real: undefined, manifests, isNamed: true }];
  return { read: { ...NOTHING, files, objects: items.length, notExamined }, inSide: same, shown: same };
}

export interface PlanSides {
  /** Files by their paths relative to the side. */
  readonly base: readonly PartFile[];
  readonly head: readonly PartFile[];
  /** Without workloads, which the plan counts. */
  readonly account: Account;
  /** What can't be read. */
  readonly unread: Readonly<Record<"base" | "head", readonly Finding<"unreadable-manifest">[]>>;
  readonly others: readonly string[];
  /** What is not examined, and differs. */
  readonly changed: readonly UnreadFile[];
  /** The revisions, if the sides are revisions of a repository. */
  readonly compared?: PlannedRange;
}

/**
 * Joins two sides. A file that only one side can read is excluded from both, because its objects are not created or deleted.
 * Rows that both sides have are reported once.
 */
export function joinSides(base: PlanSide, head: PlanSide, areSame?: Files["areSame"]): PlanSides {
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
    unread: { base: base.read.findings, head: [...head.read.findings, ...changedTemplates(base, head)] },
    others: head.read.others.map(head.shown),
    changed: areSame === undefined ? [] : changedUnread(base, head, areSame),
  };
}

/** A warning for each template of manifests that changes: what happens to its objects is unknown. */
function changedTemplates(base: PlanSide, head: PlanSide): readonly Finding<"unreadable-manifest">[] {
  const textsIn = ({ read, inSide }: PlanSide): ReadonlyMap<string, string> =>
    new Map([...read.templates].map(([path, text]) => [inSide(path), text]));
  const [before, after] = [textsIn(base), textsIn(head)];
  const known = new Set(
    base.read.files.flatMap(({ path, manifests }) => (manifests.items.length > 0 ? [base.inSide(path)] : [])),
  );
  const isChanged = (path: string): boolean => known.has(path) || before.get(path) !== after.get(path);
  const changed = head.read.notExamined.filter(({ kind, path }) => kind === "Template" && isChanged(head.inSide(path)));
  const isGone = (path: string): boolean => before.has(path) && !after.has(path);
  const gone = base.read.notExamined.filter(({ kind, path }) => kind === "Template" && isGone(base.inSide(path)));
  return [...changed, ...gone].map(({ path, reason }) => ({
    id: "unreadable-manifest",
    cause: known.has(head.inSide(path)) ? "becameTemplate" : "changedTemplate",
    params: { problem: reason },
    place: { file: path },
    severityOverride: "warning",
  }));
}

/** What a plan of files does not read: what kustomize and Helm render, and files in another encoding. */
const NOT_READ: ReadonlySet<NotExamined["kind"]> = new Set(["Kustomization", "Chart", "Encoding"]);

function changedUnread(base: PlanSide, head: PlanSide, areSame: Files["areSame"]): readonly UnreadFile[] {
  const pathsIn = ({ read, inSide }: PlanSide): ReadonlyMap<string, string> =>
    new Map(read.notExamined.flatMap(({ kind, path }) => (NOT_READ.has(kind) ? [[inSide(path), path]] : [])));
  const [before, after] = [pathsIn(base), pathsIn(head)];
  const changed = [...after].flatMap(([key, path]) => {
    const old = before.get(key);
    return old === undefined || !areSame(old, path) ? [head.shown(path)] : [];
  });
  const gone = [...before].flatMap(([key, path]) => (after.has(key) ? [] : [base.shown(path)]));
  return [...changed, ...gone].map((path) => ({ path, mayApply: true }));
}

function unreadOf({ read: { notExamined }, inSide }: PlanSide): string[] {
  return notExamined.filter(({ kind }) => PLAIN_KINDS.has(kind)).map(({ path }) => inSide(path));
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

export interface PlanInputOptions {
  readonly git?: string;
  /** Two charts, which are rendered. */
  readonly chart?: readonly string[];
  readonly values?: readonly string[];
  readonly release?: string;
  readonly kubeVersion?: string;
  readonly skipSchemaValidation?: boolean;
  readonly namespace?: string;
  readonly render?: string;
  readonly allowEmpty?: boolean;
  readonly kustomizeInput?: boolean;
  /** BASE is the cluster. */
  readonly live?: boolean;
}

export interface SideReader {
  readonly io: Io;
  readonly options: PlanInputOptions;
  /** The real path of the configuration file, which is no manifest. */
  readonly configFile: string | undefined;
  /** Throws a RollstampError for manifests that can't be used by themselves. */
  readonly check: (manifests: readonly Manifests[]) => void;
}

/** Reads the manifests of one side. Undefined if some can't be read; the errors have been printed. */
export async function readSide(
  { io, options, configFile, check }: SideReader,
  paths: readonly string[],
  names: Pick<PlanSide, "inSide" | "shown">,
): Promise<PlanSide | undefined> {
  const [only = ""] = paths;
  const isOneFile = paths.length === 1 && io.files.kindOf(only) !== "folder";
  const read = await readInputs(io, paths, {
    configFile,
    kustomizeInput: options.kustomizeInput === true,
    check,
    onErrors: "stop",
    stdin: true,
    // An empty side is reported later, with its name.
    empty: isOneFile && options.allowEmpty === true ? "named" : "found",
  });
  return read === undefined ? undefined : { read, ...names };
}

/** The side that a command or a renderer printed. */
export function renderedSide(text: string, file: string, { context }: Io, { allowEmpty }: PlanInputOptions): PlanSide {
  const tree = readTree(text, file, context.limits);
  return streamSide(allowEmpty === true && holdsNothing(tree) ? undefined : readManifests(tree));
}

export interface NamedSide {
  readonly side: PlanSide;
  readonly name: string;
}

/**
 * Throws a RollstampError for a side without manifests: everything would count as created or deleted. If no side has
 * manifests, but something was not examined, the plan itself reports it.
 */
export function refuseEmpty({ allowEmpty }: PlanInputOptions, ...sides: readonly NamedSide[]): void {
  const empty = sides.find(({ side }) => side.read.objects === 0);
  if (allowEmpty === true || empty === undefined) return;
  if (sides.every(({ side }) => side.read.objects === 0 && side.read.notExamined.length > 0)) return;
  const { name, side } = empty;
  const { notExamined } = side.read;
  const [first] = notExaminedGroups(side.read, { command: "plan", verbose: false });
  const left = notExamined.length === 0 ? "" : `; not examined: ${notExaminedCounts(side.read)}`;
  throw new RollstampError("input", `there are no Kubernetes manifests in ${name}${left}`, {
    remedy: first === undefined ? ALLOW_EMPTY_REMEDY : `To examine it: ${first.look}. ${ALLOW_EMPTY_REMEDY}`,
  });
}

/** The remedy if something is missing on one side. */
export const ALLOW_EMPTY_REMEDY =
  "Everything would count as created or deleted. If this is intended, use --allow-empty.";
