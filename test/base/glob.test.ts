import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { GlobDialect } from "../../src/base/glob-tokens.ts";
import { globOf } from "../../src/base/glob.ts";

interface Row {
  readonly dialect: GlobDialect;
  readonly pattern: string;
  readonly matches: readonly string[];
  readonly others: readonly string[];
}

// gitignore patterns are compared with git itself in test/node/ignore-patterns.test.ts, those of git generators
// with Argo CD in test/hosts/applicationsets.test.ts.
const ROWS: readonly Row[] = [
  { dialect: "name", pattern: "a*?[c]\\", matches: ["ax[c]\\", "abbb[c]\\"], others: ["a[c]\\", "abc"] },
  { dialect: "name", pattern: "", matches: [""], others: ["a"] },
  { dialect: "goPath", pattern: "apps/*", matches: ["apps/web"], others: ["apps/web/x", "apps"] },
  { dialect: "goPath", pattern: "[^a]?[b-d]", matches: ["xyc", "é😀b"], others: ["axb", "x/b", "xye"] },
  { dialect: "pathspec", pattern: "conf/*.json", matches: ["conf/a.json", "conf/a/b.json"], others: ["x/conf/a.json"] },
  {
    dialect: "argoDirectory",
    pattern: "{a,b{1,2}}/*.yaml",
    matches: ["a/x/y.yaml", "b2/x.yaml"],
    others: ["b/x.yaml"],
  },
  { dialect: "configuration", pattern: "**/a", matches: ["a", "x/a", "x/y/a"], others: ["xa", "a/x"] },
  { dialect: "configuration", pattern: "a/**", matches: ["a/x", "a/x/y"], others: ["a", "b/x"] },
  { dialect: "configuration", pattern: "*/[!a-c]{d,\\{}", matches: ["x/yd", "x/z{"], others: ["x/ad", "x/y/yd"] },
  { dialect: "envsubst", pattern: "*/?", matches: ["a/b/c", "/x"], others: ["a/b/cd"] },
  { dialect: "envsubst", pattern: "?[\u00c3\u00a9]", matches: ["\u00c3\u00a9\u00c3\u00a9"], others: ["\u00a9"] },
];

const INVALID: readonly (readonly [GlobDialect, string])[] = [
  ["goPath", "[a"],
  ["goPath", "[]a]"],
  ["goPath", "a\\"],
  ["pathspec", "[a"],
  ["configuration", "{a,b"],
  ["configuration", "{a,b}".repeat(10)],
  ["configuration", "{".repeat(500)],
  ["configuration", "a".repeat(1001)],
];

const LONG = "a".repeat(240);
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["stars", `${"*a".repeat(64)}*b`, LONG],
  ["double stars", `${"**a".repeat(60)}**b`, LONG],
  ["folders of any depth", `${"**/a/".repeat(100)}b`, `${"a/".repeat(1500)}c`],
  ["stars in folders of any depth", `${"**/*a*a/".repeat(60)}b`, `${"aaaa/".repeat(700)}c`],
  ["classes", `${"*[ab]*[!c]".repeat(30)}d`, LONG],
  ["question marks", `${"*?".repeat(110)}b`, LONG],
];

describe("globs", () => {
  for (const { dialect, pattern, matches, others } of ROWS)
    it(`match as their dialect says: ${dialect} ${JSON.stringify(pattern)}`, () => {
      const glob = globOf(pattern, dialect);
      for (const text of matches) assert.equal(glob?.(text), true, text);
      for (const text of others) assert.equal(glob?.(text), false, text);
    });

  it("are undefined if they are invalid or have too many alternatives", () => {
    // Few alternatives, but each takes as much memory as the pattern is long.
    assert.equal(globOf(`${"{a,b}".repeat(6)}${"x".repeat(900)}`, "configuration"), undefined);
    for (const [dialect, pattern] of INVALID) assert.equal(globOf(pattern, dialect), undefined, pattern);
  });

  for (const [what, pattern, text] of HOSTILE)
    for (const dialect of ["gitignore", "pathspec", "envsubst"] as const)
      it(`take at most the product of both lengths: ${what}, ${dialect}`, () => {
        const glob = globOf(pattern.replaceAll("[!c]", "[^c]"), dialect);
        let steps = 0;
        const isMatch = glob?.(text, (count) => (steps += count));
        assert.equal(isMatch, false);
        assert.ok(steps <= 2 * pattern.length * text.length, `${steps} steps`);
        assert.equal(glob?.(text.replace(/.$/u, pattern.at(-1) ?? "")), true, "it does match");
      });
});
