import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Action, PlanFinding, PlannedWorkload, PlanReport } from "../../src/reports/plan/plan-report.ts";
import { plainText } from "../../src/output/document/document.ts";
import { LONGEST_COMMENT } from "../../src/output/document/markdown.ts";
import { strategyWords } from "../../src/output/plan-words.ts";
import type { Caveat } from "../../src/kubernetes/rollout/caveats.ts";
import type { Safety } from "../../src/kubernetes/rollout/safety.ts";
import { changed, immutable, noPod, reportOf, unused, workload } from "./plan-workloads.ts";
import { codePoint } from "../support/code-point.ts";
import { planMarkdown, planText } from "../support/plan-reports.ts";

// What a person sees of plans of any size: what is dangerous is on the first screen, and what is cut is counted.

const text = (report: PlanReport): Promise<string> => planText(report);
const markdown = (report: PlanReport): string => planMarkdown(report);
const screen = (printed: string): string => printed.split("\n").slice(0, 24).join("\n");

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
      "what is refused",
      { action: "Fail", safety: "Unknown" },
      /^REFUSED {5}Deployment default\/zz$/mu,
      /🔴 <b>refused<\/b>.*zz/u,
    ],
    [
      "what has no effect",
      { action: "NoEffect" },
      /^NO EFFECT {3}Deployment default\/zz$/mu,
      /🟡 <b>no effect<\/b>.*zz/u,
    ],
  ];
  const findings = Array.from({ length: 5000 }, (_, i) => unused(`loose-${i}`));
  for (const [name, given, inText, inMarkdown] of ONES) {
    it(`shows ${name} among 1,000 workloads and 5,000 findings on the first screen`, async () => {
      const report = reportOf([...safe(999), workload("zz", { ...given, reasons: [changed("env")] })], { findings });
      assert.match(screen(await text(report)), inText);
      assert.match(screen(markdown(report)), inMarkdown);
    });
  }
  it("has one row for what rolls safely for one cause", async () => {
    const report = reportOf(safe(300));
    assert.equal(
      await text(report),
      `Safe to merge: Deployment default/app-0000 rolls (and 299 more, 300 pods)

SAFE        300 workloads, 300 pods
            ConfigMap env: LOG_LEVEL changed
            Deployment default/app-0000, default/app-0001, default/app-0002, default/app-0003, default/app-0004, default/app-0005, default/app-0006, default/app-0007, default/app-0008, default/app-0009 and 290 more

Causes
  pods  workloads  cause
   300        300  ConfigMap default/env

Rollout plan: 300 roll (300 pods). 300 workloads checked.
`,
    );
    assert.equal(markdown(report).match(/<details>/gu)?.length, 1);
    assert.match(
      markdown(report),
      /<summary>🟢 <b>safe<\/b> <b>300 workloads, 300 pods<\/b>: ConfigMap <code>default\/env<\/code></u,
    );
  });
  it("names every workload with --all", async () => {
    assert.match(await planText(reportOf(safe(300)), { all: true }), /app-0299$/mu);
  });
  it("says what is over a limit right below the verdict", async () => {
    const report = reportOf(safe(3), { exceeded: [{ limit: "maxWorkloads", actual: 3, allowed: 2 }] });
    const [, below] = (await text(report)).split("\n\n");
    assert.equal(below, "Over the limit: 3 workloads roll, at most 2 may (--max-workloads)");
    assert.match(markdown(report), /^[^\n]*\n### [^\n]*\n\n<b>Over the limit: <\/b>3 workloads roll/u);
  });
  it("says once what fixes all findings of one rule", async () => {
    const report = reportOf(
      many(40, (i) => ({ safety: "Outage", findings: [noPod(`app-${i}`)], reasons: [changed("e")] })),
    );
    for (const printed of [await text(report), markdown(report)]) {
      assert.equal(printed.match(/Fix: /gu)?.length, 1);
      assert.equal(printed.match(/RS004: [^\n]*app-39\b/gu)?.length, 1);
      assert.match(printed, /RS004, 40 findings \(see above\)/u);
    }
  });
  it("shows errors of objects without a row before less urgent rows, and never cuts them", async () => {
    const errors = Array.from({ length: 100 }, (_, i) => immutable(`e${i}`));
    const report = reportOf([workload("o", { safety: "Outage" }), workload("r", { safety: "Reduced" }), ...safe(9)], {
      findings: errors,
    });
    for (const printed of [await text(report), markdown(report)]) {
      const [, rows = ""] = printed.split(/\n\n/u).length > 2 ? [0, printed.slice(printed.indexOf("\n\n"))] : [];
      const positionOf = (pattern: RegExp): number => rows.search(pattern);
      assert.ok(
        positionOf(/default\/o\b/u) < positionOf(/default\/e0\b/u) &&
          positionOf(/default\/e99\b/u) < positionOf(/default\/r\b/u),
        printed,
      );
      assert.equal(rows.match(/RS006: ConfigMap/gu)?.length, 100);
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
  const unprobed: Caveat = {
    id: "RS016",
    cause: "noProbe",
    params: { workload: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, services: [] },
  };
  const words = (given: Partial<PlannedWorkload>): string =>
    plainText(strategyWords(workload("web", { pods: 2, strategy, ...given })) ?? []);
  it("has the range of what scales it, and no maximum", () =>
    assert.equal(words({ podsAtMost: 9 }), "RollingUpdate, 2 to 9 pods: at least 2 available"));
  it("says started if nothing else is known", () =>
    assert.equal(words({ caveats: [unprobed] }), "RollingUpdate, 2 pods: at least 2 started, at most 3 in all"));
  it("says that it can stop", () =>
    assert.equal(
      words({ safety: "MayStick" }),
      "RollingUpdate, 2 pods: at least 2 available, at most 3 in all, and it can stop there",
    ));
  it("says once what makes its numbers uncertain, then what to do", async () => {
    const port: PlanFinding & Caveat = {
      id: "RS015",
      cause: "hostPort",
      params: { workload: { apiVersion: "apps/v1", kind: "Deployment", name: "web" }, port: 8080 },
    };
    const printed = await text(
      reportOf([
        workload("web", {
          safety: "MayStick",
          caveats: [port, { id: "nodes", params: {} }],
          findings: [port],
          next: { id: "promote", because: "it waits" },
        }),
      ]),
    );
    assert.match(printed, /^ {12}warning RS015: .*\n {12}But: one pod .*\n {12}Next: Promote it/mu);
    assert.equal(printed.match(/8080/gu)?.length, 1);
  });
});

describe("a comment", () => {
  /** What a comment names, and what it counts: for rows that need attention, and for others. */
  function counted(comment: string): { named: number; leftOut: number; together: number } {
    const sum = (pattern: RegExp): number =>
      [...comment.matchAll(pattern)].reduce((n, [, number]) => n + Number(number), 0);
    return {
      named: (comment.match(/(?:🔴|🟡) <b>/gu) ?? []).length,
      leftOut: sum(/<b>(\d+) more rows? to review/gu),
      together:
        sum(/🟢 <b>[a-z ]+<\/b> <b>(\d+) workloads/gu) +
        (comment.match(/🟢 <b>[a-z ]+<\/b> <b><code>/gu) ?? []).length +
        sum(/^…and (\d+) workload/gmu),
    };
  }

  it("names all of 300 outages, however much there is to say of each", async () => {
    const reasons = Array.from({ length: 40 }, (_, i) => changed(`a-config-map-with-a-name-${i}`));
    const comment = markdown(
      reportOf([...safe(500), ...many(300, (i) => ({ name: `out-${i}`, safety: "Outage", reasons }))]),
    );
    assert.ok(Buffer.byteLength(comment) <= LONGEST_COMMENT);
    assert.ok(Buffer.byteLength(comment) > LONGEST_COMMENT - 8_000, "it left out more than it had to");
    assert.deepEqual(counted(comment), { named: 300, leftOut: 0, together: 500 });
    assert.doesNotMatch(comment, /more rows? to review/u);
  });
  it("counts what it can't hold, by what becomes of it and by its cause, and never looks complete", async () => {
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
      /\n<b>\d+ more rows to review: \d+ × outage, 500 × reduced<\/b> \(ConfigMap <code>default\/(?:even|odd)<\/code>: \d+ workloads, ConfigMap <code>default\/(?:even|odd)<\/code>: \d+ workloads\)\. The same command with -o text or -o html shows all of them\.\n/u,
    );
  });
  it("loses rows of what rolls safely before anything else, and says of which cause", async () => {
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
      /\n…and \d+ workloads, \d+ pods, which nobody has to review \(ConfigMap <code>default\/config-map-\d+<\/code>: 2 workloads, .*, \d+ more causes\)\. The same command/u,
    );
  });
  it("is no longer than GitHub takes, and all that it doesn't name is counted", async () => {
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
          rows.map(({ next, ...row }) =>
            workload("", { ...row, ...(next === undefined ? {} : { next: { id: "rollout", text: next } }) }),
          ),
        );
        const report = reportOf(workloads, {
          findings: [unused(message)],
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

describe("the text report", () => {
  it("names every workload that needs attention", async () => {
    const all = many(3000, (i) => ({ safety: "Outage", reasons: [changed(`c-${i}`)] }));
    const printed = await text(reportOf(all));
    assert.equal(printed.match(/^OUTAGE /gmu)?.length, 3000);
  });
});
