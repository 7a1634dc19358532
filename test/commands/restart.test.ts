import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli, type CliResult, type CliWorld } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";

const NOW = "2026-11-21T00:00:00Z";
const world: CliWorld = { environment: { ROLLSTAMP_NOW: NOW } };

/** A workload of some kind; `annotations` are its own, as flow. */
const workload = (
  kind: string,
  name: string,
  more: { namespace?: string; labels?: string; annotations?: string } = {},
): string =>
  `apiVersion: apps/v1
kind: ${kind}
metadata:
  name: ${name}
  namespace: ${more.namespace ?? "shop"}
  labels: {${more.labels ?? ""}}
  annotations: {${more.annotations ?? ""}}
spec:
  template:
    spec:
      containers: [{name: app, image: "app:1"}]
`;

const SHOP: Files = {
  "api.yaml": workload("Deployment", "api", { labels: "tier: back" }),
  "web.yaml": workload("Deployment", "web", { labels: "tier: front" }),
  "db.yaml": workload("StatefulSet", "db", { namespace: "data", labels: "tier: back" }),
};

/** Runs restart over a folder. Returns the files that it restarted, with their values. */
async function restarted(
  files: Files,
  args: readonly string[],
  given: CliWorld = world,
): Promise<Record<string, string>> {
  const { values } = await run(files, args, given);
  return values;
}

async function run(
  files: Files,
  args: readonly string[],
  given: CliWorld = world,
): Promise<{ values: Record<string, string>; result: CliResult }> {
  const values: Record<string, string> = {};
  let result: CliResult = { status: 0, stdout: "", stderr: "" };
  await inFolder(files, async (folder) => {
    result = await cli(["restart", ...args, folder], given);
    result = {
      ...result,
      stdout: result.stdout.replaceAll(`${folder}/`, ""),
      stderr: result.stderr.replaceAll(`${folder}/`, ""),
    };
    for (const path of Object.keys(files)) {
      const value = /(?:restartedAt|reloaded-at): "(.*?)"/u.exec(readFileSync(join(folder, path), "utf8"))?.[1];
      if (value !== undefined) values[path] = value;
    }
  });
  return { values, result };
}

describe("rollstamp restart", () => {
  const cases: readonly { name: string; args: string[]; restarted: string[] }[] = [
    {
      name: "takes KIND/NAME, the kind in any case",
      args: ["deployment/api", "StatefulSet/db"],
      restarted: ["api.yaml", "db.yaml"],
    },
    {
      name: "takes kubectl's plurals and short names",
      args: ["deploy/api", "statefulsets/db"],
      restarted: ["api.yaml", "db.yaml"],
    },
    {
      name: "takes a kind's group, and its version",
      args: ["deployment.apps/api", "StatefulSets.v1.apps/db"],
      restarted: ["api.yaml", "db.yaml"],
    },
    { name: "takes no other group's kind", args: ["deployment.example.com/api"], restarted: [] },
    { name: "takes everything of a namespace by -n", args: ["-n", "shop"], restarted: ["api.yaml", "web.yaml"] },
    { name: "takes everything of a namespace by -n and --all", args: ["-n", "data", "--all"], restarted: ["db.yaml"] },
    { name: "takes what its labels say by -l", args: ["-l", "tier in (back)"], restarted: ["api.yaml", "db.yaml"] },
    { name: "takes what all limits leave", args: ["-n", "shop", "-l", "tier=back"], restarted: ["api.yaml"] },
    { name: "takes a named one only in the namespace", args: ["-n", "data", "deployment/api"], restarted: [] },
    { name: "takes everything with --all", args: ["--all"], restarted: ["api.yaml", "db.yaml", "web.yaml"] },
  ];
  for (const { name, args, restarted: expected } of cases) {
    it(name, async () => {
      const values = await restarted(SHOP, args);
      assert.deepEqual(values, Object.fromEntries(expected.map((path) => [path, NOW])));
    });
  }

  it("prints the files on stdout, and the number of pods on stderr", async () => {
    const { result } = await run(SHOP, ["-n", "shop"]);
    assert.deepEqual(result, {
      status: 0,
      stdout: "api.yaml\nweb.yaml\n",
      stderr:
        "rollstamp: info: api.yaml:1:1: Deployment shop/api restarts: 1 pod replaced, at least 1 available, at most 2 in total (restart)\n" +
        "rollstamp: info: web.yaml:1:1: Deployment shop/web restarts: 1 pod replaced, at least 1 available, at most 2 in total (restart)\n" +
        "rollstamp: 2 workloads restart, 2 pods in all\n",
    });
  });
  it("uses the current time, to the second, by default", async () => {
    const before = Math.floor(Date.now() / 1000);
    const { "api.yaml": value = "" } = await restarted(SHOP, ["deployment/api"], {});
    assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u);
    assert.ok(Date.parse(value) / 1000 >= before && Date.parse(value) <= Date.now(), value);
  });
  it("uses the time of --at and a key of the user", async () => {
    const values = await restarted(SHOP, [
      "deployment/api",
      "--at",
      "2026-11-22T08:00:00+09:00",
      "--annotation",
      "reloaded-at",
    ]);
    assert.deepEqual(values, { "api.yaml": "2026-11-21T23:00:00Z" });
  });
  it("never goes back in time", async () => {
    const files = {
      "api.yaml": workload("Deployment", "api").replace(
        "    spec:",
        `    metadata: {annotations: {rollstamp.dev/restartedAt: "2027-01-01T00:00:00Z"}}\n    spec:`,
      ),
    };
    const { values, result } = await run(files, ["--all"]);
    assert.deepEqual([values, result.stdout], [{ "api.yaml": "2027-01-01T00:00:00Z" }, ""]);
    assert.match(result.stderr, /does not restart: it already has a later restart time \(2027-01-01T00:00:00Z\)/u);
    assert.equal((await run(files, ["--all", "--at", "2027-01-01T00:00:00Z"])).result.stderr, "");
    const rollout = workload("Rollout", "api").replace("apps/v1", "argoproj.io/v1alpha1");
    const { result: field } = await run(
      { "api.yaml": rollout.replace("  template:", `  restartAt: "2027-01-01T00:00:00Z"\n  template:`) },
      ["--all"],
    );
    assert.match(field.stderr, /Rollout shop\/api does not restart/u);
  });
  it("changes inputs of kustomize: a base and a patch of the same workload", async () => {
    const files: Files = {
      "base/kustomization.yaml": "resources: [api.yaml]\n",
      "base/api.yaml": workload("Deployment", "api"),
      "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: api.yaml}]\n",
      "prod/api.yaml": workload("Deployment", "api"),
      "prod/replicas.yaml":
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: shop}\nspec: {replicas: 3}\n",
    };
    assert.deepEqual(await restarted(files, ["deployment/api"]), { "base/api.yaml": NOW, "prod/api.yaml": NOW });
  });
  it("lists the files that would change with --check, and writes nothing", async () => {
    const { values, result } = await run(SHOP, ["--check", "deployment/api"]);
    assert.deepEqual([values, result.status, result.stdout], [{}, 1, "api.yaml\n"]);
  });
  it("knows the kinds of the configuration", async () => {
    const fleet =
      "apiVersion: example.com/v1\nkind: Fleet\nmetadata: {name: one}\nspec: {pods: {metadata: {}, spec: {}}}\n";
    const config =
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {workloads: [{group: example.com, kind: Fleet, podTemplate: spec.pods}]}\n";
    assert.deepEqual(await restarted({ "fleet.yaml": fleet, "rollstamp.yaml": config }, ["fleet/one"]), {
      "fleet.yaml": NOW,
    });
  });
});

describe("what restart refuses", () => {
  const cases: readonly (readonly [string[], RegExp])[] = [
    [["."], /nothing is selected for a restart/u],
    [["deployment/api"], /no file or folder is given\n {2}Add the paths/u],
    [["--all", "deployment/api", "."], /--all and KIND\/NAME can't be used together/u],
    [["--at", "now", "--all", "."], /--at must be a time: 'now'/u],
    [["--at", NOW, "--due", "."], /--at and --due can't be used together/u],
    [["-l", " ", "."], /--selector is empty: it would select everything/u],
    [["-l", "", "deployment/api", "."], /--selector is empty/u],
    [["-l", "a=b=c", "."], /'--selector' is "a=b=c", not a label selector/u],
    [
      ["--annotation", "secret.rollstamp.dev/x", "--all", "."],
      /'--annotation' is "secret\.rollstamp\.dev\/x", which is the key of a stamp/u,
    ],
    [["--all", "no-such-folder"], /no-such-folder: no such file or folder/u],
  ];
  for (const [args, message] of cases) {
    it(args.join(" "), async () => {
      const { status, stderr } = await cli(["restart", ...args], world);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
  it("an environment without a valid time", async () => {
    for (const environment of [{ ROLLSTAMP_NOW: "yesterday" }, { SOURCE_DATE_EPOCH: "1e9" }]) {
      const { status, stderr } = await cli(["restart", "--all", "."], { environment });
      assert.equal(status, 2);
      assert.match(stderr, /the environment variable (?:ROLLSTAMP_NOW|SOURCE_DATE_EPOCH) must be/u);
    }
  });
  it("only a named target without a match: the others restart", async () => {
    const { values, result } = await run(SHOP, ["deployment/gone", "deployment/api", "-n", "shop"]);
    assert.deepEqual([result.status, result.stdout], [1, "api.yaml\n"]);
    assert.match(result.stderr, /error: no workload matches the target deployment\/gone -n shop/u);
    assert.deepEqual(values, { "api.yaml": NOW });
    assert.equal((await run(SHOP, ["--due", "deployment/gone"])).result.status, 1);
  });
  it("nothing, with a warning, for labels without a match", async () => {
    const { result } = await run(SHOP, ["-l", "tier=none"]);
    assert.equal(result.status, 0);
    assert.match(result.stderr, /warning: no workload matches the target -l tier=none/u);
  });
});

describe("rollstamp restart --due", () => {
  const scheduled = (annotations: string, standing?: string): Files => {
    const text = workload("Deployment", "api", { annotations });
    return {
      "api.yaml":
        standing === undefined
          ? text
          : text.replace(
              "    spec:",
              `    metadata: {annotations: {rollstamp.dev/restartedAt: "${standing}"}}\n    spec:`,
            ),
    };
  };
  const worldAt = (now: string): CliWorld => ({ environment: { ROLLSTAMP_NOW: now } });
  const BERLIN = 'rollstamp.dev/restart-schedule: "30 2 * * *", rollstamp.dev/restart-time-zone: Europe/Berlin';

  it("writes the latest due time in UTC, and needs no target", async () => {
    assert.deepEqual(
      await restarted({ ...SHOP, ...scheduled('rollstamp.dev/restart-schedule: "0 4 * * *"') }, ["--due"]),
      {
        "api.yaml": "2026-11-20T04:00:00Z",
      },
    );
  });
  it("uses SOURCE_DATE_EPOCH if ROLLSTAMP_NOW is not set", async () => {
    const given = { environment: { SOURCE_DATE_EPOCH: String(Date.parse(NOW) / 1000) } };
    assert.deepEqual(await restarted(scheduled('rollstamp.dev/restart-schedule: "0 4 * * *"'), ["--due"], given), {
      "api.yaml": "2026-11-20T04:00:00Z",
    });
  });
  it("writes once in each period, whenever it runs, also across clock changes", () =>
    inFolder(scheduled(BERLIN), async (folder) => {
      const file = join(folder, "api.yaml");
      const values: string[] = [];
      // Every twenty minutes from the evening before the change to the evening after it.
      for (let now = Date.parse("2026-10-24T18:00:00Z"); now < Date.parse("2026-10-25T18:00:00Z"); now += 20 * 60_000) {
        await cli(["restart", "--due", folder], worldAt(new Date(now).toISOString()));
        values.push(/restartedAt: "(.*?)"/u.exec(readFileSync(file, "utf8"))?.[1] ?? "");
      }
      assert.deepEqual([...new Set(values)], ["2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z"]);
    }));
  it("passes --check after the restart is written", () =>
    inFolder(scheduled(BERLIN), async (folder) => {
      assert.equal((await cli(["restart", "--due", "--check", folder], world)).status, 1);
      assert.equal((await cli(["restart", "--due", folder], world)).status, 0);
      assert.deepEqual(await cli(["restart", "--due", "--check", folder], world), {
        status: 0,
        stdout: "",
        stderr: "",
      });
    }));
  it("keeps a later manual restart", async () => {
    assert.deepEqual(await restarted(scheduled(BERLIN, "2026-11-20T23:00:00Z"), ["--due"]), {
      "api.yaml": "2026-11-20T23:00:00Z",
    });
  });
  it("spreads by H, with the same time for a workload in every run", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, i) => [
        `w${i}.yaml`,
        workload("Deployment", `w${i}`, { annotations: 'rollstamp.dev/restart-schedule: "H H(1-4) * * *"' }),
      ]),
    );
    const values = Object.values(await restarted(files, ["--due"]));
    assert.equal(values.length, 20);
    assert.ok(new Set(values).size > 10);
    assert.deepEqual(Object.values(await restarted(files, ["--due"])), values);
  });
  it("restarts only the given targets", async () => {
    const files = { ...scheduled(BERLIN), "web.yaml": workload("Deployment", "web", { annotations: BERLIN }) };
    assert.deepEqual(Object.keys(await restarted(files, ["--due", "deployment/web"])), ["web.yaml"]);
  });
  const wrong: readonly (readonly [string, RegExp])[] = [
    [
      'rollstamp.dev/restart-schedule: "0 4 * *"',
      /api\.yaml:7:49: the annotation 'rollstamp\.dev\/restart-schedule' of Deployment shop\/api has 4 fields instead of five/u,
    ],
    ["rollstamp.dev/restart-schedule: 5", /is a number, not a string/u],
    ['rollstamp.dev/restart-schedule: "0 0 31 2 *"', /never fires/u],
    [
      'rollstamp.dev/restart-schedule: "@daily", rollstamp.dev/restart-time-zone: Mars/Olympus',
      /restart-time-zone' of Deployment shop\/api must be a time zone/u,
    ],
  ];
  for (const [annotations, message] of wrong) {
    it(`refuses ${annotations}`, async () => {
      const { values, result } = await run(
        { ...scheduled(annotations), "web.yaml": workload("Deployment", "web", { annotations: BERLIN }) },
        ["--due"],
      );
      assert.equal(result.status, 2);
      assert.match(result.stderr, message);
      assert.deepEqual(values, {}, "nothing is written");
    });
  }
});

describe("restart of a pod template that a Rollout runs", () => {
  const rollout = `apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary, namespace: shop, labels: {app: canary}}
spec:
  replicas: 3
  workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}
`;
  const files: Files = {
    "rollout.yaml": rollout,
    "web.yaml": workload("Deployment", "web", { labels: "app: web" }).replace("spec:", "spec:\n  replicas: 2"),
    "web-patch.yaml": workload("Deployment", "web"),
    "other.yaml": workload("Deployment", "other"),
  };
  const LEFT =
    /info: .*Deployment shop\/web is skipped: Rollout shop\/canary runs its pod template and has its own restart; 2 pods of Deployment shop\/web keep running/u;
  const COSTS =
    /warning: .*the restart of Deployment shop\/web starts a new revision of Rollout shop\/canary, with all steps/u;
  const rows: readonly { args: string[]; restarts: string[]; says?: RegExp; isQuiet?: true }[] = [
    { args: ["--all"], restarts: ["other.yaml", "rollout.yaml"], says: LEFT },
    { args: ["-n", "shop"], restarts: ["other.yaml", "rollout.yaml"], says: LEFT },
    { args: ["-l", "app=web"], restarts: [], says: LEFT },
    { args: ["rollout/canary"], restarts: ["rollout.yaml"], isQuiet: true },
    { args: ["deployment/web"], restarts: ["web-patch.yaml", "web.yaml"], says: COSTS },
    { args: ["deployment/web", "-l", "app=web"], restarts: ["web.yaml"], says: COSTS },
    { args: ["deployment/web", "ro/canary"], restarts: ["rollout.yaml", "web-patch.yaml", "web.yaml"], says: COSTS },
  ];
  for (const { args, restarts, says, isQuiet } of rows) {
    it(args.join(" "), async () => {
      const { result } = await run(files, [...args, "--check"]);
      assert.deepEqual(result.stdout.split("\n").filter(Boolean).sort(), restarts, result.stderr);
      if (says !== undefined) assert.match(result.stderr, says);
      assert.equal(/Deployment shop\/web/u.test(result.stderr), isQuiet !== true);
    });
  }

  it("named: shows the pods of both, and the cheaper way", async () => {
    const { result } = await run(files, ["deployment/web", "--check"]);
    assert.match(
      result.stderr,
      /web\.yaml:1:1: Deployment shop\/web restarts: 2 pods and 3 pods of Rollout shop\/canary/u,
    );
    assert.match(result.stderr, /Restart rollout\/canary \(spec\.restartAt\) instead: this starts no new revision\./u);
  });

  it("due by its own annotation counts as named", async () => {
    const due = workload("Deployment", "web", { annotations: 'rollstamp.dev/restart-schedule: "@daily"' });
    const { result } = await run({ "rollout.yaml": rollout, "web.yaml": due }, ["--due", "--check"]);
    assert.deepEqual(result.stdout, "web.yaml\n");
    assert.match(result.stderr, COSTS);
  });

  it("only belongs to a Rollout in the same folder", async () => {
    const apart: Files = { "a/rollout.yaml": rollout, "b/web.yaml": workload("Deployment", "web") };
    const { result } = await run(apart, ["--all", "--check"]);
    assert.deepEqual(result.stdout, "a/rollout.yaml\nb/web.yaml\n");
  });
});

describe("paths of rollstamp restart", () => {
  const inShop = async (files: Files, args: (folder: string) => string[]): Promise<CliResult & { api: string }> => {
    let result = { status: 0, stdout: "", stderr: "", api: "" } as CliResult & { api: string };
    await inFolder(files, async (folder) => {
      const before = process.cwd();
      process.chdir(folder);
      try {
        result = {
          ...(await cli(["restart", ...args(folder)], world)),
          api: readFileSync("deploy/web/api.yaml", "utf8"),
        };
      } finally {
        process.chdir(before);
      }
    });
    return result;
  };
  const FOLDERS: Files = {
    "deploy/web/api.yaml": workload("Deployment", "api"),
    "deployment/web": workload("Deployment", "web"),
  };

  it("a folder named like a kind or like KIND/NAME is a path", async () => {
    for (const path of ["deploy", "deploy/web", "./deploy/web"]) {
      const { status, api } = await inShop(FOLDERS, () => ["deployment/api", path]);
      assert.equal(status, 0, path);
      assert.match(api, /restartedAt/u, path);
    }
    assert.equal((await inShop(FOLDERS, () => ["--all", "deploy/web"])).status, 0);
  });
  it("a file named like KIND/NAME is a path", async () => {
    const { status, stdout } = await inShop(FOLDERS, () => ["--all", "deployment/web"]);
    assert.deepEqual([status, stdout], [0, "deployment/web\n"]);
  });
  it("a path that looks like a target is reported, with the syntax of the target", async () => {
    const { status, stderr } = await inShop(FOLDERS, () => ["deployment/web", "deploy"]);
    assert.equal(status, 2);
    assert.match(
      stderr,
      /nothing is selected for a restart\n {2}An existing path is not a target.*deployment\.apps\/NAME\./u,
    );
    const named = await inShop(FOLDERS, () => ["deployment.apps/api", "deploy"]);
    assert.equal(named.status, 0);
  });
});
