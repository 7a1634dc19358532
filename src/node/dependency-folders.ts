/** Folders with the files of Git and of dependencies, which nobody applies, and the file that shows that it is one. */
const NEVER_ENTERED: ReadonlyMap<string, string | undefined> = new Map([
  [".git", undefined],
  ["node_modules", undefined],
  // Go writes it (cmd/go, "go mod vendor").
  ["vendor", "modules.txt"],
]);

/** Whether files below a folder are not listed. `has`: whether the folder has a file. */
export function isNeverEntered(name: string, has: (file: string) => boolean): boolean {
  if (!NEVER_ENTERED.has(name)) return false;
  const mark = NEVER_ENTERED.get(name);
  return mark === undefined || has(mark);
}
