import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const RENDERERS: ReadonlySet<string> = new Set(["helm", "kubectl", "kustomize"]);

/** This machine's PATH without programs that render: what a test sees must not depend on what is installed. */
export function pathWithoutRenderers(): string {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-programs-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((one) => one !== "");
  return folders.map((from, i) => withoutRenderers(from, join(folder, String(i)))).join(delimiter);
}

function withoutRenderers(from: string, to: string): string {
  const names = namesIn(from);
  if (!names.some((name) => RENDERERS.has(name))) return from;
  mkdirSync(to);
  for (const name of names) if (!RENDERERS.has(name)) symlinkSync(join(from, name), join(to, name));
  return to;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
