// Debian's Chromium, driven by playwright-core.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type BrowserContext, type BrowserContextOptions, type Page } from "playwright-core";
import { installed, type Program } from "./programs.ts";

/** The browser on this machine. */
export const browser: Program = installed("chromium.sh");

const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page that is open, and all that it did beyond showing itself. */
export interface OpenPage {
  readonly page: Page;
  /** Errors, refusals of its policy, dialogs. */
  readonly complaints: readonly string[];
  /** What it asked for beside its own file. */
  readonly requests: readonly string[];
}

export interface OpenOptions extends BrowserContextOptions {
  /** Behind the file's name: `#s0`. */
  readonly hash?: string;
}

/** Opens HTML texts from files, each in a new profile; `close` takes all away. */
export function openPages(): {
  open: (html: string, options?: OpenOptions) => Promise<OpenPage>;
  close: () => Promise<void>;
} {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-browser-"));
  const contexts: BrowserContext[] = [];
  return {
    open: async (html, { hash = "", ...options } = {}) => {
      const file = join(folder, `page-${contexts.length}.html`);
      writeFileSync(file, html);
      const url = pathToFileURL(file).href + hash;
      const context = await chromium.launchPersistentContext(join(folder, `profile-${contexts.length}`), {
        ...options,
        executablePath: browser.found ? browser.path : "",
        headless: true,
        args: ARGS,
        // The tests check the result of a change, not the animation.
        reducedMotion: "reduce",
      });
      contexts.push(context);
      const page = await context.newPage();
      const complaints: string[] = [];
      const requests: string[] = [];
      page.on("pageerror", (error) => complaints.push(error.message));
      page.on("console", (message) => complaints.push(`${message.type()}: ${message.text()}`));
      page.on("dialog", (dialog) => {
        complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on("request", (request) => {
        if (request.url() !== url.replace(/#.*$/u, "")) requests.push(request.url());
      });
      await page.goto(url);
      return { page, complaints, requests };
    },
    close: async () => {
      for (const context of contexts) await context.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
