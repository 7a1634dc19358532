import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Action, PlanFinding, PlannedWorkload, PlanReport } from "../../src/reports/plan/plan-report.ts";
import type { Safety } from "../../src/kubernetes/rollout/safety.ts";
import { LONGEST_COMMENT, planMarkdown } from "../../src/output/plan-markdown.ts";
import { planText } from "../../src/output/plan-text.ts";
import { changed, reportOf, workload } from "./plan-workloads.ts";
import { codePoint } from "../support/code-point.ts";

// What a person sees of plans of any size: what is dangerous is on the first screen, and what is cut is counted.

const text = (report: PlanReport): string => planText(report, { color: false });
const markdown = (report: PlanReport): string => planMarkdown(report, { title: "Rollout plan" });
const screen = (told: string): string => told.split("\n").slice(0, 24).join("\n");

const many = (n: number, given: (i: number) => Partial<PlannedWorkload>): PlannedWorkload[] =>
  Array.from({ length: n }, (_, i) => workload(`app-${String(i).padStart(4, "0")}`, given(i)));
const safe = (n: number): PlannedWorkload[] => many(n, () => ({ reasons: [changed("env")] }));
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 70), seed: Number(process.env["FC_SEED"] ?? 20261122) };

describe("a plan of any size", () => {
  const ONES: readonly (readonly [string, Partial<PlannedWorkload>, RegExp, RegExp])[] = [
    ["an outage", { safety: "Outage" }, /^OUTAGE {6}Deployment default\/zz$/mu, /🔴 <b>outage<\/b>.*default\/zz/u],
    ["what may stick", { safety: "MayStick" }, /^MAY STICK {3}Deployment default\/zz$/mu, /🔴 <b>may stick<\/b>.*zz/u],
    ["what waits", { safety: "Waits" }, /^WAITS {7}Deployment default\/zz$/mu, /🟡 <b>waits<\/b>.*zz/u],
    [
      "what fails",
      { action: "Fail", safety: "Unknown" },
      /^FAILS {7}Deployment default\/zz$/mu,
      /🔴 <b>fails<\/b>.*zz/u,
    ],
    [
      "what has no effect",
      { action: "NoEffect" },
      /^NO EFFECT {3}Deployment default\/zz$/mu,
      /🟡 <b>no effect<\/b>.*zz/u,
    ],
  ];
  const findings = Array.from({ length: 5000 }, (_, i): PlanFinding => ({
    id: "RS012",
    severity: "warning",
    message: `ConfigMap loose-${i} is used by nothing`,
    remedy: "Delete it.",
  }));
  for (const [name, given, inText, inMarkdown] of ONES) {
    it(`shows ${name} among 1,000 workloads and 5,000 findings on the first screen`, () => {
      const report = reportOf([...safe(999), workload("zz", { ...given, reasons: [changed("env")] })], { findings });
      assert.match(screen(text(report)), inText);
      assert.match(screen(markdown(report)), inMarkdown);
    });
  }
  it("has one row for what rolls safely for one cause", () => {
    const report = reportOf(safe(300));
    assert.equal(
      text(report),
      `Ship it: 300 workloads roll, and none has fewer pods meanwhile

SAFE        300 workloads, 300 pods
            ConfigMap env: LOG_LEVEL changed
            Deployment default/app-0000, default/app-0001, default/app-0002, default/app-0003, default/app-0004, default/app-0005, default/app-0006, default/app-0007, default/app-0008, default/app-0009 and 290 more

   pods  workloads  cause
    300        300  ConfigMap default/env

300 of 300 workloads roll; 300 pods are replaced
`,
    );
    assert.equal(markdown(report).match(/<details>/gu)?.length, 1);
    assert.match(
      markdown(report),
      /<summary>🟢 <b>safe<\/b> 300 workloads, 300 pods: ConfigMap <code>default\/env<\/code></u,
    );
  });
  it("names every workload with --all", () => {
    const told = planText(reportOf(safe(300)), { color: false, all: true });
    assert.match(told, /app-0299$/mu);
  });
  it("of no workloads says that there are none", () => {
    assert.match(text(reportOf([])), /^Look at it first: there is no workload to compare\n/u);
    assert.match(markdown(reportOf([])), /^<!--.*-->\n### ⚠️ Look at it first: there is no workload to compare\n/u);
  });
  it("over a limit, and nothing else, says so at once", () => {
    const report = reportOf(safe(3), { exceeded: ["3 workloads roll, and at most 2 may (--max-workloads)"] });
    assert.match(
      text(report),
      /^Don't ship it as it is: 1 limit is exceeded\nover the limit: 3 workloads roll, and at most 2 may \(--max-workloads\)\n/u,
    );
    assert.match(
      markdown(report),
      /\n### 🛑 Don't ship it as it is: 1 limit is exceeded\n\n\*\*Over the limit:\*\* 3 workloads roll, and at most 2 may \(--max-workloads\)\.\n/u,
    );
  });
  it("says what is to be done once for all of one rule", () => {
    const finding: PlanFinding = { id: "RS004", severity: "warning", message: "m", remedy: "Use RollingUpdate." };
    const report = reportOf(
      many(40, (i) => ({
        safety: "Outage",
        findings: [{ ...finding, message: `app-${i} goes` }],
        reasons: [changed("e")],
      })),
    );
    for (const told of [text(report), markdown(report)]) {
      assert.equal(told.match(/Use RollingUpdate\./gu)?.length, 1);
      assert.equal(told.match(/app-39 goes/gu)?.length, 1);
      assert.match(told, /warning RS004, 40 findings/u);
    }
  });
  it("tells an error of an object without a row before what may wait, and never cuts it", () => {
    const errors = Array.from({ length: 100 }, (_, i): PlanFinding => ({
      id: "RS006",
      severity: "error",
      message: `e${i}`,
    }));
    const report = reportOf([workload("o", { safety: "Outage" }), workload("r", { safety: "Reduced" }), ...safe(9)], {
      findings: errors,
    });
    for (const told of [text(report), markdown(report)]) {
      const at = (pattern: RegExp): number => told.search(pattern);
      assert.ok(at(/default\/o/u) < at(/RS006: e0/u) && at(/RS006: e99/u) < at(/default\/r/u), told);
      assert.equal(told.match(/RS006: e\d/gu)?.length, 100);
    }
  });
});

describe("how a workload rolls", () => {
  const strategy = {
    type: "RollingUpdate",
    replicas: 2,
    maxSurge: 1,
    maxUnavailable: 0,
    minAvailable: 2,
    maxTotal: 3,
  };
  const line = (given: Partial<PlannedWorkload>): string =>
    text(reportOf([workload("web", { pods: 2, strategy, ...given })]))
      .split("\n")[3]
      ?.trim() ?? "";
  it("has the range of what scales it, and no most in all", () =>
    assert.equal(line({ podsAtMost: 9 }), "RollingUpdate, 2 to 9 pods: at least 2 available"));
  it("says started where that is all that is known", () =>
    assert.equal(
      line({ caveats: [{ id: "RS016", message: "m" }] }),
      "RollingUpdate, 2 pods: at least 2 started, at most 3 in all",
    ));
  it("says that it can hang", () =>
    assert.equal(
      line({ safety: "MayStick" }),
      "RollingUpdate, 2 pods: at least 2 available, at most 3 in all, and it can hang there",
    ));
  it("says what makes its numbers uncertain once, and what to do next", () => {
    const told = text(
      reportOf([
        workload("web", {
          safety: "MayStick",
          caveats: [
            { id: "RS015", message: "it hangs" },
            { id: "autoscaled", message: "it is scaled" },
          ],
          findings: [{ id: "RS015", severity: "warning", message: "it hangs" }],
          next: "Promote it.",
        }),
      ]),
    );
    assert.match(told, /^ {12}warning RS015: it hangs\n {12}but: it is scaled\n {12}next: Promote it\.$/mu);
    assert.equal(told.match(/it hangs/gu)?.length, 1);
  });
});

describe("a comment", () => {
  /** What a comment names, and what it counts: of rows that somebody has to look at, and of others. */
  function counted(comment: string): { named: number; leftOut: number; together: number } {
    const sum = (pattern: RegExp): number =>
      [...comment.matchAll(pattern)].reduce((n, [, number]) => n + Number(number), 0);
    return {
      named: (comment.match(/(?:🔴|🟡) <b>/gu) ?? []).length,
      leftOut: sum(/🛑 \*\*(\d+) more that somebody/gu),
      together:
        sum(/🟢 <b>[a-z ]+<\/b> (\d+) workloads/gu) +
        (comment.match(/🟢 <b>[a-z ]+<\/b> <code>/gu) ?? []).length +
        sum(/^…and (\d+) workload/gmu),
    };
  }

  it("names all of 300 outages, however much there is to say of each", () => {
    const reasons = Array.from({ length: 40 }, (_, i) => changed(`a-config-map-with-a-name-${i}`));
    const comment = markdown(
      reportOf([...safe(500), ...many(300, (i) => ({ name: `out-${i}`, safety: "Outage", reasons }))]),
    );
    assert.ok(Buffer.byteLength(comment) <= LONGEST_COMMENT);
    assert.ok(Buffer.byteLength(comment) > LONGEST_COMMENT - 8_000, "it left out more than it had to");
    assert.deepEqual(counted(comment), { named: 300, leftOut: 0, together: 500 });
    assert.doesNotMatch(comment, /does not fit|do not fit/u);
  });
  it("counts what it can't hold, by what becomes of it and by its cause, and never looks complete", () => {
    const comment = markdown(
      reportOf([
        ...safe(10),
        ...many(3000, (i) => ({
          safety: i < 2500 ? "Outage" : "Reduced",
          reasons: [changed(i % 2 === 0 ? "even" : "odd")],
        })),
      ]),
    );
    assert.ok(Buffer.byteLength(comment) <= LONGEST_COMMENT);
    const { named, leftOut, together } = counted(comment);
    assert.ok(named > 500 && leftOut > 500, `${named} ${leftOut}`);
    assert.deepEqual([named + leftOut, together], [3000, 10]);
    assert.match(
      comment,
      /\n🛑 \*\*\d+ more that somebody has to look at do not fit into a comment: \d+ × outage, 500 × fewer pods\*\* \(ConfigMap <code>default\/(?:even|odd)<\/code>: \d+ workloads, ConfigMap <code>default\/(?:even|odd)<\/code>: \d+ workloads\)\. The same command with `-o text` or `-o html` shows all of them\.\n/u,
    );
  });
  it("loses rows of what rolls safely before anything else, and says of which cause", () => {
    const comment = markdown(
      reportOf([
        ...many(4000, (i) => ({ reasons: [changed(`config-map-${i % 2000}`)] })),
        workload("zz", { safety: "Outage", reasons: [changed("env")] }),
      ]),
    );
    assert.ok(Buffer.byteLength(comment) <= LONGEST_COMMENT);
    assert.deepEqual(counted(comment), { named: 1, leftOut: 0, together: 4000 });
    assert.match(
      comment,
      /\n…and \d+ workloads, \d+ pods, of which nobody has to look at any \(ConfigMap <code>default\/config-map-\d+<\/code>: 2 workloads, .*, \d+ more causes\)\. The same command/u,
    );
  });
  it("is no longer than GitHub takes, and all that it doesn't name is counted", () => {
    const name = fc.oneof(
      { weight: 8, arbitrary: fc.stringMatching(/^[a-z0-9-]{1,63}$/u) },
      fc.string({ unit: codePoint, maxLength: 300 }),
      fc.constantFrom("<".repeat(3000), "😀".repeat(20_000), "`[a](b)|".repeat(99)),
    );
    const given = fc.record({
      name,
      kind: fc.oneof({ weight: 8, arbitrary: fc.constantFrom("Deployment", "StatefulSet") }, name),
      action: fc.constantFrom<Action[]>(
        "Roll",
        "Roll",
        "Roll",
        "Fail",
        "NextRun",
        "NoEffect",
        "Create",
        "Delete",
        "Reload",
      ),
      safety: fc.constantFrom<Safety[]>("Safe", "Safe", "Outage", "MayStick", "Waits", "Reduced", "Unknown"),
      reasons: fc.array(name.map(changed), { maxLength: 3 }),
      next: fc.option(name, { nil: undefined }),
    });
    const plans = fc.tuple(fc.array(given, { maxLength: 40 }), fc.constantFrom(1, 1, 20, 200), name);
    fc.assert(
      fc.property(plans, ([rows, times, message]) => {
        const workloads = Array.from({ length: times }).flatMap(() =>
          rows.map(({ next, ...row }) => workload("", { ...row, ...(next === undefined ? {} : { next }) })),
        );
        const report = reportOf(workloads, {
          findings: [{ id: "RS012", severity: "warning", message, remedy: message }],
        });
        const comment = markdown(report);
        assert.ok(Buffer.byteLength(comment) <= LONGEST_COMMENT, String(Buffer.byteLength(comment)));
        const { named, leftOut, together } = counted(comment);
        assert.equal(named + leftOut + together, workloads.length);
        assert.equal(comment.match(/<details/gu)?.length, comment.match(/<\/details>/gu)?.length);
      }),
      { ...PARAMETERS, numRuns: Math.ceil(PARAMETERS.numRuns / 4) },
    );
  });
});

describe("a text", () => {
  it("names every workload that somebody has to look at", () => {
    const all = many(3000, (i) => ({ safety: "Outage", reasons: [changed(`c-${i}`)] }));
    const told = text(reportOf(all));
    assert.equal(told.match(/^OUTAGE /gmu)?.length, 3000);
  });
});
