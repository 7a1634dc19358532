import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inFolder } from "../../support/folders.ts";
import { conf, days, History, web, type Audit } from "./history.ts";

type Commit = Readonly<Record<string, string | null>>;

interface Case {
  readonly name: string;
  /** One commit for each day. */
  readonly commits: readonly Commit[];
  readonly rolled?: readonly string[];
  readonly stale?: readonly string[];
  readonly avoidable?: readonly string[];
  readonly restarts?: readonly string[];
  readonly down?: readonly string[];
  readonly other?: number;
}

const BOTH: Commit = { "web.yaml": web(), "conf.yaml": conf("info") };
const OUR_RESTART = 'rollstamp.dev/restartedAt: "2026-03-02T10:00:00Z"';
const RESTARTED = 'kubectl.kubernetes.io/restartedAt: "2026-03-02T10:00:00Z"';
const MOUNTED = web({
  from: "volumeMounts: [{name: c, mountPath: /c}]",
  pod: "volumes: [{name: c, configMap: {name: conf, items: [{key: LEVEL, path: l}]}}]",
});

const CRON_JOB = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: shop}
spec:
  schedule: "0 0 * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: app, image: "app:1", envFrom: [{configMapRef: {name: conf}}]}]
`;

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: once, namespace: shop}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: app, image: "app:1", envFrom: [{configMapRef: {name: conf}}]}]
`;

const CASES: readonly Case[] = [
  {
    name: "a changed key that a container sees, and nothing rolls",
    commits: [BOTH, { "conf.yaml": conf("debug") }],
    stale: ["2 web, until now"],
  },
  {
    name: "a key that no container sees, a label and a comment",
    commits: [
      BOTH,
      { "conf.yaml": conf("info", "b") },
      { "conf.yaml": conf("info", "b", ", labels: {a: b}") },
      { "conf.yaml": `# a comment\n${conf("info", "b", ", labels: {a: b}")}` },
    ],
  },
  {
    name: "a source that no workload sees",
    commits: [
      { ...BOTH, "alone.yaml": conf("a").replace("conf", "alone") },
      { "alone.yaml": conf("b").replace("conf", "alone") },
    ],
  },
  {
    name: "the template changes in the same commit, for any reason",
    commits: [BOTH, { "conf.yaml": conf("debug"), "web.yaml": web({ image: "app:2" }) }],
    rolled: ["2 web"],
  },
  {
    name: "another roll brings the new content",
    commits: [BOTH, { "conf.yaml": conf("debug") }, {}, { "web.yaml": web({ image: "app:2" }) }],
    stale: ["2 web, until 4: Template spec.containers[name=app].image"],
  },
  {
    name: "two changes end with one roll",
    commits: [
      BOTH,
      { "conf.yaml": conf("debug") },
      { "conf.yaml": conf("warn") },
      { "web.yaml": web({ image: "app:2" }) },
    ],
    stale: [
      "2 web, until 4: Template spec.containers[name=app].image",
      "3 web, until 4: Template spec.containers[name=app].image",
    ],
  },
  {
    name: "the old content comes back: no roll is needed",
    commits: [BOTH, { "conf.yaml": conf("debug") }, { "conf.yaml": conf("info") }],
    stale: ["2 web, until 3: Revert"],
    other: 1,
  },
  {
    name: "two changes, and then the content that the pods have",
    commits: [BOTH, { "conf.yaml": conf("debug") }, { "conf.yaml": conf("warn") }, { "conf.yaml": conf("info") }],
    stale: ["2 web, until 4: Revert", "3 web, until 4: Revert"],
    other: 1,
  },
  {
    name: "the workload is removed",
    commits: [BOTH, { "conf.yaml": conf("debug") }, { "web.yaml": null }],
    stale: ["2 web, until 3: Delete"],
  },
  {
    name: "the workload is scaled to 0, and later changes need no roll",
    commits: [
      BOTH,
      { "conf.yaml": conf("debug") },
      { "web.yaml": web({ replicas: 0 }) },
      { "conf.yaml": conf("warn") },
      { "web.yaml": web() },
    ],
    stale: ["2 web, until 3: Delete"],
    other: 1,
  },
  {
    name: "the next run of a CronJob has it",
    commits: [{ "cron.yaml": CRON_JOB, "conf.yaml": conf("info") }, { "conf.yaml": conf("debug") }],
    other: 1,
  },
  {
    name: "a Job, which another one follows",
    commits: [{ "job.yaml": JOB, "conf.yaml": conf("info") }, { "conf.yaml": conf("debug") }],
    other: 1,
  },
  {
    name: "a Job whose template changes too",
    commits: [
      { "job.yaml": JOB, "conf.yaml": conf("info") },
      { "job.yaml": JOB.replace("app:1", "app:2"), "conf.yaml": conf("debug") },
    ],
    other: 1,
  },
  {
    name: "a mounted file changes under the process",
    commits: [{ ...BOTH, "web.yaml": MOUNTED }, { "conf.yaml": conf("debug") }],
    stale: ["2 web, until now"],
  },
  {
    name: "a checksum changes, and the pods had the content",
    commits: [
      { ...BOTH, "web.yaml": web({ annotations: "checksum/config: a" }) },
      { "web.yaml": web({ annotations: "checksum/config: b" }) },
    ],
    avoidable: ["2 web"],
  },
  {
    name: "a checksum changes with the content",
    commits: [
      { ...BOTH, "web.yaml": web({ annotations: "checksum/config: a" }) },
      { "web.yaml": web({ annotations: "checksum/config: b" }), "conf.yaml": conf("debug") },
    ],
    rolled: ["2 web"],
  },
  {
    name: "a checksum that ends what was stale is not avoidable",
    commits: [
      { ...BOTH, "web.yaml": web({ annotations: "checksum/config: a" }) },
      { "conf.yaml": conf("debug") },
      { "web.yaml": web({ annotations: "checksum/config: b" }) },
    ],
    stale: ['2 web, until 3: Template metadata.annotations["checksum/config"]'],
  },
  {
    name: "a version label",
    commits: [
      { ...BOTH, "web.yaml": web({ labels: ", helm.sh/chart: web-1" }) },
      { "web.yaml": web({ labels: ", helm.sh/chart: web-2" }) },
      { "web.yaml": web({ labels: ", helm.sh/chart: web-2", image: "app:2" }) },
    ],
    avoidable: ["2 web"],
  },
  {
    name: "a first stamp is not avoidable; a stamp that changes alone is",
    commits: [
      BOTH,
      { "web.yaml": web({ annotations: "configmap.rollstamp.dev/conf: h1-a" }) },
      { "web.yaml": web({ annotations: "configmap.rollstamp.dev/conf: h1-b" }) },
    ],
    avoidable: ["3 web"],
  },
  {
    name: "a restart is set, changes and is removed",
    commits: [
      BOTH,
      { "web.yaml": web({ annotations: RESTARTED }) },
      { "web.yaml": web({ annotations: RESTARTED.replace("02T", "03T") }) },
      { "web.yaml": web() },
    ],
    restarts: ["2 web", "3 web"],
  },
  {
    name: "our restart",
    commits: [BOTH, { "web.yaml": web({ annotations: OUR_RESTART }) }],
    restarts: ["2 web"],
  },
  {
    name: "all pods stop before new ones are ready",
    commits: [
      { ...BOTH, "web.yaml": web({ strategy: "Recreate" }) },
      { "web.yaml": web({ strategy: "Recreate", image: "app:2" }) },
    ],
    down: ["2 web"],
  },
  {
    name: "a workload that moves to another file keeps its old content",
    commits: [
      BOTH,
      { "conf.yaml": conf("debug") },
      { "web.yaml": null, "apps/web.yaml": web() },
      { "apps/web.yaml": web({ image: "app:2" }) },
    ],
    stale: ["2 web, until 4: Template spec.containers[name=app].image"],
  },
  {
    name: "workloads of one name in two folders",
    commits: [
      Object.fromEntries(
        ["prod", "test"].flatMap((at) => Object.entries(BOTH).map(([file, text]) => [`${at}/${file}`, text])),
      ),
      { "prod/conf.yaml": conf("debug") },
      { "test/conf.yaml": conf("debug") },
      { "test/web.yaml": web({ image: "app:2" }) },
    ],
    stale: ["2 web, until now", "3 web, until 4: Template spec.containers[name=app].image"],
  },
  {
    name: "a removed key, and one that comes back",
    commits: [
      { ...BOTH, "web.yaml": web({ from: "envFrom: [{configMapRef: {name: conf}}]" }) },
      { "conf.yaml": conf("info").replace(', OTHER: "a"', "") },
      { "conf.yaml": conf("info") },
    ],
    stale: ["2 web, until 3: Revert"],
    other: 1,
  },
];

describe("an audit", () => {
  for (const { name, commits, other = 0, ...lists } of CASES) {
    it(name, async () => {
      await inFolder({}, async (folder) => {
        const history = new History(folder);
        for (const files of commits) history.commit(files);
        const audit = await history.audit();
        const { rolled, stale, avoidable, restarts, down, summary } = audit;
        assert.deepEqual(
          {
            rolled: days(rolled),
            stale: days(stale),
            avoidable: days(avoidable),
            restarts: days(restarts),
            down: days(down),
          },
          { rolled: [], stale: [], avoidable: [], restarts: [], down: [], ...lists },
        );
        assert.equal(summary["other"], other);
        assert.equal(summary["commits"], commits.length);
        assertSums(audit);
      });
    });
  }

  it("says which keys changed, how pods see them, and how many pods there are", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder).commit(BOTH).commit({ "conf.yaml": conf("debug", "b") });
      const { stale, worst, from, to, branch, cut } = await history.audit();
      const source = { kind: "ConfigMap", namespace: "shop", name: "conf" };
      const keys = { added: [], removed: [], changed: ["LEVEL"] };
      assert.deepEqual(stale, [
        {
          commit: history.git("rev-parse", "HEAD"),
          date: "2026-03-02T10:00:00Z",
          application: ".",
          workload: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" },
          pods: 3,
          reasons: [{ type: "Source", source, keys, seenBy: "env" }],
          seenBy: "env",
          until: null,
        },
      ]);
      assert.deepEqual(worst, [{ ...stale[0], type: "Stale" }]);
      assert.deepEqual(
        [from.date, to.date, branch, cut],
        ["2026-03-01T10:00:00Z", "2026-03-02T10:00:00Z", "main", null],
      );
    });
  });

  it("lists what was down first, then the longest stale ones, then avoidable ones, at most ten", async () => {
    await inFolder({}, async (folder) => {
      const names = Array.from({ length: 8 }, (_, i) => `web-${i}`);
      const all = (more: Parameters<typeof web>[0]): string =>
        names.map((name) => web({ name, ...more })).join("---\n");
      const history = new History(folder)
        .commit({ "web.yaml": all({}), "conf.yaml": conf("info") })
        .commit({ "web.yaml": all({ annotations: "checksum/a: b" }) })
        .commit({ "one.yaml": web({ name: "one", strategy: "Recreate" }) })
        .commit({ "one.yaml": web({ name: "one", strategy: "Recreate", image: "app:2" }) })
        .commit({ "conf.yaml": conf("debug") });
      const { worst, summary } = await history.audit();
      assert.deepEqual(
        worst.map(({ type, workload }) => `${type} ${workload.name}`),
        ["Down one", "Stale one", ...names.map((name) => `Stale ${name}`)].slice(0, 10),
      );
      assert.deepEqual([summary["stale"], summary["avoidable"], summary["down"]], [9, 8, 1]);
    });
  });

  it("keeps only workloads of a namespace with -n", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder).commit(BOTH).commit({ "conf.yaml": conf("debug") });
      assert.equal((await history.audit("-n", "shop")).summary["stale"], 1);
      assert.equal((await history.audit("-n", "other")).summary["stale"], 0);
    });
  });
});

function assertSums({ summary, ...audit }: Audit): void {
  const { rolled = 0, stale = 0, other = 0, changes, content = 0 } = summary;
  assert.equal(changes, rolled + stale + other);
  assert.ok(content <= rolled + stale + other);
  for (const list of ["rolled", "stale", "avoidable", "restarts", "down", "unrendered"] as const)
    assert.equal(summary[list], audit[list].length, list);
}
