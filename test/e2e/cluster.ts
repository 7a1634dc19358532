/**
 * A real control plane on loopback, for one test file: etcd, kube-apiserver, the controllers and
 * the scheduler of a pinned release, and kwok in the kubelets' place. Nothing of it outlives the
 * process, whatever ends it.
 */
import { execFileSync } from "node:child_process";
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Document, parse, parseDocument, stringify } from "yaml";
import { inRoot } from "../support/paths.ts";
import { type Api, connect } from "./api.ts";
import { startArgoCD } from "./argocd-parts.ts";
import { startFlux } from "./flux.ts";
import { freePorts, type Parts, type PartSignal, startParts } from "./parts.ts";

/** A running control plane. */
export interface Cluster {
  /** A kubeconfig with every right. */
  readonly kubeconfig: string;
  /** A kubeconfig of user "nobody", who may do nothing until a binding says otherwise. */
  readonly powerless: string;
  /** The address of the API server. */
  readonly server: string;
  /** The API, with every right. */
  readonly api: Api;
  /** The folder that goes when the cluster stops: room for a test's files. */
  readonly folder: string;
  /** Kills every part and removes the folder. */
  readonly stop: () => Promise<void>;
  /** Halts the API server, lets it go on, or kills it. */
  readonly signal: (signal: PartSignal) => Promise<void>;
  /** Starts the API server again, once it has been killed; resolves when it is ready. */
  readonly restart: () => Promise<void>;
}

/** What a test may ask of its control plane. */
export interface ClusterOptions {
  /** How long a pod takes from scheduled to ready; the least available pods are seen in this time. */
  readonly podStartMilliseconds?: number;
  /** How long a pod takes to end. */
  readonly podStopMilliseconds?: number;
  readonly nodes?: number;
  /** etcd and the API server only: what is written stays as it is. */
  readonly serverOnly?: boolean;
  /** Feature gates of the API server and the controllers that are off by default. */
  readonly gates?: readonly string[];
  /** Controllers beside those that all tests need. */
  readonly controllers?: readonly string[];
  /** Argo Rollouts' kinds and their controller. */
  readonly rollouts?: boolean;
  /** Flux's kustomize-controller (flux.ts). */
  readonly flux?: boolean;
  /** Argo CD's repo-server and application controller (argocd-parts.ts). */
  readonly argocd?: boolean;
  /** Argo CD's source hydrator. */
  readonly hydrator?: boolean;
  /** Argo CD's controller of ApplicationSets. */
  readonly applicationSets?: boolean;
  /** Whether the API server asks admission webhooks: of what is installed no image runs that would answer. */
  readonly webhooks?: boolean;
}

/** A pod with this label is never ready. */
export const NEVER_READY = "never-ready";

const HOST = "127.0.0.1";

/** The path that a script of scripts/hosts prints, which installs or builds first if it has to. */
export function install(script: string): string {
  const path = inRoot(`scripts/hosts/${script}`);
  return execFileSync(path, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

const CONTROLLERS = [
  "deployment-controller",
  "replicaset-controller",
  "statefulset-controller",
  "daemonset-controller",
  "job-controller",
  "cronjob-controller",
  "namespace-controller",
  "garbage-collector-controller",
];

const WEBHOOKS = ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"];

/** Starts a control plane and waits until its nodes are ready. */
export async function startCluster({
  podStartMilliseconds = 300,
  podStopMilliseconds = 100,
  nodes = 3,
  serverOnly = false,
  gates = [],
  controllers = [],
  rollouts = false,
  flux = false,
  argocd = false,
  hydrator = false,
  applicationSets = false,
  webhooks = true,
}: ClusterOptions = {}): Promise<Cluster> {
  const built = install("cluster/build.sh");
  const argoRollouts = rollouts ? install("argo-rollouts.sh") : "";
  const argoCD = argocd
    ? { built: install("argocd.sh"), redis: install("miniredis.sh"), kustomize: install("kustomize.sh") }
    : undefined;
  const fluxcd = flux ? install("kustomize-controller.sh") : "";
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-e2e-"));
  const parts = startParts(join(built, "bin"), folder);
  try {
    const [etcdPort = 0, peerPort = 0, apiPort = 0] = await freePorts(HOST, 3);
    const on = gates.map((gate) => `${gate}=true`);
    const etcd = `http://${HOST}:${etcdPort}`;
    const peer = `http://${HOST}:${peerPort}`;
    const server = `https://${HOST}:${apiPort}`;
    const file = (name: string): string => join(folder, name);
    const tokens = { admin: randomBytes(16).toString("hex"), nobody: randomBytes(16).toString("hex") };
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    writeFileSync(file("service-account.key"), privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
    writeFileSync(file("tokens.csv"), `${tokens.admin},admin,1,system:masters\n${tokens.nobody},nobody,2,\n`, {
      mode: 0o600,
    });

    parts.start("etcd", [
      `--data-dir=${file("etcd")}`,
      `--listen-client-urls=${etcd}`,
      `--advertise-client-urls=${etcd}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=default=${peer}`,
      // Nothing here is worth a disk's latency: the data goes with the folder.
      "--unsafe-no-fsync",
      "--log-level=error",
    ]);
    const startServer = (): void =>
      parts.start("kube-apiserver", [
        `--etcd-servers=${etcd}`,
        `--bind-address=${HOST}`,
        `--advertise-address=${HOST}`,
        `--secure-port=${apiPort}`,
        `--cert-dir=${file("certificates")}`,
        `--token-auth-file=${file("tokens.csv")}`,
        "--anonymous-auth=false",
        // As in clusters that people run: agents of nodes are privileged.
        "--allow-privileged=true",
        "--authorization-mode=RBAC",
        `--service-account-issuer=${server}`,
        `--service-account-key-file=${file("service-account.key")}`,
        `--service-account-signing-key-file=${file("service-account.key")}`,
        "--service-cluster-ip-range=10.0.0.0/24",
        "--endpoint-reconciler-type=none",
        // No controller makes service accounts here, and none lifts the taint of a node that is not ready.
        `--disable-admission-plugins=${["ServiceAccount", "TaintNodesByCondition", ...(webhooks ? [] : WEBHOOKS)].join(",")}`,
        // Debian's etcd 3.4 sends no progress notifications: a watch that begins as a list would stall.
        `--feature-gates=${["WatchList=false", ...on].join(",")}`,
      ]);
    startServer();
    const certificate = file("certificates/apiserver.crt");
    await parts.until("the API server", () => readFileSync(certificate, "utf8").includes("END CERTIFICATE"));
    const ca = readFileSync(certificate, "utf8");
    const kubeconfig = writeKubeconfig(file("admin.kubeconfig"), server, certificate, "admin", tokens.admin);
    const powerless = writeKubeconfig(file("nobody.kubeconfig"), server, certificate, "nobody", tokens.nobody);
    const api = connect({ server, ca, token: tokens.admin });
    await parts.until("the API server", () => api.get("/readyz").then(() => true));
    const signal: Cluster["signal"] = (which) => parts.signal("kube-apiserver", which);
    const restart: Cluster["restart"] = async () => {
      startServer();
      await parts.until("the API server", () => api.get("/readyz").then(() => true));
    };
    const running: Cluster = { kubeconfig, powerless, server, api, folder, stop: parts.stop, signal, restart };
    if (serverOnly) return running;

    const delays = { "pod-ready": podStartMilliseconds, "pod-delete": podStopMilliseconds };
    const rates = ["--kube-api-qps=1000", "--kube-api-burst=2000"];
    parts.start("kube-controller-manager", [
      `--kubeconfig=${kubeconfig}`,
      `--controllers=${[...CONTROLLERS, ...controllers].join(",")}`,
      ...(on.length === 0 ? [] : [`--feature-gates=${on.join(",")}`]),
      "--leader-elect=false",
      "--secure-port=0",
      "--concurrent-deployment-syncs=20",
      "--concurrent-replicaset-syncs=20",
      "--concurrent-statefulset-syncs=20",
      "--concurrent-daemonset-syncs=10",
      ...rates,
    ]);
    parts.start("kube-scheduler", [`--kubeconfig=${kubeconfig}`, "--leader-elect=false", "--secure-port=0", ...rates]);
    writeFileSync(file("stages.yaml"), readStages(join(built, "stages"), delays));
    parts.start("kwok", [`--kubeconfig=${kubeconfig}`, `--config=${file("stages.yaml")}`, "--manage-all-nodes=true"]);

    await parts.until("the default namespace", () => api.get("/api/v1/namespaces/default").then(() => true));
    for (const index of Array(nodes).keys()) await api.post("/api/v1/nodes", node(`node-${index + 1}`));
    const ready = (name: string): Promise<boolean> =>
      api.get(`/api/v1/nodes/${name}`).then((got) => JSON.stringify(got).includes("KubeletReady"));
    await parts.until("the nodes", async () => {
      const states = await Promise.all([...Array(nodes).keys()].map((index) => ready(`node-${index + 1}`)));
      return states.every(Boolean);
    });
    if (rollouts) await startRollouts(parts, api, argoRollouts, kubeconfig);
    if (flux) await startFlux(parts, api, fluxcd, folder);
    if (argoCD !== undefined)
      await startArgoCD(parts, api, { ...argoCD, folder, server, token: tokens.admin, hydrator, applicationSets });
    return running;
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

/** Argo Rollouts: its kinds, and once they are served their controller. */
async function startRollouts(parts: Parts, api: Api, built: string, kubeconfig: string): Promise<void> {
  const kinds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const crds = join(built, "crds");
  for (const name of readdirSync(crds)) await api.post(kinds, parse(readFileSync(join(crds, name), "utf8")));
  await parts.until("Argo Rollouts' kinds", () => api.get("/apis/argoproj.io/v1alpha1/rollouts").then(() => true));
  const [metrics = 0, health = 0] = await freePorts(HOST, 2);
  parts.start(
    "rollouts-controller",
    [
      `--kubeconfig=${kubeconfig}`,
      "--leader-elect=false",
      `--metricsport=${metrics}`,
      `--healthzPort=${health}`,
      "--loglevel=warn",
      "--rollout-threads=20",
      "--qps=1000",
      "--burst=2000",
    ],
    built,
  );
}

function writeKubeconfig(path: string, server: string, certificate: string, user: string, token: string): string {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "e2e",
    contexts: [{ name: "e2e", context: { cluster: "e2e", user } }],
    clusters: [{ name: "e2e", cluster: { server, "certificate-authority": certificate } }],
    users: [{ name: user, user: { token } }],
  };
  writeFileSync(path, stringify(config), { mode: 0o600 });
  return path;
}

/**
 * kwok's own stages, but what happens to pods takes time, as in real life, and a pod is deleted
 * once. Left to itself kwok deletes again when it hears of its own deletion (the grace period has
 * become 0); it does so by name, and hits the pod that a StatefulSet created again meanwhile.
 */
function readStages(folder: string, delays: Readonly<Record<string, number>>): string {
  const stages = readdirSync(folder)
    .sort()
    .map((name) => parseDocument(readFileSync(join(folder, name), "utf8")));
  const stage = (name: string): Document => {
    const found = stages.find((one) => one.getIn(["metadata", "name"]) === name);
    if (!found) throw new Error(`${folder}: no stage ${name}`);
    return found;
  };
  for (const [name, delay] of Object.entries(delays))
    stage(name).setIn(["spec", "delay", "durationMilliseconds"], delay);
  stage("pod-delete").addIn(["spec", "selector", "matchExpressions"], {
    // kwok compares texts: to it a number is no value at all.
    key: ".metadata.deletionGracePeriodSeconds | tostring",
    operator: "NotIn",
    values: ["0"],
  });
  stage("pod-ready").addIn(["spec", "selector", "matchExpressions"], {
    key: `.metadata.labels["${NEVER_READY}"]`,
    operator: "DoesNotExist",
  });
  return stages.map((one) => one.toString()).join("---\n");
}

function node(name: string): unknown {
  const room = { cpu: "1000", memory: "1Ti", pods: "10000" };
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" } },
    status: { allocatable: room, capacity: room },
  };
}
