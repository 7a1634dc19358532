import type { Severity } from "./severity.ts";

/**
 * One kind of finding: a row of the catalogue. `Causes` maps each cause to its parameters: names, keys, numbers and
 * paths, never a value of a Secret.
 */
export interface Row<Causes> {
  /** The default: a cause, a finding and the configuration can set another. */
  readonly severity: Severity;
  /** What it finds, in a few words. */
  readonly title: string;
  /** What to do in general; null if no action is needed. */
  readonly remedy: string | null;
  readonly causes: { readonly [Cause in keyof Causes]: CauseRow<Causes[Cause]> };
}

export interface CauseRow<Params> {
  readonly message: (params: Params) => string;
  /** The message in at most about 80 characters, for a verdict. Default: the message. */
  readonly brief?: (params: Params) => string;
  /** Default: the remedy of the row. Null if no action is needed. */
  readonly remedy?: string | ((params: Params) => string | null) | null;
  /** Default: the severity of the row. */
  readonly severity?: Severity;
  /** What results carry for machines. */
  readonly tags?: (params: Params) => Tags;
}

export type Tags = Readonly<Record<string, string>>;

/** Rows by id, typed by the parameters of each id and cause. */
export type Rows<Findings> = { readonly [Id in keyof Findings & string]: Row<Findings[Id]> };

/** A row whose parameters the reader does not know. */
export interface AnyRow {
  readonly severity: Severity;
  readonly title: string;
  readonly remedy: string | null;
  readonly causes: Readonly<Record<string, AnyCause>>;
}

export interface AnyCause {
  readonly message: ForAnyParams<string>;
  readonly brief?: ForAnyParams<string>;
  readonly remedy?: string | ForAnyParams<string | null> | null;
  readonly severity?: Severity;
  readonly tags?: ForAnyParams<Tags>;
}

// TypeScript compares the parameters of a method in both directions, so every cause is assignable to this type. The
// type FindingData makes sure that a finding carries the parameters of its cause.
type ForAnyParams<T> = { call(params: object): T }["call"];
