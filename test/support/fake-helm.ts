import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";

/** What a chart renders to, for the Helm that stands for the real one here: the tests of the hosts have that. */
export const RENDERED = "rendered.yaml";

/** Makes a `helm` that prints the file rendered.yaml of the chart in which it runs, and gives the PATH that finds it. */
export function fakeHelm(folder: string): string {
  const bin = join(folder, "fake-helm");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "helm"), `#!/bin/sh\n[ "$1" = version ] && exec echo v3.22.0\nexec cat ${RENDERED}\n`);
  // Some machines have kubectl, which would build kustomizations.
  writeFileSync(join(bin, "kubectl"), "#!/bin/sh\nexit 1\n");
  for (const name of ["helm", "kubectl"]) chmodSync(join(bin, name), 0o755);
  return [bin, "/usr/bin", "/bin"].join(delimiter);
}
