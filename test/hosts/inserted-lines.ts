// The lines that a stamp adds: the text without them must be unchanged, byte for byte. rollstamp quotes every value; kustomize prints
// values without quotes if possible.
import assert from "node:assert/strict";

const STAMP = String.raw`"?(?:configmap\.|secret\.)?rollstamp\.dev/[^":]+"?: "?h1-[0-9a-f]{40}"?`;
const STAMP_LINE = new RegExp(String.raw`^ *${STAMP}$`);
const NEW_PARENT_LINE = /^ *(?:metadata|annotations):$/;
const FLOW_STAMPS = String.raw`${STAMP}(?:, ${STAMP})*`;
// kpt sorts the keys of a mapping when it rewrites a file, so that ours can come first.
const IN_FLOW = [String.raw`annotations: \{${FLOW_STAMPS}\}`, FLOW_STAMPS].map(
  (added) => new RegExp(`, ${added}(?=[,}])|(?<=\\{)${added}, `, "g"),
);

/** Asserts that `after` is `before` but for its stamps: lines of them, and parents for them, put in. */
export function assertOnlyStampsInserted(before: string, after: string, what: string): void {
  const kept = before.split("\n").filter((line) => !STAMP_LINE.test(line));
  const plain = IN_FLOW.reduce((text, added) => text.replace(added, ""), after);
  let next = 0;
  for (const line of plain.split("\n")) {
    if (next < kept.length && line === kept[next]) next += 1;
    else if (!STAMP_LINE.test(line) && !NEW_PARENT_LINE.test(line)) {
      assert.fail(`${what}: where ${JSON.stringify(kept[next])} was, there is ${JSON.stringify(line)}`);
    }
  }
  assert.equal(next, kept.length, `${what}: lost from ${JSON.stringify(kept[next])} on`);
}
