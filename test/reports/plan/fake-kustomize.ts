import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Repository } from "./repository.ts";

/** The environment with a kustomize that prints the other manifests of a folder, and what a kustomization includes. */
export function withFakeKustomize({ environment }: Repository): Readonly<Record<string, string>> {
  const bin = join(environment["TMPDIR"] ?? "", "fake-kustomize");
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh
[ "$1" = version ] && exec echo v5.0.0
[ "$1" = build ] || exit 1
print() {
  for file in "$1"/*.yaml; do case $file in */kustomization.yaml) ;; *) echo ---; cat "$file";; esac; done
  for base in $(sed -n 's/^- \\(\\.\\.[^ ]*\\)$/\\1/p' "$1/kustomization.yaml"); do print "$1/$base"; done
}
print .
`;
  writeFileSync(join(bin, "kustomize"), script, { mode: 0o755 });
  return { ...environment, PATH: [bin, environment["PATH"] ?? ""].join(delimiter) };
}
