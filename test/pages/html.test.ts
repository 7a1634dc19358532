import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { graphPage } from "../../src/output/graph-text.ts";
import {
  hostileGraph,
  hostilePlan,
  hostileTitle,
  oneOutage,
  overApplications,
  sampleGraph,
  samplePlan,
} from "./samples.ts";
import {
  manyWorkloads,
  namespaceMove,
  nothingChanges,
  oneKey,
  unrendered as suspended,
} from "../output/plan-examples.ts";
import { examinedAll } from "../support/accounts.ts";
import { planHtml } from "../support/plan-reports.ts";

// What a page is made of, whatever stands in the manifests. How it behaves is tested in a browser
// (test/hosts/pages.test.ts).

const PAGES: Readonly<Record<string, string>> = {
  "a graph": graphPage(sampleGraph(20)),
  "a plan": planHtml(samplePlan(20)),
  "a graph of hostile names": graphPage(hostileGraph()),
  "a plan of hostile names": planHtml(hostilePlan(), { title: hostileTitle }),
  "an empty graph": graphPage({ ...examinedAll(1), workloads: [], sources: [], edges: [] }),
  "an empty plan": planHtml(samplePlan(0)),
};

const TAG = /^<\/?(?:[a-z][a-z0-9]*(?: [a-zA-Z-]+(?:="[^"<>]*")?)*)>$/u;
const ATTRIBUTE = / ([a-zA-Z-]+)(?:="([^"]*)")?/gu;
const SAFE_ATTRIBUTE =
  /^(?:aria-[a-z]+|data-[a-z-]+|autocomplete|charset|class|content|hidden|href|http-equiv|id|lang|name|role|scope|spellcheck|type|value)$/u;

for (const [what, page] of Object.entries(PAGES)) {
  describe(`the page of ${what}`, () => {
    const script = /<script>(.*?)<\/script>/su.exec(page)?.[1] ?? "";
    const style = /<style>(.*?)<\/style>/su.exec(page)?.[1] ?? "";
    const markup = page.replace(script, "").replace(style, "");

    it("has one script and one style, and a policy that names these and nothing else", () => {
      const hash = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/u.exec(page)?.[1] ?? "";
      assert.deepEqual(policy.split("; "), [
        "default-src 'none'",
        `script-src ${hash(script)}`,
        `style-src ${hash(style)}`,
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
      assert.equal(page.split("<script").length, 2);
      assert.equal(page.split("<style").length, 2);
      assert.ok(script.length > 1000 && style.length > 1000);
    });
    it("has no markup but its own: known attributes, links within the page", () => {
      for (const tag of markup.replace("<!doctype html>", "").match(/<[^>]*>?/gu) ?? []) {
        assert.match(tag, TAG);
        for (const [, name = "", value = ""] of tag.matchAll(ATTRIBUTE)) {
          assert.match(name, SAFE_ATTRIBUTE, tag);
          if (name === "href")
            assert.match(value, /^(?:#[cswe]\d+|https:\/\/github\.com\/rollstamp\/rollstamp\/[\w/.]+(?:#rs\d{3})?)$/u);
        }
      }
    });
    it("loads nothing", () => {
      // The pages of rules are links.
      const others = page.replace(
        /http:\/\/www\.w3\.org\/2000\/svg| href="https:\/\/github\.com\/rollstamp[^"]*"/gu,
        "",
      );
      assert.doesNotMatch(others, /https?:\/\/(?!evil)/u);
      assert.doesNotMatch(style, /url\(|@import/u);
      assert.doesNotMatch(
        script,
        /\b(?:fetch|XMLHttpRequest|import|eval|Function|innerHTML|outerHTML|insertAdjacentHTML|document\.write)\b/u,
      );
    });
    it("holds no character that a terminal or an editor would obey", () => {
      assert.doesNotMatch(markup.replaceAll("\n", ""), /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u);
    });
    it("has each id once, and no link that leads nowhere", () => {
      const ids = [...markup.matchAll(/ id="([^"]*)"/gu)].map((match) => match[1] ?? "");
      assert.equal(new Set(ids).size, ids.length);
      for (const [, target = ""] of markup.matchAll(/ href="#([^"]*)"/gu)) assert.ok(ids.includes(target), target);
    });
  });
}

describe("the page of a graph", () => {
  it("names every source, workload and use", () => {
    const graph = sampleGraph(20);
    const page = (PAGES["a graph"] ?? "").replaceAll("<wbr>", "");
    assert.equal(page.split('class="row ').length - 1, graph.sources.length);
    assert.equal(page.split('<th scope="row">').length - 1, graph.edges.length);
    for (const { kind, namespace, name } of [...graph.sources, ...graph.workloads])
      assert.ok(page.includes(`${kind} ${namespace}/${name}<`), name);
  });
  it("is the same for the same graph", () => assert.equal(graphPage(sampleGraph(20)), PAGES["a graph"]));
});

describe("the page of a plan", () => {
  const page = PAGES["a plan"] ?? "";
  const textOf = (html: string): string =>
    html
      .replace(/^.*<body>/su, "")
      .replace(/<script>.*$/su, "")
      .replace(/<[^>]*>/gu, "")
      .replace(/\s+/gu, " ")
      .trim();
  /** The labels of groups, and whether they are folded. */
  const groups = (html: string): string[] =>
    [
      ...html.matchAll(/<(section|details) class="group (\w+)">(?:<summary>)?<h2><span [^>]*>(.)<\/span> ([^<]*)</gu),
    ].map(([, tag, tone, sign, label]) => `${tag === "details" ? "folded " : ""}${tone} ${sign} ${label}`);

  it("has the verdict as its heading, then what is risky, open, and what is routine, folded", () => {
    assert.match(page, /<header><h1 class="verdict danger">/u);
    assert.match(page, /<title>Do not merge: Deployment [^<]*<\/title>/u);
    assert.deepEqual(groups(page), [
      "danger ✕ Refused",
      "danger ● Limit",
      "attention ▲ Outage",
      "attention ▲ No effect",
      "folded ok ✓ Rolls",
      "folded ok ✓ Next run",
      "folded ok ✓ Created",
    ]);
    const places = ["<h1", 'id="head"', 'id="rows"', 'id="foot"'].map((mark) => page.indexOf(mark));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.equal(page.match(/<h1/gu)?.length, 1);
  });
  it("shows a level by a sign and words", () => {
    assert.match(textOf(page), /✕ Do not merge: Deployment/u);
    assert.match(textOf(PAGES["an empty plan"] ?? ""), /▲ Review first: no workload to compare/u);
    assert.deepEqual(groups(planHtml(namespaceMove())), ["danger − Moved", "folded ok ✓ Other"]);
    assert.match(groups(planHtml(suspended())).join(), /muted ○ Held/u);
  });
  it("has a filter from 30 rows up, below what is risky", () => {
    const many = planHtml(manyWorkloads());
    assert.ok(many.indexOf('class="filters"') > many.lastIndexOf('<section class="group'));
    assert.ok(many.indexOf('class="filters"') < many.indexOf('<details class="group'));
    assert.doesNotMatch(planHtml(oneKey()), /class="filters"| data-kind/u);
  });
  it("has its causes and applications as tables, each from two up", () => {
    const plan = planHtml(overApplications(samplePlan(20)));
    assert.match(plan, /<details class="causes"><summary>Causes<\/summary><table>/u);
    assert.match(plan, /<details class="applications"><summary>Applications<\/summary><table>/u);
    assert.match(textOf(plan), /apps\/1 added \(cluster east\)/u);
    assert.doesNotMatch(planHtml(oneKey()), /<table>/u);
    assert.match(
      plan,
      /<td class="number" data-title="pods">\d+<\/td><td class="number" data-title="workloads">\d+<\/td><th scope="row"><a href="#w\d+" data-facet="cause" data-value="\d+">/u,
    );
  });
  it("says that nothing rolls, in one sentence", () => {
    const text = textOf(planHtml(nothingChanges()));
    assert.match(text, /Safe to merge: no rollouts/u);
    assert.doesNotMatch(text, /\b0\b/u);
  });
  it("has every name of every row", () => {
    const text = planHtml(manyWorkloads()).replaceAll("<wbr>", "");
    for (const { namespace, name } of manyWorkloads().workloads)
      assert.ok(text.includes(`>${namespace}/${name}<`), name);
  });
  it("has links to the repository, the commits and the rules", () => {
    const report = oneKey();
    assert.ok(report.compared !== undefined);
    const links = {
      repository: "https://github.com/acme/shop",
      compare: "https://github.com/acme/shop/compare/1..2",
    } as const;
    const html = planHtml({ ...report, compared: { ...report.compared, links } });
    assert.deepEqual(
      [...html.matchAll(/ href="(https:[^"]*)"/gu)].map(([, link]) => link),
      [
        links.repository,
        links.compare,
        "https://github.com/rollstamp/rollstamp/blob/main/docs/reference/rules.md#rs004",
      ],
    );
  });
  it("names the plan by its title", () => {
    assert.match(
      planHtml(oneKey(), { title: "overlays/prod" }),
      /<p class="context"><code>overlays\/<wbr>prod<\/code> · /u,
    );
    assert.doesNotMatch(planHtml(oneKey()).replace(/<title>[^<]*/u, ""), /Rollout plan/u);
  });
  it("stays small: 100 bytes for each of 5,000 names with facets", () => {
    const length = planHtml(oneOutage(5000)).length;
    assert.ok(length < 60_000 + 200 * 5000, `${length} characters`);
  });
});
