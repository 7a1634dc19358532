import type { Severity } from "./severity.ts";

/**
 * What is known of a kind of finding, whoever finds it: a row of the catalogue. `Causes` are the
 * parameters of each of its causes: names, keys, numbers and paths, never a value of a Secret.
 */
export interface Row<Id extends string, Causes> {
  /** Where neither its cause, nor who finds it, nor the configuration says another. */
  readonly severity: Severity;
  /** What it finds, in a few words. */
  readonly title: string;
  /** What to do about it in general; null where nothing is to be done. */
  readonly remedy: string | null;
  /** Where it is documented, in the repository and in the package. */
  readonly docs: DocsOf<Id>;
  readonly causes: { readonly [Cause in keyof Causes]: CauseRow<Causes[Cause]> };
}

/** A rule of lint has a page of its own, any other finding a heading of one page. */
export type DocsOf<Id extends string> = Id extends `RS${string}` ? `docs/rules/${Id}.md` : `docs/findings.md#${Id}`;

/** One of the causes that lead to a finding: what is told of it, and what to do. */
export interface CauseRow<Params> {
  readonly message: (params: Params) => string;
  /** GENERAL for the remedy of the row; null where nothing is to be done. */
  readonly remedy: typeof GENERAL | string | ((params: Params) => string | null) | null;
  /** Where this cause weighs less, or more, than the row says. */
  readonly severity?: Severity;
  /** What results carry for machines. */
  readonly tags?: (params: Params) => Tags;
}

export type Tags = Readonly<Record<string, string>>;

/** The row's own remedy fits the cause. */
export const GENERAL: unique symbol = Symbol("the row's own remedy");

/** Rows by their ids, from the parameters by id and cause: one without words, remedy or page doesn't compile. */
export type Rows<Findings> = { readonly [Id in keyof Findings & string]: Row<Id, Findings[Id]> };

/** A row whose parameters are not known to the reader: its causes are given what a finding carries for them. */
export interface AnyRow {
  readonly severity: Severity;
  readonly title: string;
  readonly remedy: string | null;
  readonly docs: string;
  readonly causes: Readonly<Record<string, AnyCause>>;
}

export interface AnyCause {
  readonly message: Words<string>;
  readonly remedy: typeof GENERAL | string | Words<string | null> | null;
  readonly severity?: Severity;
  readonly tags?: Words<Tags>;
}

// A method's parameters are compared both ways: so all causes are of this type, whatever theirs are. That
// the parameters fit is held where findings are made: the types of id, cause and parameters are one (FindingData).
type Words<T> = { of(params: object): T }["of"];
