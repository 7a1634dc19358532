import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import fc from "fast-check";
import * as shipped from "js-yaml";
import { printStream, seed, styleOf } from "../../properties/styles.ts";
import { application } from "../../properties/manifests.ts";
import { inRoot } from "../../support/paths.ts";

const RUNS = Number(process.env["FC_RUNS"] ?? 3000);
const SEED = Number(process.env["FC_SEED"] ?? 20261122);

/** js-yaml as it is published: what ships is made of it (scripts/js-yaml.mjs). */
const published = createRequire(inRoot("package.json"))("js-yaml") as Pick<typeof shipped, "parseEvents">;

/** The events of the text, or the error if it is rejected. */
function read({ parseEvents }: Pick<typeof shipped, "parseEvents">, text: string, maxDepth: number): unknown {
  try {
    return parseEvents(text, { maxDepth });
  } catch (cause) {
    assert.ok(cause instanceof Error);
    const { message, mark } = cause as Error & { readonly mark?: { readonly position: number } };
    return { message, position: mark?.position };
  }
}

const agree = (text: string, maxDepth = 100): void =>
  assert.deepEqual(read(shipped, text, maxDepth), read(published, text, maxDepth));

describe("js-yaml as it ships", () => {
  it("is not the published one, which is there to compare it with", () => {
    assert.notEqual(shipped.parseEvents, published.parseEvents);
    assert.notEqual(shipped.parseEvents.toString(), published.parseEvents.toString());
  });

  it("reads generated streams as the published one does", () => {
    fc.assert(
      fc.property(application, seed, ({ documents }, style) => agree(printStream(documents, styleOf(style)))),
      { numRuns: Math.ceil(RUNS / 30), seed: SEED },
    );
  });

  it("reads or refuses any heap of tokens as the published one does", () => {
    let refused = 0;
    const token = fc.constantFrom(...TOKENS);
    fc.assert(
      fc.property(fc.array(token, { maxLength: 12 }), fc.nat({ max: 6 }), (tokens, maxDepth) => {
        const text = tokens.join("");
        agree(text, maxDepth);
        if (!Array.isArray(read(shipped, text, maxDepth))) refused += 1;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    assert.ok(refused > RUNS / 10 && refused < RUNS * 0.9, `${refused} of ${RUNS} were refused`);
  });
});

const TOKENS = [
  ..."\n\n\n  - ?:!&*,[]{}#|>'\"%@`~\t\r",
  "a",
  "b: ",
  "- ",
  "? ",
  ": ",
  "---\n",
  "...\n",
  "&x ",
  "*x",
  "!t ",
  "!!str ",
  "!<u:v> ",
  "%YAML 1.2\n",
  "|-\n",
  ">+2\n",
  "\u0000",
  "\u0007",
  "\u007f",
  "\u0085",
  "\u2028",
  "\ufeff",
  "\ufffe",
  "\ud83d",
  "\ude00",
  "\u{1f600}",
  "\u00e9",
];
