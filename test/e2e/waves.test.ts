/** A change that forty workloads see, in eight commits: what rolls with each, on the real controllers (docs/guides/waves.md). */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { after, before, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { apply, rollstamp, succeeded } from "./commands.ts";
import { fieldAt, listAt, numberAt, textAt, textsAt } from "./fields.ts";
import { type Observer, observe } from "./observe.ts";

const WORKLOADS = 40;
const LIMIT = 5;
const COMMITS = WORKLOADS / LIMIT;
/** The commit that brings another image as well. */
const BUMP = 3;
const NAMESPACE = "waves";
const STAMP = "configmap.rollstamp.dev/ca";

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster();
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

const names = Array.from({ length: WORKLOADS }, (_, i) => `web-${String(i + 1).padStart(2, "0")}`);

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  namespace: ${NAMESPACE}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
        - name: app
          image: registry.example/web:1
          envFrom: [{configMapRef: {name: ca}}]
`;

const configMap = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ca, namespace: ${NAMESPACE}}\ndata: {BUNDLE: ${value}}\n`;

it(`${WORKLOADS} workloads in ${COMMITS} commits: at most ${LIMIT} roll at once, each of them once`, async () => {
  const [folder, bin] = [join(cluster.folder, "repository"), join(cluster.folder, "bin")];
  for (const each of [folder, bin]) mkdirSync(each);
  symlinkSync(inRoot("dist/rollstamp.cjs"), join(bin, "rollstamp"));
  const env = {
    PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
    HOME: cluster.folder,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@example.com",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@example.com",
    KUBECONFIG: cluster.kubeconfig,
    AT_ONCE: String(LIMIT),
    MANIFESTS: ".",
  };
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: folder, encoding: "utf8", env });
  const file = (name: string): string => join(folder, `${name}.yaml`);
  const write = (name: string, text: string): void => writeFileSync(file(name), text);
  const read = (name: string): string => readFileSync(file(name), "utf8");
  const waiting = (): string[] => names.filter((name) => read(name).includes("rollstamp.dev/waiting"));
  const commit = (message: string): void => {
    git("add", "--all");
    git("commit", "--quiet", "--message", message);
    git("push", "--quiet");
  };
  /** The job of the example, as GitHub's runner runs it. */
  const release = (): void => {
    execFileSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", releasing()], {
      cwd: folder,
      env,
      stdio: "pipe",
    });
  };
  /** Applies what is committed, as a GitOps engine would. */
  const applied = async (): Promise<void> => {
    succeeded("stamp --check", await rollstamp(["stamp", "--check", "--require-stamps", folder]));
    assert.equal(git("status", "--porcelain", "--branch").trim(), "## main...origin/main");
    await apply(cluster, "server", ["ca", ...names].map(read).join("---\n"), NAMESPACE);
  };
  const deployments = async (): Promise<readonly unknown[]> =>
    listAt(await cluster.api.get(`/apis/apps/v1/namespaces/${NAMESPACE}/deployments`), "items");

  git("init", "--quiet", "--bare", join(cluster.folder, "origin.git"));
  git("clone", "--quiet", join(cluster.folder, "origin.git"), ".");
  git("checkout", "--quiet", "-b", "main");
  git("config", "push.autoSetupRemote", "true");
  for (const name of names) write(name, deployment(name));
  write("ca", configMap("one"));
  await cluster.api.post("/api/v1/namespaces", { metadata: { name: NAMESPACE } });
  succeeded("stamp", await rollstamp(["stamp", folder]));
  commit("first");
  await applied();
  await observer.settled([NAMESPACE]);
  const [first = ""] = (await deployments()).map(stampOf);
  assert.match(first, /^h1-/u);

  // From here on: how many roll at any moment.
  let most = 0;
  const over = new AbortController();
  const watching = (async () => {
    while (!over.signal.aborted) {
      most = Math.max(most, (await deployments()).filter(isRolling).length);
      await sleep(50);
    }
  })();

  write("ca", configMap("two"));
  const bumped = names.at(-1) ?? assert.fail();
  const rolledIn: string[][] = [];
  for (let wave = 0; wave < COMMITS; wave += 1) {
    const recording = await observer.record([NAMESPACE]);
    if (wave === 0) {
      succeeded("stamp", await rollstamp(["stamp", folder, "--max-workloads", String(LIMIT)]));
      commit("a new bundle");
    } else if (wave === BUMP) {
      assert.ok(waiting().includes(bumped));
      write(bumped, read(bumped).replace("web:1", "web:2"));
      succeeded("stamp", await rollstamp(["stamp", folder, "--due", "--max-workloads", String(LIMIT)]));
      commit("web 2");
    } else release();
    await applied();
    await observer.settled([NAMESPACE]);
    const seen = [...(await recording.close())].filter(([, { created }]) => created > 0);
    for (const [key, { created, leastAvailable }] of seen)
      assert.deepEqual([created, leastAvailable >= 1], [2, true], `${key} in commit ${wave + 1}`);
    rolledIn.push(seen.map(([key]) => key.split("/")[2] ?? "").sort());
  }
  over.abort();
  await watching;

  assert.deepEqual(
    rolledIn.map(({ length }) => length),
    Array.from({ length: COMMITS }, () => LIMIT),
  );
  assert.deepEqual(rolledIn.flat().sort(), names, "each once");
  assert.ok(rolledIn[BUMP]?.includes(bumped), "the bump let it go in its own commit");
  assert.ok(most > 0 && most <= LIMIT, `${most} at once`);

  assert.deepEqual(waiting(), []);
  const now = await deployments();
  assert.equal(now.length, WORKLOADS);
  assert.equal(new Set(now.map(stampOf)).size, 1, "all have row stamp");
  assert.notEqual(stampOf(now[0]), first);
  for (const row of now) {
    const name = textAt(row, "metadata", "name");
    assert.equal(textsAt(row, "metadata", "annotations")["deployment.kubernetes.io/revision"], "2", name);
    assert.equal(textsAt(row, "metadata", "annotations")["rollstamp.dev/waiting"], undefined, name);
  }
  // Another run of the job commits nothing: there is nothing left.
  const last = git("rev-parse", "HEAD");
  release();
  assert.equal(git("rev-parse", "HEAD"), last);
  const status = await rollstamp(["status", "-n", NAMESPACE, "--kubeconfig", cluster.kubeconfig]);
  assert.equal(status.status, 0, status.stdout);
});

function releasing(): string {
  const { jobs } = parse(readFileSync(inRoot("examples/ci/github/waves.yml"), "utf8")) as {
    jobs: { next: { steps: { name?: string; run?: string }[] } };
  };
  const script = jobs.next.steps.find(({ name }) => name === "Release the next wave")?.run;
  return script ?? assert.fail();
}

function stampOf(object: unknown): string {
  return textsAt(fieldAt(object, "spec", "template"), "metadata", "annotations")[STAMP] ?? "";
}

/** Pods are being replaced. (The generation says nothing: a Deployment's counts its annotations too, as `waiting` is row.) */
function isRolling(object: unknown): boolean {
  const replicas = numberAt(object, "spec", "replicas");
  const counts = ["updatedReplicas", "availableReplicas", "replicas"];
  return counts.some((count) => numberAt(object, "status", count) !== replicas);
}
