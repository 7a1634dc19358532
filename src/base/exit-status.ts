/** 0 done; 1 findings of severity error, or a check found something; 2 bad input, configuration or usage. */
export type ExitStatus = 0 | 1 | 2;

export const DONE: ExitStatus = 0;
export const FOUND: ExitStatus = 1;
export const BAD: ExitStatus = 2;

/** The status of a run of several parts: that of the worst. */
export function worst(...statuses: readonly ExitStatus[]): ExitStatus {
  return statuses.reduce((a, b) => (b > a ? b : a), DONE);
}
