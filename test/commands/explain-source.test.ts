import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli, type CliResult } from "../support/cli.ts";
import { configMap, deployment } from "../support/manifests.ts";

const ONE_KEY = deployment("worker", "settings").replace(
  /envFrom:[^]*$/u,
  "env: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: value}}}]\n",
);
const OTHER = ONE_KEY.replace("name: worker", "name: other").replace("key: value", "key: more");
const OUT = deployment("out", "settings").replace(
  "metadata:",
  'metadata:\n  annotations: {rollstamp.dev/stamp: "false"}',
);
const stdin = [
  configMap("settings", "s3cret"),
  deployment("web", "settings"),
  ONE_KEY,
  OTHER,
  OUT,
  deployment("x", "gone"),
].join("---\n");
const explain = (...args: string[]): Promise<CliResult> => cli(["explain", ...args, "-"], { stdin });
const workloads = (text: string): string[] =>
  [...text.matchAll(/^Deployment default\/(\w+),/gmu)].map(([, name]) => name ?? "");

describe("rollstamp explain of a source", () => {
  it("shows which workloads see it, how, and whether they are stamped with it, but no values", async () => {
    for (const kind of ["configmap", "cm", "ConfigMaps"]) {
      const { status, stdout, stderr } = await explain(`${kind}/settings`);
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^ConfigMap default\/settings\n {2}at +stdin:1:1\n {2}keys +value\n\n4 workloads see it\n/u);
      assert.deepEqual(workloads(stdout), ["web", "worker", "other", "out"]);
      assert.match(stdout, /worker[^]*stamped +yes: selection: All\n {2}seen as +value: variable A of container app/u);
      assert.match(stdout, /out, [^]*stamped +no: opted out by rollstamp\.dev\/stamp/u);
      assert.doesNotMatch(stdout + stderr, /s3cret/u);
    }
  });
  it("shows which workloads see one key", async () => {
    assert.deepEqual(workloads((await explain("configmap/settings", "--key", "value")).stdout), [
      "web",
      "worker",
      "out",
    ]);
    assert.deepEqual(workloads((await explain("configmap/settings", "--key", "more")).stdout), ["web", "other", "out"]);
  });
  it("shows which workloads see a source in another namespace", async () => {
    const elsewhere = configMap("settings", "a").replace("metadata:", "metadata:\n  namespace: shop");
    const cluster =
      "{apiVersion: external-secrets.io/v1, kind: ClusterExternalSecret, metadata: {name: db}, spec: {externalSecretSpec: {data: [{secretKey: a, remoteRef: {key: b}}]}}}\n";
    const db = deployment("api", "db").replace("configMapRef", "secretRef");
    for (const [text, ...args] of [
      [`${elsewhere}---\n${deployment("web", "settings")}`, "configmap/settings"],
      [`${elsewhere}---\n${deployment("web", "settings")}`, "configmap/settings", "-n", "shop"],
      [`${cluster}---\n${db}`, "secret/db"],
    ] as const) {
      const { stdout } = await cli(["explain", ...args, "-"], { stdin: text });
      assert.match(stdout, /1 workload sees it/u, args.join(" "));
      assert.doesNotMatch(stdout, /No workload/u, args.join(" "));
    }
  });
  it("shows a named source that is missing, and refuses another namespace, kind or name", async () => {
    assert.match((await explain("configmap/gone")).stdout, /at +not in the input\n\n1 workload sees it/u);
    for (const args of [["configmap/none"], ["secret/settings"], ["configmap/settings", "-n", "shop"]]) {
      const { status, stderr } = await explain(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, /no source '[^']*' was found/u);
    }
    assert.match((await explain("deployment/web", "--key", "a")).stderr, /--key needs a source/u);
  });
});
