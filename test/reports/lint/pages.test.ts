import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { CATALOGUE, RULE_IDS, type RuleId } from "../../../src/findings/catalogue/catalogue.ts";
import type { SideStamps } from "../../../src/reports/plan/side.ts";
import { RULES } from "../../../src/reports/lint/rules.ts";
import { atLeast, severityOf, type Finding } from "../../../src/findings/catalogue/finding.ts";
import { inRoot } from "../../support/paths.ts";
import { planned } from "../plan/planned.ts";
import { lintText } from "./linted.ts";
import { rulePage, RULES_PAGE } from "./rule-pages.ts";

// Each bad example in fixtures/rules is found by its rule and by no other; in each good one nothing is found that
// weighs more than a note.

/** Rules that only a plan reports, with the stamps of both sides. */
const PLANNED: ReadonlyMap<RuleId, SideStamps> = new Map([
  ["RS017", "AsIfStamped"],
  ["RS025", "Standing"],
]);

describe("the page of the rules", () => {
  it("has a row for each rule, in their order", () => {
    assert.deepEqual(Object.keys(RULES), [...RULE_IDS]);
    const rows = [...readFileSync(inRoot(RULES_PAGE), "utf8").matchAll(/^\| \[(RS\d+)\].* \| (\w+) \| (.*) \|$/gmu)];
    assert.deepEqual(
      rows.map((row) => row.slice(1, 4)),
      RULE_IDS.map((id) => [id, CATALOGUE[id].severity, CATALOGUE[id].title]),
    );
  });
  for (const id of RULE_IDS) describe(id, () => testPage(id));
});

function planText(base: string, head: string, stamps: SideStamps): Finding[] {
  const { workloads, findings } = planned(base, head, { stamps });
  const about = workloads.flatMap(({ apiVersion, kind, name, namespace, findings: all }) =>
    all.map((finding) => ({ resource: { apiVersion, kind, name, namespace }, ...finding })),
  );
  // A source that rolls many workloads is no row itself.
  const others = findings.map((finding) =>
    finding.id === "RS017" ? { resource: finding.params.source, ...finding } : finding,
  );
  return [...about, ...others];
}

function testPage(id: RuleId): void {
  const rule = CATALOGUE[id];
  const page = rulePage(id);
  const base = page.examples.get("base");
  const stamps = PLANNED.get(id);
  const lintExample = (text: string, again?: string): Finding[] => [
    ...(base !== undefined && stamps !== undefined ? planText(base, text, stamps) : []),
    ...lintText(text, { base, again }),
  ];
  const bad = page.examples.get("bad") ?? "";
  const again = page.examples.get("again");

  it("has the rule's own title, severity and remedy", () => {
    assert.equal(page.title, rule.title);
    assert.equal(page.severity, rule.severity);
    assert.ok(page.text.includes(`**Fix.** ${rule.remedy ?? "?"}\n`), rule.remedy ?? "no remedy");
    assert.ok(page.text.includes("\nIgnore it on the "));
    for (const name of page.examples.keys()) assert.ok(page.text.includes(`fixtures/rules/${id}/${name}.yaml`), name);
  });
  it("has a bad example that this rule finds, and no other", () => {
    const findings = lintExample(bad, again);
    assert.ok(findings.some((finding) => finding.id === id));
    const others = findings.filter((finding) => finding.id !== id && atLeast(finding, "warning"));
    assert.deepEqual(others, []);
  });
  it("has a good example in which nothing is found", () => {
    const good = page.examples.get("good") ?? "";
    assert.notEqual(good, "");
    const findings = lintExample(good, again === undefined ? undefined : good);
    assert.deepEqual(
      findings.filter((finding) => finding.id === id || atLeast(finding, "warning")),
      [],
    );
  });
  it("is ignored by the annotation with a reason, and not without", () => {
    const first = lintExample(bad, again).find((finding) => finding.id === id);
    assert.ok(first?.resource);
    const ignored = lintExample(annotated(bad, first, "we know"), again);
    assert.deepEqual(
      ignored.filter((finding) => finding.id === id && finding.resource?.name === first.resource?.name),
      [],
    );
    const unreasoned = lintExample(annotated(bad, first, ""), again);
    assert.ok(unreasoned.some((finding) => finding.id === id));
    assert.ok(unreasoned.some((finding) => finding.id === "invalid-ignore" && severityOf(finding) === "warning"));
  });
}

/** The text with the annotation that ignores a finding's rule on the object that it is about. */
function annotated(text: string, finding: Finding, reason: string): string {
  const documents = parseAllDocuments(text);
  for (const document of documents) {
    if (!("setIn" in document) || document.getIn(["kind"]) !== finding.resource?.kind) continue;
    document.setIn(["metadata", "annotations", `ignore.rollstamp.dev/${finding.id}`], reason);
  }
  return documents.map(String).join("---\n");
}
