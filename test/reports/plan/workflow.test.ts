import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parse } from "yaml";
import { inFolder } from "../../support/folders.ts";
import { inRoot } from "../../support/paths.ts";
import { commentMarker } from "../../../src/output/document/markdown.ts";

// The steps of the example's workflow, run by bash with stand-ins for npm, rollstamp and gh.

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
}

const workflow: { jobs: { plan: { env: Record<string, string>; steps: readonly Step[] } } } = parse(
  readFileSync(inRoot("examples", "rollout-plan", "workflow.yaml"), "utf8"),
);
const { env, steps } = workflow.jobs.plan;

const ROLLSTAMP = `#!/bin/sh
echo "$*" > asked
echo '${commentMarker("plan", env["TITLE"] ?? "")}'
echo plan
exit $PLAN_STATUS
`;

/** Answers as gh does after --jq: the ids of the comments that begin with the mark. */
const GH = `#!/bin/sh
case "$*" in
  *--jq*) [ ! -f comment ] || [ "$(head -n 1 comment)" != "$MARK" ] || echo 42 ;;
  *) echo "$*" >> calls; cp plan.md comment ;;
esac
`;

function run(folder: string, name: string, environment: Record<string, string>): number {
  const script = steps.find((step) => step.name === name)?.run;
  assert.ok(script !== undefined, `there is no step ${name}`);
  // As GitHub runs it: bash -e -o pipefail. Where its input is a socket, as Node makes it, bash takes its caller
  // for rshd and reads ~/.bashrc first (INVOCATION in its manual).
  const { status } = spawnSync("bash", ["-e", "-o", "pipefail", "-c", script], {
    stdio: "ignore",
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env["PATH"] ?? ""}`,
      GITHUB_OUTPUT: join(folder, "output"),
      GITHUB_STEP_SUMMARY: join(folder, "summary"),
      BASE: "abc",
      COMMENTS: "repos/o/r/issues",
      NUMBER: "7",
      ...env,
      ...environment,
    },
  });
  return status ?? -1;
}

describe("the example's workflow", () => {
  const inWorkflow = (test: (folder: string) => void): Promise<void> =>
    inFolder({ npm: '#!/bin/sh\necho "$*" > installed\n', rollstamp: ROLLSTAMP, gh: GH }, (folder) => {
      for (const name of ["npm", "rollstamp", "gh"]) chmodSync(join(folder, name), 0o755);
      test(folder);
    });

  it("plans, and continues where the plan has objections", () =>
    inWorkflow((folder) => {
      assert.equal(run(folder, "Plan", { PLAN_STATUS: "1" }), 0);
      assert.match(
        readFileSync(join(folder, "asked"), "utf8"),
        /^plan --git abc\.\.HEAD --render kustomize build overlays\/prod --output markdown/u,
      );
      assert.match(readFileSync(join(folder, "installed"), "utf8"), /^install --global .* rollstamp@\d+\.\d+\.\d+$/mu);
      assert.match(readFileSync(join(folder, "output"), "utf8"), /^status=1$/mu);
      assert.match(readFileSync(join(folder, "summary"), "utf8"), /^plan$/mu);
      assert.notEqual(run(folder, "Plan", { PLAN_STATUS: "2" }), 0);
      assert.equal(run(folder, "Verdict", { STATUS: "1" }), 1);
      assert.equal(run(folder, "Verdict", { STATUS: "0" }), 0);
    }));

  it("writes one comment, and edits it from then on", () =>
    inWorkflow((folder) => {
      run(folder, "Plan", { PLAN_STATUS: "0" });
      for (const _ of [1, 2]) assert.equal(run(folder, "Comment", {}), 0);
      assert.ok(existsSync(join(folder, "comment")));
      assert.deepEqual(readFileSync(join(folder, "calls"), "utf8").trim().split("\n"), [
        "api --method POST repos/o/r/issues/7/comments --field body=@plan.md --silent",
        "api --method PATCH repos/o/r/issues/comments/42 --field body=@plan.md --silent",
      ]);
    }));

  it("pins what it uses, and puts nothing from the event into a script", () => {
    for (const { uses, run: script } of steps) {
      if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/u);
      assert.doesNotMatch(script ?? "", /\$\{\{/u);
    }
  });
});

describe("the example for Renovate", () => {
  const read = (path: string): string => readFileSync(inRoot(path), "utf8");
  const text = read("examples/rollout-plan/renovate.yaml");
  const example: { jobs: { plan: { steps: readonly (Step & { if?: string; with?: Record<string, unknown> })[] } } } =
    parse(text);
  const action: { inputs: Record<string, unknown>; outputs: Record<string, unknown> } = parse(read("action.yml"));

  it("uses inputs and outputs of the Action", () => {
    const used = example.jobs.plan.steps.find(({ uses }) => uses?.startsWith("rollstamp/"));
    for (const name of Object.keys(used?.with ?? {})) assert.ok(name in action.inputs, name);
    const outputs = [...text.matchAll(/steps\.plan\.outputs\.([a-z]+)/gu)].map(([, name = ""]) => name);
    assert.ok(outputs.length > 0);
    for (const name of outputs) assert.ok(name in action.outputs, name);
  });

  it("fails for updates of Renovate that roll something, and lets Renovate itself merge the others", () => {
    const last = example.jobs.plan.steps.at(-1);
    assert.equal(
      last?.if,
      "github.event.pull_request.user.login == 'renovate[bot]' && steps.plan.outputs.label != 'rolls:none'",
    );
    assert.match(last.run ?? "", /^exit 1$/mu);
    assert.doesNotMatch(last.run ?? "", /\$\{\{/u);
    const [rule] = JSON.parse(read("examples/rollout-plan/renovate.json")).packageRules;
    // GitHub's own auto-merge waits only for required checks.
    assert.deepEqual([rule.automerge, rule.platformAutomerge], [true, false]);
  });
});
