/**
 * Flux's kustomize-controller on a test cluster. The part of its source-controller is played here: a GitRepository's
 * status names an archive on loopback.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import type { Api } from "./api.ts";
import type { Engine, Files, PushOptions, Reconciled } from "./engine-types.ts";
import { listAt, textAt } from "./fields.ts";
import { customKind } from "./custom-kind.ts";
import { eventually } from "./observe.ts";
import type { Parts } from "./parts.ts";

const NAMESPACE = "flux-system";
const HOST = "127.0.0.1";
const WAIT_SECONDS = 60;

/** The kinds of source-controller that kustomize-controller watches. */
const SOURCES = [
  { kind: "GitRepository", plural: "gitrepositories" },
  { kind: "OCIRepository", plural: "ocirepositories" },
  { kind: "Bucket", plural: "buckets" },
];

/** Starts the controller and its sources; `stop` of the parts ends it. */
export async function startFlux(parts: Parts, api: Api, built: string, folder: string): Promise<void> {
  const kinds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const crds = join(built, "crds");
  for (const name of readdirSync(crds)) await api.post(kinds, parse(readFileSync(join(crds, name), "utf8")));
  for (const { kind, plural } of SOURCES)
    await api.post(kinds, customKind({ group: GROUP, version: "v1", kind, plural }));
  await parts.until("Flux's kinds", async () => {
    const groups = [
      "kustomize.toolkit.fluxcd.io/v1/kustomizations",
      ...SOURCES.map(({ plural }) => `${GROUP}/v1/${plural}`),
    ];
    await Promise.all(groups.map((path) => api.get(`/apis/${path}`)));
    return true;
  });
  await api.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  // Without a flag for it, the controller reads the kubeconfig of its home.
  mkdirSync(join(folder, ".kube"));
  writeFileSync(join(folder, ".kube", "config"), readFileSync(join(folder, "admin.kubeconfig")), { mode: 0o600 });
  parts.start(
    "kustomize-controller",
    // The system chooses the port: of those that are free now, another test may take one.
    [`--health-addr=${HOST}:0`, "--metrics-addr=0", "--interval-jitter-percentage=0", "--log-level=error"],
    built,
  );
}

const GROUP = "source.toolkit.fluxcd.io";

/** A client of a started controller. */
export async function fluxOf(api: Api, folder: string): Promise<{ readonly flux: Engine; readonly close: () => void }> {
  const archives = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? "");
    response.writeHead(archive === undefined ? 404 : 200).end(archive);
  });
  const port = await listening(server);
  const made = new Set<string>();
  let commits = 0;

  const kustomization = (name: string): string =>
    `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${NAMESPACE}/kustomizations/${name}`;
  const repository = (name: string): string => `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/gitrepositories/${name}`;

  const reconciled = async (name: string, isDone: (object: unknown) => boolean): Promise<Reconciled> => {
    const deadline = Date.now() + WAIT_SECONDS * 1000;
    for (;;) {
      const object = await api.get(kustomization(name));
      const ready = listAt(object, "status", "conditions").find((one) => textAt(one, "type") === "Ready");
      const status = textAt(ready, "status");
      if (isDone(object) && (status === "True" || status === "False"))
        return { isReady: status === "True", message: textAt(ready, "message") };
      if (Date.now() > deadline) throw new Error(`${name} was not reconciled: ${JSON.stringify(object)}`);
      await sleep(50);
    }
  };

  const commit = async (name: string, files: Files, { prune = true, spec = {} }: PushOptions = {}): Promise<string> => {
    const revision = `main@sha1:${createHash("sha1")
      .update(`${name} ${(commits += 1)}`)
      .digest("hex")}`;
    const archive = archiveOf(files, folder);
    const path = `/${name}/${commits}.tar.gz`;
    archives.set(path, archive);
    if (!made.has(name)) {
      const metadata = { name, namespace: NAMESPACE };
      const url = "https://git.example.com/shop/deploy";
      await api.post(dirname(repository(name)), {
        apiVersion: `${GROUP}/v1`,
        kind: "GitRepository",
        metadata,
        spec: { url, interval: "1h" },
      });
    }
    await api.patch(`${repository(name)}/status`, {
      status: {
        conditions: [condition(revision)],
        artifact: {
          path,
          url: `http://${HOST}:${port}${path}`,
          revision,
          digest: `sha256:${createHash("sha256").update(archive).digest("hex")}`,
          lastUpdateTime: new Date().toISOString(),
          size: archive.length,
        },
      },
    });
    if (!made.has(name)) {
      made.add(name);
      const sourceRef = { kind: "GitRepository", name };
      await api.post(dirname(kustomization(name)), {
        apiVersion: "kustomize.toolkit.fluxcd.io/v1",
        kind: "Kustomization",
        metadata: { name, namespace: NAMESPACE },
        spec: { interval: "1h", path: "./", prune, sourceRef, ...spec },
      });
    }
    return revision;
  };

  const flux: Engine = {
    commit,
    push: async (name, files, options) => {
      const revision = await commit(name, files, options);
      return reconciled(name, (object) => textAt(object, "status", "lastAttemptedRevision") === revision);
    },
    reconcile: async (name) => {
      const requested = new Date().toISOString();
      const annotations = { "reconcile.fluxcd.io/requestedAt": requested };
      await api.patch(kustomization(name), { metadata: { annotations } });
      return reconciled(name, (object) => textAt(object, "status", "lastHandledReconcileAt") === requested);
    },
    remove: async (name) => {
      await api.delete(kustomization(name));
      const list = dirname(kustomization(name));
      await eventually(`${name} to be gone`, async () => {
        const names = listAt(await api.get(list), "items").map((one) => textAt(one, "metadata", "name"));
        return names.includes(name) ? "it is there" : "";
      });
    },
  };
  return { flux, close: () => void server.close() };
}

const condition = (message: string): object => ({
  type: "Ready",
  status: "True",
  reason: "Succeeded",
  message,
  lastTransitionTime: new Date().toISOString(),
});

function archiveOf(files: Files, folder: string): Buffer {
  const root = mkdtempSync(join(folder, "commit-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return execFileSync("tar", ["-C", root, "-cz", "."]);
}

function listening(server: Server): Promise<number> {
  return new Promise((done) =>
    server.listen(0, HOST, () => {
      const address = server.address();
      done(typeof address === "object" && address !== null ? address.port : 0);
    }),
  );
}
