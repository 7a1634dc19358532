import type { NotExamined } from "../examined/not-examined.ts";

/** What was met and is no application that can be told, with why. */
export interface NotFound extends NotExamined {
  /** True for what is wrong in the repository (status 1), false for what can't be known from it alone. */
  readonly isFailure: boolean;
  /** What of the reason is not there: reasons that differ in nothing else are alike. */
  readonly missing?: string;
}
