import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

// An object that is in several of the files found does not stop a read-only command: the topmost folders or files that
// contain one copy each are checked separately. This must never cause a false all-clear.

/** Two environments, each with a workload and a source of the same names, and an application next to them. */
const ENVIRONMENTS: Files = {
  "app/api.yaml": `${deployment("api", "api-env")}---\n${configMap("api-env", "a")}`,
  "envs/dev/web.yaml": deployment("web", "settings"),
  "envs/dev/more/settings.yaml": configMap("settings", "dev"),
  "envs/prod/web.yaml": deployment("web", "settings"),
  "envs/prod/settings.yaml": configMap("settings", "prod"),
};

interface Plan {
  readonly summary: { readonly workloads: number; readonly rolls: number };
  readonly workloads: readonly { readonly name: string; readonly part?: string; readonly action: string }[];
  readonly findings: readonly {
    readonly id: string;
    readonly severity: string;
    readonly message: string;
    readonly before?: true;
  }[];
  readonly findingsBefore: number;
}

/** The plan from one state of a folder to another. */
async function planned(base: Files, head: Files, ...options: string[]): Promise<{ status: number; plan: Plan }> {
  let found: { status: number; plan: Plan } | undefined;
  await inFolder({}, async (folder) => {
    writeFiles(join(folder, "base"), base);
    writeFiles(join(folder, "head"), head);
    const { status, stdout, stderr } = await cli([
      "plan",
      "-o",
      "json",
      ...options,
      join(folder, "base"),
      join(folder, "head"),
    ]);
    assert.notEqual(stdout, "", stderr);
    found = { status, plan: JSON.parse(stdout) as Plan };
  });
  assert.ok(found);
  return found;
}

const rolls = ({ workloads }: Plan): string[] =>
  workloads.filter(({ action }) => action === "Roll").map(({ name, part = "" }) => `${name} ${part}`);
const findingsOf = ({ findings }: Plan): string[] => findings.map(({ id, severity }) => `${id} ${severity}`);

describe("an object in several of the files found", () => {
  it("needs no stamp of an optional source of another part, which stamp does not see", () => {
    const web = `${deployment("web", "settings")}            - configMapRef: {name: shared, optional: true}\n`;
    const part = `${web}---\n${configMap("settings", "a")}`;
    return inFolder(
      { "a/web.yaml": part, "b/web.yaml": part, "c/cm.yaml": configMap("shared", "a") },
      async (folder) => {
        assert.equal((await cli(["stamp", "--scope", "directory", folder])).status, 0);
        const { stdout } = await cli(["lint", "-o", "json", folder]);
        assert.doesNotMatch(stdout, /RS009/u);
      },
    );
  });

  for (const [name, ...more] of [["lint"], ["graph"], ["digest"], ["explain", "deployment/web"], ["plan", "."]]) {
    it(`does not stop ${[name, ...more].join(" ")}, and is reported with its places`, () =>
      inFolder(ENVIRONMENTS, async (folder) => {
        const paths = more[0] === "." ? [folder, folder, "--all"] : [...more, folder];
        const { status, stdout, stderr } = await cli([name ?? "", ...paths]);
        assert.equal(status, 0, stderr);
        const finding = `${stdout}${stderr}`.replaceAll(`${folder}/`, "").replaceAll(/\s+/gu, " ");
        assert.match(
          finding,
          /is in envs\/dev\/more\/settings\.yaml:1 and in envs\/prod\/settings\.yaml:1, and 1 more object .*: .*envs\/dev and .*envs\/prod/u,
        );
        assert.match(finding, /duplicate-object/u);
      }));
    it(`is an error of ${[name, ...more].join(" ")} with --scope all, and where the files are named`, () =>
      inFolder(ENVIRONMENTS, async (folder) => {
        const paths = more[0] === "." ? [folder, folder, "--all"] : [...more, folder];
        const { status, stdout, stderr } = await cli([name ?? "", "--scope", "all", ...paths]);
        assert.deepEqual([status, stdout], [2, ""]);
        assert.match(stderr, /is duplicated: the first is at [^]*--scope directory/u);
        if (name === "plan") return;
        const files = ["dev/web.yaml", "prod/web.yaml"].map((path) => join(folder, "envs", path));
        const named = await cli([name ?? "", ...more, ...files]);
        assert.deepEqual([named.status, named.stdout], [2, ""]);
        assert.match(named.stderr, /Deployment web is duplicated/u);
      }));
  }
  it("stays an error of stamp, with --check too: which of them it would write by is a matter of luck", () =>
    inFolder(ENVIRONMENTS, async (folder) => {
      for (const args of [["stamp"], ["stamp", "--check"], ["stamp", "--diff"]]) {
        const { status, stdout, stderr } = await cli([...args, folder]);
        assert.deepEqual([status, stdout], [2, ""]);
        assert.match(stderr, /is duplicated/u);
      }
    }));
  it("separates only the topmost folders that would contain it twice", () =>
    inFolder(
      {
        ...ENVIRONMENTS,
        // A part that falls into parts again, and files of one folder.
        "envs/prod/blue/canary.yaml": deployment("canary", "settings"),
        "envs/prod/green/canary.yaml": deployment("canary", "settings"),
        "jobs/a.yaml": configMap("job", "a"),
        "jobs/b.yaml": configMap("job", "b"),
        "jobs/c.yaml": configMap("other", "c"),
      },
      async (folder) => {
        const { stdout } = await cli(["lint", "-o", "json", folder]);
        const { results } = JSON.parse(stdout) as { results: { message: string; tags: { rule: string } }[] };
        const finding = results.find(({ tags }) => tags.rule === "duplicate-object");
        const parts = / Checked separately: ([^.]*(?:\.yaml[^.]*)*)\. /u
          .exec(finding?.message ?? "")?.[1]
          ?.replaceAll(`${folder}/`, "");
        assert.equal(
          parts,
          "envs/dev, envs/prod, envs/prod/blue, envs/prod/green, jobs/a.yaml and jobs/b.yaml",
          finding?.message,
        );
      },
    ));
  it("is not reported for a hook of a chart, nor for a kind that is not checked", () =>
    inFolder(
      {
        "a/x.yaml": configMap("env", "a"),
        "b/x.yaml": configMap("env", "a").replace("  name", '  annotations: {helm.sh/hook: "pre-install"}\n  name'),
        "a/n.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
        "b/n.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n",
        "web.yaml": deployment("web", "env"),
      },
      async (folder) => {
        const { status, stdout } = await cli(["lint", folder]);
        assert.equal(status, 0);
        assert.doesNotMatch(stdout, /duplicate-object/u);
      },
    ));
});

describe("parts of a run", () => {
  it("each see their own source, and are rows of their own in a plan", async () => {
    const head = { ...ENVIRONMENTS, "envs/prod/settings.yaml": configMap("settings", "other") };
    const { status, plan } = await planned(ENVIRONMENTS, head);
    assert.deepEqual([status, plan.summary.workloads, rolls(plan)], [0, 3, ["web envs/prod"]]);
    assert.deepEqual([findingsOf(plan), plan.findingsBefore], [[], 1]);
    const none = await planned(ENVIRONMENTS, ENVIRONMENTS);
    assert.deepEqual([none.status, rolls(none.plan)], [0, []]);
  });
  it("are reported by the plan of the change that makes them, else only with --all", async () => {
    const { "envs/prod/settings.yaml": settings = "", ...one } = ENVIRONMENTS;
    const made = await planned(one, ENVIRONMENTS);
    assert.deepEqual([findingsOf(made.plan), made.plan.findingsBefore], [["duplicate-object warning"], 0]);
    const third = {
      ...ENVIRONMENTS,
      "envs/test/settings.yaml": settings,
      "envs/test/web.yaml": deployment("web", "settings"),
    };
    const more = await planned(ENVIRONMENTS, third);
    assert.deepEqual([findingsOf(more.plan), more.plan.findingsBefore], [[], 1]);
    const all = await planned(ENVIRONMENTS, ENVIRONMENTS, "--all");
    assert.deepEqual(
      all.plan.findings.map(({ id, before }) => [id, before]),
      [["duplicate-object", true]],
    );
  });
  it("are named in text, Markdown and HTML", () =>
    inFolder({}, async (folder) => {
      writeFiles(join(folder, "base"), ENVIRONMENTS);
      writeFiles(join(folder, "head"), { ...ENVIRONMENTS, "envs/prod/settings.yaml": configMap("settings", "x") });
      for (const [form, row] of [
        ["text", /Deployment default\/web in envs\/prod/u],
        ["markdown", /`default\/web` in `envs\/prod`/u],
        ["html", / in <code>envs\/(?:<wbr>)?prod<\/code>/u],
      ] as const) {
        const { stdout } = await cli(["plan", "-o", form, join(folder, "base"), join(folder, "head")]);
        assert.match(stdout, row, form);
      }
    }));
  it("see the files around them: a change there rolls all of them", async () => {
    const shared = (value: string): Files => ({
      "envs/shared.yaml": configMap("shared", value),
      "envs/dev/web.yaml": deployment("web", "shared"),
      "envs/prod/web.yaml": deployment("web", "shared"),
    });
    const { plan } = await planned(shared("a"), shared("b"));
    assert.deepEqual(rolls(plan), ["web envs/dev", "web envs/prod"]);
    assert.deepEqual([findingsOf(plan), plan.findingsBefore], [[], 1]);
  });
  it("see what only one other part has, and the nearest of several", async () => {
    const files = (only: string, near: string): Files => ({
      ...ENVIRONMENTS,
      "envs/dev/only.yaml": configMap("only", only),
      "job.yaml": deployment("job", "only"),
      "envs/prod/blue/one.yaml": deployment("blue", "settings"),
      "envs/prod/green/one.yaml": `${deployment("blue", "settings")}---\n${configMap("settings", near)}`,
    });
    assert.deepEqual(rolls((await planned(files("a", "x"), files("b", "x"))).plan), ["job "]);
    assert.deepEqual(rolls((await planned(files("a", "x"), files("a", "y"))).plan), ["blue envs/prod/green"]);
    const prod = { ...files("a", "x"), "envs/prod/settings.yaml": configMap("settings", "other") };
    assert.deepEqual(rolls((await planned(files("a", "x"), prod)).plan), ["blue envs/prod/blue", "web envs/prod"]);
  });
  it("that each contain a source named by a workload next to them are not an all-clear", async () => {
    const beside = { ...ENVIRONMENTS, "web.yaml": deployment("beside", "settings") };
    const same = await planned(beside, beside);
    assert.deepEqual([same.status, findingsOf(same.plan), same.plan.findingsBefore], [0, [], 2]);
    const added = await planned(ENVIRONMENTS, beside);
    assert.deepEqual(
      [added.status, findingsOf(added.plan), added.plan.findingsBefore],
      [0, ["ambiguous-source warning"], 1],
    );
    assert.match(
      added.plan.findings.at(-1)?.message ?? "",
      /Deployment beside uses ConfigMap default\/settings, which is in .*envs\/dev\/more\/settings\.yaml:1 and .*envs\/prod\/settings\.yaml:1: /u,
    );
    const changed = await planned(beside, { ...beside, "envs/prod/settings.yaml": configMap("settings", "new") });
    assert.deepEqual(
      [changed.status, rolls(changed.plan), findingsOf(changed.plan)],
      [1, ["web envs/prod"], ["ambiguous-source error"]],
    );
    // The same, added or gone on one side.
    const more = { ...beside, "other/settings.yaml": configMap("settings", "other") };
    assert.deepEqual([(await planned(beside, more)).status, (await planned(more, beside)).status], [1, 1]);
    await inFolder(beside, async (folder) => {
      const { status, stdout } = await cli(["lint", folder]);
      assert.equal(status, 0);
      assert.match(stdout, /web\.yaml:16:17: warning ambiguous-source: /u);
      assert.doesNotMatch(stdout, /RS001/u, "it is there, in two places");
    });
  });
  it("that are asked for don't see each other, and a plan says where that could hide a rollout", async () => {
    const files = (value: string): Files => ({
      "a.yaml": deployment("web", "env"),
      "b.yaml": configMap("env", value),
    });
    assert.equal((await planned(files("a"), files("a"), "--scope", "file")).status, 0);
    const { status, plan } = await planned(files("a"), files("b"), "--scope", "file");
    assert.deepEqual([status, rolls(plan), findingsOf(plan)], [1, [], ["ambiguous-source error"]]);
    assert.deepEqual(rolls((await planned(files("a"), files("b"), "--scope", "directory")).plan), ["web "]);
  });
  it("name each other's sources: nothing counts as unused for being looked at apart", () =>
    inFolder(
      {
        ...ENVIRONMENTS,
        "shared.yaml": `${configMap("shared", "a")}---\n${configMap("unused", "a")}`,
        "envs/dev/api.yaml": deployment("api-dev", "shared"),
      },
      async (folder) => {
        for (const scope of ["auto", "directory", "file"]) {
          const { stdout } = await cli(["lint", "--scope", scope, folder]);
          const unused = [...stdout.matchAll(/RS012: .* ConfigMap (\w+)/gu)].map(([, name]) => name);
          // A folder without workloads says nothing of what is used.
          assert.deepEqual(unused, scope === "auto" ? ["unused"] : [], scope);
        }
      },
    ));
  it("are one graph, and one answer to which workloads see a source", () =>
    inFolder({ ...ENVIRONMENTS, "envs/prod/api.yaml": deployment("buyer", "api-env") }, async (folder) => {
      const { stdout } = await cli(["graph", "-o", "json", folder]);
      const { workloads, sources, edges } = JSON.parse(stdout) as {
        workloads: { name: string }[];
        sources: { name: string; coverage: string }[];
        edges: { workload: number; source: number }[];
      };
      assert.deepEqual(
        sources.map(({ name, coverage }) => `${name} ${coverage}`),
        ["api-env content", "settings content", "settings content"],
      );
      assert.deepEqual(
        edges.map(({ workload, source }) => `${workloads[workload]?.name} ${sources[source]?.name} ${source}`).sort(),
        ["api api-env 0", "buyer api-env 0", "web settings 1", "web settings 2"],
      );
    }));
  it("are the same on both sides of a plan, whichever side has the duplicate object", async () => {
    const once: Files = { "a/web.yaml": deployment("web", "env"), "b/env.yaml": configMap("env", "a") };
    const twice = { ...once, "b/web.yaml": deployment("web", "env").replace("app:1", "app:2") };
    const { plan } = await planned(once, twice);
    assert.deepEqual(
      plan.workloads.map(({ action, part }) => `${action} ${part}`),
      ["Create b"],
    );
    const back = await planned(twice, once);
    assert.deepEqual(
      back.plan.workloads.map(({ action, part }) => `${action} ${part}`),
      ["Delete b"],
    );
  });
  it("are found in revisions too", () =>
    inFolder(ENVIRONMENTS, async (folder) => {
      const git = (...args: string[]): void => {
        execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], { stdio: "ignore" });
      };
      git("init", "-b", "main");
      git("add", ".");
      git("commit", "-m", "one");
      writeFileSync(join(folder, "envs/prod/settings.yaml"), configMap("settings", "new"));
      git("commit", "-am", "two");
      const before = process.cwd();
      process.chdir(folder);
      try {
        const { status, stdout, stderr } = await cli([
          "plan",
          "--git",
          "main~1..main",
          "--as",
          "stamped",
          "-o",
          "json",
          ".",
        ]);
        assert.equal(status, 0, stderr);
        const plan = JSON.parse(stdout) as Plan;
        assert.deepEqual(rolls(plan), ["web envs/prod"]);
        assert.deepEqual([findingsOf(plan), plan.findingsBefore], [[], 1]);
        assert.doesNotMatch(stdout, /rollstamp-plan-/u);
      } finally {
        process.chdir(before);
      }
    }));
});
