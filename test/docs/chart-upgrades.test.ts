import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { inRoot } from "../support/paths.ts";

it("docs/helm.md says of upgrades what was measured", () => {
  const measured = readFileSync(inRoot("docs/chart-upgrades.md"), "utf8");
  const figure = (name: string): number =>
    Number(new RegExp(`^\\| ${name} +\\| (\\d+)`, "mu").exec(measured)?.[1] ?? Number.NaN);
  const saved = figure("of the needless saved");
  const needless = figure("of these needless");
  const told = readFileSync(inRoot("docs/helm.md"), "utf8").replaceAll(/\s+/gu, " ");
  assert.ok(
    told.includes(
      `${saved} of the ${needless} needless rollouts in ${figure("upgrades")} upgrades of public charts are gone, and ${figure("of the needless saved with the entries of `overrides` that the warnings give")} with the entries`,
    ),
  );
  assert.ok(told.includes(`(chart-upgrades.md), ${/^Written ([\d-]+) /mu.exec(measured)?.[1]})`));
  // The bar, and that nothing is lost.
  assert.ok(saved >= 0.95 * needless && figure("charts") >= 200 && figure("upgrades") >= 400);
  assert.deepEqual(
    [figure("needed and lost"), figure("needed and lost with those entries"), figure("upgrades in which something else differs")],
    [0, 0, 0],
  );
});
