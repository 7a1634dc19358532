// Installs the function where hosts find it: `rollstamp` on PATH, and kustomize's legacy exec plugin.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { command } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

/** The environment in which a host calls the function by its name. */
export interface Wiring {
  readonly env: NodeJS.ProcessEnv;
}

/** rollstamp itself, as it ships. */
export const rollstamp: Wiring = wire((path) => symlinkSync(command, path));

/**
 * A function that hands back what it got. What a host makes of it is the host's own doing, so the
 * difference between the two wirings is ours.
 */
export const identity: Wiring = wire((path) => {
  writeFileSync(path, "#!/bin/sh\nexec cat\n");
  chmodSync(path, 0o755);
});

/** Puts the function where the hosts look for it; `place` writes an executable at a path. */
export function wire(place: (path: string) => void): Wiring {
  const folder = temporaryFolder();
  const bin = join(folder, "bin");
  mkdirSync(bin);
  place(join(bin, "rollstamp"));
  for (const kind of ["ConfigHash", "RolloutLint"]) {
    const plugin = join(folder, "plugin", "rollstamp.dev", "v1alpha1", kind.toLowerCase());
    mkdirSync(plugin, { recursive: true });
    place(join(plugin, kind));
  }
  // The command's first line asks env for node: it has to be the Node that runs the tests.
  symlinkSync(process.execPath, join(bin, "node"));
  return {
    env: {
      ...withoutOurVariables(process.env),
      PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
      KUSTOMIZE_PLUGIN_HOME: join(folder, "plugin"),
    },
  };
}

/** A key or a configuration of whoever runs the tests would change what the function does. */
function withoutOurVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("ROLLSTAMP_")));
}
