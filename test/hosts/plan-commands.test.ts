// plan --git over applications that a command of rollstamp.yaml renders.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { PlanJson } from "../../src/output/plan-json.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { missing, plan, repository, rollstamp, statuses } from "./planned-repository.ts";

const applications = (...entries: readonly string[]): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec:\n  applications:\n${entries.map((entry) => `  - ${entry}\n`).join("")}`;

function message({ applications: all = [] }: PlanJson, name: string): string {
  return all.find((one) => one.name === name)?.message ?? "";
}

describe("plan --git over applications of commands", { skip: missing }, () => {
  it("runs the command of the base revision in both revisions, if allowed", () => {
    const repo = repository({
      "rollstamp.yaml": applications('{path: app, command: "cat web.txt ../shared/env.txt"}'),
      "app/web.txt": deployment("web", "env"),
      "shared/env.txt": `---\n${configMap("env", "a")}`,
    });
    repo.commit("env", { "shared/env.txt": `---\n${configMap("env", "b")}` });
    const { report, status } = plan(repo, "--git", "start..env", "--allow-commands");
    assert.deepEqual([status, statuses(report)], [0, { app: "Changed" }]);
    assert.deepEqual(
      report.workloads.map(({ name, action }) => [name, action]),
      [["web", "Roll"]],
    );
    const proof = join(repo.folder, "ran");
    repo.commit("other", {
      "rollstamp.yaml": applications(
        `{path: app, command: "touch ${proof}; cat web.txt"}`,
        `{path: new, command: "touch ${proof}; cat all.txt"}`,
      ),
      "app/web.txt": deployment("web", "env").replace("app:1", "app:2"),
      "new/all.txt": deployment("new", "env"),
    });
    const after = plan(repo, "--git", "env..other", "--allow-commands");
    assert.equal(after.status, 1);
    assert.deepEqual(statuses(after.report), { new: "Failed", app: "Changed" });
    assert.match(message(after.report, "new"), /the base revision has no command for it/u);
    const refused = plan(repo, "--git", "env..other").report;
    assert.match(message(refused, "app"), /--allow-commands/u);
    assert.ok(!existsSync(proof));
  });

  it("needs a review if only the command changes", () => {
    const command = (text: string): string => applications(`{path: app, command: ${JSON.stringify(text)}}`);
    const repo = repository({ "rollstamp.yaml": command("cat web.txt"), "app/web.txt": deployment("web", "env") });
    repo.commit("command", { "rollstamp.yaml": command("sed s/app:1/app:2/ web.txt") });
    const { report } = plan(repo, "--git", "start..command", "--allow-commands");
    assert.equal(report.verdict?.level, "attention");
    assert.deepEqual(
      report.findings?.map(({ id, application }) => [id, application]),
      [["RS024", "app"]],
    );
  });

  it("ends a command that hangs", () => {
    const repo = repository({
      "rollstamp.yaml": applications('{path: app, command: "sleep 300 & wait"}'),
      "app/web.txt": deployment("web", "env"),
    });
    repo.commit("two", { "app/web.txt": deployment("web", "env").replace("app:1", "app:2") });
    const run = rollstamp(
      repo,
      "plan",
      "-o",
      "json",
      "--git",
      "start..two",
      "--allow-commands",
      "--max-render-time",
      "1s",
    );
    assert.equal(run.status, 1, run.stderr);
    const report: PlanJson = JSON.parse(run.stdout);
    assert.match(message(report, "app"), /the render command did not end within 1 second\b/u);
  });

  it("is refused without --git", () => {
    const repo = repository({ "a.yaml": deployment("web", "env") });
    const { status, stderr } = rollstamp(repo, "plan", "--allow-commands", "a.yaml", "a.yaml");
    assert.deepEqual([status, /--allow-commands/u.test(stderr)], [2, true]);
  });
});
