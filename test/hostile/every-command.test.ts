import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { COMMANDS } from "../../src/commands/commands.ts";
import { inRoot } from "../support/paths.ts";
import { rows } from "./every-command.ts";

/** Those that are no row, and where what is planted is looked for all the same. */
const ELSEWHERE = new Map([
  ["status", "runStatus, beside a cluster"],
  ["gc", "test/reports/gc, beside a cluster"],
  ["log", "test/history: it reads what is committed, and a plan's reasons tell it"],
  ["merge-driver", "test/merging, as it takes three files and tells nothing of them"],
  ["cmp", "test/hostile/secrets.test.ts, which runs what Argo CD runs"],
]);

describe("every command", () => {
  const looked = new Set(rows("deployment/web").map(({ args }) => args[0]));
  const pages = fg.sync(["README.md", "docs/**/*.md"], { cwd: inRoot(".") });
  const docs = pages.map((file) => readFileSync(inRoot(file), "utf8")).join("\n");

  for (const { name } of COMMANDS) {
    it(`${name}: its output is searched for planted values`, () =>
      assert.ok(looked.has(name) !== ELSEWHERE.has(name), "a row of test/hostile/every-command.ts"));

    it(`${name}: is documented`, () => assert.match(docs, new RegExp(`\\brollstamp ${name}\\b`, "u")));
  }
});
