import { list, strong } from "../../src/output/document/blocks.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { printable } from "../../src/findings/results/terminal.ts";
import type { Words } from "../../src/output/document/document.ts";
import { printText } from "../../src/output/document/text.ts";
import { waitProgress } from "../../src/output/wait-text.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

/** An entry of a list as it is printed, for a terminal of so many columns. */
async function printed(text: string, columns?: number, color = false): Promise<string> {
  const words: Words = color ? [strong(text)] : [text];
  return (await printText({ title: "t", blocks: [list([{ words }])] }, { color, columns })).replace(/\n$/u, "");
}

describe("lines for a terminal", () => {
  const ROWS: readonly (readonly [string, string, number | undefined, string])[] = [
    ["are whole if there is no terminal", `${"a ".repeat(99)}b`, undefined, `${"a ".repeat(99)}b`],
    ["stay as they are if they fit", "x".repeat(40), 40, "x".repeat(40)],
    ["break at spaces, and hang", `${"word ".repeat(9)}end`, 40, `${"word ".repeat(8).trim()}\n  word end`],
    ["keep a word whole", `a ${"x".repeat(50)} b`, 40, `a\n  ${"x".repeat(50)}\n  b`],
    ["are at least 40 wide", `${"word ".repeat(7)}end`, 3, `${"word ".repeat(7)}end`],
    [
      "count wide characters as two",
      "漢".repeat(15) + " " + "漢".repeat(15),
      40,
      `${"漢".repeat(15)}\n  ${"漢".repeat(15)}`,
    ],
    [
      "begin with nothing that a runner obeys",
      `${"x".repeat(38)} ::error::x`,
      40,
      `${"x".repeat(38)}\n  \\u003a:error::x`,
    ],
  ];
  for (const [name, text, columns, expected] of ROWS)
    it(name, async () => assert.equal(await printed(text, columns), expected));

  it("do not count colors", async () => {
    const text = `${"x".repeat(37)} yy`;
    assert.equal(await printed(text, 40, true), `\u001b[1m${text}\u001b[22m`);
  });

  it("lose nothing but spaces", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { maxLength: 30 }),
        fc.integer({ min: 40, max: 120 }),
        async (words, columns) => {
          const text = words.join(" ");
          const bare = (line: string): string => line.replace(/\s/gu, "").replaceAll("\\u003a", ":");
          assert.equal(bare(await printed(text, columns)), bare(printable(text)));
        },
      ),
      { seed: 20261122 },
    ));
});

describe("what nobody sees is escaped", () => {
  const ROWS: readonly (readonly [string, string])[] = [
    ["web\u200b", String.raw`web\u200b`],
    ["a\u00ad\u061c\u200e\u2060\ufeff\u3164\u{e0041}", String.raw`a\u00ad\u061c\u200e\u2060\ufeff\u3164\udb40\udc41`],
    ["👩\u200d💻 ⚡\ufe0f ❤\ufe0f\u200d🔥 👩🏽\u200d💻", "👩\u200d💻 ⚡\ufe0f ❤\ufe0f\u200d🔥 👩🏽\u200d💻"],
    ["🚀\u200d 1\u200d💻 ⚡\ufe0f\ufe0f", String.raw`🚀\u200d 1\u200d💻 ⚡${"\ufe0f"}\ufe0f`],
  ];
  for (const [text, expected] of ROWS) it(expected, () => assert.equal(printable(text), expected));
});

describe("reports on a terminal of 50 columns", () => {
  const long = "a-deployment-with-a-name";
  const base = [configMap("env", "a"), deployment(long, "env")].join("---\n");
  const files = {
    "base/m.yaml": base,
    "head/m.yaml": base
      .replace('"a"', '"b"')
      .replace("image: app:1", "image: app:latest\n          imagePullPolicy: IfNotPresent"),
  };
  const COMMANDS: readonly (readonly string[])[] = [
    ["plan", "base", "head"],
    ["lint", "head"],
    ["explain", `deployment/${long}`, "head"],
    ["graph", "head"],
  ];
  for (const args of COMMANDS) {
    const run = (columns: number | undefined, ...more: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        inFolder(files, async (folder) => {
          const given = args.map((arg) => (arg === "base" || arg === "head" ? `${folder}/${arg}` : arg));
          const world = columns === undefined ? {} : { terminal: true, columns };
          const { stdout } = await cli([...given, ...more], world);
          resolve(stdout.replaceAll(folder, ""));
        }).catch(reject);
      });
    it(`${args[0]} wraps, and not in a pipe`, async () => {
      // oxlint-disable-next-line no-control-regex
      const narrow = (await run(50)).replace(/\u001b\[\d+m/gu, "");
      const piped = await run(undefined);
      assert.ok(
        piped.split("\n").some((line) => line.length > 50),
        piped,
      );
      for (const line of narrow.split("\n")) assert.ok(line.length <= 50 || !line.trim().includes(" "), line);
    });
  }
  it("JSON and Markdown stay as they are", () =>
    inFolder(files, async (folder) => {
      for (const form of ["json", "markdown", "html"]) {
        const args = ["plan", "-o", form, `${folder}/base`, `${folder}/head`];
        assert.equal((await cli(args, { terminal: true, columns: 50 })).stdout, (await cli(args)).stdout);
      }
    }));
  it("the line of a wait is shorter than the terminal", () => {
    const row = (name: string): Parameters<typeof waitProgress>[0][number] => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      namespace: "default",
      name,
      state: "RollingOut",
      updated: 1,
      desired: 2,
      available: 1,
      reasons: [],
    });
    const line = waitProgress([row("storefront"), row("orders"), row("payments")], 5, 40);
    assert.ok(line.length < 40, line);
    assert.match(line, /\+\d$/u);
  });
});
