import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf, goldenFixtures, SPELLINGS, stampsIn } from "../support/golden.ts";
import { run } from "../support/run.ts";

// The recorded stamps of every fixture, from the same content in every other spelling.

const fixtures = goldenFixtures().map((fixture) => ({ ...fixture, content: contentOf(fixture.text) }));

describe("golden stamps, whatever the spelling", () => {
  it("are many", () => assert.ok(fixtures.length > 150, String(fixtures.length)));
  for (const [name, spell] of Object.entries(SPELLINGS)) {
    it(name, () => {
      let changed = 0;
      for (const { path, text, content, config, stamps } of fixtures) {
        const spelled = spell(content);
        if (spelled !== text) changed += 1;
        const result = run(spelled, config);
        assert.deepEqual(stampsIn(result.text), stamps, `${path}: ${result.messages}`);
      }
      assert.ok(changed > fixtures.length / 2, `${changed} texts are other than the fixtures'`);
    });
  }
});
