import { alikeGroups, type Failure } from "../../base/alike.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { NotExaminedKind } from "../../findings/not-examined/not-examined-kinds.ts";
import type { NotExamined } from "../../findings/not-examined/not-examined.ts";
import type { Application } from "../discover/application.ts";
import type { NotFound } from "../discover/not-found.ts";
import type { AppSide } from "../render/shown-data.ts";

// Rows and findings for applications that were not rendered, or not completely.

/** Kinds of rows that are reported when plain manifests are read. */
export const PLAIN_KINDS: ReadonlySet<string> = new Set(["Manifest", "Template", "Unreadable", "TooLarge", "Encoding"]);

/** Whether an application consists of manifests that belong to no other one: they may see each other's objects. */
export function isPlain({ foundBy }: Pick<Application, "foundBy">): boolean {
  return foundBy === "Manifests" || foundBy === "Kptfile";
}

/** Whether a row is a failure in the repository. Failures of plain manifests are reported when they are read. */
export function isWrong({ isFailure, kind }: Pick<NotFound, "isFailure" | "kind">): boolean {
  return isFailure && !PLAIN_KINDS.has(kind);
}

/** An application that can't be rendered. */
export interface Failing extends Failure {
  readonly name: string;
  readonly path: string;
}

/** Applications that fail for the same reason are one finding. */
export function failureFindings(all: readonly Failing[]): readonly Finding<"unrendered-application">[] {
  return alikeGroups(all, (failing) => failing).map(({ all: [first, ...others], message: problem }) =>
    others.length === 0
      ? {
          id: "unrendered-application",
          cause: "failed",
          params: { application: first.name, path: first.path, problem },
        }
      : {
          id: "unrendered-application",
          cause: "severalFailed",
          params: { applications: [first, ...others].map(({ name }) => name), problem },
        },
  );
}

/** The row of an application that can't be rendered. */
export function unrenderedRow({ name, path, kind, foundBy }: Application, reason: string): NotExamined {
  const row = ROWS[foundBy] ?? (kind === "Helm" ? "Chart" : "Kustomization");
  return { path, kind: row, ...(name === path ? {} : { name }), reason };
}

const ROWS: Partial<Record<Application["foundBy"], NotExaminedKind>> = {
  Application: "Application",
  ApplicationSet: "ApplicationSet",
  FluxKustomization: "FluxKustomization",
  HelmRelease: "HelmRelease",
};

/** False for the kinds of objects that are applications themselves. */
export function isNoApplication({ kind }: NotExamined): boolean {
  return !APPLICATION_KINDS.has(kind);
}

const APPLICATION_KINDS: ReadonlySet<NotExaminedKind> = new Set(Object.values(ROWS));

/** Whether something that was found is, or shows, an application that must be rendered. */
export function mustRender({ kind }: NotExamined): boolean {
  return kind === "Kustomization" || kind === "Chart" || kind === "ResourceSet" || APPLICATION_KINDS.has(kind);
}

/** Rows for objects whose values an application uses although they are unknown here. */
export function unknownValues(
  ...sides: readonly (Pick<AppSide, "application" | "renderable"> | undefined)[]
): NotExamined[] {
  return sides.flatMap((side) => {
    if (side?.renderable.is !== "steps") return [];
    const definedIn = side.application.definedIn[0] ?? side.application.path;
    return (side.renderable.unknownValues ?? []).map(({ object, file, because }): NotExamined => ({
      path: file === "" ? definedIn : file,
      kind: "Values",
      name: object,
      reason: because,
    }));
  });
}
