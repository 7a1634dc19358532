// The project's images, built by its Dockerfile and run with podman.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { installed, root, run, type Program, type Run } from "./programs.ts";

/** A folder with `podman`, and with the `docker` that kustomize calls. */
export const engine: Program = installed("podman.sh");

/** podman itself. */
export const podman: Program = engine.found ? { found: true, path: join(engine.path, "podman") } : engine;

/** The engine in the place of Docker, for kustomize and for kpt. */
export function withEngine(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  assert.ok(engine.found, "the suite is skipped where the engine is missing");
  return {
    ...env,
    PATH: `${engine.path}${delimiter}${env["PATH"] ?? ""}`,
    KRM_FN_RUNTIME: "podman",
    KPT_FN_RUNTIME: "podman",
  };
}

/** Builds an image of this checkout and gives its name; one that is there already costs nothing. */
export function builtImage(target: "function" | "argocd-cmp"): string {
  const script = join(root, "scripts", "hosts", "images.sh");
  const { status, stdout, stderr } = spawnSync(script, [target], { encoding: "utf8", timeout: 300_000 });
  assert.equal(status, 0, `the image ${target} can't be built: ${stderr}`);
  return stdout.trim();
}

/** The tag under which users get the image; documentation and examples name it. */
export const PUBLISHED = "ghcr.io/rollstamp/rollstamp:v0.1.0";

/** Runs podman, whatever its status. */
export function runPodman(args: readonly string[], input = ""): Run {
  return run(podman, args, { cwd: root, env: process.env, input });
}

/** Folders of programs, first on PATH. */
export function pathOf(programs: readonly Program[], env: NodeJS.ProcessEnv): string {
  const folders = programs.map((program) => {
    assert.ok(program.found, "the suite is skipped where a program is missing");
    return dirname(program.path);
  });
  return [...folders, env["PATH"] ?? ""].join(delimiter);
}
