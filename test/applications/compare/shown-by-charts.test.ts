import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RollstampError } from "../../../src/base/errors.ts";
import { needsValues } from "../../../src/applications/compare/not-fetched.ts";
import type { AppPair } from "../../../src/applications/compare/pairs.ts";
import { showingCharts } from "../../../src/applications/compare/shown-by-charts.ts";
import { plainChart } from "../../../src/applications/discover/charts.ts";
import type { Application } from "../../../src/applications/discover/application.ts";
import { treeOf } from "../discover/tree-of.ts";

const applicationOf = (name: string, more: Partial<Application> = {}): Application => ({
  name,
  path: `charts/${name}`,
  kind: "Helm",
  foundBy: "Application",
  isNamed: true,
  definedIn: [],
  render: plainChart(`charts/${name}`, undefined),
  ...more,
});
const CHART = applicationOf("root", { foundBy: "Chart" });

describe("an application that a chart which is found by its place shows", () => {
  const SHOWN: Readonly<Record<string, readonly [all: readonly Application[], by: string | undefined]>> = {
    "by a chart": [[CHART, applicationOf("web", { shownBy: "root" })], "root"],
    "by what a chart shows": [
      [CHART, applicationOf("apps", { shownBy: "root" }), applicationOf("web", { shownBy: "apps" })],
      "root",
    ],
    "by a chart and itself": [[CHART, applicationOf("web", { shownBy: "web", alsoShownBy: ["root"] })], "root"],
    "by itself": [[CHART, applicationOf("web", { shownBy: "web" })], undefined],
    "by a chart, and by what has its values": [
      [CHART, applicationOf("apps"), applicationOf("web", { shownBy: "root", alsoShownBy: ["apps"] })],
      undefined,
    ],
    "by a chart that nothing applies": [
      [{ ...CHART, orphan: true }, applicationOf("web", { shownBy: "root" })],
      undefined,
    ],
    "by a file": [[CHART, applicationOf("web")], undefined],
  };
  for (const [how, [all, by]] of Object.entries(SHOWN))
    it(`${by === undefined ? "is not one" : "is one"} if it is shown ${how}`, () => {
      const web = all.find(({ name }) => name === "web");
      assert.ok(web);
      assert.equal(showingCharts(all.map((application) => ({ application })))(web), by);
    });

  it("is found in linear time, however many ways lead to it", () => {
    const layers = Array.from({ length: 40 }, (_, i) =>
      ["a", "b", "c"].map((name) =>
        applicationOf(`${name}${i}`, {
          shownBy: i === 0 ? "root" : `a${i - 1}`,
          ...(i === 0 ? {} : { alsoShownBy: [`b${i - 1}`, `c${i - 1}`] }),
        }),
      ),
    ).flat();
    const web = applicationOf("web", { shownBy: "a39" });
    assert.equal(showingCharts([CHART, ...layers, web].map((application) => ({ application })))(web), "root");
  });

  it("needs a review if it lacks values, and has not failed", () => {
    const application = applicationOf("web", { shownBy: "root" });
    const side = {
      application,
      closure: {
        digest: "",
        read: "",
        needed: () => new Set<string>(),
        neededByDefault: () => new Set<string>(),
        isRemote: false,
        nodes: [],
      },
      key: "",
      renderKey: "",
      renderable: { is: "files", files: [], roots: [] },
      readsData: false,
      stampedBy: () => "Nothing" as const,
      declared: undefined,
      snapshot: treeOf({}),
    } as const;
    const pair: AppPair = { application, base: side, head: side, isAffected: true };
    const error = new RollstampError("system", "nil pointer", { needsValues: "nil pointer" });
    const rendered = { base: { error }, head: { error } };
    assert.equal(needsValues(pair, rendered, new Map()), undefined);
    const [finding] = needsValues({ ...pair, shownByChart: "root" }, rendered, new Map()) ?? [];
    assert.equal(finding?.id === "RS024" && finding.cause, "needsValues");
  });
});
