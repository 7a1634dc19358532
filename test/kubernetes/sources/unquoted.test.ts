import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isTextToKubectl } from "../../../src/yaml/read/go-scalars.ts";
import { configMapOf, OTHER_TO_KUBECTL, TEXT_TO_KUBECTL } from "../../support/kubectl-scalars.ts";
import { run } from "../../support/run.ts";

/** The lines of the ConfigMap's values with a warning, counted from 0. */
function warnedOf(text: string, cause: string = "source"): number[] {
  const { status, findings, messages } = run(text);
  assert.equal(status, 0, messages);
  return findings
    .filter((found) => found.id === "unquoted-value" && found.cause === cause)
    .map(({ field }) => Number(/\.k(\d+)$/u.exec(field ?? "")?.[1]));
}

describe("unquoted values that kubectl reads differently", () => {
  it("have one warning each", () => {
    const all = OTHER_TO_KUBECTL.map((_, index) => index);
    assert.deepEqual(warnedOf(configMapOf(OTHER_TO_KUBECTL)), all);
  });

  it("that are dates, times or only look like numbers are strings", () => {
    assert.deepEqual(warnedOf(configMapOf(TEXT_TO_KUBECTL)), []);
  });

  it("that are dates in a form that kustomize rewrites have a warning", () => {
    const dates = ["2001-01-01", "2001-1-1", "2001-01-01 00:00:00", "2001-12-14t21:59:43.10-05:00", "2024-02-29"];
    assert.deepEqual(
      warnedOf(configMapOf(dates), "date"),
      dates.map((_, index) => index),
    );
    const kept = [
      "2001-01-01T00:00:00Z",
      "2001-02-30",
      "2001-13-01",
      "2001-12-14 21:59:43.10 -5",
      '"2001-01-01"',
      "2001-01",
    ];
    assert.deepEqual(warnedOf(configMapOf(kept), "date"), []);
  });

  it("in quotes, in a block and with the tag of strings are strings", () => {
    for (const form of [
      (v: string) => `"${v}"`,
      (v: string) => `'${v}'`,
      (v: string) => `!!str ${v}`,
      (v: string) => `|-\n    ${v}`,
    ])
      assert.deepEqual(warnedOf(configMapOf(OTHER_TO_KUBECTL.map(form))), []);
  });

  it("count if a merge adds them", () => {
    const text = configMapOf(["&y yes", "plain"])
      .replace("\ndata:\n", "\ndata: &values\n")
      .concat(
        "---\n",
        configMapOf(["plain"]).replace("name: c", "name: d").replace("\ndata:\n", "\ndata:\n  <<: {k7: on, k0: no}\n"),
      );
    assert.deepEqual(warnedOf(text), [0, 7]);
  });

  it("values of a megabyte, which take minutes if the time is quadratic", () => {
    for (const text of [
      "1_".repeat(500_000),
      `0X${"0".repeat(1_000_000)}g`,
      `.${"5_".repeat(500_000)}`,
      "0b".repeat(500_000),
    ])
      assert.equal(typeof isTextToKubectl(text), "boolean");
  });
});
