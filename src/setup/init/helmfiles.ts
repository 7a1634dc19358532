import { posix } from "node:path";
import { isHelmfile, looksLikeHelmfile } from "../../base/hosts/helmfile.ts";
import type { InitFolder } from "../../platform/ports/files.ts";

/** The helmfiles of a folder, by name or by content, and those in its helmfile.d. */
export function helmfilesIn(folder: InitFolder): string[] {
  return ["*", "helmfile.d/*"]
    .flatMap((glob) => folder.find(`${glob}.{yaml,yml,gotmpl}`))
    .filter((path) => isHelmfile(path) || looksLikeHelmfile(folder.read(path) ?? ""));
}

/** The helmfiles of a repository, from its root; `others` are its files without manifests. */
export function helmfilesAmong(folder: InitFolder, others: readonly string[]): string[] {
  const templates = folder.findInRepository("**/*.gotmpl").map((path) => posix.join(folder.path, path));
  return [...others, ...templates]
    .filter((path) => isHelmfile(path) || looksLikeHelmfile(folder.read(posix.join(folder.repository, path)) ?? ""))
    .sort((a, b) => a.split("/").length - b.split("/").length || (a < b ? -1 : 1));
}
