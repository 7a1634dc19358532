import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Log } from "sarif";
import { lintGithub } from "../../../src/output/lint-github.ts";
import { lintJson } from "../../../src/output/lint-json.ts";
import type { LintReporter } from "../../../src/output/lint-report.ts";
import { lintSarif } from "../../../src/output/lint-sarif.ts";
import { lintDocument } from "../../../src/output/lint-text.ts";
import { plainText } from "../../support/documents.ts";
import { CATALOGUE, RULE_IDS } from "../../../src/findings/catalogue/catalogue.ts";
import type { Finding } from "../../../src/findings/catalogue/finding.ts";
import { describeFinding } from "../../../src/findings/catalogue/describe.ts";
import { VERSION } from "../../../src/base/version.ts";
import { inRoot } from "../../support/paths.ts";
import { lintText } from "./linted.ts";
import { rulePage } from "./rule-pages.ts";
import { examinedAll } from "../../support/accounts.ts";

// Every finding of every page's bad example, and findings with all that a manifest or a file name can hold.

const real = RULE_IDS.flatMap((id) => {
  const { examples } = rulePage(id);
  return lintText(examples.get("bad") ?? "", { base: examples.get("base"), again: examples.get("again") });
});

const ESCAPES =
  "\u001b[31m\r\n::error::x\n##[add-matcher]x %0A %25 , : ] [a](http://evil.example) {0} \u202e\u2028 \\ \"'<b>";
const hostile: readonly Finding[] = [
  {
    id: "RS001",
    cause: "missingTemplate",
    params: {
      workload: { apiVersion: "v1", kind: "A", name: ESCAPES },
      other: { kind: "B", namespace: "c", name: "d" },
    },
    severityOverride: "error",
    place: { file: `::error file=a,line=1::${ESCAPES}`, line: 3, column: 9 },
  },
  {
    id: "invalid-ignore",
    cause: "unknownRule",
    params: { object: { apiVersion: "v1", kind: ESCAPES, name: ESCAPES }, rule: ESCAPES, near: undefined },
    resource: { apiVersion: "v1", kind: ESCAPES, name: ESCAPES },
    field: ESCAPES,
  },
  {
    id: "RS012",
    cause: "unused",
    params: { source: { apiVersion: "v1", kind: "%0A", name: "%0A" } },
    place: { file: "/abs/a b#c?.yaml" },
  },
];
const all: readonly Finding[] = [...real, ...hostile];
const report = (reporter: LintReporter, findings: readonly Finding[] = all): string =>
  reporter(findings, { account: examinedAll(2), pathOf: (path) => path });
const textReport = (findings: readonly Finding[], files = 2): Promise<string> =>
  plainText(lintDocument(findings, { account: examinedAll(files), pathOf: (path) => path }));

describe("lint -o text", () => {
  it("prints a line as compilers do, the remedy and the totals", async () => {
    const [first] = lintText(rulePage("RS003").examples.get("bad") ?? "");
    assert.ok(first);
    const { message, remedy } = describeFinding(first);
    assert.equal(
      await textReport([first], 1),
      `example.yaml:14:18: warning RS003: ${message}
  ${remedy ?? ""}

1 warning in 1 file
`,
    );
  });
  it("says that nothing was found", async () => {
    assert.equal(await textReport([]), "nothing found in 2 files\n");
  });
  it("holds no workflow command and no control character", async () => harmless(await textReport(all)));
});

/** No line of a log is a command to GitHub's runner, or moves a terminal's cursor. */
function harmless(text: string): void {
  assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202a-\u202e]/u);
  assert.doesNotMatch(text, /^\s*::/mu);
  assert.doesNotMatch(text, /##\[/u);
}

describe("lint -o json", () => {
  it("meets its schema", () => {
    const schema = JSON.parse(readFileSync(inRoot("schemas/lint.json"), "utf8")) as object;
    const validate = new Ajv2020({ allErrors: true }).compile(schema);
    validate(JSON.parse(report(lintJson)));
    assert.deepEqual(validate.errors ?? [], []);
    assert.equal(validate({ results: [{ message: "x" }] }), false);
  });
  it("holds KRM results with the rule in their tags, a file and a position", () => {
    const { results } = JSON.parse(report(lintJson)) as { results: Record<string, unknown>[] };
    assert.equal(results.length, all.length);
    const [first] = all;
    assert.ok(first);
    const { message, remedy } = describeFinding(first);
    assert.deepEqual(results[0], {
      message: `${message}. ${remedy}`,
      severity: "warning",
      resourceRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      field: { path: "spec.template.spec.containers[0].envFrom[0].configMapRef" },
      file: { path: "example.yaml" },
      tags: {
        rule: "RS001",
        version: VERSION,
        source: "ConfigMap/default/web-evn",
        coverage: "missing",
        docs: "docs/reference/rules.md#rs001",
      },
      position: { line: 17, column: 17 },
    });
  });
});

describe("lint -o sarif", () => {
  // The schema of OASIS, as published with Microsoft's SARIF tools. Its `language` pattern is no regular
  // expression of the `u` flag (oasis-tcs/sarif-spec), so patterns are read without it.
  const schema: unknown = JSON.parse(
    readFileSync(inRoot("node_modules/@microsoft/sarif-multitool-ts/assets/sarif-2.1.0.schema.json"), "utf8"),
  );
  const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true, unicodeRegExp: false }));
  const validate = ajv.compile(schema as object);
  const log = JSON.parse(report(lintSarif)) as Log;

  it("meets the schema of SARIF 2.1.0", () => {
    validate(log);
    assert.deepEqual(validate.errors ?? [], []);
    validate(JSON.parse(report(lintSarif, [])));
    assert.deepEqual(validate.errors ?? [], []);
  });
  it("is held to the schema by this test", () => {
    assert.equal(validate({ ...log, version: "2.0.0" }), false);
    assert.equal(validate({ ...log, runs: [{ ...log.runs[0], results: [{ message: {} }] }] }), false);
  });
  it("describes each rule once, and each result names its rule by index", () => {
    const [run] = log.runs;
    const rules = run?.tool.driver.rules ?? [];
    assert.deepEqual(
      rules.map((rule) => rule.id),
      [
        ...RULE_IDS,
        "invalid-ignore",
        "unknown-annotation",
        "duplicate-object",
        "unreadable-manifest",
        "unrendered-application",
        "ambiguous-source",
      ],
    );
    assert.equal(run?.results?.length, all.length);
    for (const result of run?.results ?? []) assert.equal(rules[result.ruleIndex ?? -1]?.id, result.ruleId);
  });
  it("names files as URIs and places in characters", () => {
    const places = (log.runs[0]?.results ?? []).map((result) => result.locations?.[0]?.physicalLocation);
    assert.deepEqual(places[0], {
      artifactLocation: { uri: "example.yaml", uriBaseId: "%SRCROOT%" },
      region: { startLine: 17, startColumn: 17 },
    });
    assert.equal(places.at(-1)?.artifactLocation?.uri, "file:///abs/a%20b%23c%3F.yaml");
    for (const place of places) assert.doesNotMatch(place?.artifactLocation?.uri ?? "", /[\s<>"\\]/u);
  });
  it("lets no text of a manifest become a link", () => {
    for (const result of log.runs[0]?.results ?? []) assert.doesNotMatch(result.message.text ?? "", /(?<!\\)\]\(/u);
  });
  it("knows a finding again when lines move", () => {
    const moved = all.map((finding) => ({
      ...finding,
      place: { file: finding.place?.file ?? "", line: 99, column: 1 },
    }));
    const prints = (text: string): unknown[] =>
      ((JSON.parse(text) as Log).runs[0]?.results ?? []).map((result) => result.partialFingerprints);
    assert.deepEqual(prints(report(lintSarif, moved)), prints(report(lintSarif)));
    const different = new Set(real.map((finding) => `${finding.id} ${describeFinding(finding).message}`));
    assert.equal(new Set(prints(report(lintSarif, real)).map((print) => JSON.stringify(print))).size, different.size);
  });
});

describe("lint -o github", () => {
  const lines = report(lintGithub).split("\n").slice(0, -2);

  it("has one command for each finding, and a sum", () => {
    assert.equal(lines.length, all.length);
    assert.equal(report(lintGithub, []), "nothing found in 2 files\n");
  });
  it("is read by the runner as what was meant", () => {
    lines.forEach((line, i) => {
      const { name, properties, data } = runnerReads(line);
      const finding = all[i];
      assert.ok(finding);
      const { id, severity, message, remedy } = describeFinding(finding);
      assert.equal(name, { error: "error", warning: "warning", info: "notice" }[severity]);
      assert.deepEqual(Object.keys(properties), [
        ...(finding.place === undefined ? [] : ["file"]),
        ...(finding.place?.line === undefined ? [] : ["line", "col"]),
        "title",
      ]);
      if (finding.place?.line !== undefined) assert.equal(properties["line"], String(finding.place.line));
      assert.equal(properties["title"], `${id}: ${CATALOGUE[id].title}`);
      if (i < real.length) assert.equal(data, `${message}. ${remedy ?? "?"}`);
      assert.doesNotMatch(data, /[\r\n]/u);
    });
    assert.ok(runnerReads(lines.at(-1) ?? "").data.startsWith("nothing in the input references %0A %0A."));
  });
  it("has one command in a line, and none in the old format", () => {
    for (const line of lines) assert.doesNotMatch(line, /##\[|\p{Cc}/u);
  });
});

/** A line as GitHub's runner takes it apart (actions/runner, src/Runner.Common/ActionCommand.cs). */
function runnerReads(line: string): { name: string; properties: Record<string, string>; data: string } {
  const end = line.indexOf("::", 2);
  assert.ok(line.startsWith("::") && end > 0, line);
  const head = line.slice(2, end);
  const space = head.indexOf(" ");
  const unescape = (text: string): string =>
    text
      .replaceAll("%0D", "\r")
      .replaceAll("%0A", "\n")
      .replaceAll("%3A", ":")
      .replaceAll("%2C", ",")
      .replaceAll("%25", "%");
  const properties = head
    .slice(space + 1)
    .split(",")
    .map((pair) => [pair.slice(0, pair.indexOf("=")), unescape(pair.slice(pair.indexOf("=") + 1))] as const);
  return {
    name: head.slice(0, space),
    properties: Object.fromEntries(properties),
    data: unescape(line.slice(end + 2)),
  };
}
