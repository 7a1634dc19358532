// Runs the command cmp as Argo CD's plugin server does: in the folder of an application, in a repository that was untarred without
// modes, with the environment of the server and the variables that Argo CD adds (reposerver/repository, newEnv and
// getPluginEnvs; cmpserver/plugin, runCommand).
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { command, installed, root, type Program, type Run } from "./programs.ts";
import { STANDALONE } from "./kustomize.ts";
import { temporaryFolder, type Tree } from "./trees.ts";

/** The Helm of Argo CD. */
export const HELM: Program = installed("helm3.sh");

/** The repository of fixtures/hosts/argocd, as the plugin server unpacks it; files go over it. */
export function repository(files: Readonly<Record<string, string>> = {}): Tree {
  const folder = temporaryFolder();
  cpSync(join(root, "fixtures", "hosts", "argocd"), folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const isFile = statSync(join(folder, path)).isFile();
    chmodSync(join(folder, path), isFile ? 0o644 : 0o755);
  }
  return { folder, build: folder };
}

/** What the programs of a sidecar find: the plugin, the renderers, and nothing else. */
export function sidecar(programs: readonly Program[] = [STANDALONE, HELM]): string {
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  symlinkSync(command, join(bin, "rollstamp"));
  symlinkSync(process.execPath, join(bin, "node"));
  symlinkSync("/usr/bin/env", join(bin, "env"));
  for (const program of programs) {
    if (program.found) symlinkSync(program.path, join(bin, program.path.slice(dirname(program.path).length + 1)));
  }
  return bin;
}

/** A parameter of an Application, as Argo CD sends it. */
export interface Parameter {
  readonly name: string;
  readonly string?: string;
  readonly array?: readonly string[];
  readonly map?: Readonly<Record<string, string>>;
}

export interface Call {
  readonly parameters?: readonly Parameter[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The folder of the plugin's programs. */
  readonly bin?: string;
  readonly tree?: Tree;
}

/** The environment of a call: the sidecar's, and what Argo CD adds. It has no HOME. */
export function environmentOf(
  path: string,
  { parameters, environment = {}, bin = sidecar() }: Call,
): NodeJS.ProcessEnv {
  return {
    PATH: [bin, "/nonexistent"].join(delimiter),
    ARGOCD_APP_NAME: "shop",
    ARGOCD_APP_NAMESPACE: "store",
    ARGOCD_APP_PROJECT_NAME: "default",
    ARGOCD_APP_REVISION: "4f3e2d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e",
    ARGOCD_APP_REVISION_SHORT: "4f3e2d1",
    ARGOCD_APP_REVISION_SHORT_8: "4f3e2d1c",
    ARGOCD_APP_SOURCE_PATH: path,
    ARGOCD_APP_SOURCE_REPO_URL: "https://git.example/shop",
    ARGOCD_APP_SOURCE_TARGET_REVISION: "main",
    KUBE_VERSION: "1.34.1",
    KUBE_API_VERSIONS: "v1,apps/v1,apps/v1/Deployment,shop.example/v1",
    ARGOCD_APP_PARAMETERS: JSON.stringify(parameters ?? null),
    ...environment,
  };
}

/** Calls the plugin in a folder of the repository, and gives what the server would get. */
export function cmp(subcommand: string, path: string, call: Call = {}): Run {
  const { tree = repository() } = call;
  const { status, stdout, stderr, error } = spawnSync("rollstamp", ["cmp", ...subcommand.split(" ")], {
    cwd: join(tree.folder, path),
    env: environmentOf(path, call),
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: 60_000,
  });
  if (error) throw error;
  return { status, stdout, stderr };
}
