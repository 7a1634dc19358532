import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { CACHE_ROWS } from "../../e2e/argocd-cache-rows.ts";
import { ENGINE_ROWS, PLUGIN_ROW } from "../../e2e/engine-rows.ts";
import { GROUPS } from "../../e2e/observed-cases.ts";
import { checkCache, checkEngines, checkRows } from "../../e2e/observed-table.ts";
import { ARGOCD_SETTINGS } from "../../e2e/settings-argocd-rows.ts";
import { FLUX_SETTINGS } from "../../e2e/settings-flux-rows.ts";
import { REFUSALS, SITUATIONS } from "../../e2e/situations.ts";
import { ARGOCD_VERSIONED } from "../../e2e/versioned-argocd-rows.ts";
import { FLUX_VERSIONED } from "../../e2e/versioned-flux-rows.ts";
import { HELM_VERSIONED } from "../../e2e/versioned-helm-rows.ts";
import { ROLLOUTS_VERSIONED } from "../../e2e/versioned-rollouts-rows.ts";
import { inRoot } from "../../support/paths.ts";

// docs/why/observed.md contains the observations of test/e2e: this only checks that it has all cases and rows.

const TEXT = readFileSync(inRoot("docs/why/observed.md"), "utf8");

/** The rows of a section, by their first cells. */
function rowsOf(section: string, cells: number): string[] {
  const part = TEXT.split(`<!-- ${section}: written by test/e2e -->`)[1]?.split(`<!-- end of ${section} -->`)[0] ?? "";
  const rows = part.split("\n").filter((line) => line.startsWith("| "));
  return rows.slice(1).map((line) => line.split(" | ").slice(0, cells).join(" | ").slice(2));
}

it("docs/why/observed.md has the cases of the tests", () => {
  assert.deepEqual(
    rowsOf("bounds", 2),
    GROUPS.map(({ kind, strategy }) => `${kind} | ${strategy}`),
  );
  assert.deepEqual(
    rowsOf("situations", 1),
    SITUATIONS.map(({ name }) => name),
  );
  assert.deepEqual(
    rowsOf("refusals", 1),
    REFUSALS.map(({ name }) => name),
  );
});

it("docs/why/observed.md has the rows about engines, word for word", () => {
  checkEngines([...ENGINE_ROWS, PLUGIN_ROW]);
  checkCache(CACHE_ROWS);
  checkRows("settings", [...ARGOCD_SETTINGS, ...FLUX_SETTINGS]);
  checkRows("versioned", [...ARGOCD_VERSIONED, ...ROLLOUTS_VERSIONED, ...FLUX_VERSIONED, ...HELM_VERSIONED]);
});

// That its sections exist is tested with all links (test/docs/links.test.ts).
it("the pages about engines link to docs/why/observed.md", () => {
  for (const page of [
    "README.md",
    "docs/guides/argocd.md",
    "docs/guides/flux.md",
    "docs/guides/restart.md",
    "docs/guides/versioned.md",
    "examples/before-and-after/README.md",
  ])
    assert.match(readFileSync(inRoot(page), "utf8"), /observed\.md#/u, page);
});

it("docs/why/observed.md names existing tests", () => {
  for (const [, file = ""] of TEXT.matchAll(/`(test\/[^`]+\.ts)`/gu)) assert.ok(existsSync(inRoot(file)), file);
  for (const [, kind = ""] of TEXT.matchAll(/\[numbers\]\(#numbers\): ([\w ]+)/gu)) {
    assert.ok(
      GROUPS.some((group) => group.kind.startsWith(kind.trim())),
      kind,
    );
  }
});
