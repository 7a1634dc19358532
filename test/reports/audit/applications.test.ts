import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { fakeKustomize, startsOf } from "../../support/fake-kustomize.ts";
import { inFolder } from "../../support/folders.ts";
import { auditIn, conf, days, ENVIRONMENT, History, web } from "./history.ts";

// Which applications an audit compares, and how it follows them.

describe("the applications of an audit", () => {
  it("compares an application that is not there in all commits", async () => {
    await inFolder({}, async (folder) => {
      const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
      const named = (name: string, level: string): Record<string, string> => ({
        [`${name}/kustomization.yaml`]: "resources: [web.yaml, conf.yaml]\n",
        [`${name}/web.yaml`]: web(),
        [`${name}/conf.yaml`]: conf(level),
      });
      const history = new History(join(folder, "repository"));
      history.commit(named("a", "x")).commit(named("a", "y")).commit(named("b", "x")).commit(named("b", "y"));
      const args = ["audit", history.folder, "--app", "b", "-o", "json"];
      const { stdout, stderr } = await cli(args, { environment });
      assert.equal(stderr, "");
      assert.deepEqual(days(auditIn(stdout).stale), ["4 web, until now"]);
      const older = await cli(["audit", history.folder, "--app", "a", "-o", "json"], { environment });
      assert.deepEqual(days(auditIn(older.stdout).stale), ["2 web, until now"]);
      history.commit({ a: null });
      const removed = await cli(["audit", history.folder, "--app", "a", "-o", "json"], { environment });
      assert.deepEqual(days(auditIn(removed.stdout).stale), ["2 web, until 5: Delete"]);
      history.commit(named("c", "y"));
      const unknown = ["audit", history.folder, "--app", "a", "--max-commits", "1"];
      const { status, stderr: said } = await cli(unknown, { environment });
      assert.equal(status, 2);
      assert.match(said, /no application matches --app a\n.*HEAD has b and c\./u);
    });
  });

  it("follows a workload into a renamed application", async () => {
    await inFolder({}, async (folder) => {
      const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
      const named = (name: string, level: string, image: string): Record<string, string> => ({
        [`${name}/kustomization.yaml`]: "resources: [web.yaml, conf.yaml]\n",
        [`${name}/web.yaml`]: web({ image }),
        [`${name}/conf.yaml`]: conf(level),
      });
      const history = new History(join(folder, "repository"))
        .commit(named("old", "x", "app:1"))
        .commit(named("old", "y", "app:1"))
        .commit({ old: null, ...named("new", "y", "app:1") })
        .commit(named("new", "y", "app:2"));
      const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json"], { environment });
      assert.equal(stderr, "");
      const { stale } = auditIn(stdout);
      assert.deepEqual(days(stale), ["2 web, until 4: Template spec.containers[name=app].image"]);
    });
  });

  it("does not count what is held back, and what nothing deploys", async () => {
    await inFolder({}, async (folder) => {
      const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
      const script = join(folder, "fake-kustomize", "kustomize");
      const working = readFileSync(script, "utf8");
      writeFileSync(script, working.replace("\n", `\ncat *.yaml >> ${join(folder, "log")}\n`));
      const sync = (name: string, suspend: boolean): string =>
        JSON.stringify({
          apiVersion: "kustomize.toolkit.fluxcd.io/v1",
          kind: "Kustomization",
          metadata: { name, namespace: "flux-system" },
          spec: { path: `./${name}`, suspend, prune: true, sourceRef: { kind: "GitRepository", name: "flux-system" } },
        });
      const filesOf = (level: string): Record<string, string> =>
        Object.fromEntries(
          ["deployed", "held", "orphan"].flatMap((name) => [
            [`${name}/kustomization.yaml`, "resources: [web.yaml, conf.yaml]\n"],
            [`${name}/web.yaml`, web({ name })],
            [`${name}/conf.yaml`, conf(level)],
          ]),
        );
      const syncs = { "clusters/a/deployed.yaml": sync("deployed", false), "clusters/a/held.yaml": sync("held", true) };
      const history = new History(join(folder, "repository"))
        .commit({ ...syncs, ...filesOf("x") })
        .commit(filesOf("y"));
      const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json"], { environment });
      assert.equal(stderr, "");
      const { stale, summary, notDeployed } = auditIn(stdout);
      assert.deepEqual([days(stale), summary["changes"], notDeployed], [["2 deployed, until now"], 1, 1]);
      const rendered = readFileSync(join(folder, "log"), "utf8");
      assert.deepEqual(
        ["deployed", "orphan"].map((name) => rendered.includes(`name: ${name}`)),
        [true, false],
      );
    });
  });

  it("renders an application at the root in each commit, whatever folders come and go", async () => {
    await inFolder({}, async (folder) => {
      const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
      const history = new History(join(folder, "repository")).commit({
        "kustomization.yaml": "resources: [web.yaml, conf.yaml]\n",
        "web.yaml": web(),
        "conf.yaml": conf("0"),
      });
      for (let i = 1; i < 8; i++)
        history.commit({
          "conf.yaml": conf(String(i)),
          [`only-${i}/notes.txt`]: "x",
          ...(i > 1 ? { [`only-${i - 1}`]: null } : {}),
        });
      const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json"], { environment });
      assert.equal(stderr, "");
      assert.equal(auditIn(stdout).summary["stale"], 7);
    });
  });

  it("compares what is in a folder", async () => {
    await inFolder({}, async (folder) => {
      const filesOf = (name: string, level: string): Record<string, string> => ({
        [`${name}/web.yaml`]: web({ name }).replace("namespace: shop", `namespace: ${name}`),
        [`${name}/conf.yaml`]: conf(level).replace("namespace: shop", `namespace: ${name}`),
      });
      new History(folder)
        .commit({ ...filesOf("a", "x"), ...filesOf("b", "x") })
        .commit(filesOf("a", "y"))
        .commit(filesOf("b", "y"));
      const { stdout } = await cli(["audit", join(folder, "b"), "-o", "json"], { environment: ENVIRONMENT });
      const { stale, only } = auditIn(stdout);
      assert.deepEqual([days(stale), only], [["3 b, until now"], { path: "b" }]);
      const args = ["audit", folder, "--app", "*", "-n", "b", "-o", "json"];
      const named = auditIn((await cli(args, { environment: ENVIRONMENT })).stdout);
      assert.deepEqual([days(named.stale), named.only], [["3 b, until now"], { applications: ["*"], namespace: "b" }]);
      assert.equal(
        (await cli(["audit", folder, "-o", "json"], { environment: ENVIRONMENT })).stdout.includes('"only"'),
        false,
      );
    });
  });

  it("renders an application once for all commits that have the same of what it reads", async () => {
    await inFolder({}, async (folder) => {
      const environment = { ...ENVIRONMENT, PATH: fakeKustomize(folder, ENVIRONMENT.PATH) };
      const sync = (name: string, path: string): string =>
        JSON.stringify({
          apiVersion: "kustomize.toolkit.fluxcd.io/v1",
          kind: "Kustomization",
          metadata: { name, namespace: "flux-system" },
          spec: { path, prune: true, sourceRef: { kind: "GitRepository", name: "flux-system" } },
        });
      const history = new History(join(folder, "repository")).commit({
        "clusters/a/all.yaml": sync("flux-system", "./clusters/a"),
        "clusters/a/app.yaml": sync("app", "./clusters/a/apps/app"),
        "clusters/a/apps/kustomization.yaml": "resources: []\n",
        "clusters/a/apps/app/kustomization.yaml": "resources: [web.yaml, conf.yaml]\n",
        "clusters/a/apps/app/web.yaml": web(),
        "clusters/a/apps/app/conf.yaml": conf("0"),
      });
      for (const level of ["1", "2", "1"]) history.commit({ "clusters/a/apps/app/conf.yaml": conf(level) });
      history.commit({ "readme.md": "x" });
      const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json"], { environment });
      assert.equal(stderr, "");
      assert.equal(auditIn(stdout).summary["changes"], 3);
      // What Flux generates for the cluster names a kustomization that does not name the application.
      assert.deepEqual([startsOf(folder, "/clusters/a"), startsOf(folder, "/apps/app")], [1, 3]);
    });
  });
});
