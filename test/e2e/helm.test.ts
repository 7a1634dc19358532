/** Releases on a real API server, by both Helms, with rollstamp as their post-renderer. */
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { chart, elsewhere, HELMS, POST_RENDERER, prepare, type Helm } from "../hosts/helm.ts";
import { root, run, succeed, unlessFound, type Run } from "../hosts/programs.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { textsAt } from "./fields.ts";
import { type Observer, observe } from "./observe.ts";
import { chain, NODES } from "./rounds.ts";

let cluster: Cluster;
let observer: Observer;

before(async () => {
  cluster = await startCluster({ nodes: NODES });
  observer = await observe(cluster);
});

after(async () => {
  observer?.stop();
  await cluster?.stop();
});

const INSTALL = ["install", "--create-namespace"];
const UPGRADE = ["upgrade"];

for (const which of HELMS) {
  describe(which.name, { concurrency: false, skip: unlessFound(which.program) }, () => {
    const then = chain();
    const helm = elsewhere(which);

    then("knows the post-renderer", () => Promise.resolve(prepare(helm)));
    for (const checksums of ["Remove", "Keep"] as const) {
      describe(`checksums: ${checksums}`, { concurrency: false }, () => {
        trial(helm, checksums, `helm-${which.version}-${checksums.toLowerCase()}`);
      });
    }
  });
}

/** Annotations of the pod templates, by workload. */
type Stamps = ReadonlyMap<string, Readonly<Record<string, string>>>;

interface State {
  readonly revisions: ReadonlyMap<string, number>;
  readonly stamps: Stamps;
}

function trial(helm: Helm, checksums: "Remove" | "Keep", namespace: string): void {
  const then = chain();
  let release: (verb: readonly string[], folder: string, args?: readonly string[]) => string;
  let installed: State;
  let changed: State;
  let bumped = "";

  then("installs", async () => {
    const config = join(cluster.folder, `${namespace}.yaml`);
    writeFileSync(config, configuration(checksums));
    bumped = join(cluster.folder, `${namespace}-bumped`);
    cpSync(chart("rollouts"), bumped, { recursive: true });
    const file = join(bumped, "Chart.yaml");
    writeFileSync(file, readFileSync(file, "utf8").replace("version: 0.1.0", "version: 0.2.0"));
    release = (verb, folder, args = []) =>
      succeed(helm.program, [...verb, "app", folder, "--namespace", namespace, ...POST_RENDERER, ...args], {
        cwd: root,
        env: { ...helm.env, KUBECONFIG: cluster.kubeconfig, ROLLSTAMP_CONFIG: config },
      });
    release(INSTALL, chart("rollouts"));
    installed = await state(namespace);
    assert.deepEqual([...installed.stamps.keys()], ["app-cache", "app-own-checksum", "app-web"]);
    for (const [name, stamps] of installed.stamps) {
      const keepsOwn = checksums === "Keep" && name === "app-own-checksum";
      const keptChecksums = keepsOwn ? ["checksum/config"] : [];
      const source = name === "app-cache" ? "app-cache" : "app-settings";
      assert.deepEqual(Object.keys(stamps).sort(), [...keptChecksums, `configmap.rollstamp.dev/${source}`]);
    }
  });

  then("an upgrade without a change: no rollout", async () => {
    release(UPGRADE, chart("rollouts"));
    assert.deepEqual(rolled(installed, await state(namespace)), []);
  });

  then("a changed value: one rollout of the workloads that see it", async () => {
    release(UPGRADE, chart("rollouts"), ["--set", "level=debug"]);
    changed = await state(namespace);
    assert.deepEqual(rolled(installed, changed), ["app-own-checksum", "app-web"]);
  });

  then("a new version of the chart: no rollout, except by checksums that the chart keeps", async () => {
    release(UPGRADE, bumped, ["--set", "level=debug"]);
    assert.deepEqual(rolled(changed, await state(namespace)), checksums === "Keep" ? ["app-own-checksum"] : []);
  });

  then("a rollback restores the old stamps", async () => {
    const earlier = await state(namespace);
    const env = { ...helm.env, KUBECONFIG: cluster.kubeconfig };
    succeed(helm.program, ["rollback", "app", "1", "--namespace", namespace], { cwd: root, env });
    const back = await state(namespace);
    assert.deepEqual(back.stamps, installed.stamps);
    assert.deepEqual(rolled(earlier, back), ["app-own-checksum", "app-web"]);
  });

  then("a refused upgrade does not change the release", async () => {
    const earlier = await state(namespace);
    const env = { ...helm.env, KUBECONFIG: cluster.kubeconfig };
    const history = (): string =>
      succeed(helm.program, ["history", "app", "--namespace", namespace, "-o", "json"], { cwd: root, env });
    const revisions = history();
    const strict = join(cluster.folder, `${namespace}-strict.yaml`);
    writeFileSync(strict, `${configuration(checksums)}  missing: Error\n`);
    for (const [name, says] of REFUSED) {
      const refused: Run = run(
        helm.program,
        ["upgrade", "app", chart(name), "--namespace", namespace, ...POST_RENDERER],
        { cwd: root, env: { ...env, ROLLSTAMP_CONFIG: strict } },
      );
      assert.notEqual(refused.status, 0, name);
      assert.match(refused.stderr, says);
    }
    assert.deepEqual(await state(namespace), earlier);
    assert.equal(history(), revisions, "no revision was begun");
  });
}

/** Charts that can't be released, and what Helm says of each. */
const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["failing", /no image is set/],
  ["missing", /in missing\/templates\/web\.yaml.*ConfigMap \S*app-settings.*\(RS001\)/],
  ["nothing", /the input contains no Kubernetes object/],
  ["stray", /stray\/templates\/hint\.yaml/],
];

function configuration(checksums: string): string {
  return `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec:\n  checksums: ${checksums}\n`;
}

/** What the workloads have when they are at rest. */
async function state(namespace: string): Promise<State> {
  const workloads = [...(await observer.settled([namespace]))].sort(([a], [b]) => (a < b ? -1 : 1));
  const name = (key: string): string => key.split("/")[2] ?? "";
  return {
    revisions: new Map(workloads.map(([key, { revision }]) => [name(key), revision])),
    stamps: new Map(
      workloads.map(([key, { object }]) => [name(key), textsAt(object, "spec", "template", "metadata", "annotations")]),
    ),
  };
}

/** The workloads that rolled between two states; each may have rolled once. */
function rolled(earlier: State, now: State): readonly string[] {
  const names = [...now.revisions].filter(([name, revision]) => revision !== earlier.revisions.get(name));
  for (const [name, revision] of names) {
    assert.equal(revision, (earlier.revisions.get(name) ?? 0) + 1, `${name} rolled once`);
  }
  return names.map(([name]) => name);
}
