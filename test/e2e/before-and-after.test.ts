/**
 * The stories of examples/before-and-after, told by Flux, and by Argo CD with automated sync, pruning and self-heal: a test does
 * what its name says, and runs the scripts of the example.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { argoCDOf } from "./argocd.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { kubectl, succeeded } from "./commands.ts";
import type { Engine } from "./engine-types.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { fluxOf } from "./flux.ts";
import { type Observer, observe } from "./observe.ts";
import { annotationsOf, beginStory, type Done, linkPrograms, onDisk, type Story } from "./story.ts";

const STAMP = "configmap.rollstamp.dev/settings";
const RESTART = "rollstamp.dev/restartedAt";

let cluster: Cluster;
let observer: Observer;
let bin = "";
let flux: Engine;
let close: (() => void) | undefined;

before(async () => {
  // Slow enough pods for a moment without any to be seen.
  cluster = await startCluster({ argocd: true, flux: true, podStartMilliseconds: 1000 });
  observer = await observe(cluster);
  bin = linkPrograms(cluster.folder);
  ({ flux, close } = await fluxOf(cluster.api, cluster.folder));
});

after(async () => {
  close?.();
  observer?.stop();
  await cluster?.stop();
});

const ENGINES = [
  {
    name: "Argo CD",
    short: "argocd",
    engine: (): Engine => argoCDOf(cluster.api, { ...cluster, syncOptions: [] }),
    // An annotation that somebody adds to a pod template with kubectl.
    byHand: { says: "Argo CD keeps it", rollouts: 1, stays: true },
  },
  {
    name: "Flux",
    short: "flux",
    engine: (): Engine => onDisk(flux, cluster),
    byHand: { says: "Flux reverts it, and they restart again", rollouts: 2, stays: false },
  },
];

const rolloutsOf = (done: Readonly<Record<string, Done>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(done).map(([name, { rollouts }]) => [name, rollouts]));

/** What runs in the cluster, and whether Git says the same. */
function assertInGit(done: Done | undefined, keys: readonly string[]): void {
  const [live, inGit] = [annotationsOf(done?.live), annotationsOf(done?.inGit)];
  for (const key of keys) assert.ok(inGit[key], `${key} is not in Git`);
  for (const key of keys) assert.equal(live[key], inGit[key]);
}

/** A script that has to succeed. */
const runs = async (story: Story, script: string, env?: Readonly<Record<string, string>>): Promise<void> => {
  succeeded(script, await story.run(script, env));
};

describe("before and after", { concurrency: 2 }, () => {
  for (const { name, short, engine, byHand } of ENGINES)
    describe(name, { concurrency: 4 }, () => {
      const begin = (example: string): Promise<Story> =>
        beginStory(example, `${short}-${example}`, { engine: engine(), cluster, observer, bin });

      describe("a script patches all Deployments", { concurrency: 1 }, () => {
        let story: Story;

        it("before: a commit changes the ConfigMap, and no pod notices", async () => {
          story = await begin("patch-all");
          await story.commit("before");
          const done = await story.during(() => runs(story, "commit.sh"));
          assert.deepEqual(rolloutsOf(done), { web: 0, mail: 0 });
        });

        it(`so a script patches all Deployments: also the one that reads nothing restarts, Git knows of neither, and ${byHand.says}`, async () => {
          const done = await story.during(() => runs(story, "restart.sh"));
          assert.deepEqual(rolloutsOf(done), { web: byHand.rollouts, mail: byHand.rollouts });
          for (const { live, inGit } of Object.values(done)) {
            assert.equal("reloaded-at" in annotationsOf(live), byHand.stays);
            assert.equal(annotationsOf(inGit)["reloaded-at"], undefined);
          }
        });

        it("the first stamps roll out what reads the ConfigMap, once", async () => {
          const done = await story.during(() => story.commit("after"));
          assert.deepEqual(rolloutsOf(done), { web: 1, mail: 0 });
          assert.equal("reloaded-at" in annotationsOf(done["web"]?.live), byHand.stays);
        });

        it("after: the commit that changes the ConfigMap restarts what reads it, and nothing else", async () => {
          const done = await story.during(() => runs(story, "commit.sh"));
          assert.deepEqual(rolloutsOf(done), { web: 1, mail: 0 });
          assertInGit(done["web"], [STAMP]);
        });
      });

      describe("a script forces an update", { concurrency: 1 }, () => {
        let story: Story;

        it("before: a commit changes the ConfigMap, and no pod notices", async () => {
          story = await begin("forced-update");
          await story.commit("before");
          const done = await story.during(() => runs(story, "commit.sh"));
          assert.deepEqual(rolloutsOf(done), { web: 0 });
        });

        it("so a script replaces the Deployment by force: all pods are gone at once, whatever its strategy says", async () => {
          // Self-heal may be faster than the script to create the Deployment again, which the script then reports as an error.
          const { web } = await story.during(() => story.run("restart.sh"));
          assert.deepEqual([web?.isAnother, web?.leastAvailable], [true, 0]);
          assert.deepEqual(annotationsOf(web?.live), annotationsOf(web?.inGit));
        });

        it("the first stamps roll it out once", async () => {
          const { web } = await story.during(() => story.commit("after"));
          assert.deepEqual([web?.isAnother, web?.rollouts, web?.leastAvailable], [false, 1, 3]);
        });

        it("after: the commit that changes the ConfigMap rolls it out by its own strategy, with three pods at any time", async () => {
          const { web } = await story.during(() => runs(story, "commit.sh"));
          assert.deepEqual([web?.isAnother, web?.rollouts, web?.leastAvailable], [false, 1, 3]);
          assertInGit(web, [STAMP]);
        });
      });

      describe("a CronJob restarts", { concurrency: 1 }, () => {
        const KUBECTL = "kubectl.kubernetes.io/restartedAt";
        let story: Story;

        it(`before: every night a CronJob restarts the pods, Git has no commit of any night, and ${byHand.says}`, async () => {
          story = await begin("cron-job");
          await story.commit("before");
          const commits = story.commits();
          const path = `/apis/batch/v1/namespaces/${story.namespace}/cronjobs/restart-nightly`;
          const spec = fieldAt(await cluster.api.get(path), "spec", "jobTemplate", "spec", "template", "spec");
          const [program, ...args] = listAt(listAt(spec, "containers")[0], "command").map(String);
          assert.equal(program, "kubectl");
          // No kubelet runs its image.
          const night = async (): Promise<string> =>
            succeeded("kubectl", await kubectl(cluster, [...args, "--namespace", story.namespace]));
          const seen: Done[] = [];
          for (let nights = 0; nights < 2; nights += 1) {
            const { web } = await story.during(night);
            if (web !== undefined) seen.push(web);
          }
          assert.deepEqual(
            seen.map(({ rollouts, live, inGit }) => [rollouts, KUBECTL in annotationsOf(live), annotationsOf(inGit)]),
            [
              [byHand.rollouts, byHand.stays, {}],
              [byHand.rollouts, byHand.stays, {}],
            ],
          );
          assert.equal(story.commits(), commits);
        });

        it("the commit that adds the schedule restarts once, and takes the CronJob and its rights away", async () => {
          const { web } = await story.during(() => story.commit("after"));
          assert.equal(web?.rollouts, 1);
          const left = await kubectl(cluster, [
            "get",
            "cronjobs,serviceaccounts,roles,rolebindings",
            "--namespace",
            story.namespace,
            "--output=name",
          ]);
          assert.doesNotMatch(succeeded("kubectl", left), /restart-nightly/u);
        });

        it("after: every night a commit restarts the pods, once", async () => {
          const commits = story.commits();
          const times: (string | undefined)[] = [];
          for (const now of ["2026-11-21T05:00:00Z", "2026-11-21T06:00:00Z", "2026-11-22T05:00:00Z"]) {
            const { web } = await story.during(() => runs(story, "commit.sh", { ROLLSTAMP_NOW: now }));
            assertInGit(web, [RESTART]);
            times.push(`${web?.rollouts} ${annotationsOf(web?.live)[RESTART]}`);
          }
          assert.deepEqual(times, ["1 2026-11-21T04:30:00Z", "0 2026-11-21T04:30:00Z", "1 2026-11-22T04:30:00Z"]);
          assert.equal(story.commits(), commits + 2);
        });
      });

      describe("Reloader restarts", { concurrency: 1 }, () => {
        const VARIABLE = "STAKATER_SETTINGS_CONFIGMAP";
        let story: Story;

        /** Reloader is not run: this is what it writes, as the manager that it is. */
        const asReloader = (): Promise<unknown> =>
          cluster.api.patch(
            `/apis/apps/v1/namespaces/${story.namespace}/deployments/web?fieldManager=Reloader`,
            [{ op: "add", path: "/spec/template/spec/containers/0/env/-", value: { name: VARIABLE, value: "0d2f" } }],
            "json-patch+json",
          );

        it("before: a commit changes the ConfigMap, and Reloader restarts the pods by a variable that Git does not have", async () => {
          story = await begin("reloader");
          await story.commit("before");
          const committed = await story.during(() => runs(story, "commit.sh"));
          assert.deepEqual(rolloutsOf(committed), { web: 0 });
          const { web } = await story.during(asReloader);
          assert.equal(web?.rollouts, 1);
          assert.ok(JSON.stringify(web.live).includes(VARIABLE));
          assert.ok(!JSON.stringify(web.inGit).includes(VARIABLE));
        });

        it("the migration is one commit and one rollout", async () => {
          const { web } = await story.during(() => story.commit("after"));
          assert.equal(web?.rollouts, 1);
          assert.ok(JSON.stringify(web.live).includes(VARIABLE), "what Reloader wrote does not stay");
          const metadata = fieldAt(story.atHead("web.yaml"), "metadata", "annotations");
          assert.equal(textAt(metadata, "rollstamp.dev/sources"), "configmap/settings, secret/database");
          assert.ok(!JSON.stringify(metadata).includes("stakater"));
        });

        it("after: the commit that changes the ConfigMap is the rollout, and the stamp says so in Git", async () => {
          const { web } = await story.during(() => runs(story, "commit.sh"));
          assert.equal(web?.rollouts, 1);
          assertInGit(web, [STAMP, "secret.rollstamp.dev/database"]);
        });
      });
    });
});
