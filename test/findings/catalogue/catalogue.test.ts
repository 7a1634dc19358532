import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { CATALOGUE, docsOf, isRuleId, RULE_IDS, type FindingId } from "../../../src/findings/catalogue/catalogue.ts";
import { describeFinding, tagsOf } from "../../../src/findings/catalogue/describe.ts";
import { causeOf, rowOf, severityOf, type Finding } from "../../../src/findings/catalogue/finding.ts";
import type { Rows } from "../../../src/findings/catalogue/row.ts";
import { RULES } from "../../../src/reports/lint/rules.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { sampleFindings, SAMPLED } from "./samples.ts";

const ids = (Object.keys(CATALOGUE) as FindingId[]).toSorted();

/** Findings whose messages hold no text of the input. */
const NO_INPUT: ReadonlySet<string> = new Set(["short-key"]);

describe("the catalogue of findings", () => {
  it("has a sample of each cause", () => {
    for (const [id, causes] of SAMPLED) {
      assert.deepEqual(causes.toSorted(), Object.keys(CATALOGUE[id as FindingId].causes).toSorted(), id);
    }
  });
  it("words each cause as the snapshot does", () => {
    const lines = sampleFindings().flatMap((finding) => {
      const { severity, message, remedy } = describeFinding(finding);
      return [
        `${finding.id} ${finding.cause}: ${severity}: ${message}`,
        ...(remedy === undefined ? [] : [`  ${remedy}`]),
      ];
    });
    const text = `${lines.join("\n")}\n`;
    const file = inRoot("test/findings/catalogue/messages.txt");
    if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  });
  it("writes messages without a period and remedies as sentences", () => {
    for (const finding of sampleFindings()) {
      const { message, remedy } = describeFinding(finding);
      const what = `${finding.id} ${finding.cause}: ${message}`;
      if (!NO_INPUT.has(finding.id)) assert.match(message, /~/u, what);
      assert.doesNotMatch(`${message}${remedy ?? ""}`, /undefined|null(?! in YAML)|NaN|\[object|\$\{/u, what);
      assert.doesNotMatch(message, /\.$/u, what);
      if (remedy !== undefined) assert.match(remedy, /^[A-Z].*[.?]$/su, what);
    }
  });
  it("takes the severity from the finding, else from its cause, else from its row", () => {
    const shared = sampleFindings().find(({ id, cause }) => id === "RS007" && cause === "shared");
    assert.ok(shared);
    assert.deepEqual([severityOf(shared), rowOf(shared).severity], ["info", "warning"]);
    assert.equal(severityOf({ ...shared, severityOverride: "error" }), "error");
  });
  it("adds the tags of a finding to those of its cause", () => {
    const missing = sampleFindings().find(({ id, cause }) => id === "RS002" && cause === "missing");
    assert.ok(missing);
    assert.deepEqual(tagsOf({ ...missing, tags: { docs: "x" } }), {
      source: "ConfigMap/shop~/env~",
      key: "a~",
      docs: "x",
    });
  });
  it("has a rule for each RS id, in order, and for no other id", () => {
    assert.deepEqual(Object.keys(RULES), [...RULE_IDS]);
    assert.deepEqual(ids.filter(isRuleId), [...RULE_IDS]);
    for (const id of ["RS000", "rs001", "constructor", "invalid-ignore", "RS"]) assert.equal(isRuleId(id), false, id);
    for (const [id, rule] of Object.entries(RULES)) assert.equal(rule.id, id);
  });
  it("never suggests to delete an unused source, because its reader may not be in the input", () => {
    const unused = sampleFindings().filter(({ id }) => id === "RS012");
    assert.equal(unused.length, 1);
    for (const { message, remedy = "" } of unused.map(describeFinding))
      assert.doesNotMatch(`${message} ${remedy}`, /delet|remov|drop|unneeded/iu);
  });
  it("rejects an unknown cause", () => {
    const [finding] = sampleFindings();
    assert.ok(finding);
    assert.throws(() => causeOf({ ...finding, cause: "other" } as unknown as Finding), /has no cause/u);
  });
});

describe("a message is short whatever the input contains", () => {
  const MOST = 20_000;
  const findings = sampleFindings((params) => enlarged(params));
  for (const finding of findings) {
    it(`${finding.id} ${finding.cause}`, () => {
      const { message, remedy = "" } = describeFinding(finding);
      assert.ok(message.length + remedy.length < MOST, `${message.length} and ${remedy.length} characters`);
      assert.equal(Buffer.from(message, "utf8").toString("utf8"), message, "half a character");
    });
  }
  it("is tested with long parameters", () => {
    const all = findings.filter(({ id, params }) => !NO_INPUT.has(id) && JSON.stringify(params).length < MOST);
    assert.deepEqual(all, []);
  });
});

/** The same parameters with long strings, also with a surrogate pair at the cut, and with long lists. */
function enlarged(value: unknown): unknown {
  if (typeof value === "string") return value.includes("~") ? value.replace("~", "😀".repeat(10_000)) : value;
  if (Array.isArray(value)) {
    const items = value.map(enlarged);
    return Array.from({ length: 100 }, (_, i) => items[i % items.length]);
  }
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, enlarged(item)]));
}

describe("the pages of findings", () => {
  it("exist, each with its heading, and there are no others", () => {
    const headings = (file: string): string[] =>
      [...readFileSync(inRoot(file), "utf8").matchAll(/^## (.*)$/gmu)].map((match) => match[1] ?? "");
    for (const id of ids) {
      const [file = "", anchor] = docsOf(id).split("#");
      assert.ok(existsSync(inRoot(file)), `${id}: ${file}`);
      assert.ok(
        headings(file)
          .map((heading) => heading.toLowerCase())
          .includes(anchor ?? ""),
        docsOf(id),
      );
    }
    assert.deepEqual(
      headings("docs/reference/findings.md"),
      ids.filter((id) => !isRuleId(id)),
    );
    assert.deepEqual(headings("docs/reference/rules.md"), [...RULE_IDS]);
  });
});

describe("what fixtures print", () => {
  it("has only ids of the catalogue", () => {
    const printed = new Set<string>();
    for (const file of fg.sync("{fixtures/**/{messages.txt,output.yaml,output.json},functions/**/*.yaml}", {
      cwd: ROOT,
    })) {
      const text = readFileSync(inRoot(file), "utf8");
      for (const [, id = ""] of text.matchAll(/^rollstamp: (?:error|warning|info): .* \(([\w-]+)\)$/gmu))
        printed.add(id);
      for (const [, id = ""] of text.matchAll(/^ +tags:\n +rule: "([^"]+)"$/gmu)) printed.add(id);
    }
    assert.deepEqual(
      [...printed].filter((id) => !ids.some((known) => known === id)),
      [],
    );
    assert.ok(printed.size >= 11, [...printed].toSorted().join(", "));
  });
});

// The compiler checks the following: each line below an expectation has one thing missing or wrong.

interface Example {
  readonly RS999: { readonly cause: { readonly name: string } };
  readonly example: { readonly cause: { readonly name: string } };
}

const cause = { message: ({ name }: { name: string }) => name } as const;
const other = { severity: "info", title: "An example", remedy: "No action.", causes: { cause } } as const;
const { title, ...noTitle } = other;
const { remedy, ...noRemedy } = other;
const { severity, ...noSeverity } = other;

const whole: Rows<Example> = { RS999: other, example: other };
const wrong: readonly Rows<Example>[] = [
  whole,
  // @ts-expect-error a finding without its row
  { RS999: other },
  // @ts-expect-error a row without its finding
  { ...whole, another: other },
  // @ts-expect-error a finding without a title
  { RS999: other, example: noTitle },
  // @ts-expect-error a finding without a severity
  { RS999: other, example: noSeverity },
  // @ts-expect-error a finding without a general remedy
  { RS999: other, example: noRemedy },
  // @ts-expect-error a cause without a message
  { RS999: other, example: { ...other, causes: { cause: {} } } },
  // @ts-expect-error a finding without causes
  { RS999: other, example: { ...other, causes: {} } },
  // @ts-expect-error a message with a parameter that the finding does not have
  { RS999: other, example: { ...other, causes: { cause: { message: (params: { key: string }) => params.key } } } },
];

const { RS001: _RS001, ...noRule } = RULES;
const ref = { apiVersion: "v1", kind: "ConfigMap", name: "env" };
const findings: readonly Finding[] = [
  { id: "RS012", cause: "unused", params: { source: ref } },
  // @ts-expect-error an id that is not in the catalogue
  { id: "RS999", cause: "unused", params: { source: ref } },
  // @ts-expect-error a cause of another finding
  { id: "RS012", cause: "onlyOnce", params: { source: ref } },
  // @ts-expect-error a missing parameter
  { id: "RS012", cause: "unused", params: {} },
  // @ts-expect-error a parameter of another type
  { id: "RS012", cause: "unused", params: { source: "env" } },
];
// @ts-expect-error a rule of the catalogue without a check
const unchecked: typeof RULES = noRule;

describe("the types", () => {
  it("reject incomplete rows and findings", () => {
    assert.equal(wrong.length + findings.length, 14);
    assert.ok(unchecked);
    assert.deepEqual([title, remedy, severity], ["An example", "No action.", "info"]);
  });
});
