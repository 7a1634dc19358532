import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

// Every file beside the kustomization, in their order; where one is called broken.yaml it tells them as an error.
const SCRIPT = `#!/bin/sh
echo "$PWD" >> "\${0%/*}/starts"
[ -e broken.yaml ] && exec >&2
for file in *.yaml; do
  [ "$file" = kustomization.yaml ] || { echo ---; cat "$file"; }
done
[ ! -e broken.yaml ]
`;

/** Makes a `kustomize` that prints what stands beside a kustomization, and gives the PATH that finds it before another one. */
export function fakeKustomize(folder: string, path: string): string {
  const bin = join(folder, "fake-kustomize");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "kustomize"), SCRIPT);
  chmodSync(join(bin, "kustomize"), 0o755);
  return [bin, path].join(delimiter);
}

/** How often the fake `kustomize` of a folder was started in a folder whose path ends like that. */
export function startsOf(folder: string, end: string): number {
  const started = readFileSync(join(folder, "fake-kustomize", "starts"), "utf8")
    .trim()
    .split("\n");
  return started.filter((path) => path.endsWith(end)).length;
}
