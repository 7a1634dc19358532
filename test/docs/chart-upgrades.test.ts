import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { inRoot } from "../support/paths.ts";

it("docs/guides/helm.md quotes the measured figures of chart upgrades", () => {
  const measured = readFileSync(inRoot("research/README.md"), "utf8");
  const figure = (name: string): number =>
    Number(new RegExp(`^\\| ${name} +\\| (\\d+)`, "mu").exec(measured)?.[1] ?? Number.NaN);
  const avoided = figure("of the avoidable ones avoided");
  const avoidable = figure("of these avoidable");
  const withEntries = figure("of the avoidable ones avoided with the entries of `overrides` that the warnings suggest");
  const quoted = readFileSync(inRoot("docs/guides/helm.md"), "utf8").replaceAll(/\s+/gu, " ");
  for (const text of [`${avoided} of the ${avoidable} `, `${figure("upgrades")} upgrades`, ` ${withEntries} `])
    assert.ok(quoted.includes(text), text);
  // The bar of the project, and no necessary rollout is lost.
  assert.ok(avoided >= 0.95 * avoidable && figure("charts") >= 200 && figure("upgrades") >= 400);
  assert.deepEqual(
    ["necessary and lost", "necessary and lost with those entries", "upgrades with other differences"].map(figure),
    [0, 0, 0],
  );
});
