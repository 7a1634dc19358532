import { comparing, type Limits } from "../../base/limits.ts";
import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { addTo } from "../../base/grouped.ts";

/** An object that selects pods of its namespace. */
export interface Selecting<T> {
  readonly namespace: string;
  readonly selector: LabelSelector;
  readonly value: T;
}

/** The cost of matching one selector with the labels of one pod template, in comparisons of characters. */
const STEPS_OF_A_SELECTOR = 100;

/** Finds the objects that select pods with some labels, in input order. */
export type FindSelecting<T> = (namespace: string, labels: ReadonlyMap<string, string>) => readonly T[];

/**
 * Indexes objects by the rarest label that each requires, so that pods are compared only with selectors that require
 * one of their labels. A selector without such a label is compared with all pods of its namespace.
 */
export function indexSelectors<T>(rows: readonly Selecting<T>[], limits: Limits | undefined): FindSelecting<T> {
  const frequency = new Map<string, number>();
  for (const row of rows) for (const key of labelKeys(row)) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  const byLabel = new Map<string, Place<T>[]>();
  rows.forEach((row, index) => {
    const rarest = labelKeys(row).reduce<string | undefined>(
      (least, key) => (least === undefined || (frequency.get(key) ?? 0) < (frequency.get(least) ?? 0) ? key : least),
      undefined,
    );
    const key = rarest ?? anyKey(row.namespace);
    addTo(byLabel, key, { row, index });
  });
  const known = new Map<string, readonly T[]>();
  const spend = comparing("selectors with pods");
  return (namespace, labels) => {
    // Many pods have the same labels.
    const id = JSON.stringify([namespace, [...labels].sort()]);
    let found = known.get(id);
    if (found === undefined) known.set(id, (found = find(namespace, labels)));
    // The caller iterates over the result.
    else count(found.length);
    return found;
  };

  function count(steps: number): void {
    if (limits !== undefined) spend(steps * STEPS_OF_A_SELECTOR, limits);
  }

  function find(namespace: string, labels: ReadonlyMap<string, string>): T[] {
    const asked = [anyKey(namespace), ...[...labels].map(([key, value]) => labelKey(namespace, key, value))];
    const candidates = asked.flatMap((key) => byLabel.get(key) ?? []);
    count(candidates.length);
    return candidates
      .filter(({ row }) => matchesSelector(row.selector, labels))
      .sort((a, b) => a.index - b.index)
      .map(({ row }) => row.value);
  }
}

interface Place<T> {
  readonly row: Selecting<T>;
  readonly index: number;
}

function labelKeys({ namespace, selector }: Selecting<unknown>): string[] {
  return selector.flatMap(({ key, operator, values }) => {
    const [only, ...others] = values;
    return operator === "In" && only !== undefined && others.length === 0 ? [labelKey(namespace, key, only)] : [];
  });
}

/** Identifies a label of the objects of a namespace. */
export function labelKey(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`;
}

function anyKey(namespace: string): string {
  return namespace;
}
