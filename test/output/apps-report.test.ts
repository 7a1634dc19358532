import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NotFound } from "../../src/applications/discover/not-found.ts";
import { appsJson, appsText } from "../../src/output/apps-report.ts";

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

  it("tells in one line what differs only in what is not there", () => {
    assert.deepEqual(appsText({ applications: [], notFound }).split("\n"), [
      "no applications",
      "",
      "not examined: HelmRelease a in a.yaml, b in b.yaml, c in c.yaml and 2 more: the source of its chart, OCIRepository a-source, b-source, c-source and 2 more, is not in this repository",
      "",
    ]);
    assert.match(
      appsText({ applications: [], notFound }, { verbose: true }),
      /d in d\.yaml, e in e\.yaml: the source/u,
    );
  });

  it("says that a rendering may tell more, where none was made", () => {
    const rows = [{ ...unknown("a", "a-source"), isShown: true as const }, unknown("b", "b-source")];
    const hint = /\n\n1 object of these may be told by a rendering: rollstamp apps --render\n$/u;
    assert.match(appsText({ applications: [], notFound: rows }), hint);
    assert.doesNotMatch(appsText({ applications: [], notFound: rows }, { isRendered: true }), /--render/u);
    assert.doesNotMatch(appsText({ applications: [], notFound: rows.slice(1) }), /--render/u);
    assert.doesNotMatch(appsJson({ applications: [], notFound: rows }), /isShown/u);
  });

  it("tells apart what is wrong and what isn't known", () => {
    const rows = [...notFound.slice(0, 1), { ...unknown("f", "f-source"), isFailure: true }];
    assert.match(
      appsText({ applications: [], notFound: rows }),
      /\nerror: HelmRelease f .*\nnot examined: HelmRelease a /u,
    );
  });

  it("has each with its own reason in JSON", () => {
    const { notExamined }: { notExamined: Record<string, string>[] } = JSON.parse(
      appsJson({ applications: [], notFound }),
    );
    assert.deepEqual(notExamined[1], {
      path: "b.yaml",
      kind: "HelmRelease",
      name: "b",
      reason: "the source of its chart, OCIRepository b-source, is not in this repository",
    });
  });
});
