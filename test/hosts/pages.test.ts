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
import { browser, openPages } from "./browser.ts";
import { unlessFound } from "./programs.ts";
import { planHtml } from "../support/plan-reports.ts";

const GRAPH = graphPage(sampleGraph(14));
const PLAN = planHtml(samplePlan(16));
const APPLICATIONS = planHtml(overApplications(samplePlan(16)));
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

/** The names of the cards that are shown in a column or list. */
function shownCards(page: Page, within: string): Promise<string[]> {
  return page.locator(`${within} .card:visible a.name`).allInnerTexts();
}

/** The names of the workloads that are shown in a plan, by themselves or in a group. */
async function shownRows(page: Page): Promise<string[]> {
  const names = await page.locator("a.name:visible").allInnerTexts();
  return names.map((name) => name.replace(/\s+/gu, " ").trim());
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
    assert.deepEqual(await shownCards(page, "#sources"), ["ConfigMap billing/api-env"]);
    await search(page, "deployment billing/api password");
    assert.deepEqual(await shownCards(page, "#sources"), ["Secret billing/api-db"]);
    await search(page, "nothing of the kind");
    assert.deepEqual(await shownCards(page, "main"), []);
    assert.equal(await page.locator("#status").innerText(), "0 of 44 shown");
  });
  test("filters sources by coverage, use and the kind of workload", async () => {
    const { page } = await open(GRAPH, WIDE);
    await page.locator("#coverage").selectOption("missing");
    await settled(page);
    assert.deepEqual(await shownCards(page, "#sources"), ["Secret search/api-db"]);
    await page.locator("#coverage").selectOption("");
    await page.locator("#use").selectOption({ label: "used by none" });
    await settled(page);
    assert.deepEqual(await shownCards(page, "#sources"), [
      "ConfigMap billing/api-old",
      "ConfigMap checkout/worker-old",
    ]);
    await page.getByRole("button", { name: "Show all" }).click();
    await settled(page);
    assert.equal((await shownCards(page, "#sources")).length, 44);
  });
  test("shows the workloads of a source with the keys that they see", async () => {
    const { page } = await open(GRAPH, { viewport: { width: 400, height: 800 } });
    await search(page, "billing/ca-bundle");
    const card = await page.locator(".card:visible").innerText();
    for (const workload of ["api", "worker"])
      assert.match(card, new RegExp(`Deployment billing/${workload}\\s+ca\\.crt\\s+volume, projected`, "u"));
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  });
  test("works with the keyboard only", async () => {
    const { page } = await open(GRAPH, WIDE);
    await page.keyboard.press("/");
    await page.keyboard.type("billing/ca-bundle");
    await settled(page);
    assert.equal((await shownCards(page, "#sources")).length, 1);
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal((await shownCards(page, "#sources")).length, 44);
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

  test("loads nothing and logs no error", async () => {
    const { page, complaints, requests } = await open(PLAN, WIDE);
    await settled(page);
    assert.deepEqual([complaints, requests], [[], []]);
  });
  test("filters by action, safety, cause, finding and text, and unfolds the rest of a group", async () => {
    const { page } = await open(PLAN, WIDE);
    await page.locator("#action").selectOption("Fail");
    await settled(page);
    assert.deepEqual(await shownRows(page), ["Deployment checkout/gateway", "Deployment identity/scheduler-10"]);
    assert.equal(await page.locator("#own .total").innerText(), "2 of 7");
    assert.equal(await page.locator("#safe").isVisible(), false);
    assert.equal(await page.locator("#status").innerText(), "2 of 16 shown");
    await page.getByRole("button", { name: "Show all" }).click();
    await settled(page);
    await page.locator("#safety").selectOption("Outage");
    await settled(page);
    assert.deepEqual(await shownRows(page), ["StatefulSet catalog/worker", "StatefulSet checkout/cache-9"]);
    await page.keyboard.press("Escape");
    await settled(page);
    await page.getByRole("link", { name: "ConfigMap billing/api-env" }).click();
    await settled(page);
    assert.deepEqual(await shownRows(page), ["Deployment billing/api"]);
    await page.getByRole("link", { name: "ConfigMap billing/api-env" }).click();
    await search(page, "rs004 catalog");
    assert.deepEqual(await shownRows(page), ["StatefulSet catalog/worker"]);
    await search(page, "worker-13");
    assert.deepEqual(await shownRows(page), ["Deployment web/worker-13"]);
    assert.equal(await page.locator(".group:visible .total").innerText(), "1 of 2");
    await page.keyboard.press("Escape");
    await settled(page);
    assert.equal(await page.locator("details.members[open]").count(), 0);
    assert.equal(await page.locator("#status").innerText(), "16 of 16 shown");
  });
  test("selects one application or one cluster, by filter or by name, also with the keyboard", async () => {
    const { page } = await open(APPLICATIONS, WIDE);
    await settled(page);
    const status = (): Promise<string> => page.locator("#status").innerText();
    await page.locator("#cluster").selectOption("east");
    await settled(page);
    assert.equal(await status(), "4 of 16 shown");
    assert.equal(await page.locator("a[aria-current]").innerText(), "east");
    await page.keyboard.press("Escape");
    const first = page.locator("#applications").getByRole("link", { name: "apps/0" });
    await first.focus();
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await status(), "4 of 16 shown");
    assert.equal(await page.locator("#application").inputValue(), "apps/0");
    await page.keyboard.press("Enter");
    await settled(page);
    assert.equal(await status(), "16 of 16 shown");
    const { page: plain } = await open(APPLICATIONS, { ...WIDE, javaScriptEnabled: false });
    await plain.locator("#applications").getByRole("link", { name: "west" }).click();
    assert.match(plain.url(), /#w\d+$/u);
  });
  test("shows everything without a script, with links from causes to workloads", async () => {
    const { page } = await open(PLAN, { ...WIDE, javaScriptEnabled: false });
    assert.match(await page.locator("main").innerText(), /ConfigMap api-env: LOG_LEVEL changed; FEATURE_FLAGS added/u);
    const text = (await page.locator("main").textContent()) ?? "";
    for (const { namespace, name } of samplePlan(16).workloads) assert.ok(text.includes(`${namespace}/${name}`), name);
    assert.equal(await page.locator(".filters").isVisible(), false);
    await page.getByRole("link", { name: "ConfigMap billing/api-env" }).click();
    assert.match(page.url(), /#w\d+$/u);
    await page.locator("details.members > summary").first().click();
    assert.ok(await page.locator(".member").first().isVisible());
  });
  for (const [what, size] of [
    ["a wide screen", { viewport: { width: 1280, height: 800 } }],
    ["a phone", PHONE],
  ] as const) {
    for (const javaScriptEnabled of [true, false]) {
      test(`has the one outage of 1,000 workloads in the first screen of ${what}, ${javaScriptEnabled ? "with" : "without"} a script`, async () => {
        const { page } = await open(ONE_OUTAGE, { ...size, javaScriptEnabled });
        const card = page.locator(".card", { hasText: "outage" });
        assert.match(await card.innerText(), /● outage\s+(?:1 pod\s+)?Deployment \w+\/\w+-500/u);
        const box = await card.boundingBox();
        assert.ok(box !== null && box.y + box.height <= size.viewport.height, JSON.stringify(box));
      });
    }
  }
  test("fits on a phone with any names, with folded filters", async () => {
    for (const html of [
      PLAN,
      APPLICATIONS,
      ONE_OUTAGE,
      planHtml(hostilePlan(), { title: "x".repeat(200) }),
      planHtml(longNames()),
    ]) {
      const { page } = await open(html, PHONE);
      await settled(page);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
      const height = (await page.locator(".filters").boundingBox())?.height ?? 0;
      assert.ok(height < 50, `the filters take ${height} pixels`);
    }
    const { page } = await open(PLAN, PHONE);
    await page.getByText("Filters", { exact: true }).click();
    await page.locator("#action").selectOption("Fail");
    await settled(page);
    assert.equal((await shownRows(page)).length, 2);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
  });
  test("stays usable with 5,000 workloads", async () => {
    const { page } = await open(planHtml(oneOutage(5000)), WIDE);
    const slowest = await page.evaluate<number>(SLOWEST_SEARCH);
    assert.ok(slowest < 5000, `a search takes ${Math.round(slowest)} ms`);
  });
  test("prints each differing value, and no controls", async () => {
    const { page } = await open(PLAN, WIDE);
    await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.locator(".filters").isVisible(), false);
    assert.match(await page.locator("main").innerText(), /-info\s+\+debug/u);
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
        for (const name of await page.locator(".card:visible a.name").all())
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
    ["a plan of many", ONE_OUTAGE],
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
