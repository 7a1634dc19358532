import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { RULE_IDS } from "../../src/findings/catalogue/catalogue.ts";
import { lintGithub } from "../../src/output/lint-github.ts";
import { lintJson } from "../../src/output/lint-json.ts";
import { lintSarif } from "../../src/output/lint-sarif.ts";
import { lintDocument } from "../../src/output/lint-text.ts";
import { plainText } from "../support/documents.ts";
import { findingLines } from "../../src/findings/results/terminal.ts";
import { lintText } from "../reports/lint/linted.ts";
import { run } from "../support/run.ts";
import { application } from "./manifests.ts";
import { printStream, seed, styleOf, type Data } from "./styles.ts";
import { examinedAll } from "../support/accounts.ts";

const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 70), seed: Number(process.env["FC_SEED"] ?? 20261121) };

const REPORTERS = [lintJson, lintSarif, lintGithub];
const LINT = "apiVersion: rollstamp.dev/v1alpha1\nkind: RolloutLint\n";

/** The sources of an application as another revision has them: immutable, and each text another one. */
function otherRevision(documents: readonly Data[]): Data[] {
  return documents.map((document) => {
    if (
      document === null ||
      typeof document !== "object" ||
      Array.isArray(document) ||
      !("data" in document || "stringData" in document)
    )
      return document;
    const { data, stringData, ...rest } = document;
    const kept = Object.keys(data ?? stringData ?? {}).slice(1);
    return { ...rest, immutable: true, data: Object.fromEntries(kept.map((key) => [key, "YQ=="])) };
  });
}

describe("lint, over generated manifests in every style", () => {
  it("shows no value of a Secret in any report, and changes nothing", async () => {
    const rules = new Set<string>();
    await fc.assert(
      fc.asyncProperty(application, seed, fc.constantFrom("Digest", "Keyed"), async (app, style, secrets) => {
        const text = printStream(app.documents, styleOf(style));
        const other = printStream(otherRevision(app.documents), styleOf(style));
        const findings = lintText(text, {
          base: other,
          again: other,
          spec: { secrets },
          hmacKey: () => Buffer.from("key"),
        });
        for (const { id } of findings) rules.add(id);
        const options = { account: examinedAll(1), pathOf: (path: string) => path };
        const reports = [
          ...REPORTERS.map((reporter) => reporter(findings, options)),
          await plainText(lintDocument(findings, options)),
          findingLines(findings),
        ].join("\n");
        for (const planted of app.secrets) assert.ok(!reports.includes(planted), `a report holds ${planted}`);
        const asFunction = run(text, LINT);
        if (asFunction.status !== 2) assert.equal(asFunction.text, text);
        for (const planted of app.secrets)
          assert.ok(!asFunction.messages.includes(planted), `a message holds ${planted}`);
      }),
      PARAMETERS,
    );
    // The manifests give most of the rules something to say: without that the test would prove nothing.
    assert.ok(RULE_IDS.filter((id) => rules.has(id)).length >= 7, [...rules].sort().join(", "));
  });
});
