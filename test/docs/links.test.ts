import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { inRoot, ROOT } from "../support/paths.ts";

const FILES = fg
  .sync(["**/*.md", "llms.txt"], { cwd: ROOT, dot: true, ignore: ["**/node_modules/**", ".build/**", ".cache/**", "dist/**", "fixtures/**"] })
  .sort();
const CODE = /^ *(`{3,}|~{3,})[\s\S]*?^ *\1|`[^`\n]*`/gmu;
const LINK = /\]\((?!\w+:)(?<path>[^\s)#]*)(?:#(?<anchor>[^\s)]*))?\)/gu;

const textOf = (file: string): string => readFileSync(inRoot(file), "utf8");

/** The anchors that GitHub makes of headings. */
function anchorsOf(file: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ""] of textOf(file)
    .replaceAll(/^ *(`{3,})[\s\S]*?^ *\1/gmu, "")
    .matchAll(/^#{1,6} +(.+)$/gmu)) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, "$1").toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "").replaceAll(" ", "-");
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  return anchors;
}

describe("links in Markdown files", () => {
  for (const file of FILES) {
    it(`${file}: lead to files and headings that exist`, () => {
      const broken: string[] = [];
      for (const { groups } of textOf(file).replaceAll(CODE, "").matchAll(LINK)) {
        const { path = "", anchor } = groups ?? {};
        const target = path === "" ? file : join(dirname(file), path);
        if (!existsSync(inRoot(target))) broken.push(path);
        else if (anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor))
          broken.push(`${path}#${anchor}`);
      }
      assert.deepEqual(broken, []);
    });
  }
});

describe("the pages of docs", () => {
  const pages = fg.sync("**/*.md", { cwd: inRoot("docs") }).sort();

  it("are at most 45", () => assert.ok(pages.length <= 45, String(pages.length)));
  it("are all in docs/README.md", () => {
    const listed = new Set([...textOf("docs/README.md").matchAll(LINK)].map(({ groups }) => groups?.["path"]));
    assert.deepEqual(
      pages.filter((page) => page !== "README.md" && !listed.has(page)),
      [],
    );
  });
});
