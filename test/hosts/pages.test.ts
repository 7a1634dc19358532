// The HTML reports in a real browser: from a file, with and without a script, with the keyboard, in print.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { graphPage } from "../../src/output/graph-text.ts";
import { causesOf } from "../../src/reports/plan/causes.ts";
import type { PlanReport } from "../../src/reports/plan/plan-report.ts";
import {
  hostileGraph,
  hostilePlan,
  hostileTitle,
  oneOutage,
  overApplications,
  sampleGraph,
  samplePlan,
} from "../pages/samples.ts";
import { manyWorkloads } from "../output/plan-examples.ts";
import { browser, openPages } from "./browser.ts";
import { unlessFound } from "./programs.ts";
import { planHtml } from "../support/plan-reports.ts";

const GRAPH = graphPage(sampleGraph(14));
const PLAN = planHtml(samplePlan(96));
const APPLICATIONS = planHtml(overApplications(samplePlan(96)));
const MANY = planHtml(manyWorkloads());
const ONE_OUTAGE = planHtml(oneOutage(1000));
const PHONE = { viewport: { width: 390, height: 844 } };
const WIDE = { viewport: { width: 1280, height: 860 } };

// The code that runs in the page is a string: only pages/ has the types of a document, Node's programs do not.

/** The longest time from a search to its layout, in milliseconds. */
const SLOWEST_SEARCH = `(async () => {
  const field = document.getElementById("search");
  let worst = 0;
  for (const text of ["api-1", "", "cache-2", ""]) {
    field.value = text;
    const start = performance.now();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    document.body.offsetHeight;
    worst = Math.max(worst, performance.now() - start);
  }
  return worst;
})()`;

const AXE_FAULTS = `(async () => {
  const { violations } = await axe.run();
  return violations.map(({ id, nodes }) => id + ": " + nodes.map((node) => node.html).join(" "));
})()`;

/** The names of the rows that are shown in a part of the page. */
function shownRows(page: Page, within: string): Promise<string[]> {
  return page.locator(`${within} .row:visible h3 .name`).allInnerTexts();
}

/** The labels of the groups that are shown in a plan. */
async function shownLabels(page: Page): Promise<string[]> {
  const labels = await page.locator(".group h2:visible").allInnerTexts();
  return labels.map((label) => label.replace(/^\W+/u, "").trim());
}

/** A plan whose names are as long as the API server takes them. */
function longNames(): PlanReport {
  const plan = samplePlan(16);
  const workloads = plan.workloads.map((workload) => ({
    ...workload,
    namespace: "n".repeat(63),
    name: `${"long-".repeat(50)}${workload.name}`.slice(-253),
  }));
  return { ...plan, causes: causesOf(workloads), workloads };
}

/** Waits until what was asked for has been drawn. */
async function settled(page: Page): Promise<void> {
  for (let i = 0; i < 3; i++) await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
}

async function search(page: Page, text: string): Promise<void> {
  await page.locator("#search").fill(text);
  await settled(page);
}

describe("the page of a graph in a browser", { skip: unlessFound(browser) }, () => {
  const { open, close } = openPages();
  after(close);

  test("loads nothing and logs no error", async () => {
    const { page, complaints, requests } = await open(GRAPH, WIDE);
    await settled(page);
    assert.deepEqual([complaints, requests], [[], []]);
    assert.equal(await page.title(), "Sources and workloads");
  });
  test("finds names, keys and workloads", async () => {
    const { page } = await open(GRAPH, WIDE);
    await search(page, "billing api-env");
    assert.deepEqual(await shownRows(page, "#sources"), ["ConfigMap billing/api-env"]);
    await search(page, "deployment billing/api password");
    assert.deepEqual(await shownRows(page, "#sources"), ["Secret billing/api-db"]);
    await search(page, "nothing of the kind");
    assert.deepEqual(await shownRows(page, "main"), []);
    assert.equal(await page.locator("#status").innerText(), "0 of 44 rows");
  });
  test("filters sources by coverage, use and the kind of workload", async () => {
    const { page } = await open(GRAPH, WIDE);
    await page.getByText("Filters", { exact: true }).click();
    await page.locator("#coverage").selectOption("missing");
    await settled(page);
    assert.deepEqual(await shownRows(page, "#sources"), ["Secret search/api-db"]);
    await page.locator("#coverage").selectOption("");
    await page.locator("#use").selectOption({ label: "used by none" });
    await settled(page);
    assert.deepEqual(await shownRows(page, "#sources"), ["ConfigMap billing/api-old", "ConfigMap checkout/worker-old"]);
    await page.getByRole("button", { name: "Show all" }).click();
    await settled(page);
    assert.equal((await shownRows(page, "#sources")).length, 44);
  });
  test("shows the workloads of a source with the keys that they see", async () => {
    const { page } = await open(GRAPH, { viewport: { width: 400, height: 800 } });
    await search(page, "billing/ca-bundle");
    const card = await page.locator(".row:visible").innerText();
    for (const workload of ["api", "worker"])
      assert.match(card, new RegExp(`Deployment billing/${workload}\\s+ca\\.crt\\s+volume, projected`, "u"));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  });
  test("works with the keyboard only", async () => {
    const { page } = await open(GRAPH, WIDE);
    await page.keyboard.press("/");
    await page.keyboard.type("billing/ca-bundle");
    await settled(page);
    assert.equal((await shownRows(page, "#sources")).length, 1);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal((await shownRows(page, "#sources")).length, 44);
  });
  test("shows everything without a script", async () => {
    const { page, complaints } = await open(GRAPH, { ...WIDE, javaScriptEnabled: false });
    // What is out of sight is not laid out, and so no part of innerText.
    const text = (await page.locator("main").textContent()) ?? "";
    const graph = sampleGraph(14);
    for (const { namespace, name } of [...graph.sources, ...graph.workloads])
      assert.ok(text.includes(`${namespace}/${name}`), name);
    assert.equal(text.split("ca.crtvolume, projected").length - 1, 14);
    assert.equal(await page.locator(".filters").isVisible(), false);
    assert.deepEqual(complaints, []);
  });
  test("prints the list with its uses, without controls", async () => {
    const { page } = await open(GRAPH, WIDE);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".filters").isVisible(), false);
    assert.match(await page.locator("#sources").innerText(), /Deployment billing\/api\s+ca\.crt\s+volume, projected/u);
    assert.ok((await page.pdf({ format: "A4" })).length > 10_000);
  });
  test("stays usable with 2,000 workloads", async () => {
    const { page } = await open(graphPage(sampleGraph(2000)), WIDE);
    // Hiding list items once took a minute: each item renumbered all others.
    const slowest = await page.evaluate<number>(SLOWEST_SEARCH);
    assert.ok(slowest < 5000, `a search takes ${Math.round(slowest)} ms`);
  });
});

describe("the page of a plan in a browser", { skip: unlessFound(browser) }, () => {
  const { open, close } = openPages();
  after(close);
  const status = (page: Page): Promise<string> => page.locator("#status").innerText();

  test("loads nothing and logs no error", async () => {
    const { page, complaints, requests } = await open(PLAN, WIDE);
    await settled(page);
    assert.deepEqual([complaints, requests], [[], []]);
  });
  test("filters by label, cause, finding and text, and unfolds what is left", async () => {
    const { page } = await open(PLAN, WIDE);
    await page.getByText("Filters", { exact: true }).click();
    await page.locator("#label").selectOption("refused");
    await settled(page);
    assert.deepEqual(await shownLabels(page), ["Refused"]);
    assert.match(await status(page), /^12 of \d+ rows$/u);
    await page.getByRole("button", { name: "Show all" }).click();
    await settled(page);
    assert.equal(await page.locator("details.group[open]").count(), 0);
    await search(page, "worker-13");
    assert.deepEqual(await shownLabels(page), ["Created"]);
    assert.match(await status(page), /^1 of \d+ rows$/u);
    assert.equal(await page.locator(".names .name:visible").innerText(), "web/worker-13");
    await page.keyboard.press("Escape");
    await settled(page);
    assert.match(await status(page), /^(\d+) of \1 rows$/u);
    await search(page, "rs004 catalog");
    assert.deepEqual(await page.locator(".names .name:visible").allInnerTexts(), [
      "catalog/cache-57",
      "catalog/worker",
    ]);
    await page.keyboard.press("Escape");
    await page.getByText("Causes", { exact: true }).click();
    await page.getByRole("link", { name: "restart: rollstamp.dev/restartedAt" }).click();
    await settled(page);
    assert.deepEqual(await shownLabels(page), ["Rolls"]);
  });
  test("selects one application or one cluster, by filter or by name, also with the keyboard", async () => {
    const { page } = await open(APPLICATIONS, WIDE);
    await settled(page);
    await page.getByText("Filters", { exact: true }).click();
    await page.locator("#cluster").selectOption("east");
    await settled(page);
    const east = await status(page);
    assert.match(east, /^\d+ of \d+ rows$/u);
    await page.keyboard.press("Escape");
    await page.getByText("Applications", { exact: true }).click();
    const first = page.locator(".applications").getByRole("link", { name: "apps/0" });
    await first.focus();
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await page.locator("#application").inputValue(), "apps/0");
    assert.equal(await page.locator("a[aria-current]").innerText(), "apps/0");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await page.locator("#application").inputValue(), "");
    const { page: plain } = await open(APPLICATIONS, { ...WIDE, javaScriptEnabled: false });
    await plain.getByText("Applications", { exact: true }).click();
    await plain.locator(".applications").getByRole("link", { name: "west" }).first().click();
    assert.match(plain.url(), /#w\d+$/u);
  });
  test("keeps the filter in its address", async () => {
    const { page } = await open(PLAN, WIDE);
    await search(page, "worker-13");
    assert.match(page.url(), /#\?search=worker-13$/u);
    const { page: again } = await open(PLAN, { ...WIDE, hash: "#?search=worker-13&kind=Deployment" });
    await settled(again);
    assert.match(await status(again), /^1 of \d+ rows$/u);
    assert.equal(await again.locator("#kind").inputValue(), "Deployment");
    await again.keyboard.press("Escape");
    await settled(again);
    assert.doesNotMatch(again.url(), /#/u);
  });
  test("opens the group of the row in its address, below the verdict", async () => {
    const html = MANY;
    const id = /<details class="group[^]*?<article id="(w\d+)"/u.exec(html)?.[1] ?? "";
    const { page } = await open(html, { ...WIDE, hash: `#${id}` });
    await settled(page);
    const row = await page.locator(`#${id}`).boundingBox();
    const header = await page.locator("header").boundingBox();
    assert.ok(row !== null && header !== null && row.y >= header.y + header.height, JSON.stringify([row, header]));
  });
  test("shows everything without a script, with links from causes to workloads", async () => {
    const { page } = await open(PLAN, { ...WIDE, javaScriptEnabled: false });
    const text = (await page.locator("main").textContent()) ?? "";
    for (const { namespace, name } of samplePlan(96).workloads) assert.ok(text.includes(`${namespace}/${name}`), name);
    assert.equal(await page.locator(".filters").isVisible(), false);
    await page.getByText("Causes", { exact: true }).click();
    await page.locator(".causes a").first().click();
    assert.match(page.url(), /#w\d+$/u);
    await page.locator("details.group > summary").first().click();
    assert.ok(await page.locator("details.group .row").first().isVisible());
  });
  for (const [what, size] of [
    ["a wide screen", { viewport: { width: 1280, height: 800 } }],
    ["a phone", PHONE],
  ] as const) {
    for (const javaScriptEnabled of [true, false]) {
      test(`has the one outage of 1,000 workloads in the first screen of ${what}, ${javaScriptEnabled ? "with" : "without"} a script`, async () => {
        const { page } = await open(ONE_OUTAGE, { ...size, javaScriptEnabled });
        const group = page.locator(".group", { hasText: "Outage" });
        assert.match(await group.innerText(), /▲ Outage\s+Deployment \w+\/\w+-500\s+1 pod/u);
        const box = await group.boundingBox();
        assert.ok(box !== null && box.y + box.height <= size.viewport.height, JSON.stringify(box));
      });
    }
  }
  test("fits on a phone with any names, with a verdict of at most 72 pixels that stays in sight", async () => {
    for (const html of [
      PLAN,
      APPLICATIONS,
      ONE_OUTAGE,
      MANY,
      planHtml(hostilePlan(), { title: "x".repeat(200) }),
      planHtml(longNames()),
    ]) {
      const { page } = await open(html, PHONE);
      await settled(page);
      await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      const height = (await page.locator(".verdict").boundingBox())?.height ?? 0;
      assert.ok(height <= 72, `the verdict takes ${height} pixels`);
      await page.evaluate("scrollTo(0, 400)");
      assert.ok(await page.locator(".verdict .what").isVisible());
      assert.ok(((await page.locator(".verdict").boundingBox())?.y ?? -1) >= 0);
    }
  });
  test("has targets of 44 pixels on a phone", async () => {
    const { page } = await open(APPLICATIONS, PHONE);
    await page.getByText("Filters", { exact: true }).click();
    for (const target of await page
      .locator("summary:visible, .filters input:visible, .filters select:visible, h3 a.name:visible")
      .all()) {
      const box = await target.boundingBox();
      assert.ok(box !== null && box.height >= 44, `${await target.innerText()}: ${box?.height}`);
    }
  });
  test("stays usable with 5,000 workloads", async () => {
    const { page } = await open(planHtml(oneOutage(5000)), WIDE);
    const slowest = await page.evaluate<number>(SLOWEST_SEARCH);
    assert.ok(slowest < 5000, `a search takes ${Math.round(slowest)} ms`);
  });
  test("prints all rows, open, and no controls", async () => {
    const { page } = await open(PLAN, WIDE);
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    assert.equal(await page.locator(".filters").isVisible(), false);
    assert.match(await page.locator("main").innerText(), /-info\s+\+debug/u);
    assert.equal(await page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)");
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('header')).position"), "static");
  });
});

describe("text of manifests in a browser", { skip: unlessFound(browser) }, () => {
  const { open, close } = openPages();
  after(close);

  for (const [what, html] of [
    ["a graph", graphPage(hostileGraph())],
    ["a plan", planHtml(hostilePlan(), { title: hostileTitle })],
  ] as const) {
    for (const javaScriptEnabled of [true, false]) {
      test(`never becomes markup or script in ${what}, ${javaScriptEnabled ? "with" : "without"} a script`, async () => {
        const { page, complaints, requests } = await open(html, { ...WIDE, javaScriptEnabled });
        assert.deepEqual([complaints, requests], [[], []]);
        assert.equal(await page.locator("img, svg, iframe, object, embed, base, link, form").count(), 0);
        assert.equal(await page.locator("script").count(), 1);
        const text = await page.locator("body").innerText();
        for (const part of [
          "<script>window.pwned=1</script>",
          '"><img src=x onerror=window.pwned=1>',
          "&lt;script&gt;",
        ]) {
          assert.ok(text.includes(part), part);
        }
        if (!javaScriptEnabled) return;
        assert.equal(await page.evaluate("'pwned' in window"), false);
        await search(page, "</script>");
        for (const name of await page.locator("a.name:visible").all())
          await name.click({ force: true, timeout: 2000 }).catch(() => undefined);
        assert.equal(await page.evaluate("'pwned' in window"), false);
        assert.deepEqual(complaints, []);
      });
    }
  }
  test("would be blocked by the policy even as markup", async () => {
    const markup = "<script>window.pwned=1</script><img src=x onerror='window.pwned=1'><p style='color:red'>x</p>";
    const broken = PLAN.replace(/<main[^>]*>/u, (main) => main + markup);
    assert.ok(broken.includes(markup));
    const { page, complaints } = await open(broken, WIDE);
    assert.equal(await page.evaluate("'pwned' in window"), false);
    const refused = (): number => complaints.filter((text) => /Content Security Policy/u.test(text)).length;
    for (let i = 0; i < 50 && refused() < 3; i++) await page.waitForTimeout(100);
    assert.ok(refused() >= 3, complaints.join("\n"));
  });
});

describe("the pages for assistive technology", { skip: unlessFound(browser) }, () => {
  const { open, close } = openPages();
  after(close);
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

  for (const [what, html] of [
    ["a graph", GRAPH],
    ["a plan", PLAN],
    ["a plan over applications", APPLICATIONS],
    ["a plan of one cause", ONE_OUTAGE],
    ["a plan of many", MANY],
  ] as const) {
    for (const [colorScheme, size] of [
      ["light", WIDE],
      ["dark", PHONE],
    ] as const) {
      test(`have no violation of axe: ${what}, ${colorScheme}, ${size.viewport.width} pixels`, async () => {
        const { page } = await open(html, { ...size, colorScheme, bypassCSP: true });
        // What is folded is looked at as well.
        await page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true; })");
        await page.addScriptTag({ content: axe });
        const faults = await page.evaluate<string[]>(AXE_FAULTS);
        assert.deepEqual(faults, []);
      });
    }
  }
});
