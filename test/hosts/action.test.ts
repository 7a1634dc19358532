import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { inFolder, writeFiles } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { inRoot } from "../support/paths.ts";
import { copyCommand } from "../support/shipped.ts";
import { unstampedShop } from "../support/shop.ts";

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
    for (const file of ["action.yml", "scripts/action.mjs", "scripts/action-github.mjs"]) {
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
      writeFiles(join(folder, "work"), unstampedShop());
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
        assert.match(stderr, /no such file or folder/u);
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
          writeFileSync(join(work, "web.yaml"), deployment("web", "settings").replace("app:1", `app:${value}`));
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
        assert.equal(body, first.stdout, "the first line of a report marks its comment");
        assert.ok(body.includes("image"));

        // The same again changes nothing; another plan is the same comment.
        await runAction(folder, inputs, runner);
        change("1");
        const none = await runAction(folder, inputs, runner);
        assert.equal(none.outputs["rolls"], "0");
        assert.equal(api.comments.length, 2);
        assert.notEqual(api.comments[1]?.body, body);
        assert.deepEqual(api.writes, ["POST /issues/7/comments", "PATCH /issues/comments/2"]);
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
      } finally {
        api.close();
      }
    }));

  /** Two revisions of one Deployment, whose ConfigMap or image changes. */
  function commits(work: string, changed: Readonly<Record<string, string>>): string {
    const git = (...args: string[]): string =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
        cwd: work,
        encoding: "utf8",
      }).trim();
    git("init", "-q");
    git("add", ".");
    git("commit", "-qm", "a");
    const base = git("rev-parse", "HEAD");
    for (const [path, text] of Object.entries(changed)) writeFileSync(join(work, path), text);
    git("add", ".");
    git("commit", "-qm", "b");
    return base;
  }

  async function onPull(
    files: Readonly<Record<string, string>>,
    test: (run: (inputs?: Readonly<Record<string, string>>) => Promise<Outcome>, api: FakeApi) => Promise<void>,
  ): Promise<void> {
    await inFolder(APP, async (folder) => {
      const api = await fakeApi();
      try {
        const base = commits(join(folder, "work"), files);
        const event = join(folder, "event.json");
        writeFileSync(
          event,
          JSON.stringify({ pull_request: { number: 7, base: { sha: base }, head: { sha: "5ead" } } }),
        );
        const runner = {
          GITHUB_EVENT_PATH: event,
          GITHUB_API_URL: api.url,
          GITHUB_REPOSITORY: "o/r",
          GITHUB_SERVER_URL: "https://github.example.com",
          GITHUB_RUN_ID: "12",
        };
        const asked = { command: "plan", comment: "true", labels: "true", "commit-status": "true" };
        await test((inputs = {}) => runAction(folder, { ...asked, ...inputs }, runner), api);
      } finally {
        api.close();
      }
    });
  }

  for (const [what, files, label, state] of [
    ["nothing rolls", { "readme.md": "b" }, "rolls:none", "success"],
    [
      "a rollout is safe",
      { "web.yaml": deployment("web", "settings").replace("app:1", "app:2") },
      "rolls:safe",
      "success",
    ],
    ["a workload is deleted", { "web.yaml": configMap("other", "a") }, "rolls:risky", "success"],
    [
      "the API server refuses a change",
      {
        "web.yaml": deployment("web", "settings").replace(
          "spec:",
          "spec:\n  strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}",
        ),
      },
      "rolls:risky",
      "failure",
    ],
  ] as const)
    it(`sets a label and a commit status: ${what}`, () =>
      onPull(files, async (run, api) => {
        const { status, stdout, stderr, outputs } = await run();
        assert.equal(status, state === "success" ? 0 : 1, stderr);
        assert.deepEqual([...api.labels], ["bug", label]);
        assert.equal(outputs["label"], label);
        const [posted] = api.statuses;
        assert.deepEqual(
          [posted?.commit, posted?.context, posted?.state, posted?.target_url],
          ["5ead", "rollstamp/plan", state, "https://github.example.com/o/r/actions/runs/12"],
        );
        assert.equal(posted?.description, outputs["verdict"]);
        assert.ok(stdout.replaceAll(/`|<\/?code>/gu, "").includes(outputs["verdict"] ?? "?"), stdout);
        // The label of an older run is removed before anything else is read or written.
        assert.deepEqual(api.writes.slice(0, 1), ["DELETE /issues/7/labels/rolls%3Arisky"]);
        // The repository's own color of a label is kept.
        assert.equal(api.known.get("rolls:safe"), "000000");
        assert.equal(api.known.get("rolls:none") ?? "c2e0c6", "c2e0c6");
      }));

  it("leaves no label and no older report if the plan is not made", () =>
    onPull({ "web.yaml": "a: [" }, async (run, api) => {
      await run({ paths: "config.yaml" });
      assert.equal([...api.labels].length, 2);
      const { status, outputs } = await run({ options: "--no-such-option" });
      assert.deepEqual([status, outputs["level"], outputs["label"]], [2, "", ""]);
      assert.deepEqual([...api.labels], ["bug"]);
      assert.deepEqual(api.statuses.map(({ state }) => state).slice(1), ["error"]);
      assert.match(api.statuses[1]?.description ?? "", /^Not checked: /u);
      assert.equal(api.comments.length, 2);
      assert.match(api.comments[1]?.body ?? "", /^<!-- rollstamp plan: Rollout plan -->\n### Not checked\n/u);
    }));

  it("sets the worst of several renderings", () =>
    onPull({ "web.yaml": deployment("web", "settings").replace("app:1", "app:2") }, async (run, api) => {
      const { outputs, stderr } = await run({
        render: "cat web.yaml; echo ---; cat config.yaml\nsed -e s/web/other/ -e s/app:2/app:1/ web.yaml",
      });
      assert.equal(outputs["label"], "rolls:safe", stderr);
      assert.deepEqual([...api.labels], ["bug", "rolls:safe"]);
      assert.equal(api.comments.length, 2);
    }));

  it("warns if the token may not write, as in a pull request from a fork", () =>
    onPull({ "config.yaml": configMap("settings", "b") }, async (run, api) => {
      api.answer(403);
      const { status, stderr, stdout } = await run();
      assert.equal(status, 0, stderr);
      for (const [what, permission] of [
        ["labels of an older run are not removed", "pull-requests"],
        ["the commit status is not set", "statuses"],
        ["the comment is not posted", "pull-requests"],
        ["the label is not set", "pull-requests"],
      ])
        assert.ok(
          stderr
            .split("\n")
            .some(
              (line) =>
                line.startsWith(`::warning::rollstamp: ${what}: `) &&
                line.includes(`'permissions: ${permission}: write'`),
            ),
          stderr,
        );
      assert.ok(!(stderr + stdout).includes("t0ken"));
      // Anything else is an error: a label of an older run may still be there.
      api.answer(500);
      const failed = await run();
      assert.equal(failed.status, 2);
      assert.match(failed.stderr, /error: labels of an older run are not removed: GET \S+ gives 500$/mu);
      api.close();
      assert.match((await run()).stderr, /error: labels of an older run are not removed: GET \S+ fails: /u);
    }));

  it("writes nothing that it is not asked for", () =>
    onPull({ "config.yaml": configMap("settings", "b") }, async (run, api) => {
      assert.equal((await run({ comment: "false", labels: "false", "commit-status": "false" })).status, 0);
      assert.deepEqual([api.writes, [...api.tokens]], [[], []]);
    }));

  it("never posts a comment of more than 60,000 characters", () =>
    onPull(
      {
        "web.yaml": Array.from({ length: 500 }, (_, i) => deployment(`web-with-a-long-name-${i}`, "settings")).join(
          "---\n",
        ),
      },
      async (run, api) => {
        const render = "cat web.yaml; echo ---; cat config.yaml";
        const { status, stderr } = await run({
          render: [1, 2, 3, 4, 5].map((i) => `${render} # ${i}`).join("\n"),
          options: "--all",
        });
        assert.equal(status, 0, stderr);
        const { body = "" } = api.comments[1] ?? {};
        assert.ok(body.length <= 60_000 && body.length > 1000, String(body.length));
        assert.equal(body.split("<details").length, body.split("</details>").length);
      },
    ));
});

interface Comment {
  readonly id: number;
  body: string;
  readonly user: { readonly type: string };
}

interface CommitStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly target_url: string;
}

interface FakeApi {
  readonly url: string;
  readonly comments: Comment[];
  /** Labels of the pull request. */
  readonly labels: Set<string>;
  /** Labels of the repository, with their colors. */
  readonly known: Map<string, string>;
  readonly statuses: CommitStatus[];
  readonly writes: string[];
  readonly tokens: Set<string>;
  /** Answers everything with this status. */
  readonly answer: (status: number) => void;
  readonly close: () => void;
}

const MARKER = "<!-- rollstamp plan: Rollout plan -->";

/** A pull request with the label of an older run, on which a person has quoted our comment. */
async function fakeApi(): Promise<FakeApi> {
  const comments: Comment[] = [{ id: 1, body: `${MARKER}\nmine`, user: { type: "User" } }];
  const labels = new Set(["bug", "rolls:risky"]);
  const known = new Map([["rolls:safe", "000000"]]);
  const statuses: CommitStatus[] = [];
  const writes: string[] = [];
  const tokens = new Set<string>();
  let always: number | undefined;
  const server = createServer((request, response) => {
    let text = "";
    request.on("data", (data: Buffer) => (text += data.toString()));
    request.on("end", () => {
      const { method = "", url = "" } = request;
      tokens.add(request.headers.authorization ?? "");
      const answer = (status: number, body: unknown = {}): void => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
      };
      if (always !== undefined) return answer(always);
      const path = url.replace("/repos/o/r", "");
      if (method !== "GET") writes.push(`${method} ${path}`);
      const body = text === "" ? {} : JSON.parse(text);
      const [, id] = /^\/issues\/comments\/(\d+)$/u.exec(path) ?? [];
      const [, label] = /^\/issues\/7\/labels\/([^/]+)$/u.exec(path) ?? [];
      const [, commit] = /^\/statuses\/(\w+)$/u.exec(path) ?? [];
      const comment = comments.find((each) => String(each.id) === id);
      if (method === "GET" && path.startsWith("/issues/7/comments?")) answer(200, comments);
      else if (method === "POST" && path === "/issues/7/comments") {
        comments.push({ id: 2, body: body.body, user: { type: "Bot" } });
        answer(201);
      } else if (method === "PATCH" && comment !== undefined) {
        comment.body = body.body;
        answer(200);
      } else if (method === "GET" && path.startsWith("/issues/7/labels?"))
        answer(
          200,
          [...labels].map((name) => ({ name })),
        );
      else if (method === "DELETE" && label !== undefined) answer(labels.delete(decodeURIComponent(label)) ? 200 : 404);
      else if (method === "POST" && path === "/labels") {
        const isKnown = known.has(body.name);
        if (!isKnown) known.set(body.name, body.color);
        answer(isKnown ? 422 : 201);
      } else if (method === "POST" && path === "/issues/7/labels") {
        for (const name of body.labels) labels.add(name);
        answer(200);
      } else if (method === "POST" && commit !== undefined) {
        statuses.push({ commit, ...body });
        answer(201);
      } else answer(404);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    comments,
    labels,
    known,
    statuses,
    writes,
    tokens,
    answer: (status) => (always = status),
    close: () => server.close(),
  };
}
