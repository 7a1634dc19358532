import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { contextForLibrary, systemContext } from "../../src/node/environment.ts";
import { RollstampError } from "../../src/base/errors.ts";
import { errorText } from "../../src/findings/results/terminal.ts";

// The key of `secrets: Keyed`: from ROLLSTAMP_HMAC_KEY, else from the file of ROLLSTAMP_HMAC_KEY_FILE.

const folder = mkdtempSync(join(tmpdir(), "rollstamp-key-"));
after(() => rmSync(folder, { recursive: true }));

function keyFile(content: string | Uint8Array): string {
  const file = join(folder, "key");
  writeFileSync(file, content);
  return file;
}

function keyOf(environment: NodeJS.ProcessEnv): string {
  return Buffer.from(systemContext(environment).hmacKey()).toString("latin1");
}

/** The message of the error that the reading of the key ends with. */
function problem(environment: NodeJS.ProcessEnv): string {
  try {
    keyOf(environment);
  } catch (cause) {
    assert.ok(cause instanceof RollstampError);
    assert.equal(cause.code, "config");
    return errorText(cause);
  }
  throw new Error("there is a key");
}

describe("the key of keyed digests", () => {
  it("is the unchanged value of the variable", () =>
    assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY: " a key\n" }), " a key\n"));
  it("is read from the file that the other variable names", () => {
    assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY_FILE: keyFile("a key") }), "a key");
  });
  it("comes from the variable first", () => {
    assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY: "first", ROLLSTAMP_HMAC_KEY_FILE: keyFile("second") }), "first");
    assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY: "first", ROLLSTAMP_HMAC_KEY_FILE: join(folder, "absent") }), "first");
  });
  for (const [content, key] of [
    ["a key\n", "a key"],
    ["a key\r\n", "a key"],
    ["a key\n\n", "a key\n"],
    ["a key \n", "a key "],
    ["\na key", "\na key"],
  ] as const) {
    it(`of a file with ${JSON.stringify(content)} is ${JSON.stringify(key)}, without one line break at its end`, () => {
      assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY_FILE: keyFile(content) }), key);
    });
  }
  it("may be any bytes", () => {
    assert.equal(keyOf({ ROLLSTAMP_HMAC_KEY_FILE: keyFile(Uint8Array.of(0, 255, 10, 128)) }), "\u0000\u00ff\n\u0080");
  });

  it("is required", () => {
    assert.match(
      problem({}),
      /^'secrets: Keyed' needs a key, but none is set\n {2}Set ROLLSTAMP_HMAC_KEY, or ROLLSTAMP_HMAC_KEY_FILE /u,
    );
    assert.match(problem({ ROLLSTAMP_HMAC_KEY_FILE: "" }), /needs a key, but none is set/u);
  });
  it("must not be empty, even if a file has another", () => {
    assert.match(problem({ ROLLSTAMP_HMAC_KEY: "" }), /ROLLSTAMP_HMAC_KEY is empty/u);
    assert.match(
      problem({ ROLLSTAMP_HMAC_KEY: "", ROLLSTAMP_HMAC_KEY_FILE: keyFile("a key") }),
      /ROLLSTAMP_HMAC_KEY is empty/u,
    );
    for (const content of ["", "\n", "\r\n"]) {
      assert.match(
        problem({ ROLLSTAMP_HMAC_KEY_FILE: keyFile(content) }),
        /file that ROLLSTAMP_HMAC_KEY_FILE names, '.*key', is empty/u,
      );
    }
  });
  it("must be in a readable file", () => {
    const absent = join(folder, "absent");
    assert.equal(
      problem({ ROLLSTAMP_HMAC_KEY_FILE: absent }).split("\n")[0],
      `the file that ROLLSTAMP_HMAC_KEY_FILE names, '${absent}', can't be read (ENOENT)`,
    );
    assert.match(problem({ ROLLSTAMP_HMAC_KEY_FILE: folder }), /can't be read \(EISDIR\)/u);
  });
  it("is in a file that the error names if the file or its first folder exists", () => {
    const link = join(folder, "link");
    symlinkSync(join(folder, "nowhere"), link);
    for (const path of [folder, link, join(folder, "no", "such", "folder"), "./absent", "../absent", "src/absent"]) {
      assert.ok(problem({ ROLLSTAMP_HMAC_KEY_FILE: path }).includes(`names, '${path}', can't be read`), path);
    }
  });
  it("is never shown if it is in the variable for the file", () => {
    // As openssl rand prints them: base64 has slashes, at its beginning too.
    for (const key of [
      "8f1c0e6b7d2a4950b3c8e1f6a7d90425c3b2a1908f7e6d5c4b3a29180f7e6d5c",
      "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
      "/8h3/JRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
      "Kq3v/jRWeJCr/e8SNFZ4kKvN7xI0VniQq83vEjRWeJA=",
      "correct horse battery staple",
      "a.key",
    ]) {
      const shown = problem({ ROLLSTAMP_HMAC_KEY_FILE: key });
      assert.match(
        shown,
        /^the file that ROLLSTAMP_HMAC_KEY_FILE names can't be read \(ENOENT\)\n.* it could be the key itself/u,
      );
      for (const part of key.split("/")) assert.ok(part === "" || !shown.includes(part), key);
    }
  });
  it(
    "must be in a file with read permission",
    { skip: process.getuid?.() === 0 ? "root may read every file" : false },
    () => {
      const file = keyFile("a key");
      chmodSync(file, 0o000);
      assert.match(problem({ ROLLSTAMP_HMAC_KEY_FILE: file }), /can't be read \(EACCES\)/u);
      chmodSync(file, 0o600);
    },
  );
  it("is an option of the library", () => {
    assert.equal(Buffer.from(contextForLibrary("a key").hmacKey()).toString(), "a key");
    assert.throws(() => contextForLibrary("").hmacKey(), /the key is empty/u);
    assert.throws(() => contextForLibrary(undefined).hmacKey(), /none is set/u);
  });
});
