/** What Helm does with versioned copies: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Helm, POST_RENDERER } from "../hosts/helm.ts";
import type { Cluster } from "./cluster.ts";
import { type Ran, run, succeeded } from "./commands.ts";
import type { Files } from "./engine-types.ts";
import { eventually } from "./observe.ts";
import {
  CONFIG,
  copiesOf,
  levelsOf,
  namedIn,
  plain,
  podLevels,
  PODS,
  podsOf,
  rendered,
  type Shop,
} from "./versioned.ts";
import { deployed, stuck } from "./versioned-parts.ts";
import type { ObservedRow } from "./observed-row.ts";

export interface HelmTrial {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly helm: Helm;
}

const WITH = "Helm 3.22 and 4";
const WAITED = ["--wait", "--timeout", "4s"];

/** A chart that renders these files. */
function chartOf({ folder }: Cluster, files: Files): string {
  const chart = mkdtempSync(join(folder, "chart-"));
  mkdirSync(join(chart, "templates"));
  writeFileSync(join(chart, "Chart.yaml"), "apiVersion: v2\nname: shop\nversion: 0.1.0\n");
  for (const [name, text] of Object.entries(files)) writeFileSync(join(chart, "templates", name), text);
  return chart;
}

function helm({ helm: { program, env }, cluster, namespace }: HelmTrial, ...args: readonly string[]): Promise<Ran> {
  assert.ok(program.found, "the suite is skipped without it");
  const config = join(cluster.folder, "helm.yaml");
  writeFileSync(config, CONFIG);
  const more = { KUBECONFIG: cluster.kubeconfig, ROLLSTAMP_CONFIG: config };
  return run(program.path, [...args, "--namespace", namespace], "", { ...env, ...more });
}

/** The arguments for a shop whose chart the post-renderer renders. */
const shopWith = ({ cluster }: HelmTrial, shop: Shop): readonly string[] => [
  "app",
  chartOf(cluster, plain(shop)),
  ...POST_RENDERER,
];

const done = async (trial: HelmTrial, ...args: readonly string[]): Promise<string> =>
  succeeded(`helm ${args.join(" ")}`, await helm(trial, ...args));

async function untilPods({ cluster, namespace }: HelmTrial, level: string): Promise<void> {
  await eventually(`pods of ${level}`, async () => {
    const levels = await podLevels(cluster, namespace);
    return levels[level] === PODS && Object.keys(levels).length === 1 ? "" : JSON.stringify(levels);
  });
}

export const HELM_VERSIONED: readonly ObservedRow<HelmTrial>[] = [
  {
    does: "copies of our post-renderer, with `helm.sh/resource-policy: keep`: an upgrade, `helm rollback`, `helm uninstall`",
    with: WITH,
    says: "the pods name the old copy again, which is the same object; after the uninstall, all copies stay",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      await done(trial, "install", ...shopWith(trial, deployed(namespace, "one")));
      await untilPods(trial, "one");
      const before = await copiesOf(cluster, namespace);
      await done(trial, "upgrade", ...shopWith(trial, deployed(namespace, "two")));
      await untilPods(trial, "two");
      await done(trial, "rollback", "app", "1");
      await untilPods(trial, "one");
      for (const [name, copy] of before) assert.deepEqual((await copiesOf(cluster, namespace)).get(name), copy);
      await done(trial, "uninstall", "app");
      assert.deepEqual(await levelsOf(cluster, namespace), ["one", "two"]);
    },
  },
  {
    does: "the same copies: an upgrade with `--atomic` (Helm 4: `--rollback-on-failure`) whose pods are never ready",
    with: WITH,
    says: "it is rolled back; the old pods and their copy were there all the time",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      await done(trial, "install", ...shopWith(trial, deployed(namespace, "one")));
      await untilPods(trial, "one");
      const before = await copiesOf(cluster, namespace);
      const atomic = trial.helm.version === 4 ? "--rollback-on-failure" : "--atomic";
      const args = [...shopWith(trial, stuck(namespace, "two")), atomic, ...WAITED];
      const { status, stderr } = await helm(trial, "upgrade", ...args);
      assert.notEqual(status, 0);
      assert.doesNotMatch(stderr, /no ConfigMap with the name/u);
      assert.match(await done(trial, "history", "app", "-o", "json"), /Rollback to 1/u);
      await untilPods(trial, "one");
      for (const [name, copy] of before) assert.deepEqual((await copiesOf(cluster, namespace)).get(name), copy);
    },
  },
  {
    does: "copies without that annotation: an upgrade with `--wait` whose pods are never ready",
    with: WITH,
    says: "the old copy is deleted while the upgrade still waits, under the old pods",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const first = await rendered(cluster, deployed(namespace, "one"));
      await done(trial, "install", "app", chartOf(cluster, first));
      await untilPods(trial, "one");
      const next = chartOf(cluster, await rendered(cluster, stuck(namespace, "two")));
      let isOver = false;
      const upgrade = helm(trial, "upgrade", "app", next, ...WAITED).finally(() => {
        isOver = true;
      });
      await eventually("the copy to be deleted", async () =>
        (await copiesOf(cluster, namespace)).has(namedIn(first)) ? "it is there" : "",
      );
      assert.equal(isOver, false);
      const names = (await podsOf(cluster, namespace)).map(({ source }) => source);
      assert.ok(names.includes(namedIn(first)));
      assert.notEqual((await upgrade).status, 0);
    },
  },
];
