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
          if (name === "href") assert.match(value, /^#[cswe]\d+$/u);
        }
      }
    });
    it("loads nothing", () => {
      assert.doesNotMatch(page, /https?:\/\/(?!evil)/u);
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
    assert.equal(page.split('class="card ').length - 1, graph.sources.length);
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
      .replace(/<[^>]*>/gu, "")
      .replace(/\s+/gu, " ")
      .trim();

  it("has first the verdict, then limits, what is risky, what is safe, causes and totals", () => {
    const marks = [
      "<h1",
      'class="verdict danger"',
      'class="exceeded danger"',
      'id="own"',
      'id="safe"',
      'id="others"',
      'id="causes"',
      'class="totals"',
    ];
    const places = marks.map((mark) => page.indexOf(mark));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(
      places.every((place) => place > 0),
      String(places),
    );
    const badges = page.matchAll(/class="badge \w+"><span class="mark" aria-hidden="true">(.)<\/span> ([^<]*)</gu);
    const words = [...badges].map(([, sign, word]) => `${sign} ${word}`);
    assert.deepEqual(
      [...new Set(words)],
      ["✕ refused", "● outage", "▼ reduced", "○ no effect", "✓ safe", "· next run", "+ created"],
    );
  });
  it("shows a level by a sign and words", () => {
    assert.match(textOf(page), /✕ Do not merge: Deployment/u);
    assert.match(textOf(PAGES["an empty plan"] ?? ""), /▲ Review first: no workload to compare/u);
  });
  it("counts the pods of each cause", () => {
    assert.match(
      page,
      /<td class="number">\d+<\/td><td class="number">\d+<\/td><th scope="row"><a href="#w\d+" data-facet="cause" data-value="\d+">ConfigMap <code>billing\/<wbr>ca-bundle<\/code>/u,
    );
  });
  it("says that nothing rolls", () => assert.match(PAGES["an empty plan"] ?? "", /no rollouts\./u));

  const outagePage = planHtml(oneOutage(1000));
  it("has one row for all workloads that roll safely for one cause, and the others outside of it", () => {
    assert.equal(outagePage.match(/class="card ok group"/gu)?.length, 7);
    assert.equal(outagePage.match(/class="member"/gu)?.length, 999);
    assert.equal(outagePage.match(/<li id="w\d+" class="card danger"/gu)?.length, 1);
    assert.doesNotMatch(outagePage.slice(0, outagePage.indexOf('id="safe"')), /<details class="members"/u);
  });
  it("names folded workloads by their applications if their names are equal", () => {
    const plan = oneOutage(20);
    const [first] = plan.workloads;
    const workloads = plan.workloads.map((workload, i) => ({ ...workload, application: `apps/${i}` }));
    const twins = workloads.map((workload) => ({ ...workload, namespace: "web", name: first?.name ?? "" }));
    const whichOf = (of: typeof workloads): readonly string[] =>
      [...planHtml({ ...plan, workloads: of }).matchAll(/<summary>(Names: [^<]*)/gu)].map(([, which = ""]) => which);
    assert.ok(whichOf(twins).length > 0);
    for (const which of whichOf(twins))
      assert.match(
        which,
        /^Names: web\/\S+ in apps\/\d+, web\/\S+ in apps\/\d+(?:, web\/\S+ in apps\/\d+(?: and \d+ more)?)?$/u,
      );
    for (const which of whichOf(workloads)) assert.doesNotMatch(which, / in /u);
  });
  it("has its applications by cluster, with what each comes to, and folds those beyond a dozen", () => {
    const plan = overApplications(oneOutage(120), 60);
    const html = planHtml(plan);
    const section = /<section id="applications".*?<\/section>/su.exec(html)?.[0] ?? "";
    assert.match(textOf(section), /61 applications: 60 changed, 1 not affected/u);
    assert.deepEqual(
      [...section.matchAll(/<strong>cluster <a [^>]*><code>(\w+)</gu)].map(([, cluster]) => cluster),
      ["east", "west"],
    );
    assert.equal(section.match(/<summary>8 more<\/summary>/gu)?.length, 3);
    assert.equal(html.match(/ data-application="apps\/7"/gu)?.length, 2);
    assert.match(section, /<code>apps\/<wbr>1<\/code><\/a> added/u);
    const alone = planHtml(oneOutage(20));
    assert.doesNotMatch(alone, /id="applications"|data-application|id="cluster"/u);
  });
  it("has the words of a tool line by line", () => {
    const failed = {
      name: "web",
      path: "web",
      kind: "Helm",
      stampedBy: "Nothing",
      status: "Failed",
      message: "in main: one\ntwo",
    } as const;
    const html = planHtml({ ...oneOutage(2), applications: [failed] });
    assert.match(html, /Helm web<\/span><\/h3><p>in main: one<\/p><p>two<\/p><\/li>/u);
  });
  it("stays small: 400 bytes for each of 5,000 workloads that roll safely", () => {
    const length = planHtml(oneOutage(5000)).length;
    assert.ok(length < 60_000 + 400 * 5000, `${length} characters`);
  });
});
