import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { cli, type CliResult } from "../../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../../support/folders.ts";
import { commitAll, initialize } from "../../support/git-folder.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRoot } from "../../support/paths.ts";
import { isRightOver } from "./long-history.ts";

const environment = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_DATE: "2026-11-20T10:00:00Z",
  GIT_COMMITTER_DATE: "2026-11-20T10:00:00Z",
};

interface Logged {
  readonly subject: string;
  readonly action: string;
  readonly path: string;
  readonly reasons: readonly { readonly type: string; readonly path?: string; readonly keys?: unknown }[];
}

interface Log {
  readonly path: string;
  readonly shallow: boolean;
  readonly workload: { readonly name: string };
  readonly commits: readonly Logged[];
}

const ajv = new Ajv2020({ strict: false });
ajv.addSchema(JSON.parse(readFileSync(inRoot("schemas", "plan.json"), "utf8")));
const meetsSchema = ajv.compile(JSON.parse(readFileSync(inRoot("schemas", "log.json"), "utf8")));

class Repository {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    initialize(folder);
  }

  git(...args: string[]): string {
    const given = ["-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-C", this.folder, ...args];
    return execFileSync("git", given, { encoding: "utf8", env: environment, stdio: ["ignore", "pipe", "pipe"] });
  }

  async commit(subject: string, change: () => void, isStamped: boolean = true): Promise<void> {
    change();
    if (isStamped) await cli(["stamp", this.folder]);
    const seconds = Date.parse(environment.GIT_AUTHOR_DATE) / 1000;
    if (commitAll(this.folder, subject, "Ada <ada@example.com>", seconds)) return;
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", subject);
  }

  edit(path: string, from: string | RegExp, to: string): void {
    const file = join(this.folder, path);
    const before = readFileSync(file, "utf8");
    assert.notEqual(before.replace(from, to), before);
    writeFileSync(file, before.replace(from, to));
  }

  async run(...args: string[]): Promise<CliResult> {
    return cli(["log", ...args], { environment });
  }

  async log(...args: string[]): Promise<Log> {
    const { status, stdout, stderr } = await this.run("deployment/web", this.folder, "-o", "json", ...args);
    assert.equal(status, 0, stderr);
    const log: unknown = JSON.parse(stdout);
    assert.ok(meetsSchema(log), JSON.stringify(meetsSchema.errors));
    return log as Log;
  }
}

async function inRepository(files: Files, test: (repository: Repository) => Promise<void>): Promise<void> {
  await inFolder({}, async (folder) => {
    const repository = new Repository(folder);
    await repository.commit("first", () => writeFiles(folder, files));
    await test(repository);
  });
}

const APP = { "app/web.yaml": deployment("web", "settings"), "app/config.yaml": configMap("settings", "a") };

const subjects = ({ commits }: Log): string[] => commits.map(({ subject }) => subject);

describe("rollstamp log", () => {
  it("names the sources of copies", () =>
    inRepository(
      {
        ...APP,
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: { name: stamp }\nspec: { layout: Versioned }\n",
      },
      async (repository) => {
        await repository.commit("a value", () => repository.edit("app/config.yaml", '"a"', '"b"'));
        await repository.commit("a key", () => repository.edit("app/config.yaml", "\ndata:", '\ndata:\n  more: "x"'));
        await repository.commit("a value later", () => repository.edit("app/config.yaml", '"b"', '"c"'), false);
        await repository.commit("its stamp", () => undefined);
        const { commits } = await repository.log();
        const source = { kind: "ConfigMap", namespace: "default", name: "settings" };
        const keys = { added: [], removed: [], changed: ["value"] };
        assert.deepEqual(
          commits.map(({ subject, action, reasons }) => [subject, action, ...reasons]),
          [
            ["its stamp", "Roll", { type: "Source", source, keys }],
            ["a key", "Roll", { type: "Source", source, keys: { ...keys, added: ["more"], changed: [] } }],
            ["a value", "Roll", { type: "Source", source, keys }],
            ["first", "Create"],
          ],
        );
      },
    ));

  it("shows which commits rolled out a workload, and why", () =>
    inRepository(APP, async (repository) => {
      await repository.commit("a value", () => repository.edit("app/config.yaml", '"a"', '"b"'));
      await repository.commit("no roll: replicas and another file", () => {
        repository.edit("app/web.yaml", "spec:\n", "spec:\n  replicas: 3\n");
        writeFiles(repository.folder, { "other.yaml": configMap("other", "x") });
      });
      await repository.commit("an image", () => repository.edit("app/web.yaml", "app:1", "app:2"));
      await repository.commit("a restart", () => {
        repository.edit(
          "app/web.yaml",
          "      annotations:\n",
          '      annotations:\n        rollstamp.dev/restartedAt: "2026-11-20T00:00:00Z"\n',
        );
      });
      const log = await repository.log();
      assert.deepEqual(
        log.commits.map(({ subject, action }) => [subject, action]),
        [
          ["a restart", "Roll"],
          ["an image", "Roll"],
          ["a value", "Roll"],
          ["first", "Create"],
        ],
      );
      assert.deepEqual(log.commits[2]?.reasons, [
        {
          type: "Source",
          source: { kind: "ConfigMap", namespace: "default", name: "settings" },
          keys: { added: [], removed: [], changed: ["value"] },
        },
      ]);
      assert.deepEqual(
        [log.commits[1]?.reasons[0]?.path, log.commits[0]?.reasons[0]?.type],
        ["spec.containers[name=app].image", "Restart"],
      );
      assert.deepEqual([log.path, log.shallow, log.workload.name], ["app/web.yaml", false, "web"]);

      const { stdout } = await repository.run("deploy/web", join(repository.folder, "app/web.yaml"));
      assert.match(
        stdout,
        /^Deployment default\/web, app\/web\.yaml: 4 commits\n\n[0-9a-f]{10} 2026-11-20 10:00 Ada: a restart\n/u,
      );
      assert.match(stdout, /Ada: a value\n {2}rolls\n {4}ConfigMap settings: value changed\n/u);
    }));

  it("says that there is no commit yet", () =>
    inFolder(APP, async (folder) => {
      const { status, stderr } = await new Repository(folder).run("deployment/web", folder);
      assert.equal(status, 2);
      assert.match(stderr, /this branch has no commit yet/u);
    }));

  it("does not search what trees repeat: few of them can have billions of files", async () => {
    const copies = Array.from({ length: 20 }, (_, i) => [`x${i}/all.yaml`, "a\n"]);
    await inRepository({ ...APP, ...Object.fromEntries(copies) }, async ({ run, folder }) => {
      const limited = (most: number, path = ""): Promise<CliResult> =>
        run("deployment/web", join(folder, path), "--max-input-size", String(most));
      const { status, stderr } = await limited(30_000);
      assert.equal(status, 2);
      assert.match(stderr, /the same files and folders at several paths in HEAD: this is larger than 30000 bytes/u);
      assert.equal((await limited(30_000, "app")).status, 0);
      assert.equal((await limited(60_000)).status, 0);
    });
  });

  it("finds the key behind a stamp that came later than the change", () =>
    inRepository(APP, async (repository) => {
      await repository.commit("forgotten", () => repository.edit("app/config.yaml", '"a"', '"b"'), false);
      await repository.commit("stamped", () => undefined);
      const log = await repository.log();
      assert.deepEqual(subjects(log), ["stamped", "first"]);
      assert.deepEqual(log.commits[0]?.reasons[0]?.keys, { added: [], removed: [], changed: ["value"] });
    }));

  it("goes back through renames of the file, and moves between files", () =>
    inRepository(APP, async (repository) => {
      const { folder } = repository;
      await repository.commit("image 2", () => repository.edit("app/web.yaml", "app:1", "app:2"));
      await repository.commit("renamed", () => {
        renameSync(join(folder, "app/web.yaml"), join(folder, "app/site.yaml"));
      });
      await repository.commit("image 3", () => repository.edit("app/site.yaml", "app:2", "app:3"));
      await repository.commit("moved, with image 4", () => {
        const text = readFileSync(join(folder, "app/site.yaml"), "utf8").replace("app:3", "app:4");
        rmSync(join(folder, "app/site.yaml"));
        writeFiles(folder, {
          "all.yaml": `${configMap("more", "x")}---\n${deployment("other", "more")}---\n${text}`,
        });
      });
      const log = await repository.log();
      assert.deepEqual(
        log.commits.map(({ subject, path }) => [subject, path]),
        [
          ["moved, with image 4", "all.yaml"],
          ["image 3", "app/site.yaml"],
          ["image 2", "app/web.yaml"],
          ["first", "app/web.yaml"],
        ],
      );
      assert.equal(log.commits[0]?.reasons[0]?.path, "spec.containers[name=app].image");
    }));

  it("shows the keys of a stamp that has waited, and of one behind a commit that changed the workload alone", () =>
    inRepository(APP, async (repository) => {
      const next = async (subject: string, ...options: string[]): Promise<void> => {
        await cli(["stamp", ...options, repository.folder], { environment });
        await repository.commit(subject, () => undefined, false);
      };
      repository.edit("app/config.yaml", '"a"', '"b"');
      await next("waits", "--max-workloads", "0");
      assert.match(readFileSync(join(repository.folder, "app/web.yaml"), "utf8"), /rollstamp\.dev\/waiting/u);
      await next("released", "--due");
      await repository.commit("a value", () => repository.edit("app/config.yaml", '"b"', '"c"'), false);
      await repository.commit(
        "replicas",
        () => repository.edit("app/web.yaml", "spec:\n", "spec:\n  replicas: 3\n"),
        false,
      );
      await next("stamped");
      const { commits } = await repository.log();
      const keys = { added: [], removed: [], changed: ["value"] };
      assert.deepEqual(
        commits.map(({ subject, reasons }) => [subject, reasons.map((reason) => reason.keys)]),
        [
          ["stamped", [keys]],
          ["released", [keys]],
          ["first", []],
        ],
      );
    }));

  it("attributes what a merge brings to the commit that made it, and a merge what it made itself", () =>
    inRepository({ ...APP, "app/more.yaml": configMap("more", "a") }, async (repository) => {
      repository.git("checkout", "--quiet", "-b", "branch");
      await repository.commit("on the branch", () => repository.edit("app/web.yaml", "app:1", "app:2"));
      repository.git("checkout", "--quiet", "main");
      await repository.commit("on main", () => repository.edit("app/config.yaml", '"a"', '"b"'));
      repository.git("merge", "--quiet", "--no-ff", "--message", "merged", "branch");
      assert.deepEqual(subjects(await repository.log()).sort(), ["first", "on main", "on the branch", "merged"].sort());
      repository.git("checkout", "--quiet", "-b", "other");
      await repository.commit("labels", () => repository.edit("app/web.yaml", "app: web", "app: web\n        tier: a"));
      repository.git("checkout", "--quiet", "main");
      repository.git("merge", "--quiet", "--no-ff", "--message", "merged again", "other");
      assert.ok(!subjects(await repository.log()).includes("merged again"));
    }));

  it("is not forged by a subject, an author or the name of a file", () =>
    inRepository(APP, async (repository) => {
      const path = "app/w\n:100644 100644 a b M\u001e\u001f.yaml";
      const forged = "commit\u001f\u001e0123\u001fx";
      writeFiles(repository.folder, { [path]: deployment("api", "env") });
      repository.git("add", "--all");
      repository.git("-c", "user.name=A\u001fB\u001eC", "commit", "--quiet", "--message", forged);
      repository.edit(path, /image: \S+/u, "image: other:2");
      repository.git("commit", "--quiet", "--all", "--message", "\u001b[31mred");
      const { status, stdout, stderr } = await repository.run("deployment/api", repository.folder, "-o", "json");
      assert.equal(status, 0, stderr);
      const { commits } = JSON.parse(stdout) as {
        commits: readonly { subject: string; author: string; path: string }[];
      };
      assert.deepEqual(
        commits.map(({ subject, author, path: at }) => [subject, author, at]),
        [
          ["\u001b[31mred", "Ada", path],
          [forged, "A\u001fB\u001eC", path],
        ],
      );
    }));

  it("says what is wrong", () =>
    inRepository({ ...APP, "prod/web.yaml": deployment("web", "settings") }, async (repository) => {
      for (const [args, words] of [
        [["deployment/web", repository.folder], /'deployment\/web' is in 2 files\n.*app\/web\.yaml, prod\/web\.yaml/u],
        [["deployment/absent", repository.folder], /no workload 'deployment\/absent' was found at HEAD/u],
        [["web", repository.folder], /expected KIND\/NAME, found 'web'/u],
        [["deployment/web", join(repository.folder, "nowhere")], /file or folder not found/u],
      ] as const) {
        const { status, stderr } = await repository.run(...args);
        assert.equal(status, 2);
        assert.match(stderr, words);
      }
    }));

  it("needs a repository", () =>
    inFolder(APP, async (folder) => {
      const { status, stderr } = await cli(["log", "deployment/web", folder], { environment });
      assert.equal(status, 2);
      assert.match(stderr, /not in a Git worktree/u);
    }));

  it("reports that a clone is shallow, and shows no value of a Secret", () =>
    inRepository(
      {
        "web.yaml": deployment("web", "settings").replace("configMapRef", "secretRef"),
        "secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: settings\nstringData:\n  token: planted-1\n",
      },
      async (repository) => {
        await repository.commit("rotated token=planted-2 today", () =>
          repository.edit("secret.yaml", "planted-1", "planted-2"),
        );
        await repository.commit("not planted-1, again", () => repository.edit("web.yaml", "app:1", "app:2"));
        // The commit changes no Secret.
        await repository.commit("repeated", () => repository.edit("web.yaml", "app:2", "app:2-planted-2"));
        const all = await repository.run("deployment/web", repository.folder);
        assert.match(all.stdout, /Secret settings: token changed/u);
        const log = await repository.log();
        assert.doesNotMatch(all.stdout + JSON.stringify(log), /planted/u);
        assert.deepEqual(subjects(log), ["repeated", "not (hidden) again", "rotated (hidden) today", "first"]);
        await inFolder({}, async (folder) => {
          repository.git("clone", "--quiet", "--depth", "1", `file://${repository.folder}`, join(folder, "clone"));
          const { stdout } = await repository.run("deployment/web", join(folder, "clone"));
          assert.match(stdout, /This clone is shallow/u);
        });
      },
    ));

  // 2,000 commits that all roll it: test/hosts/long-history.test.ts.
  isRightOver(400, "all, in one file");
  isRightOver(2000, "one in forty, in files of their own");

  it("reads a file that names the workload in other documents, and one that is none at some commit", () =>
    inRepository(
      { "all.yaml": `${deployment("web-more", "more")}---\n${APP["app/web.yaml"]}--- # web\n${configMap("web", "x")}` },
      async (repository) => {
        await repository.commit("another one", () => repository.edit("all.yaml", "app:1", "app:2"));
        await repository.commit("the one", () => repository.edit("all.yaml", /app:1(?![^]*app:1)/u, "app:3"));
        await repository.commit("broken", () => repository.edit("all.yaml", "---\n", "---\na: {\n---\n"), false);
        await repository.commit("gone", () => rmSync(join(repository.folder, "all.yaml")), false);
        await repository.commit("back", () => repository.git("checkout", "--quiet", "HEAD~2", "--", "all.yaml"), false);
        const log = await repository.log();
        assert.deepEqual(
          log.commits.map(({ subject, action }) => [subject, action]),
          [
            ["back", "Create"],
            ["gone", "Delete"],
            ["the one", "Roll"],
            ["first", "Create"],
          ],
        );
      },
    ));
});
