import type { NotExaminedKind } from "./not-examined-kinds.ts";

/** Something that a command found but did not examine (contract, section 1). */
export interface NotExamined {
  readonly path: string;
  readonly kind: NotExaminedKind;
  readonly reason: string;
  /** For an object: `namespace/name`, or its name. */
  readonly name?: string;
  /** For a file or folder that a kustomization above it uses: the folder of that kustomization. */
  readonly builtFrom?: string;
  /** The part of the reason that names what is missing. Reasons that differ only there are the same. */
  readonly missing?: string;
  /** For an application that cannot be rendered: it is an error, and the exit status is 1. */
  readonly severity?: "error";
}

/** Identifies such a row, regardless of its reason. */
export function notExaminedKey({ path, kind, name = "" }: NotExamined): string {
  return `${path}\n${kind}\n${name}`;
}

export interface Examined {
  /** Files with manifests; standard input and a rendering count as one. */
  readonly files: number;
  readonly objects: number;
  readonly workloads: number;
  /** Files with the name of a manifest but without one. */
  readonly otherFiles: number;
  /** In a plan over applications: those that were rendered or did not need to be. */
  readonly applications?: number;
}

/** What a command found: part of each of its reports. */
export interface Account {
  readonly examined: Examined;
  readonly notExamined: readonly NotExamined[];
}

/** Whether there was something to examine, but no workload was examined. */
export function isNothing({ examined, notExamined }: Account): boolean {
  return examined.workloads === 0 && (examined.applications ?? 0) === 0 && notExamined.length > 0;
}
