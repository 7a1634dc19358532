import type { NotExamined } from "../../findings/not-examined/not-examined.ts";

/** A row of what was not examined, as reports have it. */
export function rowOf({ path, kind, reason, name, builtFrom }: NotFound): NotExamined {
  return {
    path,
    kind,
    ...(name === undefined ? {} : { name }),
    reason,
    ...(builtFrom === undefined ? {} : { builtFrom }),
  };
}

/** What was met and is no application that can be told, with why. */
export interface NotFound extends NotExamined {
  /** True for what is wrong in the repository (status 1), false for what can't be known from it alone. */
  readonly isFailure: boolean;
  /** What of the reason is not there: reasons that differ in nothing else are alike. */
  readonly missing?: string;
  /** Where a rendering may show it as it is applied. */
  readonly isShown?: true;
  /** Where it is an application whose rendering fails. */
  readonly isUnrendered?: true;
}
