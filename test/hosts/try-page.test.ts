// The page to try rollstamp, in a real browser: it shows what the command prints, and asks for nothing.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { browser, openPages, type OpenPage } from "./browser.ts";
import { command, root, unlessFound } from "./programs.ts";

const folder = mkdtempSync(join(tmpdir(), "rollstamp-try-"));
const built = (): string => {
  const file = join(folder, "try.html");
  execFileSync(process.execPath, [join(root, "scripts", "try-page.mjs"), file]);
  return readFileSync(file, "utf8");
};

/** The output of the command for the same texts. */
function rollstamp(args: readonly string[], texts: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return spawnSync(process.execPath, [command, ...args], { cwd: folder, encoding: "utf8" }).stdout;
}

/** Reports run no script in their frame: that the browser says so is no fault. */
function faults({ complaints }: OpenPage): readonly string[] {
  return complaints.filter((text) => !text.startsWith("error: Blocked script execution in 'about:srcdoc'"));
}

const frame = (page: Page) => page.frameLocator("#report iframe");
const textOf = (page: Page, id: string): Promise<string> => page.locator(`#${id}`).inputValue();

describe("the page to try rollstamp", { skip: unlessFound(browser) }, () => {
  const { open, close } = openPages();
  const html = browser.found ? built() : "";
  after(async () => {
    await close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("shows the plan, the stamps and the graph of its example, as the command does", async () => {
    const opened = await open(html);
    const { page } = opened;
    await frame(page).getByText("Safe to merge:").waitFor();
    const texts = { "before.yaml": await textOf(page, "before"), "after.yaml": await textOf(page, "after") };
    const json: { verdict: { level: string }; workloads: unknown[] } = JSON.parse(
      rollstamp(["plan", "-o", "json", "before.yaml", "after.yaml"], texts),
    );
    assert.deepEqual([json.verdict.level, json.workloads.length], ["ok", 1]);
    await page.getByRole("tab", { name: "Stamps" }).click();
    const shown = await page.locator("#report pre").textContent();
    assert.equal(shown?.trimEnd(), rollstamp(["stamp", "--stdout", "after.yaml"], {}).trimEnd());
    assert.equal(await page.locator("#report ins").count(), 3);
    await page.getByRole("tab", { name: "Graph" }).click();
    await frame(page).getByText("2 sources, 1 workload, 2 uses").waitFor();
    assert.deepEqual([faults(opened), opened.requests], [[], []]);
  });

  test("follows what is typed, says what is wrong, and where", async () => {
    const { page } = await open(html);
    const before = await textOf(page, "before");
    await page.locator("#after").fill(before);
    await frame(page).getByText("no rollouts").first().waitFor();
    await page.locator("#after").fill("a: [1\n");
    await page.locator("#report pre.error").waitFor();
    assert.match((await page.locator("#report pre").textContent()) ?? "", /^after:\d+:\d+: /u);
    await page.getByRole("button", { name: "Example" }).click();
    await frame(page).getByText("Safe to merge:").waitFor();
  });

  test("a link brings the manifests back, and they run nothing", async () => {
    const first = await open(html, { permissions: ["clipboard-read", "clipboard-write"] });
    const hostile = `kind: ConfigMap\napiVersion: v1\nmetadata: {name: "x</script><img src=x onerror=alert(1)>"}\n`;
    await first.page.locator("#after").fill(hostile);
    await first.page.getByRole("button", { name: "Copy a link" }).click();
    await first.page.waitForURL(/#./u);
    const hash = new URL(first.page.url()).hash;
    const second = await open(html, { hash });
    await frame(second.page).locator("body").waitFor();
    assert.equal(await textOf(second.page, "after"), hostile);
    for (const tab of ["Stamps", "Graph", "Plan"]) await second.page.getByRole("tab", { name: tab }).click();
    assert.deepEqual([faults(second), second.requests], [[], []]);
    const third = await open(html, { hash: "#notalink" });
    await frame(third.page).getByText("Safe to merge:").waitFor();
    assert.deepEqual(faults(third), []);
  });
});
