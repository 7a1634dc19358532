import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { fakeKustomize } from "../../support/fake-kustomize.ts";
import { inFolder } from "../../support/folders.ts";
import { auditIn, conf, days, ENVIRONMENT, History, web } from "./history.ts";

// Which commits are compared, and what an audit says about those that it can't compare.

const BOTH = { "web.yaml": web(), "conf.yaml": conf("info") };

/** A history of five commits, of which two to four change what a container sees. */
async function inHistory(test: (history: History, folder: string) => Promise<void>): Promise<void> {
  await inFolder({}, async (folder) => {
    const history = new History(join(folder, "repository"));
    for (const files of [BOTH, ...["b", "c", "d"].map((level) => ({ "conf.yaml": conf(level) })), { "readme.md": "x" }])
      history.commit(files);
    await test(history, folder);
  });
}

describe("the history of an audit", () => {
  it("compares the newest commits with --max-commits", async () => {
    await inHistory(async (history) => {
      const { summary, cut, from } = await history.audit("--max-commits", "3");
      assert.deepEqual(cut, { by: "MaxCommits", commits: 3 });
      assert.deepEqual([summary["commits"], summary["stale"], from.date], [3, 2, "2026-03-03T10:00:00Z"]);
    });
  });

  it("compares the commits since a date, by the author's date", async () => {
    await inHistory(async (history) => {
      for (const since of ["2026-03-04", "2026-03-04T10:00:00Z", "2026-03-04T12:00:00+02:00"]) {
        const { summary, cut } = await history.audit("--since", since);
        assert.deepEqual([summary["commits"], summary["stale"], cut], [2, 1, null], since);
      }
    });
  });

  it("compares the commits of a number of days or weeks", async () => {
    await inHistory(async (history) => {
      const environment = { ...ENVIRONMENT, ROLLSTAMP_NOW: "2026-03-06T10:00:00Z" };
      for (const [since, commits] of [
        ["2d", 2],
        ["1w", 5],
      ] as const) {
        const { stdout } = await cli(["audit", history.folder, "--since", since, "-o", "json"], { environment });
        assert.equal(auditIn(stdout).summary["commits"], commits, since);
      }
    });
  });

  it("follows pods through commits of other dates, and does not count these", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder).commit(BOTH).commit({ "conf.yaml": conf("b") });
      history.amendDate("2026-03-20T10:00:00Z");
      history.commit({ "web.yaml": web({ image: "app:2" }) });
      const { summary, stale } = await history.audit("--since", "2026-03-10");
      assert.equal(summary["commits"], 1);
      assert.deepEqual(days(stale), ["20 web, until 3: Template spec.containers[name=app].image"]);
    });
  });

  it("says what an empty period is", async () => {
    await inHistory(async (history) => {
      const { summary, from, to } = await history.audit("--since", "2027-01-01");
      assert.equal(summary["commits"], 0);
      assert.equal(from.commit, history.git("rev-parse", "HEAD"));
      assert.deepEqual(from, to);
    });
  });

  it("compares only applications with a name", async () => {
    await inHistory(async (history) => {
      assert.equal((await history.audit("--app", ".")).summary["stale"], 3);
      const { status, stderr } = await history.run("--app", "nothing");
      assert.equal(status, 2);
      assert.match(stderr, /no application matches --app nothing/u);
    });
  });

  it("starts where a shallow clone ends", async () => {
    await inHistory(async (history, folder) => {
      const clone = join(folder, "clone");
      history.git("clone", "--quiet", "--depth", "3", `file://${history.folder}`, clone);
      const { stdout } = await cli(["audit", clone, "-o", "json"], { environment: ENVIRONMENT });
      const { summary, cut } = auditIn(stdout);
      assert.deepEqual(cut, { by: "Shallow", commits: 2 });
      assert.deepEqual([summary["commits"], summary["stale"]], [2, 1]);
    });
  });

  it("refuses a clone with nothing to compare, as CI systems make it", async () => {
    await inHistory(async (history, folder) => {
      const clone = join(folder, "clone");
      history.git("clone", "--quiet", "--depth", "1", `file://${history.folder}`, clone);
      const { status, stdout, stderr } = await cli(["audit", clone, "-o", "json"], { environment: ENVIRONMENT });
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /only the newest commit\n.*git fetch --unshallow/u);
    });
  });

  it("works in a linked worktree, and refuses a bare repository with the reason", async () => {
    await inHistory(async (history, folder) => {
      const [bare, linked] = [join(folder, "bare"), join(folder, "linked")];
      history.git("clone", "--quiet", "--bare", history.folder, bare);
      const refused = await cli(["audit", bare], { environment: ENVIRONMENT });
      assert.equal(refused.status, 2);
      assert.match(refused.stderr, /bare repository.*\n.*git worktree add/u);
      spawnSync("git", ["-C", bare, "worktree", "add", "--quiet", linked], { env: ENVIRONMENT });
      const { stdout } = await cli(["audit", linked, "-o", "json"], { environment: ENVIRONMENT });
      assert.equal(auditIn(stdout).summary["stale"], 3);
    });
  });

  for (const [what, author] of [
    ["no date", "author a"],
    ["a date before all others", "author a <a@b> -5 +0000"],
    ["a year of nine digits", "author a <a@b> 8640000000000000 +0000"],
    ["a time zone that nobody has", "author a <a@b> 1767225600 +9999"],
  ] as const)
    it(`counts a commit with ${what} as one of 1970`, () =>
      inHistory(async (history) => {
        history.commit({ "conf.yaml": conf("e") });
        const written = history.git("cat-file", "commit", "HEAD");
        const input = written.replace(/^author .*$/mu, author);
        const args = ["-C", history.folder, "hash-object", "-t", "commit", "-w", "--literally", "--stdin"];
        const { stdout: commit } = spawnSync("git", args, { input, encoding: "utf8", env: ENVIRONMENT });
        history.git("reset", "--hard", "--quiet", commit.trim());
        const { to, summary } = await history.audit();
        assert.deepEqual([to.date, summary["stale"]], ["1970-01-01T00:00:00Z", 4]);
        const page = await cli(["audit", history.folder, "-o", "html"], { environment: ENVIRONMENT });
        assert.deepEqual([page.status, page.stderr], [0, ""]);
      }));

  it("does not depend on what a clone configures", () =>
    inHistory(async (history) => {
      const { summary } = await history.audit();
      history.git("config", "i18n.logOutputEncoding", "UTF-16");
      history.git("config", "diff.orderFile", "none");
      const grafts = join(history.folder, ".git", "info", "grafts");
      writeFileSync(grafts, `${history.git("rev-parse", "HEAD").trim()}\n`);
      assert.deepEqual((await history.audit()).summary, summary);
    }));

  it("follows first parents: a merge is one change", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder).commit(BOTH);
      history.git("checkout", "--quiet", "-b", "side");
      history.commit({ "conf.yaml": conf("b") }).commit({ "conf.yaml": conf("c") });
      history.git("checkout", "--quiet", "main");
      history.git("-c", "user.name=a", "-c", "user.email=a@b", "merge", "--quiet", "--no-ff", "-m", "merge", "side");
      const { summary } = await history.audit();
      assert.deepEqual([summary["commits"], summary["stale"], summary["content"]], [2, 1, 1]);
    });
  });

  it("does not see uncommitted changes", async () => {
    await inHistory(async (history) => {
      writeFileSync(join(history.folder, "conf.yaml"), conf("uncommitted"));
      writeFileSync(join(history.folder, "rollstamp.yaml"), "broken: [");
      assert.equal((await history.audit()).summary["stale"], 3);
    });
  });

  it("compares what could not be rendered with the last commit that could", async () => {
    await inFolder({}, async (folder) => {
      const PATH = `${fakeKustomize(folder, ENVIRONMENT.PATH)}`;
      const environment = { ...ENVIRONMENT, PATH };
      const app = { "app/kustomization.yaml": "resources: [web.yaml, conf.yaml, broken.yaml]\n" };
      const broken = { ...app, "app/broken.yaml": "no: manifest\n" };
      const history = new History(join(folder, "repository"))
        .commit({ "app/web.yaml": web(), "app/conf.yaml": conf("info"), ...app })
        .commit({ ...broken, "app/conf.yaml": conf("debug") })
        .commit({ "app/conf.yaml": conf("warn") })
        .commit({ "app/broken.yaml": null });
      const { stdout, stderr } = await cli(["audit", history.folder, "-o", "json"], { environment });
      assert.equal(stderr, "");
      const { unrendered, stale, summary } = auditIn(stdout);
      assert.deepEqual(
        unrendered.map(({ application, date }) => `${application} ${date.slice(8, 10)}`),
        ["app 02", "app 03"],
      );
      assert.match(unrendered[0]?.message ?? "", /broken\.yaml|no: manifest/u);
      assert.deepEqual(days(stale), ["4 web, until now"]);
      assert.equal(summary["content"], 1);
    });
  });

  it("counts a commit whose manifests cannot be read, and goes on", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder)
        .commit(BOTH)
        .commit({ "conf.yaml": "apiVersion: v1\nkind: ConfigMap\ndata: [" })
        .commit({ "conf.yaml": conf("debug") });
      const { summary, stale } = await history.audit();
      assert.equal(summary["unrendered"], 1);
      assert.deepEqual(days(stale), ["3 web, until now"]);
    });
  });

  it("counts commits with an invalid configuration, and compares past them", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder)
        .commit(BOTH)
        .commit({ "rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: None}\n" })
        .commit({ "conf.yaml": conf("b") })
        .commit({ "rollstamp.yaml": null })
        .commit({ "conf.yaml": conf("c") });
      const { unrendered, stale } = await history.audit();
      assert.deepEqual(
        unrendered.map(({ date, message }) => [date.slice(8, 10), /rollstamp.yaml:3:16: .*spec.layout/u.test(message)]),
        [
          ["02", true],
          ["03", true],
        ],
      );
      assert.deepEqual(days(stale), ["4 web, until now", "5 web, until now"]);
    });
  });

  it("does not take what gpg says of a signed commit for commits", async () => {
    await inFolder({}, async (folder) => {
      const history = new History(folder).commit(BOTH);
      const signed = history
        .git("cat-file", "commit", "HEAD")
        .replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n\n");
      writeFileSync(join(folder, ".git", "signed"), `${signed}\n`);
      const commit = history.git("hash-object", "-t", "commit", "-w", join(folder, ".git", "signed"));
      history.git("update-ref", "refs/heads/main", commit);
      history.git("config", "log.showSignature", "true");
      assert.equal((await history.audit()).summary["commits"], 1);
    });
  });

  it("reads commits that it has compared from the cache", async () => {
    await inHistory(async (history, folder) => {
      const cache = join(folder, "cache");
      mkdirSync(cache, { mode: 0o700 });
      const cold = await history.audit("--cache", cache, "--max-commits", "2");
      const entries = readdirSync(cache).length;
      const warm = await history.audit("--cache", cache, "--max-commits", "2");
      assert.deepEqual(warm, cold);
      assert.equal(readdirSync(cache).length, entries);
      const whole = await history.audit("--cache", cache);
      assert.deepEqual(whole, await history.audit());
    });
  });

  it("caches that a chart is elsewhere", async () => {
    await inFolder({}, async (folder) => {
      const release = (version: string): string => `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: shop}
spec: {interval: 1h, chart: {spec: {chart: web, version: "${version}", sourceRef: {kind: HelmRepository, name: charts}}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: shop}
spec: {interval: 1h, url: "https://charts.example.com"}
`;
      const cache = join(folder, "cache");
      mkdirSync(cache, { mode: 0o700 });
      const history = new History(join(folder, "repository"))
        .commit({ "release.yaml": release("1.0.0") })
        .commit({ "release.yaml": release("1.1.0") });
      const { summary } = await history.audit("--cache", cache);
      assert.deepEqual([summary["unrendered"], readdirSync(cache).length], [1, 1]);
      assert.deepEqual((await history.audit("--cache", cache)).summary, summary);
    });
  });

  it("does not cache what could not be rendered: another run may succeed", async () => {
    await inFolder({}, async (folder) => {
      const PATH = fakeKustomize(folder, ENVIRONMENT.PATH);
      const script = join(folder, "fake-kustomize", "kustomize");
      const working = readFileSync(script, "utf8");
      writeFileSync(script, working.replace("\n", '\n[ "$1" = build ] && exit 1\n'));
      const history = new History(join(folder, "repository"))
        .commit({ "app/kustomization.yaml": "resources: [web.yaml, conf.yaml]\n" })
        .commit({ "app/web.yaml": web(), "app/conf.yaml": conf("info") })
        .commit({ "app/conf.yaml": conf("debug") });
      const args = ["audit", history.folder, "--cache", join(folder, "cache"), "-o", "json"];
      const audit = async (): Promise<unknown> => {
        const { stdout } = await cli(args, { environment: { ...ENVIRONMENT, PATH } });
        const { summary } = auditIn(stdout);
        return [(summary["unrendered"] ?? 0) > 0, summary["stale"]];
      };
      assert.deepEqual(await audit(), [true, 0]);
      writeFileSync(script, working);
      assert.deepEqual(await audit(), [false, 1]);
    });
  });

  for (const [args, message] of [
    [["--since", "yesterday"], /--since must be a date/u],
    [["--max-commits", "0"], /--max-commits must be at least 1/u],
    [["--max-commits", "x"], /--max-commits must be a whole number, got "x"/u],
    [["-o", "sarif"], /sarif/u],
  ] as const) {
    it(`refuses ${args.join(" ")}`, async () => {
      await inHistory(async (history) => {
        const { status, stdout, stderr } = await history.run(...args);
        assert.deepEqual([status, stdout], [2, ""]);
        assert.match(stderr, message);
      });
    });
  }

  it("refuses a folder without a commit, one outside of a repository, and a file", async () => {
    await inFolder({ "file.yaml": "" }, async (folder) => {
      const empty = new History(join(folder, "new"));
      for (const [path, message] of [
        [empty.folder, /this branch has no commit yet/u],
        [folder, /not in a Git worktree/u],
        [join(folder, "file.yaml"), /folder not found/u],
      ] as const) {
        const { status, stderr } = await cli(["audit", path], { environment: ENVIRONMENT });
        assert.equal(status, 2);
        assert.match(stderr, message);
      }
    });
  });
});
