import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { inRoot } from "../support/paths.ts";
import { copyCommand } from "../support/shipped.ts";

// The Action's script, run as a runner runs it: from a checkout that holds the bundle, with the runner's variables, and
// an API of GitHub's that is ours.

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly run: string; readonly env: Readonly<Record<string, string>> }[];
  };
}

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

async function runAction(
  folder: string,
  inputs: Readonly<Record<string, string>>,
  runner: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const checkout = join(folder, "action");
  if (!existsSync(checkout)) {
    for (const file of ["action.yml", "scripts/action.mjs"]) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true });
      copyFileSync(inRoot(file), join(checkout, file));
    }
    mkdirSync(join(checkout, "dist"));
    copyCommand(join(checkout, "dist"));
  }
  const action = parse(readFileSync(join(checkout, "action.yml"), "utf8")) as Action;
  const [step] = action.runs.steps;
  const values = Object.entries(step?.env ?? {}).map(([name, expression]) => {
    const [, key = ""] = /^\$\{\{ inputs\.([a-z-]+) \}\}$/u.exec(expression) ?? [];
    const value = inputs[key] ?? action.inputs[key]?.default ?? assert.fail(`${name} has no input ${key}`);
    return [name, key === "token" && inputs[key] === undefined ? "t0ken" : value] as const;
  });
  const files = { GITHUB_OUTPUT: join(folder, "output"), GITHUB_STEP_SUMMARY: join(folder, "summary") };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? ""], {
    cwd: join(folder, "work"),
    env: {
      PATH: process.env["PATH"],
      GITHUB_ACTION_PATH: checkout,
      RUNNER_TEMP: folder,
      ...files,
      ...Object.fromEntries(values),
      ...runner,
    },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (data: Buffer) => (stdout += data.toString()));
  child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
  const status = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const written = readFileSync(files.GITHUB_OUTPUT, "utf8");
  const outputs = Object.fromEntries(
    [...written.matchAll(/^(?<name>\w+)<<(?<end>\S+)\n(?<value>[^]*?)\n\k<end>$/gmu)].map(({ groups }) => [
      groups?.["name"] ?? "",
      groups?.["value"] ?? "",
    ]),
  );
  return { status, stdout, stderr, outputs, summary: readFileSync(files.GITHUB_STEP_SUMMARY, "utf8") };
}

const APP = { "work/web.yaml": deployment("web", "settings"), "work/config.yaml": configMap("settings", "a") };

describe("the GitHub Action", () => {
  it("checks the folder with node, and names stale files", () =>
    inFolder({}, async (folder) => {
      cpSync(inRoot("examples", "shop"), join(folder, "work"), { recursive: true });
      const files = "cleanup.yaml\norders.yaml\nstorefront.yaml";
      const check = await runAction(folder, {});
      assert.deepEqual([check.status, check.stdout], [1, `${files}\n`], check.stderr);
      assert.deepEqual([check.outputs["status"], check.outputs["changed"]], ["1", files]);
      assert.equal(readFileSync(check.outputs["report"] ?? "", "utf8"), `${files}\n`);
      assert.equal((await runAction(folder, { command: "stamp" })).outputs["changed"], files);
      const { status, stdout, stderr } = await runAction(folder, {});
      assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: "", stderr: "" });
    }));

  it("accepts one path or option per line, with spaces in them", () =>
    inFolder(
      { "work/a b/web.yaml": deployment("web", "s"), "work/c/c.yaml": configMap("s", "a"), "work/d/x.yaml": "a: [" },
      async (folder) => {
        const inputs = { command: "lint", paths: "a b\r\n\nc\n", options: "--rule\nRS001=error\n-o\njson" };
        const { status, stdout, stderr } = await runAction(folder, inputs);
        assert.equal(status, 0, stderr);
        assert.equal((JSON.parse(stdout) as { examined: { files: number } }).examined.files, 2);
      },
    ));

  it("checks each rendering, and fails if one has no stamps or cannot be rendered", () =>
    inFolder(APP, async (folder) => {
      const node = JSON.stringify(process.execPath);
      const stamped = `${node} "$GITHUB_ACTION_PATH/dist/rollstamp.cjs" stamp --stdout .`;
      assert.equal((await runAction(folder, { render: `${stamped}\n${stamped}` })).status, 0);
      const unstamped = await runAction(folder, { render: `${stamped}\ncat web.yaml` });
      assert.deepEqual([unstamped.status, unstamped.outputs["status"]], [1, "1"], unstamped.stderr);
      assert.match(unstamped.stderr, /has no stamp/u);
      const failed = await runAction(folder, { render: "cat web.yaml; exit 7" });
      assert.deepEqual([failed.status, failed.outputs["status"]], [2, "2"]);
      assert.match(failed.stderr, /the render command ended with status 7/u);
      assert.equal(
        (await runAction(folder, { render: 'test -z "$ROLLSTAMP_ACTION_TOKEN" && cat web.yaml' })).status,
        1,
      );
      assert.match(
        (await runAction(folder, { command: "stamp", render: "cat web.yaml" })).stderr,
        /'stamp' writes files/u,
      );
    }));

  it("never runs its inputs as a script", () =>
    inFolder({ "work/a.txt": "" }, async (folder) => {
      for (const inputs of [
        { args: "stamp --check $(touch pwned) *" },
        { paths: "$(touch pwned)" },
        { paths: "`touch pwned`\n*" },
      ]) {
        const { status, stderr } = await runAction(folder, inputs);
        assert.equal(status, 2);
        assert.match(stderr, /there is no such file or folder/u);
      }
      assert.match((await runAction(folder, { command: "stamp --check" })).stderr, /'command' is one word/u);
      assert.match((await runAction(folder, { command: "plan", base: "--render=x" })).stderr, /'base' is a revision/u);
      assert.ok(!existsSync(join(folder, "work", "pwned")));
    }));

  it("posts the plan of a pull request as one comment, and updates it", () =>
    inFolder(APP, async (folder) => {
      const api = await fakeApi();
      try {
        const work = join(folder, "work");
        const git = (...args: string[]): string =>
          execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
            cwd: work,
            encoding: "utf8",
          });
        git("init", "-q");
        git("add", ".");
        git("commit", "-qm", "a");
        const base = git("rev-parse", "HEAD").trim();
        const change = (value: string): void => {
          writeFileSync(join(work, "config.yaml"), configMap("settings", value));
          git("commit", "-qam", value);
        };
        change("b");
        const event = join(folder, "event.json");
        writeFileSync(event, JSON.stringify({ pull_request: { number: 7, base: { sha: base } } }));
        const runner = { GITHUB_EVENT_PATH: event, GITHUB_API_URL: api.url, GITHUB_REPOSITORY: "o/r" };
        const inputs = { command: "plan", comment: "true" };
        const first = await runAction(folder, inputs, runner);
        assert.equal(first.status, 0, first.stderr);
        assert.deepEqual([first.outputs["rolls"], first.outputs["pods"]], ["1", "1"]);
        assert.match(first.summary, /Deployment.*web/u);
        assert.equal(api.comments.length, 2);
        const { body = "" } = api.comments[1] ?? {};
        assert.ok(body.startsWith("<!-- rollstamp plan -->\n"));
        assert.ok(body.includes("settings"));

        // The same again changes nothing; another plan is the same comment.
        await runAction(folder, inputs, runner);
        change("a");
        const none = await runAction(folder, inputs, runner);
        assert.equal(none.outputs["rolls"], "0");
        assert.equal(api.comments.length, 2);
        assert.notEqual(api.comments[1]?.body, body);
        assert.deepEqual(api.writes, ["POST", "PATCH"]);
        assert.deepEqual([...api.tokens], ["Bearer t0ken"]);

        // Each line of render is run once in each revision, though the plan is made a second time for its numbers.
        const runs = join(folder, "runs");
        const render = `echo "$PWD" >>'${runs}'; cat web.yaml; echo ---; cat config.yaml # all`;
        const plain = { command: "plan", base };
        const rendered = await runAction(folder, { ...plain, render: `${render}\n${render} twice` }, runner);
        assert.deepEqual([rendered.status, rendered.outputs["rolls"]], [0, "0"], rendered.stderr);
        assert.equal(readFileSync(runs, "utf8").split("\n").length - 1, 4);
        // Messages name the given line.
        const failing = await runAction(folder, { ...plain, render: "cat config.yaml; exit 7" }, runner);
        assert.deepEqual([failing.status, failing.outputs["status"]], [2, "2"]);
        assert.match(failing.stderr, /the render command of \S+ ended with status 7: cat config\.yaml; exit 7\n/u);
        const unlucky = await runAction(folder, { ...plain, render: "false | cat config.yaml" }, runner);
        assert.equal(unlucky.status, 2, "a program of a pipe fails");

        // A target that went on since the event is not the pull request's: in the merge that GitHub checks out, or in
        // the branch by itself.
        const branch = git("rev-parse", "HEAD").trim();
        git("checkout", "-qb", "target", base);
        writeFileSync(join(work, "newcomer.yaml"), deployment("newcomer", "settings"));
        git("add", ".");
        git("commit", "-qm", "newcomer");
        const target = git("rev-parse", "HEAD").trim();
        const pulled = async (sha: string): Promise<Outcome> => {
          writeFileSync(event, JSON.stringify({ pull_request: { number: 7, base: { sha }, head: { sha: branch } } }));
          return runAction(folder, { command: "plan" }, { GITHUB_EVENT_PATH: event });
        };
        git("merge", "-q", "--no-edit", branch);
        const merged = await pulled(base);
        assert.equal(merged.status, 0, merged.stderr);
        assert.doesNotMatch(merged.summary, /newcomer/u);
        git("checkout", "-q", branch);
        const alone = await pulled(target);
        assert.equal(alone.status, 0, alone.stderr);
        assert.doesNotMatch(alone.summary, /newcomer/u);

        api.refuse();
        const refused = await runAction(folder, inputs, runner);
        assert.equal(refused.status, 2);
        assert.match(
          refused.stderr,
          /can't be posted: GET gives 403 \(the job needs 'permissions: pull-requests: write'/u,
        );
        assert.ok(!(refused.stderr + refused.stdout).includes("t0ken"));
      } finally {
        api.close();
      }
    }));
});

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: string };
}

interface FakeApi {
  readonly url: string;
  readonly comments: Comment[];
  readonly writes: string[];
  readonly tokens: Set<string>;
  readonly refuse: () => void;
  readonly close: () => void;
}

/** The comments of a pull request on which a person has quoted ours. */
async function fakeApi(): Promise<FakeApi> {
  const comments: Comment[] = [{ id: 1, body: "<!-- rollstamp plan -->\nmine", user: { type: "User" } }];
  const writes: string[] = [];
  const tokens = new Set<string>();
  let isRefused = false;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (data: Buffer) => (text += data.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      tokens.add(request.headers.authorization ?? "");
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (isRefused) {
        answer(403, {});
        return;
      }
      if (method !== "GET") writes.push(method);
      const { body } = text === "" ? { body: "" } : (JSON.parse(text) as { body: string });
      const id = /^\/repos\/o\/r\/issues\/comments\/(\d+)$/u.exec(url)?.[1];
      const known = comments.find((each) => String(each.id) === id);
      if (method === "GET" && url.startsWith("/repos/o/r/issues/7/comments?")) answer(200, comments);
      else if (method === "POST" && url === "/repos/o/r/issues/7/comments") {
        comments.push({ id: 2, body, user: { type: "Bot" } });
        answer(201, {});
      } else if (method === "PATCH" && known !== undefined) {
        known.body = body;
        answer(200, {});
      } else answer(404, {});
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    writes,
    tokens,
    refuse: () => (isRefused = true),
    close: () => server.close(),
  };
}
