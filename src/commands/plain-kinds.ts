import type { Application } from "../applications/discover/application.ts";

/** What the reading of plain manifests tells itself. */
export const PLAIN_KINDS: ReadonlySet<string> = new Set(["Manifest", "Template", "Unreadable", "TooLarge", "Encoding"]);

/** True for manifests that nobody has made an application of: they may see each other's objects. */
export function isPlain({ foundBy }: Pick<Application, "foundBy">): boolean {
  return foundBy === "Manifests" || foundBy === "Kptfile";
}
