import type { Application } from "../applications/discover/application.ts";
import type { NotExaminedKind } from "../findings/not-examined/not-examined-kinds.ts";
import type { NotExamined } from "../findings/not-examined/not-examined.ts";

/** An application that can't be rendered, as what was not looked at. */
export function unrenderedRow({ name, path, kind, foundBy }: Application, problem: string): NotExamined {
  const row = ROWS[foundBy] ?? (kind === "Helm" ? "Chart" : "Kustomization");
  return { path, kind: row, ...(name === path ? {} : { name }), reason: problem };
}

const ROWS: Partial<Record<Application["foundBy"], NotExaminedKind>> = {
  Application: "Application",
  ApplicationSet: "ApplicationSet",
  FluxKustomization: "FluxKustomization",
  HelmRelease: "HelmRelease",
};

/** False for what is an application itself, or is told as none. */
export function isNoApplication({ kind }: NotExamined): boolean {
  return !APPLICATION_KINDS.has(kind);
}

const APPLICATION_KINDS: ReadonlySet<NotExaminedKind> = new Set(Object.values(ROWS));
