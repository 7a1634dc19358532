import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { CHECKSUM_FORMS, isChecksum } from "../../src/base/hosts/chart-marks.ts";
import { inRoot } from "../support/paths.ts";

it("docs/guides/helm.md lists the forms of checksums that are known, and no other", () => {
  const text = readFileSync(inRoot("docs/guides/helm.md"), "utf8");
  const table = /\| annotation \| value \| charts \|\n.*\n(?<rows>(?:\|.*\n)+)/u.exec(text)?.groups?.["rows"] ?? "";
  const keys = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`([^`]+)`/gu)].map(([, key = ""]) => key))
    .map((key) => key.replace("<anything>", "config"));
  assert.ok(keys.length > 5);
  for (const key of keys) assert.ok(isChecksum(key, "a".repeat(64)), key);
  for (const form of CHECKSUM_FORMS) assert.ok(keys.some((key) => form.key.test(key)), String(form.key));
  // What the table says of values.
  for (const [digits, is] of [[32, true], [40, true], [64, true], [63, true], [62, false], [65, false]] as const)
    assert.equal(isChecksum("checksum/config", "a".repeat(digits)), is, `${digits} digits`);
  assert.equal(isChecksum("nextcloud-config-hash", "a".repeat(63)), false);
});
