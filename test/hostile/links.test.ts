import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { inRepository } from "../reports/plan/repository.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { Batch, type Ended } from "./batch.ts";

// Links and paths that lead out of what a command was given, to a file that only its owner should read.

const PLANTED = "planted-outside-of-everything";
const OUTSIDE = `${configMap("outside", PLANTED)}---\n${deployment("outside", "outside")}`;

/** A folder `in` with some files, in a repository or not, beside a file that nobody gave. */
async function beside(files: Files, test: (inside: string, outside: string) => void | Promise<void>): Promise<void> {
  await inFolder({}, async (folder) => {
    const inside = fill(folder, files);
    await test(inside, folder);
    isUntouched(folder);
  });
}

function fill(folder: string, files: Files): string {
  const inside = join(folder, "in");
  mkdirSync(inside);
  writeFiles(folder, { "outside.yaml": OUTSIDE, key: `${PLANTED}\n` });
  writeFiles(inside, files);
  return inside;
}

function isUntouched(folder: string): void {
  assert.equal(readFileSync(join(folder, "outside.yaml"), "utf8"), OUTSIDE, "nothing is written there");
  assert.deepEqual(readdirSync(folder).sort(), ["in", "key", "outside.yaml"]);
}

function tellsNothing({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): void {
  assert.ok(!`${stdout}${stderr}`.includes(PLANTED), `${stdout}${stderr}`);
}

const APP: Files = { "web.yaml": `${configMap("env", "a")}---\n${deployment("web", "env")}` };

describe("a link in a folder that leads out of it", () => {
  const LINKS: Files = {
    ...APP,
    "a.yaml": "-> ../outside.yaml",
    "b.yaml": "-> a.yaml",
    folder: "-> ..",
    "deeper/c.yaml": "-> ../../outside.yaml",
    "d.yaml": "-> /proc/self/environ",
    "loop.yaml": "-> loop.yaml",
    "gone.yaml": "-> nowhere.yaml",
  };
  for (const args of [
    ["stamp"],
    ["stamp", "--stdout"],
    ["stamp", "--diff"],
    ["lint"],
    ["graph"],
    ["digest"],
    ["migrate", "--write"],
    ["restart", "--all"],
  ]) {
    it(`is not followed by ${args.join(" ")}`, () =>
      beside(LINKS, async (inside) => {
        const result = await cli([...args, inside]);
        assert.equal(result.status, 0, result.stderr);
        tellsNothing(result);
      }));
  }
  it("is not followed for a configuration in a repository", () =>
    beside({ ...APP, "rollstamp.yaml": "-> ../key", ".git/HEAD": "" }, async (inside) => {
      const result = await cli(["stamp", inside]);
      assert.equal(result.status, 2);
      assert.match(result.stderr, /rollstamp\.yaml: this link leads out of the repository/u);
      tellsNothing(result);
    }));
  it("does not redirect init: it writes into the real folder", () =>
    beside({ ".git/HEAD": "", "deploy/web.yaml": deployment("web", "x"), ".github": "-> ../" }, async (inside) => {
      const result = await cli(["init", "github", "--write", inside]);
      assert.equal(result.status, 2, result.stdout);
      assert.match(result.stderr, /\.github\/workflows\/[^:]*: this link leads out of the repository/u);
    }));
  it("does not redirect edits of init: it changes only files of the repository", () =>
    beside({ ".git/HEAD": "", "kustomization.yaml": "-> ../k.yaml" }, async (inside, outside) => {
      writeFileSync(join(outside, "k.yaml"), "resources: []\n");
      const { status, stderr } = await cli(["init", "kustomize", "--write", inside]);
      const text = readFileSync(join(outside, "k.yaml"), "utf8");
      unlinkSync(join(outside, "k.yaml"));
      assert.equal(text, "resources: []\n");
      assert.equal(status, 2, stderr);
    }));
});

describe("a given folder that a commit turned into a link to the outside", () => {
  const FILES: Files = {
    ...APP,
    ".git/HEAD": "",
    folder: "-> ..",
    deeper: "-> folder",
    here: "-> .",
    "up/a": "-> ../..",
  };
  for (const args of [
    ["stamp"],
    ["stamp", "--stdout"],
    ["stamp", "--diff"],
    ["migrate", "--write"],
    ["restart", "--all"],
  ]) {
    for (const path of ["folder", "deeper", "folder/.", "up/a"]) {
      it(`is refused by ${args.join(" ")}: ${path}`, () =>
        beside(FILES, async (inside) => {
          const result = await cli([...args, `${inside}/${path}`]);
          assert.equal(result.status, 2, result.stderr);
          assert.match(result.stderr, /this link leads out of the repository/u);
          tellsNothing(result);
        }));
    }
    it(`is taken by ${args.join(" ")} where it stays inside`, () =>
      beside(FILES, async (inside) => assert.equal((await cli([...args, `${inside}/here`])).status, 0)));
  }
  it("is read by commands that write nothing", () =>
    beside(FILES, async (inside) => assert.equal((await cli(["lint", `${inside}/folder`])).status, 0)));
});

describe("plan --git of an untrusted revision", () => {
  it("does not follow a folder that became a link, or links in folders", () =>
    inRepository({ "deploy/web.yaml": APP["web.yaml"] ?? "" }, async ({ commit, environment, git, folder }) => {
      commit("base", {});
      const outside = `${folder}-outside`;
      mkdirSync(outside, { recursive: true });
      try {
        writeFileSync(join(outside, "x.yaml"), OUTSIDE);
        symlinkSync(join(outside, "x.yaml"), join(folder, "deploy", "x.yaml"));
        symlinkSync(outside, join(folder, "deploy", "more"));
        commit("links", {});
        const plan = (range: string): Promise<CliResult> =>
          cli(["plan", "--git", range, "--show-values", "--all", "deploy"], { environment });
        const links = await plan("base..links");
        assert.equal(links.status, 0, links.stderr);
        tellsNothing(links);
        git("rm", "-r", "--quiet", "--force", "deploy");
        symlinkSync(outside, join(folder, "deploy"));
        commit("linked", {});
        const linked = await plan("base..linked");
        assert.equal(linked.status, 2, linked.stdout);
        assert.match(linked.stderr, /linked:deploy: this link leads out of the repository/u);
        tellsNothing(linked);
      } finally {
        rmSync(outside, { recursive: true });
      }
    }));
  it("does not render in, or read, a folder that became a link", () =>
    inRepository({ "deploy/web.yaml": APP["web.yaml"] ?? "" }, async ({ commit, environment, git, folder }) => {
      commit("base", {});
      const outside = `${folder}-outside`;
      mkdirSync(outside, { recursive: true });
      const before = process.cwd();
      try {
        writeFileSync(join(outside, "x.yaml"), OUTSIDE);
        for (const [name, target] of [
          ["linked", outside],
          ["up", "../.."],
          ["chain", "chained"],
        ] as const) {
          git("checkout", "--quiet", "base");
          git("rm", "-r", "--quiet", "--force", "deploy");
          if (name === "chain") symlinkSync(outside, join(folder, "chained"));
          symlinkSync(target, join(folder, "deploy"));
          commit(name, {});
          git("checkout", "--quiet", "--force", "base");
          process.chdir(join(folder, "deploy"));
          for (const args of [["--render", "touch ran; cat *.yaml"], ["."]]) {
            const { status, stdout, stderr } = await cli(["plan", "--git", `base..${name}`, ...args], { environment });
            assert.equal(status, 2, stdout);
            assert.match(stderr, new RegExp(`${name}:\\.: this link leads out of the repository`, "u"));
            tellsNothing({ stdout, stderr });
            assert.deepEqual(readdirSync(outside), ["x.yaml"]);
          }
          process.chdir(before);
        }
      } finally {
        process.chdir(before);
        rmSync(outside, { recursive: true });
      }
    }));
  for (const setting of ["fsmonitor", "sshCommand", "hooksPath"]) {
    it(`does not treat a folder of a commit as a repository that names programs: ${setting}`, () =>
      inRepository({ "deploy/web.yaml": APP["web.yaml"] ?? "" }, async ({ commit, environment, git, folder }) => {
        commit("base", {});
        const ran = join(folder, "ran");
        const hook = `#!/bin/sh\ntouch '${ran}'\n`;
        const evil = join(folder, "evil");
        mkdirSync(join(evil, "refs"), { recursive: true });
        git("clone", "--quiet", "--bare", ".", "evil/clone");
        const config = `[core]\n\tbare = false\n\tworktree = ${folder}\n\t${setting} = ${evil}/clone/hooks/post-checkout\n`;
        writeFileSync(join(evil, "clone", "config"), config);
        writeFileSync(join(evil, "clone", "hooks", "post-checkout"), hook, { mode: 0o755 });
        const before = process.cwd();
        process.chdir(join(evil, "clone"));
        try {
          const { status, stdout, stderr } = await cli(["plan", "--git", "base..base", "."], { environment });
          assert.equal(status, 2, stdout);
          assert.match(stderr, /--git needs a Git worktree/u);
          assert.equal(existsSync(ran), false);
        } finally {
          process.chdir(before);
        }
      }));
  }
  it("accepts only ranges of revisions", () =>
    inRepository(APP, async ({ environment, folder }) => {
      for (const range of [
        "--output=x..HEAD",
        "HEAD..--upload-pack=x",
        "-h..HEAD",
        "$(id)..HEAD",
        "a b..HEAD",
        "HEAD..;id",
      ]) {
        const { status, stderr } = await cli(["plan", "--git", range, "."], { environment });
        assert.equal(status, 2, range);
        assert.match(stderr, /unknown revision/u);
        assert.deepEqual(readdirSync(folder).sort(), [".git", "web.yaml"]);
      }
    }));
});

describe("Argo CD's plugin in an untrusted application", () => {
  const batch = new Batch();
  const cmp = (files: Files, parameters: readonly object[] = []): (() => Ended) =>
    batch.add({
      prepare: (folder) => join(fill(folder, files), "app"),
      args: ["cmp", "generate"],
      // Neither helm nor kustomize is found there: what is refused is refused before they start.
      environment: {
        PATH: "/nonexistent",
        ARGOCD_APP_NAME: "x",
        ARGOCD_APP_SOURCE_PATH: "app",
        ARGOCD_APP_PARAMETERS: JSON.stringify(parameters),
      },
      check: isUntouched,
    });
  const CHART: Files = { "app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n" };

  for (const [what, files] of [
    ["a template", { "app/templates/x.yaml": "-> ../../../key" }],
    ["a file that a template may read", { "app/files/key": "-> /proc/self/environ" }],
    ["a folder", { "app/files": "-> ../.." }],
    [
      "a folder of the repository in which a link leads out",
      { "app/files": "-> ../other", "other/key": "-> ../../key" },
    ],
    ["a dependency", { "app/charts/y/templates/x.yaml": "-> ../../../../../key" }],
  ] as const) {
    const result = cmp({ ...CHART, ...files });
    it(`does not follow a link of a chart out of the repository: ${what}`, () => {
      const ended = result();
      assert.equal(ended.status, 2);
      assert.match(ended.stderr, /this link leads out of the repository\. Put the file itself there\.\n$/u);
      tellsNothing(ended);
    });
  }
  const followed = cmp({
    ...CHART,
    "app/files/a": "-> ../../other/a",
    "app/b": "-> nowhere",
    "app/c": "-> .",
    "other/a": "a",
  });
  it("follows links inside the repository, and accepts broken links", () =>
    assert.match(followed().stderr, /helm is not on PATH/u));

  for (const path of [
    "../../key",
    "/../key",
    "/etc/passwd/../../../key",
    "../../in/../key",
    "file:///etc/passwd",
    "https://example.com/x",
  ]) {
    for (const name of ["values-files", "rollstamp-config"]) {
      const result = cmp(CHART, [name === "values-files" ? { name, array: [path] } : { name, string: path }]);
      it(`reads no file from outside: ${name} ${path}`, () => {
        const ended = result();
        assert.equal(ended.status, 2);
        assert.match(ended.stderr, /names '.*', which (?:is|leads|is no)\b/u);
        tellsNothing(ended);
      });
    }
  }
  const configured = cmp({ "app/web.yaml": APP["web.yaml"] ?? "", "app/rollstamp.yaml": "-> ../../key" });
  it("reads no configuration through a link", () => {
    const ended = configured();
    assert.equal(ended.status, 2);
    assert.match(ended.stderr, /rollstamp\.yaml: this link leads out of the repository/u);
    tellsNothing(ended);
  });
});

describe("an untrusted functionConfig", () => {
  it("cannot name files or variables: paths and references are text", async () => {
    const texts = [
      "/etc/passwd",
      "file:///etc/passwd",
      "$ROLLSTAMP_HMAC_KEY",
      "${PLANTED}",
      "../key",
      "!!js/function x",
      "env:PLANTED",
    ];
    const environment = { PLANTED, ROLLSTAMP_HMAC_KEY: PLANTED };
    for (const text of texts) {
      for (const spec of [
        { defaultNamespace: text },
        { selector: text },
        { workloads: [{ group: "x", kind: text, podTemplate: "spec.template" }] },
        { hmacKey: text },
        { hmacKeyFile: text },
      ]) {
        const functionConfig = {
          apiVersion: "rollstamp.dev/v1alpha1",
          kind: "ConfigHash",
          metadata: { name: "c" },
          spec,
        };
        const list = { apiVersion: "config.kubernetes.io/v1", kind: "ResourceList", functionConfig, items: [] };
        const result = await cli([], { stdin: JSON.stringify(list), environment });
        tellsNothing(result);
        if ("hmacKey" in spec || "hmacKeyFile" in spec) assert.match(result.stderr, /unknown field 'spec\.hmacKey/u);
      }
    }
  });
  it("reads only the variables of the contract", async () => {
    const CONTRACT = new Set([
      "ROLLSTAMP_HMAC_KEY",
      "ROLLSTAMP_HMAC_KEY_FILE",
      "ROLLSTAMP_NOW",
      "SOURCE_DATE_EPOCH",
      "ROLLSTAMP_CONFIG",
      "HELM_NAMESPACE",
      "ROLLSTAMP_DEBUG",
      "KUSTOMIZE_PLUGIN_CONFIG_ROOT",
    ]);
    const asked = new Set<string>();
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          asked.add(String(name));
          return undefined;
        },
        has: (_, name) => {
          asked.add(String(name));
          return false;
        },
        ownKeys: () => {
          asked.add("all of it");
          return [];
        },
      },
    );
    for (const functionConfig of [
      "kind: ConfigHash, spec: {secrets: Keyed}",
      "kind: ConfigHash, spec: {compat: [Reloader, Wave], layout: Combined}",
      "kind: Restart, spec: {targets: [{name: web}], schedule: {cron: '@daily', timeZone: Europe/Berlin}}",
      "kind: RolloutLint, spec: {}",
    ]) {
      const text = `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: rollstamp.dev/v1alpha1, metadata: {name: c}, ${functionConfig}}\nitems:\n- ${JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" } })}\n`;
      await cli([], { stdin: text, environment });
    }
    assert.ok(asked.size > 2);
    assert.deepEqual(
      [...asked].filter((name) => !CONTRACT.has(name)),
      [],
    );
  });
});
