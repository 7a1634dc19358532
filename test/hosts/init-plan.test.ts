// Runs the jobs that `init --plan` writes, and those of examples/ci, line by line for a pull request: one job, and three jobs
// with one that merges them.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { writeFiles } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { inRoot } from "../support/paths.ts";
import { command, installed, onPath, run, succeed, unlessFound, type Program, type Run } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";

const NODE: Program = { found: true, path: process.execPath };
const [BASH, GIT] = [onPath("bash"), onPath("git")];
const [KUSTOMIZE, HELM] = [installed("kustomize.sh"), installed("helm3.sh")];
const missing = unlessFound(BASH) || unlessFound(GIT) || unlessFound(KUSTOMIZE) || unlessFound(HELM);

const OVERLAYS = ["dev", "eu", "prod", "staging", "us"];
const FILES = {
  "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator:\n- name: env\n  files: [value=env.txt]\n",
  "base/web.yaml": deployment("web", "env"),
  "base/env.txt": "a",
  ...Object.fromEntries(
    OVERLAYS.map((name) => [`overlays/${name}/kustomization.yaml`, `namespace: ${name}\nresources: [../../base]\n`]),
  ),
  "charts/api/Chart.yaml": "apiVersion: v2\nname: api\nversion: 1.0.0\n",
  "charts/api/templates/all.yaml": `${deployment("api", "api")}---\n${configMap("api", "a")}`,
  "plain/all.yaml": `${deployment("plain", "plain")}---\n${configMap("plain", "a")}`,
};
const CHANGE = {
  "base/env.txt": "b",
  "charts/api/templates/all.yaml": `${deployment("api", "api")}---\n${configMap("api", "b")}`,
  "plain/all.yaml": `${deployment("plain", "plain")}---\n${configMap("plain", "b")}`,
};

interface Step {
  readonly name?: string;
  readonly run?: string;
}
interface Job {
  readonly script: readonly string[];
  readonly parallel?: number;
  readonly needs?: readonly string[];
}

/** A pull request that is merged into its target, as CI has it checked out, with rollstamp on PATH. */
function pullRequest(change: Readonly<Record<string, string>> = CHANGE): {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
} {
  const { folder } = treeOf(FILES);
  const bin = temporaryFolder();
  writeFileSync(join(bin, "rollstamp"), `#!/bin/sh\nexec ${process.execPath} ${command} "$@"\n`, { mode: 0o755 });
  // Answers as gh does after --jq, and keeps what is posted.
  writeFileSync(
    join(bin, "gh"),
    `#!/bin/sh
case "$*" in
  *--jq*) [ ! -f "$RUNNER_TEMP/comment" ] || [ "$(head -n 1 "$RUNNER_TEMP/comment")" != "$MARK" ] || echo 42 ;;
  *) echo "$*" >> "$RUNNER_TEMP/calls"; cp plan.md "$RUNNER_TEMP/comment" ;;
esac
`,
    { mode: 0o755 },
  );
  const env: NodeJS.ProcessEnv = {
    PATH: [bin, ...[KUSTOMIZE, HELM].map((each) => (each.found ? dirname(each.path) : "")), process.env["PATH"]].join(
      delimiter,
    ),
    HOME: temporaryFolder(),
    RUNNER_TEMP: temporaryFolder(),
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_AUTHOR_NAME: "test",
    GIT_AUTHOR_EMAIL: "test@example.com",
    GIT_COMMITTER_NAME: "test",
    GIT_COMMITTER_EMAIL: "test@example.com",
  };
  const git = (...args: string[]): string => succeed(GIT, args, { cwd: folder, env });
  git("init", "--quiet", "--initial-branch", "main");
  git("add", "--all");
  git("commit", "--quiet", "--message", "start");
  git("checkout", "--quiet", "-b", "topic");
  writeFiles(folder, change);
  git("commit", "--quiet", "--all", "--message", "change");
  git("checkout", "--quiet", "main");
  writeFiles(folder, { "README.md": "of the target alone" });
  git("add", "--all");
  git("commit", "--quiet", "--message", "meanwhile");
  git("merge", "--quiet", "--no-edit", "topic");
  return { folder, env };
}

type Pull = ReturnType<typeof pullRequest>;

function wired({ folder, env }: Pull, host: string, file: string): string {
  const { status, stderr } = run(NODE, [command, "init", host, "--plan", "--write"], { cwd: folder, env });
  assert.equal(status, 0, stderr);
  return readFileSync(join(folder, file), "utf8");
}

function example(path: string): string {
  return readFileSync(inRoot("examples", "ci", path), "utf8");
}

/** The report that one run makes of the same: `[status, text]`. */
function whole({ folder, env }: Pull): Run {
  return run(NODE, [command, "plan", "--git", "HEAD^..HEAD", "-o", "markdown", "--title", "Rollout plan"], {
    cwd: folder,
    env,
  });
}

/** A step, as GitHub runs it. */
function step({ folder, env }: Pull, steps: readonly Step[], name: string, more: NodeJS.ProcessEnv): number | null {
  const script = steps.find((one) => one.name === name)?.run ?? assert.fail(name);
  return run(BASH, ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
    cwd: folder,
    env: {
      ...env,
      GITHUB_STEP_SUMMARY: join(env["RUNNER_TEMP"] ?? "", "summary"),
      GITHUB_OUTPUT: join(env["RUNNER_TEMP"] ?? "", "output"),
      COMMENTS: "repos/o/r/issues",
      NUMBER: "7",
      ...more,
    },
  }).status;
}

/** Does what the last job does; gives the comment. */
function finished(pull: Pull, steps: readonly Step[], expected: number | null): string {
  const pathIn = (name: string): string => join(pull.env["RUNNER_TEMP"] ?? "", name);
  assert.equal(step(pull, steps, "Plan", {}), 0);
  assert.equal(readFileSync(pathIn("output"), "utf8"), `status=${expected}\n`);
  assert.equal(readFileSync(pathIn("summary"), "utf8"), readFileSync(join(pull.folder, "plan.md"), "utf8"));
  for (let i = 0; i < 2; i++) assert.equal(step(pull, steps, "Comment", {}), 0);
  assert.match(
    readFileSync(pathIn("calls"), "utf8"),
    /^api --method POST repos\/o\/r\/issues\/7\/comments .*\n.*PATCH repos\/o\/r\/issues\/comments\/42 .*\n$/u,
  );
  assert.equal(step(pull, steps, "Verdict", { STATUS: String(expected) }), expected);
  return readFileSync(pathIn("comment"), "utf8");
}

/** A report without the line that names the repository and the range, which an engine names in its own way. */
function withoutRange(report: string): string {
  return report.replace(/^(?:`[^`\n]*` · )+`[0-9a-f]{7}\.\.[0-9a-f]{7}`\n/mu, "");
}

const BROKEN = {
  ...CHANGE,
  "overlays/eu/kustomization.yaml": "namespace: eu\nresources: [../../base, ./nowhere.yaml]\n",
};

describe("the workflows for GitHub", { skip: missing }, () => {
  const FILE = ".github/workflows/rollstamp-plan.yml";
  const PARTS = "github/plan-parts.yml";
  type Workflow = { jobs: Record<string, { steps: Step[]; strategy?: { matrix: { part: number[] } } }> };

  for (const [name, change] of Object.entries({ CHANGE, BROKEN })) {
    it(`have one job, which comments the plan: ${name}`, () => {
      const pull = pullRequest(change);
      const { jobs }: Workflow = parse(wired(pull, "github", FILE));
      assert.deepEqual(Object.keys(jobs), ["plan"]);
      const { status, stdout } = whole(pull);
      assert.equal(status, change === BROKEN ? 1 : 0);
      assert.equal(finished(pull, jobs["plan"]?.steps ?? [], status), stdout);
    });

    it(`have three jobs and one that merges them: ${name}`, () => {
      const pull = pullRequest(change);
      const { jobs }: Workflow = parse(example(PARTS));
      const parts = jobs["part"]?.strategy?.matrix.part ?? [];
      assert.deepEqual(parts, [1, 2, 3]);
      for (const part of parts)
        assert.equal(step(pull, jobs["part"]?.steps ?? [], "Plan a part", { PART: String(part) }), 0);
      // Each rendered its own.
      assert.equal(readdirSync(join(pull.env["RUNNER_TEMP"] ?? "", "renderings")).length, change === BROKEN ? 11 : 12);
      const { status, stdout } = whole(pull);
      assert.equal(finished(pull, jobs["plan"]?.steps ?? [], status), stdout);
    });
  }

  it("fail if a part is missing or fails", () => {
    const pull = pullRequest();
    const { jobs }: Workflow = parse(example(PARTS));
    assert.equal(step(pull, jobs["part"]?.steps ?? [], "Plan a part", { PART: "1" }), 0);
    assert.equal(step(pull, jobs["part"]?.steps ?? [], "Plan a part", { PART: "9" }), 1);
    assert.equal(step(pull, jobs["plan"]?.steps ?? [], "Plan", {}), 1);
  });

  it("give each job only the permissions that it needs", () => {
    const text = example(PARTS);
    const { permissions, on, jobs } = parse(text);
    assert.deepEqual([permissions, Object.keys(on)], [{}, ["pull_request"]]);
    assert.deepEqual(
      [jobs.part.permissions, jobs.plan.permissions],
      [{ contents: "read" }, { "pull-requests": "write" }],
    );
    assert.match(text, /persist-credentials: false/u);
    // What a pull request can choose is in no script.
    for (const job of [jobs.part, jobs.plan])
      for (const { run: script = "" } of job.steps) assert.doesNotMatch(script, /\$\{\{/u);
  });
});

describe("the examples for engines in a cluster", { skip: missing }, () => {
  interface Container {
    readonly env: readonly { readonly name: string; readonly value: string }[];
    readonly source?: string;
    readonly script?: string;
  }
  const read = (engine: string): string => example(`${engine}/rollstamp-plan.yaml`);
  const ENGINES: Readonly<Record<string, () => readonly Container[]>> = {
    "argo-workflows": () =>
      (parse(read("argo-workflows")) as { spec: { templates: { script?: Container }[] } }).spec.templates.flatMap(
        ({ script }) => script ?? [],
      ),
    tekton: () =>
      (parse(read("tekton")) as { spec: { tasks: { taskSpec: { steps: Container[] } }[] } }).spec.tasks.flatMap(
        ({ taskSpec }) => taskSpec.steps,
      ),
  };

  for (const [engine, containers] of Object.entries(ENGINES)) {
    it(`${engine}: three pods make one plan with one limit`, () => {
      const pull = pullRequest();
      const bin = temporaryFolder();
      // What is installed is there.
      for (const name of ["npm", "curl", "tar"]) writeFileSync(join(bin, name), "#!/bin/sh\n", { mode: 0o755 });
      const parts = temporaryFolder();
      const [first, last, ...more] = containers();
      assert.ok(first !== undefined && last !== undefined && more.length === 0);
      const commit = (revision: string): string =>
        succeed(GIT, ["rev-parse", revision], { cwd: pull.folder, env: pull.env }).trim();
      const [base, head] = [commit("HEAD^"), commit("HEAD")];
      const runs = (
        { source, script = source ?? "", env }: Container,
        values: Readonly<Record<string, string>>,
      ): Run => {
        assert.deepEqual(
          env.map(({ name }) => name).filter((name) => !(name in values)),
          [],
          "what the test gives",
        );
        // What an engine would put in stands in no script.
        assert.doesNotMatch(script, /\{\{|\$\(/u);
        return run(onPath("sh"), ["-c", script], {
          cwd: temporaryFolder(),
          env: { ...pull.env, PATH: [bin, pull.env["PATH"]].join(delimiter), ...values },
        });
      };
      for (const i of [1, 2, 3]) {
        const { status, stderr } = runs(first, {
          REPOSITORY: pull.folder,
          BASE: base,
          HEAD: head,
          PART: `${i}/3`,
          CLONE: join(temporaryFolder(), "clone"),
          OUT: join(parts, `${i}.json`),
          PARTS: parts,
        });
        assert.equal(status, 0, stderr);
      }
      assert.equal(readdirSync(parts).length, 3);
      const merged = (most: string): Run => runs(last, { PARTS: parts, OUT: join(parts, "plan.md"), MAX_PODS: most });
      const { status, stdout } = merged("1000");
      assert.deepEqual([status, withoutRange(stdout)], [0, withoutRange(whole(pull).stdout)]);
      assert.deepEqual([merged("3").status, /^- 🔴 \*\*Limit\*\*: /mu.test(merged("3").stdout)], [1, true]);
    });
  }
});

describe("the jobs for GitLab", { skip: missing }, () => {
  const FILE = ".gitlab-ci.yml";

  interface GitLab {
    readonly url: string;
    readonly notes: { id: number; body: string }[];
    /** Labels of the merge request. */
    readonly labels: Set<string>;
    /** Labels of the project, with their colors. */
    readonly known: Map<string, string>;
    readonly statuses: { commit: string; name: string; state: string; description: string }[];
    /** Every change, in order. */
    readonly changes: string[];
    /** Whether the token is one of a Reporter, who may write notes and nothing else. */
    isReporter: boolean;
  }

  /** A merge request in GitLab: of two pages of notes, the second has ours. */
  async function withGitLab(test: (gitlab: GitLab) => Promise<void>): Promise<void> {
    const gitlab: Omit<GitLab, "url"> = {
      notes: [],
      labels: new Set(["bug", "rolls:risky"]),
      known: new Map([["rolls:safe", "#000000"]]),
      statuses: [],
      changes: [],
      isReporter: false,
    };
    const { notes, labels, known } = gitlab;
    const server = createServer((request, response) => {
      const { method, url: path = "", headers } = request;
      let text = "";
      request.on("data", (chunk: Buffer) => (text += chunk.toString("utf8")));
      request.on("end", () => {
        const answer = (body: unknown, more = {}, status = 200): void => {
          response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(body));
        };
        const url = new URL(path, "http://localhost");
        const body = text === "" ? Object.fromEntries(url.searchParams) : JSON.parse(text);
        if (method !== "GET") gitlab.changes.push(`${method} ${url.pathname}`);
        if (headers["private-token"] !== "token") answer({}, {}, 401);
        else if (path === "/user") answer({ id: 5 });
        else if (method === "GET" && path.endsWith("page=1"))
          answer([{ id: 1, author: { id: 9 }, body: notes[0]?.body ?? "" }], { "x-next-page": "2" });
        else if (method === "GET")
          answer(
            notes.map((note) => ({ ...note, author: { id: 5 } })),
            { "x-next-page": "" },
          );
        else if (url.pathname.startsWith("/projects/3/merge_requests/7/notes")) {
          notes.splice(0, method === "PUT" && path.endsWith("/40") ? 1 : 0, { id: 40, body: body.body });
          answer({});
        } else if (gitlab.isReporter) answer({}, {}, 403);
        else if (method === "POST" && path === "/projects/3/labels") {
          if (!known.has(body.name)) known.set(body.name, body.color);
          answer({}, {}, known.get(body.name) === body.color ? 201 : 409);
        } else if (method === "PUT" && url.pathname === "/projects/3/merge_requests/7") {
          for (const name of (body.remove_labels ?? "").split(",")) labels.delete(name);
          if (body.add_labels !== undefined) labels.add(body.add_labels);
          answer({});
        } else if (method === "POST" && path.startsWith("/projects/4/statuses/")) {
          gitlab.statuses.push({ commit: path.split("/").at(-1), ...body });
          answer({}, {}, 201);
        } else answer({}, {}, 404);
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await test(Object.assign(gitlab, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));
    } finally {
      server.close();
    }
  }

  // The runner's shell: set -eo pipefail. It is no child that blocks, as it asks the server of this test.
  async function job({ folder, env }: Pull, { script }: Job, more: NodeJS.ProcessEnv): Promise<Run> {
    const child = spawn("bash", ["-eo", "pipefail", "-c", script.join("\n")], {
      cwd: folder,
      env: { ...env, CI_MERGE_REQUEST_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "7", ...more },
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString("utf8")));
    child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString("utf8")));
    const [status] = (await once(child, "close")) as [number | null];
    return { status, stdout, stderr };
  }

  const PARTS = "gitlab/plan-parts.gitlab-ci.yml";

  for (const name of ["one", "three"]) {
    it(`are ${name}, and update one note`, () =>
      withGitLab(async ({ url, notes }) => {
        const pull = pullRequest();
        const base = succeed(GIT, ["rev-parse", "HEAD^"], { cwd: pull.folder, env: pull.env }).trim();
        const jobs: Record<string, Job> = parse(name === "one" ? wired(pull, "gitlab", FILE) : example(PARTS));
        const parts = jobs["rollstamp-plan-part"];
        const variables = { CI_MERGE_REQUEST_TARGET_BRANCH_SHA: base, CI_MERGE_REQUEST_DIFF_BASE_SHA: "no-such" };
        for (let i = 1; i <= (parts?.parallel ?? 0); i++) {
          const made = await job(pull, parts ?? { script: [] }, {
            ...variables,
            CI_NODE_INDEX: String(i),
            CI_NODE_TOTAL: String(parts?.parallel),
          });
          assert.equal(made.status, 0, made.stderr);
        }
        assert.equal(parts?.parallel ?? 1, name === "three" ? 3 : 1);
        const last = jobs["rollstamp-plan"] ?? { script: [] };
        const expected = withoutRange(whole(pull).stdout);
        // Without a token it is in the log.
        const logged = await job(pull, last, variables);
        assert.deepEqual([logged.status, withoutRange(logged.stdout)], [0, expected]);
        for (let i = 0; i < 2; i++) {
          const shown = await job(pull, last, { ...variables, PLAN_TOKEN: "token", CI_API_V4_URL: url });
          assert.deepEqual([shown.status, shown.stdout], [0, ""], shown.stderr);
        }
        assert.deepEqual(
          notes.map(({ id, body }) => [id, withoutRange(body)]),
          [[40, expected]],
        );
        const refused = await job(pull, last, { ...variables, PLAN_TOKEN: "stale", CI_API_V4_URL: url });
        assert.deepEqual([refused.status, refused.stdout], [0, ""]);
        assert.match(refused.stderr, /^Warning: .*: 401 of (?:GET )?\/user$/mu);
      }));
  }

  it("set a label and a commit status if they are configured, and remove an older label first", () =>
    withGitLab(async (gitlab) => {
      const pull = pullRequest();
      const base = succeed(GIT, ["rev-parse", "HEAD^"], { cwd: pull.folder, env: pull.env }).trim();
      const planned = parse(wired(pull, "gitlab", FILE))["rollstamp-plan"];
      const variables = {
        CI_API_V4_URL: gitlab.url,
        CI_PROJECT_ID: "4",
        CI_COMMIT_SHA: "merged",
        CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: "branch",
        CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
        CI_JOB_URL: "https://gitlab.example.com/job/1",
        PLAN_TOKEN: "token",
        PLAN_LABELS: "true",
        PLAN_COMMIT_STATUS: "true",
      };
      const made = await job(pull, planned, variables);
      assert.equal(made.status, 0, made.stderr);
      assert.doesNotMatch(made.stderr, /^(?:Warning|Error): /mu);
      const [first] = gitlab.changes;
      assert.equal(first, "PUT /projects/3/merge_requests/7");
      assert.deepEqual([...gitlab.labels], ["bug", "rolls:risky"]);
      assert.deepEqual(Object.fromEntries(gitlab.known), { "rolls:safe": "#000000", "rolls:risky": "#d93f0b" });
      const [{ commit, name, state, description } = { description: "" }] = gitlab.statuses;
      assert.deepEqual([commit, name, state], ["branch", "rollstamp/plan", "success"]);
      assert.ok(description.length <= 140 && gitlab.notes[0]?.body.includes(description.slice(0, 12)), description);

      // A plan that is not made: an error of the status, no label, and no older report.
      const unplanned = await job(pull, planned, { ...variables, CI_MERGE_REQUEST_DIFF_BASE_SHA: "no-such" });
      assert.equal(unplanned.status, 2);
      assert.deepEqual([...gitlab.labels], ["bug"]);
      assert.match(gitlab.statuses[1]?.state ?? "", /^failed$/u);
      assert.match(gitlab.notes[0]?.body ?? "", /^<!-- rollstamp plan: Rollout plan -->\n### Not checked\n/u);

      // A token that may only write notes.
      gitlab.isReporter = true;
      const reporter = await job(pull, planned, variables);
      assert.equal(reporter.status, 0);
      assert.match(reporter.stderr, /^Warning: PLAN_TOKEN may not change labels$/mu);
      assert.match(reporter.stderr, /^Warning: PLAN_TOKEN may not write the commit status: 403 of POST /mu);
      assert.match(reporter.stderr, /^Warning: PLAN_TOKEN may not write the label: 403 of POST /mu);
      assert.doesNotMatch(gitlab.notes[0]?.body ?? "", /Not checked/u);
      assert.deepEqual([gitlab.notes.length, gitlab.statuses.length], [1, 2]);
    }));

  it("end with the status of the plan, and name missing parts", async () => {
    const pull = pullRequest(BROKEN);
    mkdirSync(join(pull.folder, "x"), { recursive: true });
    const jobs: Record<string, Job> = parse(example(PARTS));
    const base = succeed(GIT, ["rev-parse", "HEAD^"], { cwd: pull.folder, env: pull.env }).trim();
    const part = (index: string): Promise<Run> =>
      job(pull, jobs["rollstamp-plan-part"] ?? { script: [] }, {
        CI_MERGE_REQUEST_DIFF_BASE_SHA: base,
        CI_NODE_INDEX: index,
        CI_NODE_TOTAL: "3",
      });
    const last = (): Promise<Run> => job(pull, jobs["rollstamp-plan"] ?? { script: [] }, {});
    for (const index of ["2", "3"]) assert.equal((await part(index)).status, 0);
    const missed = await last();
    assert.deepEqual([missed.status, /part-1\.json/u.test(missed.stderr)], [1, true]);
    assert.equal((await part("1")).status, 0);
    const shown = await last();
    assert.deepEqual([shown.status, /overlays\/eu/u.test(shown.stdout)], [1, true]);
  });
});
