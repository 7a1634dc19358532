import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { wrapped } from "../../src/output/wrapped.ts";
import { waitProgress } from "../../src/output/wait-text.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const RED = "\u001b[31m";
const END = "\u001b[39m";

describe("lines for a terminal", () => {
  const ROWS: readonly (readonly [string, string, number | undefined, string])[] = [
    ["are whole where there is none", "a ".repeat(99), undefined, "a ".repeat(99)],
    ["are as they are where they fit", `${"x".repeat(39)}\n`, 40, `${"x".repeat(39)}\n`],
    ["break at spaces, and hang", `${"word ".repeat(9)}end`, 40, `${"word ".repeat(7).trim()}\n  word word end`],
    ["keep a word whole", `a ${"x".repeat(50)} b`, 40, `a\n  ${"x".repeat(50)}\n  b`],
    [
      "keep where they begin",
      `    ${"word ".repeat(9)}end`,
      40,
      "    word word word word word word word\n      word word end",
    ],
    ["are 40 wide at least", `${"word ".repeat(7)}end`, 3, `${"word ".repeat(7)}end`],
    [
      "leave half of a line to the text",
      `${" ".repeat(38)}${"word ".repeat(5)}end`,
      40,
      `${" ".repeat(18)}word word word word\n${" ".repeat(20)}word end`,
    ],
    ["count colours as nothing", `${RED}${"x".repeat(38)}${END} y`, 40, `${RED}${"x".repeat(38)}${END} y`],
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
  for (const [name, text, columns, expected] of ROWS) it(name, () => assert.equal(wrapped(text, columns), expected));

  it("lose nothing but spaces", () =>
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 30 }), fc.integer({ min: 40, max: 120 }), (words, columns) => {
        const text = words.join(" ");
        const bare = (told: string): string => told.replace(/\s/gu, "").replaceAll("\\u003a", ":");
        assert.equal(bare(wrapped(text, columns)), bare(text.normalize()));
      }),
      { seed: 20261122 },
    ));
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
      planned: null,
      rolled: true,
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
