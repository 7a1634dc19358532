import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../../support/manifests.ts";

const OTHER = '"h1-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"';
const CONFIG = configMap("settings", "a");
const stamps = (...lines: string[]): string => lines.map((line) => `        ${line}\n`).join("");
const web = (annotations: string): string =>
  deployment("web", "settings").replace("      labels:\n", `      annotations:\n${annotations}      labels:\n`);
const hunk = (ours: string, theirs: string, base?: string): string =>
  `<<<<<<< HEAD\n${ours}${base === undefined ? "" : `||||||| 1234567\n${base}`}=======\n${theirs}>>>>>>> main\n`;

const STAMP = `configmap.rollstamp.dev/settings: ${STAMP_OF_A}`;
const STALE = `configmap.rollstamp.dev/settings: ${OTHER}`;
const restarted = (time: string): string => `rollstamp.dev/restartedAt: "${time}"`;

const RESOLVED: readonly (readonly [name: string, text: string, stamped: string])[] = [
  ["two digests", web(hunk(stamps(STALE), stamps(STAMP))), web(stamps(STAMP))],
  ["with the base between", web(hunk(stamps(STALE), stamps(STAMP), stamps("x: y"))), web(stamps(STAMP))],
  [
    "stamps that nothing accounts for any more",
    web(hunk(stamps("configmap.rollstamp.dev/gone: h1-a"), stamps(STAMP))),
    web(stamps("configmap.rollstamp.dev/gone: h1-a", STAMP)).replace(/.*\/gone.*\n/u, ""),
  ],
  ["nothing on one side", web(hunk("", stamps(STALE))), web(stamps(STAMP))],
  [
    "the later of two restarts",
    web(hunk(stamps(STALE, restarted("2026-01-02T00:00:00Z")), stamps(STAMP, restarted("2026-01-01T00:00:00Z")))),
    web(stamps(STAMP, restarted("2026-01-02T00:00:00Z"))),
  ],
  [
    "markers of nine",
    web(hunk(stamps(STALE), stamps(STAMP)).replaceAll(/([<=>])\1{6}/gu, (all, one: string) => all + one + one)),
    web(stamps(STAMP)),
  ],
];

const MARKED: readonly (readonly [name: string, text: string, line: number])[] = [
  ["an image", web(stamps(STAMP)).replace("image: app:1\n", `image: app:1\n${hunk("", "#\n")}`), 16],
  [
    "a hunk of stamps, and one of labels",
    web(hunk(stamps(STALE), stamps(STAMP))).replace(
      "        app: web\n",
      hunk("        app: web\n", "        app: shop\n"),
    ),
    15,
  ],
  [
    "hunks of stamps in forty documents, and one of an image behind them",
    `${web(hunk(stamps(STALE), stamps(STAMP)))}---\n`.repeat(40) +
      web(stamps(STAMP)).replace("image: app:1\n", `image: app:1\n${hunk("", "#\n")}`),
    40 * 23 + 16,
  ],
  ["half of a conflict", `${web(stamps(STAMP))}>>>>>>> main\n`, 19],
];

describe("rollstamp stamp, over conflicts", () => {
  for (const [name, text, stamped] of RESOLVED) {
    for (const eol of ["\n", "\r\n"]) {
      it(`resolves those of stamps alone: ${name}${eol === "\n" ? "" : ", CRLF"}`, () =>
        inFolder({ "web.yaml": text.replaceAll("\n", eol), "config.yaml": CONFIG }, async (folder) => {
          const file = join(folder, "web.yaml");
          assert.deepEqual(await cli(["stamp", "--check", folder]), { status: 1, stdout: `${file}\n`, stderr: "" });
          assert.equal(readFileSync(file, "utf8"), text.replaceAll("\n", eol));
          assert.deepEqual(await cli(["stamp", folder]), { status: 0, stdout: `${file}\n`, stderr: "" });
          assert.equal(readFileSync(file, "utf8"), stamped.replaceAll("\n", eol));
          assert.equal((await cli(["stamp", "--check", folder])).status, 0);
        }));
    }
  }

  for (const [name, text, line] of MARKED) {
    it(`writes nothing where a person has to decide: ${name}`, () =>
      inFolder(
        { "web.yaml": text, "other.yaml": deployment("other", "settings"), "config.yaml": CONFIG },
        async (folder) => {
          for (const paths of [[folder], [join(folder, "web.yaml"), join(folder, "other.yaml")]]) {
            const { status, stdout, stderr } = await cli(["stamp", ...paths]);
            assert.equal(status, 2);
            assert.equal(stdout, "");
            assert.ok(stderr.includes(`${join(folder, "web.yaml")}:${line}: `), stderr);
            assert.match(stderr, /a conflict[^]*nothing was written/u);
          }
          assert.equal(readFileSync(join(folder, "other.yaml"), "utf8"), deployment("other", "settings"));
          const going = await cli(["stamp", "--keep-going", folder]);
          assert.deepEqual([going.status, going.stdout], [2, `${join(folder, "other.yaml")}\n`]);
        },
      ));
  }

  it("leaves what is no manifest alone, and texts that hold markers", () =>
    inFolder(
      {
        "values.yaml": hunk("a: 1\n", "a: 2\n"),
        "docs.yaml": `${configMap("docs", "x")}  text: |\n    <<<<<<< HEAD\n    =======\n    >>>>>>> main\n`,
        "web.yaml": web(stamps(STAMP)),
        "config.yaml": CONFIG,
      },
      async (folder) => {
        assert.deepEqual(await cli(["stamp", folder]), { status: 0, stdout: "", stderr: "" });
      },
    ));
});
