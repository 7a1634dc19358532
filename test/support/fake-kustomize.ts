import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

// Every file beside the kustomization, in their order; where one is called broken.yaml it tells them as an error.
const SCRIPT = `#!/bin/sh
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
