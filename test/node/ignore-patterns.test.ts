import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readIgnorePatterns, type IgnorePatterns } from "../../src/node/ignore-patterns.ts";
import { inFolder } from "../support/folders.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";

const ATOMS = [
  ["a", "b", "ab", "c", "a.b", "aé", "é", " ", "\\ ", "!", "#", "\r", "\\", "\\a", "\\*", "\\é"],
  ["*", "*", "**", "***", "?", "??", "/", "/", "**/", "/**", "/**/", "\\/", "*/"],
  ["[ab]", "[!a]", "[^b]", "[a-c]", "[c-a]", "[]a]", "[!]a]", "[a-]", "[-a]", "[a-\\]]", "[\\]]", "[--/]"],
  ["[é]", "[!é]", "[/]", "[a", "[", "[]", "[:a]", "[[:]", "[[:]]", "[[:alpha:]]", "[![:alpha:]]", "[[:digit:]b]"],
  ["alnum", "blank", "cntrl", "graph", "lower", "print", "punct", "space", "upper", "xdigit", "none"].map(
    (name) => `[[:${name}:]]`,
  ),
].flat();
const NAMES = ["a", "b", "ab", "c", "a.b", "aé", "é", "b a", "A", "[", "*", "-", "]", "1", "\\a", " ", "a ", "~", "\t"];
const FOLDERS = ["", "a/", "b/", "a/b/", "ab/", "b/a/", "a/a/b/", "c/é/", "*/"];
// Only folders are made: git takes what is not there for a file.
const ALL_FOLDERS: ReadonlySet<string> = new Set([...FOLDERS, "a/a/", "c/"]);
const PATHS = FOLDERS.flatMap((folder) => NAMES.map((name) => folder + name));

const line = fc
  .tuple(
    fc.constantFrom("", "", "", "!", "/", "!/"),
    fc.array(fc.constantFrom(...ATOMS), { minLength: 1, maxLength: 6 }),
    fc.constantFrom("", "", "", "/", " ", "\r"),
  )
  .map(([start, atoms, end]) => start + atoms.join("") + end);
const ignoreFile = fc
  .tuple(fc.constantFrom("", "", "\uFEFF"), fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom("", "\n"))
  .map(([mark, lines, end]) => mark + lines.join("\n") + end);

type Verdict = ReturnType<IgnorePatterns["test"]>;

function patternsOf(text: string): IgnorePatterns {
  return readIgnorePatterns(Buffer.from(text).toString("latin1"), ".gitignore", DEFAULT_LIMITS.expression);
}

/** What patterns say of a path: nothing is looked at below a folder that is ignored. */
function verdictOf(patterns: IgnorePatterns, path: string): Verdict {
  const segments = path.split("/");
  let said: Verdict;
  for (const [i] of segments.entries()) {
    const way = segments.slice(0, i + 1).join("/");
    said = patterns.test(way, ALL_FOLDERS.has(`${way}/`));
    if (said === "ignored") return said;
  }
  return said;
}

/** What git says of each path. */
function gitVerdicts(folder: string, paths: readonly string[]): Verdict[] {
  const { stdout, stderr } = spawnSync("git", ["check-ignore", "--no-index", "--stdin", "-v", "-n", "-z"], {
    cwd: folder,
    input: paths.map((path) => `${path}\0`).join(""),
    maxBuffer: 1 << 28,
    env: { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" },
  });
  assert.equal(stderr.toString(), "");
  const fields = stdout.toString().split("\0");
  return paths.map((path, i) => {
    const [source, , pattern = "", told] = fields.slice(i * 4, i * 4 + 4);
    assert.equal(told, path);
    if (source === "") return undefined;
    return pattern.startsWith("!") ? "kept" : "ignored";
  });
}

describe("the patterns of an ignore file", () => {
  it("say of every path what git says", () =>
    inFolder({}, (root) => {
      const runs = Number(process.env["FC_RUNS"] ?? 120);
      const seed = Number(process.env["FC_SEED"] ?? Date.now() % 1_000_000);
      execFileSync("git", ["init", "--quiet", root]);
      const texts = fc.sample(ignoreFile, { numRuns: runs, seed });
      for (const [i, text] of texts.entries()) {
        const folder = join(root, `t${i}`);
        for (const path of FOLDERS) mkdirSync(join(folder, path), { recursive: true });
        writeFileSync(join(folder, ".gitignore"), text);
      }
      const expected = gitVerdicts(
        root,
        texts.flatMap((_, i) => PATHS.map((path) => `t${i}/${path}`)),
      );
      for (const [i, text] of texts.entries()) {
        const patterns = patternsOf(text);
        for (const [j, path] of PATHS.entries()) {
          assert.equal(
            verdictOf(patterns, path),
            expected[i * PATHS.length + j],
            `FC_SEED=${seed} ${JSON.stringify({ text, path })}`,
          );
        }
      }
      const decided = expected.filter((verdict) => verdict !== undefined).length;
      assert.ok(decided > expected.length / 20, `${decided} of ${expected.length} are decided by a pattern`);
      assert.ok(expected.includes("kept"));
    }));

  it("cost nothing where they are names, however many", () => {
    const names = Array.from({ length: 50_000 }, (_, i) => `/folder/name-${i}.yaml\nname-${i}\n*.ext${i}\n`);
    const patterns = patternsOf(names.join(""));
    assert.equal(patterns.globs, 0);
    assert.equal(patterns.test("folder/other-1.yaml", false), undefined);
    assert.equal(patterns.test("folder/name-49999.yaml", false), "ignored");
    assert.equal(patterns.test("x/y.ext12", false), "ignored");
  });
  it("are refused beyond the limit, with their place", () => {
    assert.throws(() => patternsOf(`a\n${"*a".repeat(501)}\n`), /this pattern has more than 1000 characters/u);
  });
});
