import type { NotFound } from "../applications/discover/not-found.ts";
import type { NotExamined } from "../findings/not-examined/not-examined.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { alikeGroups, type Failure } from "../base/alike.ts";
import { PLAIN_KINDS } from "./plain-kinds.ts";

/** An application that can't be rendered, or told. */
export interface Failing extends Failure {
  readonly name: string;
  readonly path: string;
}

/** One of the applications that were to be looked at. */
export interface Failed extends Failing {
  readonly row: NotExamined;
}

/** Something wrong in the repository that is told by itself: of plain manifests whoever reads them tells. */
export function isWrong({ isFailure, kind }: Pick<NotFound, "isFailure" | "kind">): boolean {
  return isFailure && !PLAIN_KINDS.has(kind);
}

/** Those that fail alike are one finding. */
export function failureFindings(all: readonly Failing[]): readonly Finding<"unrendered-application">[] {
  return alikeGroups(all, (one) => one).map(({ all: [first, ...others], message: problem }) =>
    others.length === 0
      ? {
          id: "unrendered-application",
          cause: "failed",
          params: { application: first.name, path: first.path, problem },
        }
      : {
          id: "unrendered-application",
          cause: "several",
          params: { applications: [first, ...others].map(({ name }) => name), problem },
        },
  );
}
