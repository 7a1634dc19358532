import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { inRoot, ROOT } from "../../support/paths.ts";
import { run } from "../../support/run.ts";

// Every stamp of every fixture, kept beside the digest of what it was made from. An input that has
// been recorded must give the same stamps forever, within h1: no flag changes a recorded line.
// `npm run fixtures:update` only adds what is new and drops what is gone.

interface Recorded {
  readonly input: string;
  readonly stamps: readonly string[];
}

const FILE = inRoot("fixtures/hash-v1/golden-stamps.json");
const STAMP = /"?((?:[a-z]+\.)?rollstamp\.dev\/[^":\s{}]+)"?: ?"([hk]1-[0-9a-f]{40})"/gu;

function record(path: string): Recorded {
  const text = readFileSync(inRoot(path), "utf8");
  const configFile = join(dirname(inRoot(path)), "config.yaml");
  const config = existsSync(configFile) ? readFileSync(configFile, "utf8") : undefined;
  const stamps = [...run(text, config).text.matchAll(STAMP)].map((match) => `${match[1] ?? ""}=${match[2] ?? ""}`);
  return {
    input: createHash("sha256")
      .update(`${config ?? ""}\u0000${text}`)
      .digest("hex"),
    stamps,
  };
}

const paths = fg.sync("fixtures/**/input.{yaml,json}", { cwd: ROOT }).sort();
const golden: Record<string, Recorded> = existsSync(FILE)
  ? (JSON.parse(readFileSync(FILE, "utf8")) as Record<string, Recorded>)
  : {};
const current = Object.fromEntries(
  paths.map((path) => [path, record(path)] as const).filter(([, { stamps }]) => stamps.length > 0),
);

describe("hash stability: golden stamps", () => {
  it("are many", () => assert.ok(Object.keys(current).length > 50));

  it("are what they were, for every recorded input", () => {
    for (const [path, now] of Object.entries(current)) {
      const then = golden[path];
      if (then?.input === now.input) assert.deepEqual(now.stamps, then.stamps, `${path}: a changed hash restarts pods`);
    }
  });

  it("are recorded for every fixture", () => {
    if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(FILE, `${JSON.stringify(current, null, 1)}\n`);
    else assert.deepEqual(Object.keys(golden).sort(), Object.keys(current).sort(), "run npm run fixtures:update");
    for (const [path, now] of Object.entries(current)) {
      if (process.env["UPDATE_FIXTURES"] !== "1")
        assert.equal(golden[path]?.input, now.input, `${path}: run npm run fixtures:update`);
    }
  });
});
