import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { readInPlace, readInside } from "../../src/node/repository-files.ts";
import { findFiles } from "../../src/node/find-files.ts";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { shipped } from "../support/shipped.ts";
import { Batch, type Ended } from "./batch.ts";

// What stands in a repository in the place of a file: a pipe keeps its reader waiting, a device never ends, a
// link leads to what is none of the repository's business. None may block a command, or be shown.

const PLANTED = "planted-outside-of-the-repository";
const APP: Files = {
  ".git/HEAD": "",
  "web.yaml": `${configMap("env", "a")}---\n${deployment("web", "env")}`,
};
const OUTSIDE = `${PLANTED}\n${configMap("x", PLANTED)}`;

type Put = (file: string) => void;

/** What is put in the place of a file. */
const IN_PLACE: readonly { readonly what: string; readonly put: Put }[] = [
  { what: "a pipe", put: (file) => execFileSync("mkfifo", [file]) },
  { what: "a link to a device", put: (file) => symlinkSync("/dev/zero", file) },
  { what: "a link out", put: (file) => symlinkSync(join(file.slice(0, file.indexOf("/in/")), "outside"), file) },
  { what: "a folder", put: (file) => mkdirSync(file) },
];

const batch = new Batch();

/** Runs the command, with the others of this file, in a repository with something in the place of one file. */
function runWith(
  files: Files,
  path: string,
  put: Put,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): () => Ended {
  const prepare = (folder: string): string => {
    const inside = join(folder, "in");
    mkdirSync(inside);
    writeFiles(folder, { outside: OUTSIDE });
    writeFiles(inside, files);
    mkdirSync(dirname(join(inside, path)), { recursive: true });
    put(join(inside, path));
    return inside;
  };
  const result = batch.add({ prepare, args, environment });
  return () => {
    const ended = result();
    assert.ok(!`${ended.stdout}${ended.stderr}`.includes(PLANTED), `${ended.stdout}${ended.stderr}`);
    return ended;
  };
}

describe("other things in the place of a found file", () => {
  for (const { what, put } of IN_PLACE) {
    for (const name of [".gitignore", ".krmignore", "a.yaml", "deeper/b.yml", "c.json"]) {
      const result = runWith(APP, name, put, ["stamp", "--check", "."]);
      it(`stops no command: ${what} called ${name}`, () => {
        const { status, stdout, stderr } = result();
        assert.equal(status, 1, stderr);
        assert.equal(stdout, "web.yaml\n");
        // An empty folder holds nothing.
        assert.match(
          stderr,
          what === "a folder" ? /^$/u : new RegExp(`^rollstamp: not examined: 1 [^\n]*\\(${name}\\)[^\n]*\n$`, "u"),
        );
      });
    }
  }
  for (const { what, put } of IN_PLACE) {
    const files = { ...APP, "chart/Chart.yaml": "apiVersion: v2\nname: x\n" };
    const result = runWith(files, "chart/templates/a.yaml", put, ["migrate", "."]);
    it(`is not a template of a chart: ${what}`, () => {
      const { status, stderr } = result();
      assert.equal(status, 0, stderr);
    });
  }
});

describe("other things in the place of a named file", () => {
  const SAYS: Readonly<Record<string, RegExp>> = {
    "a pipe": /: this is a pipe; expected a file\n/u,
    "a link to a device": /: this link leads out of the repository\n/u,
    "a link out": /: this link leads out of the repository\n/u,
    "a folder": /: this is a folder; expected a file\n/u,
  };
  for (const { what, put } of IN_PLACE) {
    const says = SAYS[what] ?? /never/u;
    const found = runWith(APP, "rollstamp.yaml", put, ["stamp", "--check", "."]);
    const named = runWith(APP, "other.yaml", put, ["stamp", "--check", "--config", "other.yaml", "web.yaml"]);
    it(`is refused as the configuration: ${what}`, () => {
      for (const { status, stdout, stderr } of [found(), named()]) {
        assert.equal(status, 2, stdout);
        assert.match(stderr, says);
      }
    });
    for (const args of [["stamp", "--check"], ["lint"], ["graph"], ["digest"], ["restart", "--all"], ["migrate"]]) {
      if (what === "a folder") continue;
      const result = runWith(APP, "a.yaml", put, [...args, "a.yaml", "web.yaml"]);
      it(`is refused by ${args.join(" ")} as the one file that is given: ${what}`, () => {
        const { status, stderr } = result();
        assert.equal(status, 2);
        assert.match(stderr, says);
      });
    }
    if (what !== "a folder") {
      const result = runWith(APP, "a.yaml", put, ["plan", "web.yaml", "a.yaml"]);
      it(`is refused by plan as a rendering: ${what}`, () => {
        const { status, stderr } = result();
        assert.equal(status, 2);
        assert.match(stderr, says);
      });
    }
    const changed = runWith(APP, "kustomization.yaml", put, ["init", "kustomize", "--write", "."]);
    it(`is refused as a file for init: ${what}`, () => {
      const { status, stderr } = changed();
      assert.equal(status, 2);
      assert.match(stderr, says);
    });
  }
});

describe("the shipped command", { concurrency: 2 }, () => {
  const program = shipped();
  after(program.remove);
  for (const [name, status] of [
    ["a.yaml", 1],
    ["rollstamp.yaml", 2],
  ] as const) {
    it(`does not wait for a pipe called ${name}`, () =>
      inFolder(APP, (folder) => {
        execFileSync("mkfifo", [join(folder, name)]);
        const options = { cwd: folder, timeout: 10_000, killSignal: "SIGKILL" } as const;
        const ended = program.run(["stamp", "--check", "."], options);
        assert.equal(ended.status, status, ended.stderr);
      }));
  }
  it("is refused as a manifest: a pipe of the shell, which has no name", () =>
    inFolder(APP, (folder) => {
      const script = `cat web.yaml | "$1" "$2" lint /dev/fd/3 3<&0`;
      const { status, stderr } = spawnSync("sh", ["-c", script, "sh", process.execPath, program.file], {
        cwd: folder,
        encoding: "utf8",
        timeout: 10_000,
      });
      assert.equal(status, 2);
      assert.match(stderr, /: this is a pipe; expected a file\n/u);
    }));
  it("reads a pipe that a person names", async () => {
    await inFolder({ "in.yaml": APP["web.yaml"] ?? "" }, (folder) => {
      const pipe = join(folder, "pipe");
      execFileSync("mkfifo", [pipe]);
      const script = `printf 'apiVersion: rollstamp.dev/v1alpha1\\nkind: ConfigHash\\nspec: {layout: Combined}\\n' > "$1" & "$2" "$3" fn --config "$1" < in.yaml`;
      const out = execFileSync("sh", ["-c", script, "sh", pipe, process.execPath, program.file], {
        cwd: folder,
        encoding: "utf8",
        timeout: 10_000,
      });
      assert.match(out, /rollstamp\.dev\/config-hash: "h1-/u);
    });
  });
});

describe("Argo CD's plugin", () => {
  const CHART: Files = { "Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "templates/a.yaml": "" };
  const cmp = (files: Files, name: string, put: Put, parameters: readonly object[] = []): (() => Ended) =>
    runWith(files, name, put, ["cmp", "generate"], {
      ARGOCD_APP_NAME: "x",
      ARGOCD_APP_SOURCE_PATH: ".",
      ARGOCD_APP_PARAMETERS: JSON.stringify(parameters),
    });
  for (const { what, put } of IN_PLACE.filter((row) => row.what !== "a folder")) {
    for (const name of ["values.yaml", "templates/b.yaml", "files/x"]) {
      const result = cmp(CHART, name, put);
      it(`does not start helm over a chart with ${what} called ${name}`, () => {
        const { status, stderr } = result();
        assert.equal(status, 2);
        assert.match(stderr, /this (?:is a pipe|link leads out of the repository)/u);
      });
    }
    const other = cmp(CHART, "other.yaml", put, [{ name: "values-files", array: ["other.yaml"] }]);
    it(`reads no values from ${what}`, () => {
      const { status, stderr } = other();
      assert.equal(status, 2);
      assert.match(stderr, /names 'other\.yaml', which (?:is not a file|leads out)/u);
    });
    const results = ["a.yaml", "rollstamp.yaml"].map((name) => cmp({ "web.yaml": APP["web.yaml"] ?? "" }, name, put));
    it(`reads no manifest and no configuration from ${what}`, () => {
      for (const result of results) {
        const { status, stdout, stderr } = result();
        if (what === "a link out") assert.match(stderr, /link leads out of the repository/u);
        else {
          assert.equal(status, 0, stderr);
          assert.match(stdout, /configmap\.rollstamp\.dev\/env: "h1-/u);
        }
      }
    });
  }
});

describe("the reader of repository files", () => {
  const read = (root: string, name: string, most: number = DEFAULT_LIMITS.inputSize): string => {
    const result = readInside(join(root, name), { root, shown: name, most });
    return result.is === "text" ? result.text : result.because;
  };
  it("reads each file once and completely, with its byte order mark", () =>
    inFolder({ a: "", b: "\uFEFFx: é\r\n", c: "-> folder/d", "folder/d": "d".repeat(70_000) }, (root) => {
      writeFileSync(join(root, "large"), "é".repeat(3 << 20));
      writeFileSync(join(root, "even"), "e".repeat(1 << 16));
      assert.equal(read(root, "a"), "");
      assert.equal(read(root, "b"), "\uFEFFx: é\r\n");
      assert.equal(read(root, "c"), "d".repeat(70_000));
      assert.equal(read(root, "large"), "é".repeat(3 << 20));
      assert.equal(read(root, "even"), "e".repeat(1 << 16));
    }));
  it("says why it does not read a file", () =>
    inFolder({ outside: PLANTED, "in/a": "abc", "in/folder/x": "", "in/link": "-> ../outside" }, (folder) => {
      const root = join(folder, "in");
      execFileSync("mkfifo", [join(root, "pipe")]);
      writeFileSync(join(root, "latin1"), Buffer.from("caf\u00e9", "latin1"));
      symlinkSync("/dev/zero", join(root, "zero"));
      symlinkSync("pipe", join(root, "to-pipe"));
      symlinkSync("nowhere", join(root, "dangling"));
      symlinkSync("loop", join(root, "loop"));
      for (const [name, because] of [
        ["gone", "missing"],
        ["dangling", "missing"],
        ["loop", "leadsOut"],
        ["folder", "folder"],
        ["pipe", "special"],
        ["to-pipe", "special"],
        ["zero", "leadsOut"],
        ["link", "leadsOut"],
        ["latin1", "notUtf8"],
      ] as const) {
        assert.equal(read(root, name), because, name);
      }
      assert.equal(read(root, "a", 3), "abc");
      assert.equal(read(root, "a", 2), "tooLarge");
      const device = readInPlace("/dev/zero", "zero", 100);
      assert.equal(device.is === "refused" && device.because, "special");
      const link = readInPlace(join(root, "link"), "link", 100);
      assert.equal(link.is === "refused" && link.because, "leadsOut", "one that has become a link meanwhile");
    }));
  it("says which file cannot be read", { skip: process.getuid?.() === 0 && "root reads everything" }, () =>
    inFolder({ a: "" }, (root) => {
      chmodSync(join(root, "a"), 0);
      assert.equal(read(root, "a"), "unreadable");
    }),
  );
  it("skips and counts found entries that are not files", () =>
    inFolder({ "outside.yaml": PLANTED, "in/a.yaml": "", "in/b.yaml": "-> ../outside.yaml" }, (folder) => {
      execFileSync("mkfifo", [join(folder, "in", "c.yaml")]);
      symlinkSync("c.yaml", join(folder, "in", "d.yaml"));
      symlinkSync("..", join(folder, "in", "up"));
      symlinkSync("/dev/null", join(folder, "in", "other.txt"));
      const { files, left } = findFiles([join(folder, "in")], { kustomizeInput: false, limits: DEFAULT_LIMITS });
      assert.deepEqual(
        files.map(({ real }) => real),
        [join(folder, "in", "a.yaml")],
      );
      assert.deepEqual(
        left.map(({ path, because }) => [path.slice(folder.length), because]),
        [
          ["/in/b.yaml", "leadsOut"],
          ["/in/c.yaml", "special"],
          ["/in/d.yaml", "special"],
          ["/in/up", "leadsOut"],
        ],
      );
    }));
});

describe("ignore files", () => {
  const found = (root: string): string[] =>
    findFiles([root], { kustomizeInput: false, limits: DEFAULT_LIMITS }).files.map(({ path }) =>
      path.slice(root.length + 1),
    );
  it("apply behind a link for the place of the link", () =>
    inFolder(
      {
        ".git/HEAD": "",
        ".gitignore": "/hidden/\n/sub/link/b.yaml\n",
        "hidden/a.yaml": "",
        "hidden/b.yaml": "",
        "sub/.gitignore": "*.json\n",
        "sub/link": "-> ../hidden",
      },
      (root) => assert.deepEqual(found(root), ["sub/link/a.yaml"]),
    ));
  it("can be a link inside the repository, but not to the outside", () =>
    inFolder({ outside: "a.yaml\n", "in/.git/HEAD": "", "in/rules": "b.yaml\n", "in/x/a.yaml": "" }, (folder) => {
      const root = join(folder, "in");
      writeFiles(root, { "x/b.yaml": "", "x/.gitignore": "-> ../rules", ".gitignore": "-> ../outside" });
      const { files, left } = findFiles([join(root, "x")], { kustomizeInput: false, limits: DEFAULT_LIMITS });
      assert.deepEqual(
        files.map(({ path }) => path),
        [join(root, "x", "a.yaml")],
      );
      assert.deepEqual(
        left.map(({ path, because }) => [basename(path), because]),
        [
          // Its .git is no repository for git.
          ["in", "unlisted"],
          [".gitignore", "leadsOut"],
        ],
      );
    }));
  it("that are too large are not examined, and hide nothing", () =>
    inFolder({ ".git/HEAD": "", "a.yaml": "", ".gitignore": "a.yaml\n".repeat((8 << 20) / 7 + 1) }, (root) => {
      const { files, left } = findFiles([root], { kustomizeInput: false, limits: DEFAULT_LIMITS });
      assert.equal(files.length, 1);
      assert.deepEqual(
        left.map(({ path, because }) => [path, because]),
        [[join(root, ".gitignore"), "longIgnoreFile"]],
      );
    }));
  it("that are too large have a row of their own: no option reads them", () =>
    inFolder(
      { ".git/HEAD": "", "a.yaml": configMap("a", "b"), ".krmignore": "x\n".repeat((8 << 20) / 2 + 1) },
      async (root) => {
        for (const args of [["lint"], ["apps", "-o", "json"]]) {
          const { stdout } = await cli([...args, root]);
          assert.match(stdout, /IgnoreFile|1 large ignore file/u);
          assert.doesNotMatch(stdout, /max-input-size/u);
        }
      },
    ));
  it("can have at most 1,000 patterns with wildcards at once, and any number of names", () =>
    inFolder({ ".git/HEAD": "", "a.yaml": "", "b/a.yaml": "" }, (root) => {
      const lines = (count: number): string =>
        Array.from({ length: count }, (_, i) => `x*${i}y\nname-${i}\n*.ext${i}\n`).join("");
      writeFileSync(join(root, ".gitignore"), lines(600));
      writeFileSync(join(root, "b", ".gitignore"), lines(400));
      assert.deepEqual(found(root), ["a.yaml", "b/a.yaml"]);
      writeFileSync(join(root, "b", ".gitignore"), lines(401));
      const { errors } = findFiles([root], { kustomizeInput: false, limits: DEFAULT_LIMITS });
      assert.match(errors[0]?.message ?? "", /1001 patterns with wildcards hold in one folder, and 1000 may/u);
      assert.equal(errors[0]?.place?.file, join(root, "b", ".gitignore"));
    }));
});
