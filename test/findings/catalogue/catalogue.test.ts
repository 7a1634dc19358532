import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { CATALOGUE, isRuleId, RULE_IDS, type FindingId } from "../../../src/findings/catalogue/catalogue.ts";
import { causeOf, rowOf, severityOf, type Finding } from "../../../src/findings/catalogue/finding.ts";
import { GENERAL, type Rows } from "../../../src/findings/catalogue/row.ts";
import { tagsOf, describeFinding } from "../../../src/findings/catalogue/words.ts";
import { RULES } from "../../../src/reports/lint/rules.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { sampleFindings, SAMPLED } from "./samples.ts";

const ids = Object.keys(CATALOGUE).toSorted();

describe("the catalogue of findings", () => {
  it("has words for each cause, and says what to do in sentences", () => {
    for (const [id, causes] of SAMPLED) {
      assert.deepEqual(causes.toSorted(), Object.keys(CATALOGUE[id as FindingId].causes).toSorted(), id);
    }
    for (const finding of sampleFindings()) {
      const { message, remedy } = describeFinding(finding);
      const what = `${finding.id} ${finding.cause}: ${message}`;
      assert.ok(message.includes("~") || finding.cause === "byController", what);
      assert.doesNotMatch(`${message}${remedy ?? ""}`, /undefined|null|NaN|\[object|\$\{/u, what);
      assert.doesNotMatch(message, /\.$/u, what);
      if (remedy !== undefined) assert.match(remedy, /^[A-Z].*[.?]$/su, what);
    }
  });
  it("takes the weight of a finding before that of its cause, and that before its row's", () => {
    const shared = sampleFindings().find(({ id, cause }) => id === "RS007" && cause === "shared");
    assert.ok(shared);
    assert.deepEqual([severityOf(shared), rowOf(shared).severity], ["info", "warning"]);
    assert.equal(severityOf({ ...shared, severityOverride: "error" }), "error");
  });
  it("gives a finding's own tags beside those of its cause", () => {
    const missing = sampleFindings().find(({ id, cause }) => id === "RS002" && cause === "notGiven");
    assert.ok(missing);
    assert.deepEqual(tagsOf({ ...missing, tags: { docs: "x" } }), {
      source: "ConfigMap/shop~/env~",
      key: "a~",
      docs: "x",
    });
  });
  it("has a rule for each RS id, in order, and no id else is one", () => {
    assert.deepEqual(Object.keys(RULES), [...RULE_IDS]);
    assert.deepEqual(ids.filter(isRuleId), [...RULE_IDS]);
    for (const id of ["RS000", "rs001", "constructor", "ignore", "RS"]) assert.equal(isRuleId(id), false, id);
    for (const [id, rule] of Object.entries(RULES)) assert.equal(rule.id, id);
  });
  it("never says that an unused source may be deleted: who reads it may stand elsewhere", () => {
    const unused = sampleFindings().filter(({ id }) => id === "RS012");
    assert.equal(unused.length, 1);
    for (const { message, remedy = "" } of unused.map(describeFinding))
      assert.doesNotMatch(`${message} ${remedy}`, /delet|remov|drop|unneeded/iu);
  });
  it("refuses a cause that it has not", () => {
    const [finding] = sampleFindings();
    assert.ok(finding);
    assert.throws(() => causeOf({ ...finding, cause: "other" } as unknown as Finding), /has no cause/u);
  });
});

describe("a message is short whatever the input holds", () => {
  const MOST = 20_000;
  const findings = sampleFindings((params) => enlarged(params));
  for (const finding of findings) {
    it(`${finding.id} ${finding.cause}`, () => {
      const { message, remedy = "" } = describeFinding(finding);
      assert.ok(message.length + remedy.length < MOST, `${message.length} and ${remedy.length} characters`);
      assert.equal(Buffer.from(message, "utf8").toString("utf8"), message, "half a character");
    });
  }
  it("is tested with parameters that are not", () => {
    const all = findings.filter(({ params }) => JSON.stringify(params).length < MOST);
    assert.deepEqual(all, []);
  });
});

/** The same parameters with long texts, cut or not in the middle of a character, and with long lists. */
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
  it("are there, each with its heading, and name no others", () => {
    const headings = (file: string): string[] =>
      [...readFileSync(inRoot(file), "utf8").matchAll(/^## (.*)$/gmu)].map((match) => match[1] ?? "");
    for (const [id, { docs }] of Object.entries(CATALOGUE)) {
      const [file = "", anchor] = docs.split("#");
      assert.ok(existsSync(inRoot(file)), `${id}: ${file}`);
      if (anchor !== undefined) assert.ok(headings(file).includes(anchor), `${id}: ${docs}`);
    }
    assert.deepEqual(
      headings("docs/findings.md"),
      ids.filter((id) => !isRuleId(id)),
    );
    assert.deepEqual(
      readdirSync(inRoot("docs/rules")).toSorted(),
      [...RULE_IDS.map((id) => `${id}.md`), "README.md"].toSorted(),
    );
  });
});

describe("what fixtures print", () => {
  it("is in the catalogue, each id", () => {
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
      [...printed].filter((id) => !ids.includes(id)),
      [],
    );
    assert.ok(printed.size >= 11, [...printed].toSorted().join(", "));
  });
});

// What the compiler holds: each line below an expectation has one thing missing, or wrong.

interface Example {
  readonly RS999: { readonly cause: { readonly name: string } };
  readonly example: { readonly cause: { readonly name: string } };
}

const cause = { message: ({ name }: { name: string }) => name, remedy: GENERAL } as const;
const row = { severity: "info", title: "An example", remedy: "Nothing.", causes: { cause } } as const;
const rule = { ...row, docs: "docs/rules/RS999.md" } as const;
const other = { ...row, docs: "docs/findings.md#example" } as const;
const { message } = cause;
const { title, ...noTitle } = other;
const { remedy, ...noRemedy } = other;
const { severity, ...noSeverity } = other;

const whole: Rows<Example> = { RS999: rule, example: other };
const wrong: readonly Rows<Example>[] = [
  whole,
  // @ts-expect-error a finding without its row
  { RS999: rule },
  // @ts-expect-error a row that is no finding's
  { ...whole, another: other },
  // @ts-expect-error no page
  { RS999: rule, example: row },
  // @ts-expect-error a rule's page is its own
  { RS999: other, example: other },
  // @ts-expect-error another finding's anchor is its own
  { RS999: rule, example: { ...row, docs: "docs/findings.md#other" } },
  // @ts-expect-error no title
  { RS999: rule, example: noTitle },
  // @ts-expect-error no severity
  { RS999: rule, example: noSeverity },
  // @ts-expect-error no remedy in general
  { RS999: rule, example: noRemedy },
  // @ts-expect-error a cause without words
  { RS999: rule, example: { ...other, causes: { cause: { remedy: GENERAL } } } },
  // @ts-expect-error a cause without a remedy
  { RS999: rule, example: { ...other, causes: { cause: { message } } } },
  // @ts-expect-error no causes
  { RS999: rule, example: { ...other, causes: {} } },
  // @ts-expect-error words with a parameter that the finding has not
  { RS999: rule, example: { ...other, causes: { cause: { ...cause, message: (of: { key: string }) => of.key } } } },
];

const { RS001: _RS001, ...noRule } = RULES;
const ref = { apiVersion: "v1", kind: "ConfigMap", name: "env" };
const told: readonly Finding[] = [
  { id: "RS012", cause: "unused", params: { source: ref } },
  // @ts-expect-error an id that is not in the catalogue
  { id: "RS999", cause: "unused", params: { source: ref } },
  // @ts-expect-error a cause of another finding
  { id: "RS012", cause: "once", params: { source: ref } },
  // @ts-expect-error a parameter that is missing
  { id: "RS012", cause: "unused", params: {} },
  // @ts-expect-error a parameter of another type
  { id: "RS012", cause: "unused", params: { source: "env" } },
];
// @ts-expect-error a rule of the catalogue that nobody checks
const unchecked: typeof RULES = noRule;

describe("the compiler", () => {
  it("was asked", () => {
    assert.equal(wrong.length + told.length, 18);
    assert.ok(unchecked);
    assert.deepEqual([title, remedy, severity], ["An example", "Nothing.", "info"]);
  });
});
