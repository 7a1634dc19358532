import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli, type CliResult } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { commitAll, initialize } from "../support/git-folder.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";
import { run } from "../support/run.ts";

const WAITS = "rollstamp.dev/waiting";
const NAMES = ["w1", "w2", "w3", "w4"];
const APP: Files = {
  "config.yaml": configMap("settings", "a"),
  ...Object.fromEntries(NAMES.map((name) => [`${name}.yaml`, deployment(name, "settings")])),
};

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", "-C", folder, ...args], {
    encoding: "utf8",
  });
const commit = (folder: string): void => {
  if (commitAll(folder, "x")) return;
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "x", "--allow-empty");
};
const text = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const edit = (folder: string, path: string, from: string, to: string): void =>
  writeFileSync(join(folder, path), text(folder, path).replace(from, to));
const waiting = (folder: string, names = NAMES): string =>
  names.filter((name) => text(folder, `${name}.yaml`).includes(WAITS)).join(" ");
const NOW = "2026-11-22T12:00:00Z";
const runAt = (time: string, ...args: string[]): Promise<CliResult> =>
  cli(args, { environment: { ROLLSTAMP_NOW: time, PATH: process.env["PATH"] ?? "" } });

/** A repository with all stamps in it. */
const inStamped = (files: Files, test: (folder: string) => Promise<void>): Promise<void> =>
  inFolder(files, async (folder) => {
    initialize(folder);
    assert.equal((await runAt(NOW, "stamp", folder)).status, 0);
    commit(folder);
    await test(folder);
  });

describe("rollstamp stamp, in waves", () => {
  it("releases a number of workloads with each commit, and ends with the same text as a plain stamp", () =>
    inStamped(APP, async (folder) => {
      edit(folder, "config.yaml", '"a"', '"b"');
      const first = await runAt(NOW, "stamp", "--max-workloads", "1", folder);
      assert.equal(first.stderr, "rollstamp: 1 workload takes new stamps, 3 workloads wait\n");
      assert.equal(waiting(folder), "w2 w3 w4");
      assert.equal((await runAt(NOW, "stamp", "--max-workloads", "1", folder)).stdout, "", "no more of them");
      assert.equal((await runAt(NOW, "stamp", "--due", "--max-workloads", "1", folder)).stdout, "", "nor by --due");
      const check = await runAt(NOW, "stamp", "--check", folder);
      assert.deepEqual(check, { status: 0, stdout: "", stderr: "rollstamp: 3 workloads wait\n" });
      commit(folder);
      for (const left of ["w3 w4", "w4", ""]) {
        assert.equal((await runAt(NOW, "stamp", folder)).stdout, "", "a plain one lets none go");
        assert.equal((await runAt(NOW, "stamp", "--due", "--max-workloads", "1", folder)).status, 0);
        assert.equal(waiting(folder), left);
        commit(folder);
      }
      const inWaves = NAMES.map((name) => text(folder, `${name}.yaml`));
      git(folder, "checkout", "-q", "HEAD~4", ".");
      edit(folder, "config.yaml", '"a"', '"b"');
      await runAt(NOW, "stamp", folder);
      assert.deepEqual(
        NAMES.map((name) => text(folder, `${name}.yaml`)),
        inWaves,
      );
    }));

  it("updates what waits, and removes the annotation if the old stamps are right again", () =>
    inStamped(APP, async (folder) => {
      const before = text(folder, "w1.yaml");
      edit(folder, "config.yaml", '"a"', '"b"');
      await runAt(NOW, "stamp", "--max-workloads", "0", folder);
      const waits = text(folder, "w1.yaml");
      commit(folder);
      edit(folder, "config.yaml", '"b"', '"c"');
      assert.equal((await runAt(NOW, "stamp", "--check", folder)).status, 1, "the digest that waits is stale");
      await runAt(NOW, "stamp", folder);
      assert.notEqual(text(folder, "w1.yaml"), waits);
      assert.ok(text(folder, "w1.yaml").includes(STAMP_OF_A), "the old stamp stands");
      edit(folder, "config.yaml", '"c"', '"a"');
      await runAt(NOW, "stamp", folder);
      assert.equal(text(folder, "w1.yaml"), before);
    }));

  it("stamps a workload at once if it rolls out for another reason", () =>
    inStamped(APP, async (folder) => {
      edit(folder, "config.yaml", '"a"', '"b"');
      await runAt(NOW, "stamp", "--max-workloads", "0", folder);
      commit(folder);
      edit(folder, "w3.yaml", "app:1", "app:2");
      assert.equal((await runAt(NOW, "stamp", "--check", folder)).status, 1);
      await runAt(NOW, "stamp", folder);
      assert.equal(waiting(folder), "w1 w2 w4");
      assert.ok(!text(folder, "w3.yaml").includes(STAMP_OF_A));
      const due = await runAt(NOW, "stamp", "--due", "--max-workloads", "1", folder);
      assert.equal(due.stdout, "", "it has taken the place");
      // Another number of pods rolls nothing.
      edit(folder, "w4.yaml", "spec:\n", "spec:\n  replicas: 3\n");
      await runAt(NOW, "stamp", folder);
      assert.equal(waiting(folder), "w1 w2 w4");
    }));

  it("stamps a released workload again if the content changes before the commit", () =>
    inStamped(APP, async (folder) => {
      edit(folder, "config.yaml", '"a"', '"b"');
      await runAt(NOW, "stamp", "--max-workloads", "1", folder);
      const first = text(folder, "w1.yaml");
      edit(folder, "config.yaml", '"b"', '"c"');
      await runAt(NOW, "stamp", "--max-workloads", "0", folder);
      assert.equal(waiting(folder), "w2 w3 w4");
      assert.notEqual(text(folder, "w1.yaml"), first);
    }));

  it("lets a first stamp wait, which --require-stamps accepts", () =>
    inFolder(APP, async (folder) => {
      git(folder, "init", "-q");
      commit(folder);
      await runAt(NOW, "stamp", "--max-workloads", "1", folder);
      assert.equal(waiting(folder), "w2 w3 w4");
      assert.ok(text(folder, "w2.yaml").includes(`${WAITS}: "configmap.rollstamp.dev/settings=h1-`));
      assert.equal((await runAt(NOW, "stamp", "--check", "--require-stamps", folder)).status, 0);
      edit(folder, "w2.yaml", "=h1-", "=h1-0");
      assert.equal((await runAt(NOW, "stamp", "--check", folder)).status, 1, "a digest that is none");
    }));

  it("stamps a new workload at once, and compares a moved one with its old file", () =>
    inStamped(APP, async (folder) => {
      mkdirSync(join(folder, "apps"));
      for (const name of NAMES) renameSync(join(folder, `${name}.yaml`), join(folder, "apps", `${name}.yaml`));
      writeFileSync(join(folder, "new.yaml"), deployment("new", "settings"));
      edit(folder, "config.yaml", '"a"', '"b"');
      const { stderr } = await runAt(NOW, "stamp", "--max-workloads", "2", folder);
      assert.match(stderr, /3 workloads take new stamps, 2 workloads wait/u);
      assert.ok(!text(folder, "new.yaml").includes(WAITS));
    }));

  it("compares with the file outside of a repository: each run releases some", () =>
    inFolder(APP, async (folder) => {
      await runAt(NOW, "stamp", "--max-workloads", "3", folder);
      assert.equal(waiting(folder), "w4");
      await runAt(NOW, "stamp", "--due", "--max-workloads", "3", folder);
      assert.equal(waiting(folder), "");
    }));

  it("does not count a workload as new if its file at HEAD can't be read", () =>
    inStamped(APP, async (folder) => {
      for (const name of NAMES)
        writeFileSync(join(folder, `${name}.yaml`), `${text(folder, `${name}.yaml`)}---\na: [\n`);
      commit(folder);
      for (const name of NAMES) edit(folder, `${name}.yaml`, "---\na: [\n", "");
      edit(folder, "config.yaml", '"a"', '"b"');
      await runAt(NOW, "stamp", "--max-workloads", "1", folder);
      assert.equal(waiting(folder), "w2 w3 w4");
    }));

  it("counts the pods of an autoscaler in another file", () =>
    inStamped(
      {
        ...APP,
        "hpa.yaml":
          "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: w1}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w1}, minReplicas: 1, maxReplicas: 9}\n",
      },
      async (folder) => {
        edit(folder, "config.yaml", '"a"', '"b"');
        const { stderr, status } = await runAt(NOW, "stamp", "--max-pods", "2", folder);
        assert.equal(status, 0);
        assert.match(stderr, /warning: .*w1\.yaml:1:1: Deployment w1 has 9 pods, more than --max-pods allows/u);
        assert.equal(waiting(folder), "w1 w4");
      },
    ));

  it("respects windows of workloads and sources", () =>
    inStamped(APP, async (folder) => {
      edit(folder, "config.yaml", "  name", '  annotations: {rollstamp.dev/rollout-window: "0 2 * * SUN; 4h"}\n  name');
      edit(
        folder,
        "w1.yaml",
        "  name",
        '  annotations:\n    rollstamp.dev/rollout-window: "0 5 * * SUN; 1h" # why\n  name',
      );
      edit(folder, "config.yaml", '"a"', '"b"');
      const closed = await runAt(NOW, "stamp", "--verbose", folder);
      assert.match(closed.stderr, /^rollstamp: 4 workloads wait, next window Sunday 2026-11-29 02:00 UTC$/mu);
      assert.match(closed.stderr, /Deployment w1 waits for its window, which opens Sunday 2026-11-29 05:00 UTC/u);
      commit(folder);
      assert.equal((await runAt("2026-11-29T03:00:00Z", "stamp", folder)).stdout, "", "only --due lets it go");
      await runAt("2026-11-29T03:00:00Z", "stamp", "--due", folder);
      assert.equal(waiting(folder), "w1");
      commit(folder);
      await runAt("2026-11-29T05:30:00Z", "stamp", "--due", folder);
      assert.equal(waiting(folder), "");
      assert.match(text(folder, "w1.yaml"), /rollout-window: "0 5 \* \* SUN; 1h" # why\n {2}name/u);
      commit(folder);
      edit(folder, "config.yaml", '"b"', '"c"');
      await runAt("2026-11-29T05:30:00Z", "stamp", folder);
      assert.equal(waiting(folder), "", "both are open: nothing has to wait");
    }));

  it("reports workloads that wait forever, up to a limit", () => {
    const never = '  annotations: {rollstamp.dev/rollout-window: "0 2 * * MON; 4h"}\n  name';
    const source = configMap("settings", "a").replace("  name", never.replace("MON", "SUN"));
    const names = Array.from({ length: 60 }, (_, i) => `v${i}`);
    const all = names.map((name) => deployment(name, "settings").replace("  name", never));
    return inFolder({ "config.yaml": source, "all.yaml": all.join("---\n") }, async (folder) => {
      git(folder, "init", "-q");
      commit(folder);
      const { stderr } = await runAt(NOW, "stamp", folder);
      assert.match(stderr, /^rollstamp: 60 workloads wait$/mu);
      const lines = stderr.split("\n").filter((line) => line.includes("never overlap"));
      assert.equal(lines.length, 50);
      assert.match(lines.at(-1) ?? "", /never overlap.* \(and 10 more like it\)/u);
    });
  });

  it("explain shows what waits, and why", () =>
    inStamped(APP, async (folder) => {
      edit(folder, "config.yaml", '"a"', '"b"');
      const explained = async (): Promise<string> => (await runAt(NOW, "explain", "deployment/w2", folder)).stdout;
      assert.match(await explained(), /, to be changed$/mu);
      assert.doesNotMatch(await explained(), /waits/u);
      await runAt(NOW, "stamp", "--max-workloads", "1", folder);
      assert.match(
        await explained(),
        /^ {2}waits {4}by rollstamp\.dev\/waiting: 'rollstamp stamp --due' releases its new stamps$/mu,
      );
      assert.match(await explained(), /, waits to be changed$/mu);
      edit(folder, "config.yaml", '"b"', '"a"');
      assert.doesNotMatch(await explained(), /waits/u, "its stamps are right again");
    }));

  it("releases one group before the next", () =>
    inStamped(
      {
        ...APP,
        "w1.yaml": deployment("w1", "settings").replace(
          "  name",
          '  annotations: {rollstamp.dev/rollout-group: "2"}\n  name',
        ),
        "w2.yaml": deployment("w2", "settings").replace(
          "  name",
          '  annotations: {rollstamp.dev/rollout-group: "1"}\n  name',
        ),
      },
      async (folder) => {
        edit(folder, "config.yaml", '"a"', '"b"');
        await runAt(NOW, "stamp", folder);
        assert.equal(waiting(folder), "w1");
        await runAt(NOW, "stamp", "--due", folder);
        assert.equal(waiting(folder), "w1", "the turn of the next one comes with another commit");
        commit(folder);
        await runAt(NOW, "stamp", "--due", folder);
        assert.equal(waiting(folder), "");
      },
    ));

  for (const [mark, problem] of [
    ['rollstamp.dev/rollout-window: "0 2 * *; 4h"', "has 4 fields instead of five"],
    ["rollstamp.dev/rollout-window: 4", "is a number, not a string"],
    ["rollstamp.dev/waiting: [a]", "is a sequence, not a string"],
  ] as const)
    it(`refuses ${mark}, with its place`, () =>
      inFolder(
        { ...APP, "w1.yaml": deployment("w1", "settings").replace("  name", `  annotations:\n    ${mark}\n  name`) },
        async (folder) => {
          const { status, stderr } = await runAt(NOW, "stamp", folder);
          assert.equal(status, 2);
          assert.ok(stderr.includes(`w1.yaml:5:`) && stderr.includes(problem), stderr);
        },
      ));

  it("stamps in a render, with a warning, because a render can't wait", () => {
    const marked = deployment("w1", "settings").replace(
      "  name",
      '  annotations: {rollstamp.dev/rollout-group: "2", rollstamp.dev/waiting: "x"}\n  name',
    );
    const source = configMap("settings", "a").replace(
      "  name",
      '  annotations: {rollstamp.dev/rollout-window: "0 2 * * SUN; 4h"}\n  name',
    );
    const { text: output, findings } = run(`${marked}---\n${source}`, "");
    assert.ok(output.includes(`configmap.rollstamp.dev/settings: ${STAMP_OF_A}`));
    assert.deepEqual(
      findings.map(({ id, params }) => [id, params]),
      [
        [
          "waiting",
          {
            workload: { apiVersion: "apps/v1", kind: "Deployment", name: "w1" },
            annotations: [WAITS, "rollstamp.dev/rollout-group", "rollstamp.dev/rollout-window"],
          },
        ],
      ],
    );
  });
});
