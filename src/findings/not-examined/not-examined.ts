import type { NotExaminedKind } from "./not-examined-kinds.ts";

/** What a command met and did not look at (contract, section 1). */
export interface NotExamined {
  readonly path: string;
  readonly kind: NotExaminedKind;
  readonly reason: string;
  /** Of an object: `namespace/name`, or its name. */
  readonly name?: string;
  /** Of a file or folder that a kustomization above it builds from: that one's folder. */
  readonly builtFrom?: string;
  /** Of an application that can't be rendered: it is told as an error, and the exit status is 1. */
  readonly severity?: "error";
}

/** Tells such rows apart, whatever their reason. */
export function notExaminedKey({ path, kind, name = "" }: NotExamined): string {
  return `${path}\n${kind}\n${name}`;
}

/** What a command looked at. */
export interface Examined {
  /** Files that hold manifests; standard input and a rendering count as one. */
  readonly files: number;
  readonly objects: number;
  readonly workloads: number;
  /** Files of a manifest's name that hold none. */
  readonly otherFiles: number;
  /** Of a plan over applications: those that were rendered, and those that need not be. */
  readonly applications?: number;
}

/** What a command met: the fields that each of its reports has. */
export interface Account {
  readonly examined: Examined;
  readonly notExamined: readonly NotExamined[];
}

/** True where there was something to look at, and no workload was in what was looked at. */
export function isNothing({ examined, notExamined }: Account): boolean {
  return examined.workloads === 0 && (examined.applications ?? 0) === 0 && notExamined.length > 0;
}
