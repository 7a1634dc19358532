// Faults around a process: readers that close or are slow, non-blocking pipes, full disks, closed streams, signals, and files that change
// during a run.
import assert from "node:assert/strict";
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { command } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const CONFIG_MAP = (value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n  a: "${value}"\n`;
const DEPLOYMENT = (name: string, source = "env"): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\nspec:\n  template:\n    spec:\n      containers:\n      - name: a\n        image: a:1\n        envFrom: [{configMapRef: {name: ${source}}}]\n`;
const many = (n: number, source = "env"): string =>
  CONFIG_MAP("a") + Array.from({ length: n }, (_, i) => `---\n${DEPLOYMENT(`w${i}`, source)}`).join("");

/** More than a pipe holds, by far. */
const LARGE = many(8_000);
/** The same, each with a warning on standard error. */
const WARNED = many(4_000, "absent");

function run(
  args: readonly string[],
  options: SpawnOptions & { readonly input?: string } = {},
): { status: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string } {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
    timeout: 60_000,
    ...options,
  });
  return { status, signal, stdout, stderr };
}

const EXPECTED = run([], { input: LARGE }).stdout;
const EXPECTED_WARNINGS = run([], { input: WARNED }).stderr;

/** A line of a shell, with its pipes; every program's status counts. */
function shell(line: string, input = ""): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync("bash", ["-c", `set -o pipefail; ${line}`], {
    input,
    encoding: "utf8",
    env: { ...process.env, NODE: process.execPath, ROLLSTAMP: command },
    timeout: 60_000,
    maxBuffer: 1 << 28,
  });
  return { status, stdout, stderr };
}

function isOneMessage(stderr: string, says: RegExp): void {
  assert.match(stderr, says);
  assert.doesNotMatch(stderr, /internal error|\n\s+offset |node:/u, stderr);
}

/** A folder with an application. */
function application(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "config.yaml"), CONFIG_MAP("a"));
  writeFileSync(join(folder, "web.yaml"), many(3_000).slice(many(0).length + "---\n".length));
  return folder;
}

describe(
  "standard output that is full",
  { skip: existsSync("/dev/full") ? false : "there is no /dev/full here" },
  () => {
    const folder = application();
    for (const args of [
      "fn",
      `stamp --check ${folder}`,
      `stamp --diff ${folder}`,
      `stamp --stdout ${folder}`,
      `lint ${folder}`,
      `lint -o sarif ${folder}`,
      `plan -o json ${folder}/config.yaml ${folder}`,
      `plan -o html ${folder}/config.yaml ${folder}`,
      `graph ${folder}`,
      `digest ${folder}`,
      `explain deployment/w1 ${folder}`,
      `migrate ${folder}`,
      "--help",
      "--version",
      "completion bash",
    ]) {
      test(args.replaceAll(folder, "FOLDER"), () => {
        const { status, stderr } = shell(`"$NODE" "$ROLLSTAMP" ${args} > /dev/full`, LARGE);
        assert.equal(status, 2, stderr);
        isOneMessage(
          stderr,
          /^rollstamp: error: standard output was closed before the output was complete \(ENOSPC\)\n$/mu,
        );
      });
    }
  },
);

describe("a reader that closes its end", () => {
  const folder = application();
  for (const args of [
    "fn",
    `stamp --stdout ${folder}`,
    `stamp --diff ${folder}`,
    `graph -o json ${folder}`,
    `plan -o json ${folder}/config.yaml ${folder}`,
  ]) {
    test(`${args.replaceAll(folder, "FOLDER")} | head -1`, () => {
      const { status, stderr } = shell(`"$NODE" "$ROLLSTAMP" ${args} | head -1 > /dev/null`, LARGE);
      assert.equal(status, 2, stderr);
      isOneMessage(
        stderr,
        /^rollstamp: error: standard output was closed before the output was complete \(EPIPE\)\n$/mu,
      );
    });
  }
  test("before anything is written", () => {
    const { status, stderr } = shell(`"$NODE" "$ROLLSTAMP" fn | true`, LARGE);
    assert.equal(status, 2);
    isOneMessage(stderr, /\(EPIPE\)/u);
  });
  test("of standard error: the output is still complete", () => {
    const { status, stdout } = shell(`"$NODE" "$ROLLSTAMP" fn 2> >(true)`, WARNED);
    assert.deepEqual([status, stdout], [0, WARNED]);
  });
  test("of both", () => {
    assert.equal(shell(`"$NODE" "$ROLLSTAMP" fn 2>&1 | head -c 1 > /dev/null`, WARNED).status, 2);
  });
});

describe("closed or unreadable streams", () => {
  const CASES: readonly {
    readonly line: string;
    readonly status: number;
    readonly says: RegExp;
    readonly stdout?: string;
  }[] = [
    { line: "fn <&-", status: 2, says: /contains no Kubernetes object|can't be read/u },
    { line: "fn < /", status: 2, says: /standard input can't be read \(EISDIR\)/u },
    { line: "fn < /dev/null", status: 2, says: /the input contains no Kubernetes object/u },
    { line: "lint - < /", status: 2, says: /standard input can't be read \(EISDIR\)/u },
    { line: "fn 2>&-", status: 0, says: /^$/u, stdout: WARNED },
    { line: "fn 2> /dev/full", status: 0, says: /^$/u, stdout: WARNED },
  ];
  for (const { line, status: expected, says, stdout: output } of CASES) {
    test(line, () => {
      const { status, stdout, stderr } = shell(`"$NODE" "$ROLLSTAMP" ${line}`, WARNED);
      assert.equal(status, expected, stderr);
      isOneMessage(stderr, says);
      if (output !== undefined) assert.equal(stdout, output);
    });
  }
});

describe("input that never ends", () => {
  const TOO_LARGE = /this is larger than 1Mi bytes/u;
  const CASES: readonly (readonly [line: string, says: RegExp])[] = [
    ["yes | NODE fn", TOO_LARGE],
    ["NODE fn < /dev/zero", TOO_LARGE],
    // What is named as manifests is looked offset before it is read.
    ["NODE stamp --check /dev/zero", /\/dev\/zero: this is a device; expected a file/u],
    ["NODE fn --config /dev/zero < /dev/null", /\/dev\/zero: this is larger|contains no Kubernetes/u],
    ["NODE lint --render yes", TOO_LARGE],
  ];
  for (const [line, says] of CASES) {
    test(line, () => {
      const limited = line.replace(/NODE (\w+)/u, '"$NODE" "$ROLLSTAMP" $1 --max-input-size 1Mi');
      const { status, stderr } = spawnSync("bash", ["-c", limited], {
        encoding: "utf8",
        env: { ...process.env, NODE: process.execPath, ROLLSTAMP: command },
        timeout: 30_000,
      });
      assert.equal(status, 2, stderr);
      isOneMessage(stderr, says);
    });
  }
});

describe("non-blocking pipes with slow ends", () => {
  /** A named pipe, both of whose ends are set not to block; the program shares that with the test. */
  function pipe(): { read: number; write: number } {
    const path = join(temporaryFolder(), "pipe");
    assert.equal(spawnSync("mkfifo", [path]).status, 0);
    const read = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    return { read, write: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
  }

  /** Reads an end, a little offset a time, until all others are closed. */
  async function readSlowly(file: number, child: ChildProcess): Promise<string> {
    const chunks: Buffer[] = [];
    const chunk = Buffer.alloc(16_384);
    for (;;) {
      try {
        const size = readSync(file, chunk, 0, chunk.length, null);
        if (size === 0) return Buffer.concat(chunks).toString("utf8");
        chunks.push(Buffer.from(chunk.subarray(0, size)));
        if (chunks.length % 8 === 0) await setTimeout(1);
      } catch (cause) {
        assert.ok(cause instanceof Error && "code" in cause && cause.code === "EAGAIN", String(cause));
        if (child.exitCode !== null) await setTimeout(20);
        await setTimeout(5);
      }
    }
  }

  test("standard output is complete", async () => {
    const { read, write } = pipe();
    const child = spawn(process.execPath, [command], { stdio: ["pipe", write, "inherit"] });
    closeSync(write);
    child.stdin?.end(LARGE);
    const [text, [status]] = await Promise.all([readSlowly(read, child), once(child, "close")]);
    closeSync(read);
    assert.equal(status, 0);
    assert.ok(text === EXPECTED, `${text.length} of ${EXPECTED.length} characters`);
  });
  test("standard error has each message once, in order", async () => {
    const { read, write } = pipe();
    const child = spawn(process.execPath, [command], { stdio: ["pipe", "ignore", write] });
    closeSync(write);
    child.stdin?.end(WARNED);
    const [text, [status]] = await Promise.all([readSlowly(read, child), once(child, "close")]);
    closeSync(read);
    assert.equal(status, 0);
    assert.ok(text === EXPECTED_WARNINGS, `${text.length} of ${EXPECTED_WARNINGS.length} characters`);
  });
  test("standard input from a slow writer is read completely", async () => {
    const { read, write } = pipe();
    const child = spawn(process.execPath, [command], { stdio: [read, "pipe", "inherit"] });
    closeSync(read);
    const chunks: Buffer[] = [];
    child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const closed = once(child, "close");
    const bytes = Buffer.from(LARGE);
    for (let offset = 0; offset < bytes.length;) {
      try {
        offset += writeSync(write, bytes, offset, Math.min(50_000, bytes.length - offset));
      } catch (cause) {
        assert.ok(cause instanceof Error && "code" in cause && cause.code === "EAGAIN", String(cause));
      }
      await setTimeout(2);
    }
    closeSync(write);
    const [status] = await closed;
    assert.equal(status, 0);
    assert.ok(Buffer.concat(chunks).toString("utf8") === EXPECTED);
  });
  test("an ordinary pipe, from a slow writer to a slow reader", async () => {
    const child = spawn(process.execPath, [command], { stdio: ["pipe", "pipe", "inherit"] });
    const closed = once(child, "close");
    for (let offset = 0; offset < LARGE.length; offset += 300_000) {
      child.stdin?.write(LARGE.slice(offset, offset + 300_000));
      await setTimeout(5);
    }
    child.stdin?.end();
    let text = "";
    for await (const chunk of child.stdout ?? []) {
      text += String(chunk);
      await setTimeout(1);
    }
    const [status] = await closed;
    assert.equal(status, 0);
    assert.ok(text === EXPECTED);
  });
});

describe("signals", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    test(`${signal} while it reads standard input: ends it without output`, async () => {
      const child = spawn(process.execPath, [command], { stdio: ["pipe", "pipe", "pipe"] });
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (said += String(chunk)));
      // More than the pipe holds: once it is written, the program has read some of it.
      await new Promise((resolve) => child.stdin?.write(LARGE.slice(0, 1_000_000), resolve));
      child.kill(signal);
      const [status, by] = await once(child, "close");
      assert.deepEqual([status, by, said], [null, signal, ""]);
    });
    test(`${signal} while nobody reads its output: ends it`, async () => {
      const child = spawn(process.execPath, [command], { stdio: ["pipe", "pipe", "ignore"] });
      const writes = once(child.stdout ?? assert.fail(), "readable");
      child.stdin?.on("error", () => undefined);
      child.stdin?.end(LARGE);
      await writes;
      assert.equal(child.exitCode, null, "it waits for its reader");
      child.kill(signal);
      const [status, by] = await once(child, "exit");
      child.stdout?.destroy();
      assert.deepEqual([status, by], [null, signal]);
    });
  }
});

describe("file systems that cannot be written", () => {
  /** A file system of its own in a folder; undefined where none can be mounted. */
  function mounted(
    options: string,
    prepare: (folder: string) => void,
    use: (folder: string) => void,
  ): string | undefined {
    const folder = join(temporaryFolder(), "disk");
    mkdirSync(folder);
    if (spawnSync("mount", ["-t", "tmpfs", "-o", "size=512k", "tmpfs", folder]).status !== 0)
      return "no file system can be mounted here";
    try {
      prepare(folder);
      if (options !== "") assert.equal(spawnSync("mount", ["-o", `remount,${options}`, folder]).status, 0);
      use(folder);
    } finally {
      spawnSync("umount", [folder]);
    }
    return undefined;
  }
  const write = (folder: string): void => {
    writeFileSync(join(folder, "config.yaml"), CONFIG_MAP("a"));
    writeFileSync(join(folder, "web.yaml"), DEPLOYMENT("web"));
  };

  test("read-only: each command that writes reports it", (t) => {
    const skip = mounted("ro", write, (folder) => {
      for (const args of [
        ["stamp", folder],
        ["restart", "--all", folder],
        ["init", "github", "--write", folder],
      ]) {
        const { status, stderr } = run(args);
        assert.equal(status, 2, args.join(" "));
        isOneMessage(stderr, /the file can't be written \((?:EROFS|ENOENT)\)/u);
      }
      for (const args of [
        ["stamp", "--check", folder],
        ["lint", folder],
        ["plan", `${folder}/config.yaml`, folder],
      ]) {
        assert.notEqual(run(args).status, 2, args.join(" "));
      }
    });
    if (skip !== undefined) t.skip(skip);
  });
  test("full: incomplete output is reported", (t) => {
    const skip = mounted(
      "",
      (folder) => writeFileSync(join(folder, "ballast"), "x".repeat(400_000)),
      (folder) => {
        const { status, stderr } = shell(`"$NODE" "$ROLLSTAMP" fn > ${join(folder, "out.yaml")}`, LARGE);
        assert.equal(status, 2);
        isOneMessage(stderr, /standard output was closed before the output was complete \(ENOSPC\)/u);
      },
    );
    if (skip !== undefined) t.skip(skip);
  });
  test("no folder for temporary files", () => {
    const folder = temporaryFolder();
    for (const [name, text] of [
      ["config.yaml", CONFIG_MAP("a")],
      ["web.yaml", DEPLOYMENT("web")],
    ] as const)
      writeFileSync(join(folder, name), text);
    const identity = {
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@example.com",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@example.com",
    };
    const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1", ...identity };
    for (const args of [
      ["init", "-q"],
      ["add", "."],
      ["commit", "-qm", "x"],
    ])
      assert.equal(spawnSync("git", args, { cwd: folder, env }).status, 0);
    for (const args of [
      ["plan", "--git", "HEAD..HEAD", "."],
      ["lint", "--render", "cat web.yaml"],
    ]) {
      const { status, stderr } = run(args, { cwd: folder, env: { ...env, TMPDIR: "/nonexistent" } });
      assert.equal(status, 2, stderr);
      isOneMessage(stderr, /can't create a temporary folder in \/nonexistent \(ENOENT\)/u);
    }
  });
});

/** A script for `node --require`: before a file of this name is opened it says so, and waits until it may go on. */
function waitAt(name: string, arrived: string, go: string): string {
  return `
    const fs = require("node:fs");
    const { openSync, writeFileSync, existsSync } = fs;
    let met = false;
    fs.openSync = (path, ...more) => {
      if (!met && String(path).endsWith(${JSON.stringify(name)})) {
        met = true;
        writeFileSync(${JSON.stringify(arrived)}, "");
        const still = new Int32Array(new SharedArrayBuffer(4));
        while (!existsSync(${JSON.stringify(go)})) Atomics.wait(still, 0, 0, 5);
      }
      return openSync(path, ...more);
    };
  `;
}

describe("files that change while they are stamped", () => {
  // The last file is a pipe: it holds the run up after all others have been read.
  const CHANGES: readonly {
    readonly what: string;
    readonly change: (folder: string) => void;
    readonly says: RegExp;
    readonly after: string | undefined;
  }[] = [
    {
      what: "edited",
      change: (folder) => writeFileSync(join(folder, "web.yaml"), `# newer\n${DEPLOYMENT("web")}`),
      says: /web\.yaml: the file has changed since it was read/u,
      after: `# newer\n${DEPLOYMENT("web")}`,
    },
    {
      what: "emptied",
      change: (folder) => writeFileSync(join(folder, "web.yaml"), ""),
      says: /has changed since it was read/u,
      after: "",
    },
    {
      what: "removed",
      change: (folder) => rmSync(join(folder, "web.yaml")),
      says: /web\.yaml: the file can't be written \(ENOENT\)/u,
      after: undefined,
    },
    {
      what: "replaced by a link to another file",
      change: (folder) => {
        rmSync(join(folder, "web.yaml"));
        symlinkSync("elsewhere", join(folder, "web.yaml"));
      },
      says: /has changed since it was read/u,
      after: "what only its owner may change\n",
    },
    {
      what: "replaced by a folder",
      change: (folder) => {
        rmSync(join(folder, "web.yaml"));
        mkdirSync(join(folder, "web.yaml"));
      },
      says: /web\.yaml: the file can't be written \(EISDIR\)/u,
      after: undefined,
    },
  ];
  for (const { what, change, says, after } of CHANGES) {
    test(what, async () => {
      const folder = temporaryFolder();
      writeFileSync(join(folder, "config.yaml"), CONFIG_MAP("a"));
      writeFileSync(join(folder, "elsewhere"), "what only its owner may change\n");
      for (const name of ["web", "api"]) writeFileSync(join(folder, `${name}.yaml`), DEPLOYMENT(name));
      const late = join(folder, "zz-late.yaml");
      writeFileSync(late, CONFIG_MAP("late").replace("name: env", "name: late"));
      const meeting = temporaryFolder();
      const [arrived, go] = [join(meeting, "arrived"), join(meeting, "go")];
      const preload = join(meeting, "preload.cjs");
      writeFileSync(preload, waitAt("zz-late.yaml", arrived, go));
      const named = ["api.yaml", "config.yaml", "web.yaml"].map((name) => join(folder, name));
      const child = spawn(process.execPath, ["--require", preload, command, "stamp", ...named, late], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      let said = "";
      child.stderr?.on("data", (chunk) => (said += String(chunk)));
      const closed = once(child, "close");
      // It waits before it opens the last file: it has read all others by then.
      while (!existsSync(arrived)) {
        assert.equal(child.exitCode, null, said);
        await setTimeout(10);
      }
      change(folder);
      writeFileSync(go, "");
      const [status] = await closed;
      assert.equal(status, 2, said);
      isOneMessage(said, says);
      const web = join(folder, "web.yaml");
      if (after !== undefined) assert.equal(readFileSync(web, "utf8"), after);
      assert.equal(readFileSync(join(folder, "api.yaml"), "utf8"), DEPLOYMENT("api"), "nothing else is written");
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.includes(".rollstamp-")),
        [],
        "nothing is left behind",
      );
    });
  }
});
