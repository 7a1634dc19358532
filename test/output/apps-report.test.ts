import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NotFound } from "../../src/applications/discover/not-found.ts";
import { appsDocument, appsJson, type AppsNaming } from "../../src/output/apps-report.ts";
import { plainText } from "../support/documents.ts";

const appsText = (notFound: readonly NotFound[], naming: AppsNaming = {}): Promise<string> =>
  plainText(appsDocument({ applications: [], notFound }, naming));

const unknown = (name: string, source: string): NotFound => ({
  path: `${name}.yaml`,
  kind: "HelmRelease",
  name,
  reason: `the source of its chart, OCIRepository ${source}, is not in this repository`,
  missing: source,
  isFailure: false,
});

describe("rollstamp apps", () => {
  const notFound = ["a", "b", "c", "d", "e"].map((name) => unknown(name, `${name}-source`));

  it("joins reasons that differ only in the missing source", async () => {
    assert.deepEqual((await appsText(notFound)).split("\n"), [
      "no applications",
      "",
      "not examined: HelmRelease a in a.yaml, b in b.yaml, c in c.yaml and 2 more: the source of its chart, OCIRepository a-source, b-source, c-source and 2 more, is not in this repository",
      "",
    ]);
    assert.match(await appsText(notFound, { verbose: true }), /d in d\.yaml, e in e\.yaml: the source/u);
  });

  it("suggests --render if a rendering may show more", async () => {
    const rows = [{ ...unknown("a", "a-source"), isShown: true as const }, unknown("b", "b-source")];
    const hint = /\n\nA rendering may show 1 of these objects: rollstamp apps --expand\n$/u;
    assert.match(await appsText(rows), hint);
    assert.doesNotMatch(await appsText(rows, { isRendered: true }), /--expand/u);
    assert.doesNotMatch(await appsText(rows.slice(1)), /--expand/u);
    assert.doesNotMatch(appsJson({ applications: [], notFound: rows }), /isShown/u);
  });

  it("separates errors from what is unknown", async () => {
    const rows = [...notFound.slice(0, 1), { ...unknown("f", "f-source"), isFailure: true }];
    assert.match(await appsText(rows), /\nerror: HelmRelease f .*\nnot examined: HelmRelease a /u);
  });

  it("keeps each reason in JSON", () => {
    const { notExamined }: { notExamined: Record<string, string>[] } = JSON.parse(
      appsJson({ applications: [], notFound }),
    );
    assert.deepEqual(notExamined[1], {
      path: "b.yaml",
      kind: "HelmRelease",
      name: "b",
      missing: "b-source",
      reason: "the source of its chart, OCIRepository b-source, is not in this repository",
    });
  });
});
