import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { auditDocument } from "../../src/output/audit-document.ts";
import { printHtml } from "../../src/output/document/html.ts";
import { LONGEST_COMMENT, printMarkdown } from "../../src/output/document/markdown.ts";
import { printText } from "../../src/output/document/text.ts";
import { auditOf, type AuditFrame } from "../../src/reports/audit/audit.ts";
import { NO_CHANGES, type ChangedWorkload, type CommitChanges } from "../../src/reports/audit/commit-changes.ts";
import type { RolloutAudit } from "../../src/reports/audit/audit-report.ts";
import type { SourceReason } from "../../src/reports/plan/plan-reasons.ts";
import { inRoot } from "../support/paths.ts";

function changed(key: string, from: string, to: string): SourceReason {
  return {
    type: "Source",
    source: { kind: "ConfigMap", namespace: "shop", name: "web" },
    seenBy: "env",
    keys: { added: [], removed: [], changed: [key] },
    contents: [{ key, from, to }],
  };
}

function workload(name: string, more: Partial<ChangedWorkload>): ChangedWorkload {
  return {
    application: "overlays/prod",
    workload: { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name },
    action: "Roll",
    pods: 3,
    safety: "Safe",
    reasons: [],
    content: [],
    ...more,
  };
}

const IMAGE = { type: "Template", path: "spec.containers[name=app].image", from: "app:1", to: "app:2" } as const;
const CHECKSUM = { type: "Template", path: 'metadata.annotations["checksum/config"]', hidden: true } as const;

/** The audit of commits of one day each. */
function audited(all: readonly CommitChanges[], frame: Partial<AuditFrame> = {}): RolloutAudit {
  const commits = all.map((changes, i) => ({
    commit: String(i + 1).repeat(40),
    date: `2026-03-0${i + 1}T10:00:00Z`,
    changes,
    isCounted: true,
  }));
  const [head] = commits.toReversed();
  assert.ok(head !== undefined);
  return auditOf(commits, {
    repository: "https://git.example.com/shop/deploy",
    branch: "main",
    cut: null,
    only: {},
    head,
    ...frame,
  });
}

/** Each workload of the first commit keeps old content; one rolls later. */
const AUDIT: RolloutAudit = audited(
  [
    { ...NO_CHANGES },
    {
      ...NO_CHANGES,
      workloads: ["api", "web", "worker", "zoo"].map((name) =>
        workload(name, { action: "Stale", content: [changed("LOG_LEVEL", "a", "b")] }),
      ),
    },
    { ...NO_CHANGES, workloads: [workload("web", { reasons: [IMAGE] })] },
    {
      ...NO_CHANGES,
      workloads: [
        workload("db", { reasons: [IMAGE], content: [changed("USER", "a", "b")], safety: "Outage", pods: 1 }),
      ],
    },
    { ...NO_CHANGES, workloads: [workload("web", { reasons: [CHECKSUM] })] },
    {
      ...NO_CHANGES,
      orphans: 2,
      unrendered: ["overlays/test", "overlays/other"].map((application) => ({
        application,
        because: { message: "missing.yaml does not exist" },
        isFailed: true,
      })),
    },
  ],
  { cut: { by: "MaxCommits", commits: 6 }, only: { path: "clusters", applications: ["a", "b*"], namespace: "shop" } },
);

const SENTENCE =
  "2 commits changed configuration; 4 times a workload kept running with the old one, and 1 rollout was avoidable.";

function assertSnapshot(name: string, text: string): void {
  const file = inRoot("test", "output", name);
  if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, text);
  assert.equal(text, readFileSync(file, "utf8"));
}

describe("the report of an audit", () => {
  it("has the content of what rolled, if its reasons do not name it, and no value", () => {
    const { contents: _, ...named } = changed("USER", "a", "b");
    assert.deepEqual(
      [AUDIT.rolled, AUDIT.down].map((list) => list.map(({ content }) => content)),
      [[[named]], [[named]]],
    );
  });

  it("as text", async () => {
    const text = await printText(auditDocument(AUDIT), { color: false });
    assert.equal(text.split("\n")[0], SENTENCE);
    assertSnapshot("audit-text.snapshot", text);
  });

  it("as Markdown", () => {
    const text = printMarkdown(auditDocument(AUDIT, "markdown"), { marker: "<!-- -->", longest: LONGEST_COMMENT });
    assert.ok(text.includes(SENTENCE));
    assertSnapshot("audit-markdown.snapshot", text);
  });

  it("as a page: the sentence, a calendar, and the worst with commit, day and workload", () => {
    const page = printHtml(auditDocument(AUDIT, "html"));
    assert.ok(page.includes(`<h1>${SENTENCE}</h1>`));
    assert.match(page, /<span class="day attention" title="2026-03-02: 4 workloads kept old content">/u);
    for (const { commit, date, workload: one } of AUDIT.worst) {
      for (const text of [commit.slice(0, 7), date.slice(0, 10), `shop/${one.name}`])
        assert.ok(page.replaceAll("<wbr>", "").includes(text), text);
    }
  });

  it("names or counts all workloads of a commit and cause, and the ten worst of these", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `web-${String(i).padStart(2, "0")}`);
    const stale = (key: string, all: readonly string[]): CommitChanges => ({
      ...NO_CHANGES,
      workloads: all.map((name) => workload(name, { action: "Stale", content: [changed(key, "a", "b")] })),
    });
    const audit = audited([
      NO_CHANGES,
      stale("FIRST", names),
      ...Array.from({ length: 4 }, (_, i) => stale(`KEY_${i}`, ["web-00"])),
      {
        ...NO_CHANGES,
        workloads: names.map((name, i) =>
          workload(name, { reasons: [{ ...IMAGE, path: `spec.containers[name=c${i % 2}].image` }], safety: "Outage" }),
        ),
      },
      { ...NO_CHANGES, workloads: [workload("web-01", { reasons: [CHECKSUM] })] },
    ]);
    assert.deepEqual([audit.worst.length, new Set(audit.worst.map(({ type }) => type))], [10, new Set(["Down"])]);
    const text = await printText(auditDocument(audit), { color: false });
    const rows = text.split("\n").filter((line) => /^[A-Z]{4,}/u.test(line));
    assert.deepEqual(
      rows.map((line) => [line.split(" ")[0], line.match(/shop\/web/gu)?.length, /and 2 more workloads/u.test(line)]),
      [
        ["DOWN", 6, false],
        ["DOWN", 6, false],
        ["STALE", 10, true],
        ...Array.from({ length: 4 }, () => ["STALE", 1, false]),
        ["AVOIDABLE", 1, false],
      ],
    );
    assert.match(rows[2] ?? "", /36 pods/u);
    const two = audited(
      Array.from({ length: 6 }, (_, i): CommitChanges => ({
        ...NO_CHANGES,
        workloads: ["a", "b"].map((name) =>
          workload(name, { action: "Stale", content: [changed(`${name}_${i}`, "a", "b")] }),
        ),
      })),
    );
    const page = await printText(auditDocument(two), { color: false });
    assert.ok(page.includes("The worst: 10 of 12"), page);
  });

  it("folds the environments of a commit, whose sources differ in the namespace and in what a generator adds", async () => {
    const inNamespace = (namespace: string, hash: string): ChangedWorkload => {
      const { workload: one, ...stale } = workload("web", { action: "Stale", application: namespace });
      const source = {
        kind: "ConfigMap",
        namespace,
        name: `web-${hash}4gk5`,
        previousName: `web-${hash}t7b2`,
      } as const;
      return { ...stale, workload: { ...one, namespace }, content: [{ ...changed("LEVEL", "a", "b"), source }] };
    };
    const workloads = [inNamespace("prod", "f8m2d6"), inNamespace("test", "9t2b7h")];
    const text = await printText(auditDocument(audited([NO_CHANGES, { ...NO_CHANGES, workloads }])), { color: false });
    assert.deepEqual(
      text.split("\n").flatMap((line) => /^STALE.*|ConfigMap .*/u.exec(line) ?? []),
      [
        "STALE       6 pods Deployment prod/web in prod, Deployment test/web in test: kept the old content for less than an hour, until now",
        "ConfigMap web: LEVEL changed",
      ],
    );
  });
});
