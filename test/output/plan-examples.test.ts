import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { inRoot } from "../support/paths.ts";
import { planMarkdown, planText } from "../support/plan-reports.ts";
import { EXAMPLES } from "./plan-examples.ts";

// The words of plans, each sort of row at least once. UPDATE_FIXTURES=1 writes them again: review the diff like code.

async function assertSnapshot(
  file: string,
  print: (report: ReturnType<(typeof EXAMPLES)[number][1]>) => Promise<string>,
): Promise<void> {
  const texts = await Promise.all(EXAMPLES.map(async ([what, report]) => `==== ${what}\n${await print(report())}`));
  const path = inRoot("test", "output", file);
  if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(path, texts.join(""));
  assert.equal(texts.join(""), readFileSync(path, "utf8"));
}

describe("the examples of plans", () => {
  it("in text", () => assertSnapshot("plan-text.snapshot", planText));
  it("in Markdown", () => assertSnapshot("plan-markdown.snapshot", (report) => Promise.resolve(planMarkdown(report))));
});
