import { createHash } from "node:crypto";
import { VERSION } from "../../base/version.ts";
import { escapeHtml, type Html } from "./html.ts";
import { STYLE } from "./pages.js";

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** The script of pages/, which the build has bundled. */
  readonly script: string;
}

/**
 * One HTML file that needs nothing else: no network, no other file. Its policy lets the one style and
 * the one script run that their hashes name, and nothing that a manifest could bring in.
 */
export function page({ title, body, script }: Page): string {
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(STYLE)}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="rollstamp ${escapeHtml(VERSION)}">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body.html}
<script>${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
}
