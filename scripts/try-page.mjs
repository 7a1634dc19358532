// Builds the page to try rollstamp in a browser, one file that needs nothing else: node scripts/try-page.mjs OUT.html
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { leanYaml } from "./bundles.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const [given] = process.argv.slice(2);
if (given === undefined) {
  console.error("usage: node scripts/try-page.mjs OUT.html");
  process.exit(2);
}
const out = resolve(given);
process.chdir(root);
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

async function bundled(entryPoint) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: [entryPoint],
    bundle: true,
    minify: true,
    format: "iife",
    platform: "browser",
    target: ["chrome109", "firefox115", "safari16.4"],
    charset: "ascii",
    legalComments: "none",
    plugins: [leanYaml],
    alias: { "node:crypto": "./pages/try/crypto.ts", "node:path": "path-browserify" },
    inject: ["pages/try/buffer.ts"],
    define: { __ROLLSTAMP_VERSION__: JSON.stringify(version), "import.meta.url": "undefined" },
    logLevel: "error",
    write: false,
  });
  const text = outputFiles[0].text.trim().replaceAll("</script", String.raw`<\/script`);
  if (text.includes("<!--")) throw new Error(`${entryPoint} can't be part of a page`);
  return text;
}

const hashOf = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
const [script, style] = await Promise.all([bundled("pages/try/try.ts"), bundled("pages/try/try.css")]);
// A report in the frame inherits this policy: its style is allowed too, and no script of it.
const { STYLE } = await import("../src/output/html/pages.js");
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)} ${hashOf(STYLE)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");
const parts = {
  "{{policy}}": policy,
  "<!-- style -->": `<style>${style}</style>`,
  "<!-- script -->": `<script>${script}</script>`,
};
const page = readFileSync("pages/try/index.html", "utf8").replaceAll(
  /\{\{\w+\}\}|<!-- \w+ -->/gu,
  (part) => parts[part],
);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(out, page);
