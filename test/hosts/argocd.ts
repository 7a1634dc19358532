// Argo CD's own plugin server, and a client that calls it like the repo-server.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parse } from "yaml";
import { environmentOf, type Call } from "./cmp.ts";
import { runPodman } from "./images.ts";
import { arrayOf, mapping, optionalMapping, type Mapping } from "./manifests.ts";
import { installed, root, type Program } from "./programs.ts";
import { temporaryFolder, type Tree } from "./trees.ts";

/** The folder with `server` and `client`, built from Argo CD's module. */
export const ARGOCD: Program = installed("argocd-cmp-server.sh");

/** A server that answers. */
export interface PluginServer {
  readonly socket: string;
  readonly stop: () => Promise<void>;
}

/** The sidecar as functions/argocd-cmp/repo-server.yaml has it. */
export function sidecarContainer(): Mapping {
  const deployment = mapping(parse(readFileSync(join(root, "functions", "argocd-cmp", "repo-server.yaml"), "utf8")));
  const pod = mapping(mapping(mapping(deployment["spec"])["template"])["spec"]);
  const [container, ...more] = arrayOf(pod["containers"]).map(mapping);
  assert.ok(container !== undefined && more.length === 0);
  return container;
}

/** Starts the server in the plugin's image, with the user, rights, variables and volumes of the sidecar. */
export async function startSidecar(image: string): Promise<PluginServer> {
  const container = sidecarContainer();
  const security = mapping(container["securityContext"]);
  assert.ok(security["readOnlyRootFilesystem"] === true && security["allowPrivilegeEscalation"] === false);
  const folder = temporaryFolder();
  const volumes = arrayOf(container["volumeMounts"])
    .map(mapping)
    .flatMap(({ name, mountPath }) => {
      const volume = join(folder, String(name));
      mkdirSync(volume);
      // As the kubelet makes an emptyDir.
      chmodSync(volume, 0o777);
      return ["--volume", `${volume}:${String(mountPath)}`];
    });
  const [entrypoint = "", ...args] = arrayOf(container["command"]).map(String);
  const { stdout, stderr, status } = runPodman([
    "run",
    "--detach",
    "--rm",
    "--network",
    "none",
    "--read-only",
    "--read-only-tmpfs=false",
    "--user",
    String(security["runAsUser"]),
    "--security-opt=no-new-privileges",
    ...arrayOf(mapping(security["capabilities"])["drop"]).flatMap((name) => ["--cap-drop", String(name)]),
    ...arrayOf(container["env"] ?? [])
      .map(mapping)
      .flatMap(({ name, value }) => ["--env", `${String(name)}=${String(value)}`]),
    ...volumes,
    // What Argo CD's init container puts into the volume var-files.
    "--volume",
    `${program("server")}:${entrypoint}:ro`,
    "--entrypoint",
    entrypoint,
    image,
    ...args,
  ]);
  assert.equal(status, 0, stderr);
  const id = stdout.trim();
  const socket = join(folder, "plugins", "rollstamp.sock");
  await untilThere(socket, () => runPodman(["logs", id]).stderr);
  return {
    socket,
    stop: () => {
      runPodman(["rm", "--force", "--time", "0", id]);
      return Promise.resolve();
    },
  };
}

/** The folder in which a server unpacks applications, each in a folder of its own. */
export function unpackedBelow(folder: string): string {
  return join(folder, "_cmp_server");
}

/**
 * Starts the server on this machine; `bin` is the folder of the programs that it finds, `environment` what the
 * sidecar's owner has set, `folder` where it works.
 */
export async function startServer(
  bin: string,
  environment: Readonly<Record<string, string>> = {},
  folder: string = temporaryFolder(),
): Promise<PluginServer> {
  const child = spawn(program("server"), ["--config-dir-path", join(root, "functions", "argocd-cmp")], {
    env: { PATH: bin, ARGOCD_PLUGINSOCKFILEPATH: folder, ARGOCD_CMP_WORKDIR: folder, TMPDIR: folder, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  const socket = join(folder, "rollstamp.sock");
  await untilThere(socket, () => said);
  await untilListening(socket, () => said);
  return {
    socket,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}

export interface Answer {
  /** Undefined where the server answers with an error. */
  readonly body: Mapping | undefined;
  readonly error: string;
}

/** Asks about the application at a path of a repository; the server unpacks what it is sent. */
export function ask(
  server: PluginServer,
  what: "match" | "generate" | "parameters",
  tree: Tree,
  path: string,
  call: Call & { readonly timeout?: string } = {},
): Answer {
  const { PATH: _, ...environment } = environmentOf(path, { ...call, bin: "" });
  const variables = Object.entries(environment).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${value}`],
  );
  const { status, stdout, stderr, error } = spawnSync(
    program("client"),
    [server.socket, what, join(tree.folder, path), tree.folder, call.timeout ?? "60s", ...variables],
    { encoding: "utf8", maxBuffer: 1 << 28, timeout: 90_000 },
  );
  if (error) throw error;
  return { body: status === 0 ? optionalMapping(JSON.parse(stdout)) : undefined, error: stderr };
}

/** The manifests of an answer, as one stream. */
export function manifestsOf({ body, error }: Answer): string {
  assert.ok(body !== undefined, error);
  return arrayOf(body["manifests"]).map(String).join("\n---\n");
}

function program(name: string): string {
  assert.ok(ARGOCD.found, "the suite is skipped where the server is missing");
  return join(ARGOCD.path, name);
}

async function untilThere(file: string, log: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (existsSync(file)) return;
    await wait(100);
  }
  assert.fail(`the server does not listen: ${log()}`);
}

/** A socket is there a moment before anybody listens at it. */
async function untilListening(socket: string, log: () => string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const isListening = await new Promise<boolean>((resolve) => {
      const connection = connect(socket, () => {
        connection.destroy();
        resolve(true);
      });
      connection.once("error", () => resolve(false));
    });
    if (isListening) return;
    await wait(50);
  }
  assert.fail(`the server does not listen: ${log()}`);
}
