import type { NotExamined } from "../examined/not-examined.ts";

/** What was met and is no application that can be told, with why. */
export interface NotFound extends NotExamined {
  /** True for what is wrong in the repository (status 1), false for what can't be known from it alone. */
  readonly isFailure: boolean;
}
