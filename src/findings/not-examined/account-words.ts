import { alikeGroups } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import { counted, containsPath, shellPath, shellWord } from "../../base/words.ts";
import { NOT_EXAMINED_ORDER, notExaminedRow, type NotExaminedRow } from "./not-examined-kinds.ts";
import type { Account, NotExamined } from "./not-examined.ts";

/** The commands with paths, whose suggestions differ. */
export type Looking = "stamp" | "restart" | "plan" | "lint" | "graph" | "explain" | "digest" | "migrate";

export interface AccountOptions extends Naming {
  readonly command: Looking;
}

export interface Naming {
  /** Whether all names are listed; otherwise only a few. */
  readonly verbose?: boolean;
}

/** Everything of one kind that was not examined. */
export interface NotExaminedGroup {
  /** `3 kustomizations`. */
  readonly what: string;
  /** The names to list; all if there are few. */
  readonly names: readonly string[];
  /** How many names are not listed. */
  readonly more: number;
  /** If there is one: what it is, and its path if its name doesn't have it. */
  readonly only?: OnlyOne;
  /** What would examine it. */
  readonly look: string;
}

interface OnlyOne {
  readonly what: string;
  readonly name: string;
  readonly path?: string;
}

const FEW = 5;
const FIRST = 3;

/** What was not examined, by kind. */
export function notExaminedGroups(
  { notExamined }: Pick<Account, "notExamined">,
  { command, verbose = false }: AccountOptions,
): NotExaminedGroup[] {
  return NOT_EXAMINED_ORDER.flatMap((kind) => {
    const all = notExamined.filter((row) => row.kind === kind);
    const row = notExaminedRow(kind);
    const errors = all.filter(hasError);
    return [
      ...(errors.length === 0 ? [] : [{ all: errors, message: "" }]),
      ...byReason(
        row,
        all.filter((one) => !hasError(one)),
      ),
    ].flatMap(({ all: rows, message }) => {
      const [first] = rows;
      if (first === undefined) return [];
      const names = rows.map(nameOf);
      const shown = verbose || names.length <= FEW ? names : names.slice(0, FIRST);
      return {
        what: counted(rows.length, row.singular, row.plural),
        names: shown,
        more: names.length - shown.length,
        ...(rows.length === 1 ? { only: onlyOf(row, first) } : {}),
        look: hasError(first)
          ? REPORTED_AS_ERROR
          : message !== ""
            ? message
                .split("\n")
                .map((line) => line.trim())
                .filter((line) => line !== "")
                .join(" ")
            : lookAt(row, rows.length === 1 ? first : undefined, command),
      };
    });
  });
}

/** Whether an error finding describes it in detail. */
function hasError({ severity }: NotExamined): boolean {
  return severity === "error";
}

/**
 * What is rendered was looked at, or an application without a part: the reason why something is missing says more than the
 * kind.
 */
function isOwnReason({ objects, render, reason }: NotExaminedRow, row: NotExamined): boolean {
  return (objects !== undefined || render !== undefined || row.missing !== undefined) && row.reason !== reason;
}

/** The rows of one kind, grouped by such reasons; of many reasons, those of most rows. */
function byReason(
  kind: NotExaminedRow,
  rows: readonly NotExamined[],
): readonly { readonly all: readonly NotExamined[]; readonly message: string }[] {
  const groups = alikeGroups(rows, (row) => {
    const { reason, missing } = row;
    if (!isOwnReason(kind, row)) return { message: "" };
    return { message: reason, ...(missing === undefined ? {} : { missing }) };
  });
  if (groups.length <= FEW) return groups;
  const most = groups.toSorted((a, b) => b.all.length - a.all.length).slice(0, FEW - 1);
  const others = groups.filter((group) => !most.includes(group)).flatMap(({ all }) => all);
  return [...most, { all: others, message: "" }];
}

const REPORTED_AS_ERROR = "see unrendered-application";

function onlyOf({ singular }: NotExaminedRow, { path, name = path }: NotExamined): OnlyOne {
  return { what: singular, name, ...(containsPath(name, path) ? {} : { path }) };
}

function nameOf({ path, name }: NotExamined): string {
  return name === undefined ? path : containsPath(name, path) ? name : `${name} in ${path}`;
}

/** What would examine the only one of a kind, or each of several. */
function lookAt(row: NotExaminedRow, only: NotExamined | undefined, command: Looking): string {
  const { render, remedy = "" } = row;
  if (render === undefined) return remedy;
  const folder = only === undefined ? "FOLDER" : shellPath(only.builtFrom ?? only.path);
  const rendered = LOOKS[command](render(folder));
  if (row !== notExaminedRow("Kustomization")) return rendered;
  const wired = command === "stamp" ? `, or rollstamp init kustomize ${folder}` : "";
  return `${rendered}${wired}; --kustomize-input reads the files as they are`;
}

/** How each command examines the output of a render command. */
const LOOKS: Readonly<Record<Looking, (render: string) => string>> = {
  stamp: (render) => `${render} | rollstamp stamp --check -`,
  restart: () => "a restart is written to the source files, not to a rendering",
  plan: (render) => `rollstamp plan --git A..B --render ${shellWord(render)}`,
  lint: (render) => `${render} | rollstamp lint -`,
  graph: (render) => `${render} | rollstamp graph -`,
  explain: (render) => `${render} | rollstamp explain KIND/NAME -`,
  digest: (render) => `${render} | rollstamp digest -`,
  migrate: (render) => render,
};

/** One line for each kind that was not examined: the number, the names, and what would examine it. */
export function notExaminedLines(account: Pick<Account, "notExamined">, options: AccountOptions): string[] {
  return notExaminedGroups(account, options).map(
    ({ what, names, more, look }) =>
      `not examined: ${what} (${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}): ${look}`,
  );
}

/** `3 kustomizations and 2 charts`. */
export function notExaminedCounts({ notExamined }: Pick<Account, "notExamined">): string {
  const counts = NOT_EXAMINED_ORDER.flatMap((kind) => {
    const n = notExamined.filter((row) => row.kind === kind).length;
    const { singular, plural } = notExaminedRow(kind);
    return n === 0 ? [] : [counted(n, singular, plural)];
  });
  const last = counts.pop() ?? "nothing";
  return counts.length === 0 ? last : `${counts.join(", ")} and ${last}`;
}

/** The sentence of a report that examined nothing. */
export function nothingWords(account: Pick<Account, "notExamined">): string {
  return `Nothing was examined: no workload in the input; not examined: ${notExaminedCounts(account)}`;
}

/** The error of a run that examined no workload although there may be some. */
export function nothingExamined(account: Account, options: AccountOptions): RollstampError {
  const [first] = notExaminedGroups(account, options);
  return new RollstampError(
    "input",
    `nothing was examined: no workload in the input; not examined: ${notExaminedCounts(account)}`,
    first === undefined ? {} : { remedy: `To examine them: ${first.look}` },
  );
}
