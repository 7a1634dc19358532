// Takes the pictures of docs/images again, from the samples of the tests of the pages: `npm run screenshots`. With
// arguments it takes a picture of an existing page:
// `node scripts/screenshots.mjs plan.html NAME light|dark|phone`. Needs chromium (scripts/hosts/chromium.sh).
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const built = (path) => import(pathToFileURL(join(root, process.env.ROLLSTAMP_BUILD ?? ".build", path)).href);
const { graphPage } = await built("src/output/graph-text.js");
const { planHtml } = await built("test/support/plan-reports.js");
const { sampleGraph } = await built("test/pages/samples.js");
const { manyWorkloads, oneKey } = await built("test/output/plan-examples.js");

const graph = graphPage(sampleGraph(28));
const plan = planHtml(oneKey());
const many = planHtml(manyWorkloads());
const WIDE = { width: 1200, height: 640 };
const PHONE = { width: 390, height: 844 };

const [from, given, form = "light"] = process.argv.slice(2);
const asGiven = () => ({
  name: given,
  html: readFileSync(from, "utf8"),
  colorScheme: form === "dark" ? "dark" : "light",
  viewport: form === "phone" ? PHONE : WIDE,
});

const SAMPLES = [
  { name: "graph", html: graph, colorScheme: "light" },
  { name: "plan", html: plan, colorScheme: "light" },
  { name: "plan-dark", html: many, colorScheme: "dark" },
  { name: "plan-phone", html: plan, colorScheme: "light", viewport: PHONE },
];

const folder = mkdtempSync(join(tmpdir(), "rollstamp-screenshots-"));
mkdirSync(join(root, "docs", "images"), { recursive: true });
try {
  for (const { name, html, colorScheme, viewport = WIDE, act } of from === undefined ? SAMPLES : [asGiven()]) {
    const file = join(folder, `${name}.html`);
    writeFileSync(file, html);
    const context = await chromium.launchPersistentContext(join(folder, `profile-${name}`), {
      executablePath: execFileSync(join(root, "scripts/hosts/chromium.sh"), ["--where"], { encoding: "utf8" }).trim(),
      headless: true,
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
      viewport,
      colorScheme,
    });
    const page = await context.newPage();
    await page.goto(pathToFileURL(file).href);
    await act?.(page);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(root, "docs", "images", `${name}.png`) });
    await context.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
