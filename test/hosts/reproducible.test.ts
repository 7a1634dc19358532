// The shipped files have the same bytes wherever and whenever they are built.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { root, run, type Program } from "./programs.ts";

const node: Program = { found: true, path: process.execPath };
const cp: Program = { found: true, path: "cp" };
const SOURCES = [
  "LICENSE",
  "functions",
  "package.json",
  "package-lock.json",
  "pages",
  "schemas",
  "scripts",
  "src",
  "templates",
  "tsconfig.json",
];

// On the same file system: the packages are linked, not copied.
mkdirSync(join(root, ".cache"), { recursive: true });
const folder = mkdtempSync(join(root, ".cache", "another place "));
after(() => rmSync(folder, { recursive: true, force: true }));

test("a build in another folder, time zone and language gives the same bytes", () => {
  const checkout = join(folder, "deeper", "checkout");
  mkdirSync(checkout, { recursive: true });
  // What is generated among the sources is to be generated again.
  const generated = [
    join("src", "stamping", "function", "validators.js"),
    join("src", "output", "html", "pages.js"),
    join("src", "setup", "init", "templates.js"),
  ];
  for (const name of SOURCES) {
    cpSync(join(root, name), join(checkout, name), {
      recursive: true,
      filter: (from) => !generated.some((path) => from.endsWith(path)),
    });
  }
  const links = run(cp, ["-al", join(root, "node_modules"), checkout], { cwd: folder, env: process.env });
  assert.equal(links.status, 0, links.stderr);
  const env = { PATH: process.env["PATH"], TZ: "Pacific/Kiritimati", LC_ALL: "tr_TR.UTF-8", HOME: "/nonexistent" };
  for (const script of ["scripts/build.mjs", "scripts/types.mjs"]) {
    const built = run(node, [script], { cwd: checkout, env });
    assert.equal(built.status, 0, built.stderr);
  }
  const types = run(node, ["scripts/types.mjs"], { cwd: root, env: process.env });
  assert.equal(types.status, 0, types.stderr);
  const ours = digests(join(root, "dist"));
  assert.ok(ours.size > 15);
  assert.deepEqual(digests(join(checkout, "dist")), ours);
});

/** The digest of every file that ships; the command keeps its code cache beside them. */
function digests(dist: string): ReadonlyMap<string, string> {
  const names = readdirSync(dist, { recursive: true }).map(String).sort();
  return new Map(
    names
      .filter((name) => statSync(join(dist, name)).isFile() && !/^(?:rollstamp-|cache\b)/u.test(name))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(dist, name)))
          .digest("hex"),
      ]),
  );
}
