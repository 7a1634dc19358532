import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentOf, goldenFixtures, SPELLINGS, stampsInSpelled } from "../../support/golden.ts";
import { LONG } from "../../support/long.ts";
import { run } from "../../support/run.ts";

// The recorded stamps of every fixture, from the same content in other spellings: in every one with FC_RUNS, else
// in each third, so that every spelling has a third of the fixtures.
const SHARE = LONG ? 1 : 3;

const fixtures = goldenFixtures().map((fixture) => ({ ...fixture, content: contentOf(fixture.text) }));

describe("golden stamps, whatever the spelling", () => {
  it("are many", () => assert.ok(fixtures.length > 150, String(fixtures.length)));
  for (const [turn, [name, spell]] of Object.entries(SPELLINGS).entries()) {
    it(name, () => {
      const taken = fixtures.filter((_, i) => (i + turn) % SHARE === 0);
      let changed = 0;
      for (const { path, text, content, config, stamps } of taken) {
        const spelled = spell(content);
        if (spelled !== text) changed += 1;
        const result = run(spelled, config);
        assert.deepEqual(stampsInSpelled(result.text, name.startsWith("JSON")), stamps, `${path}: ${result.messages}`);
      }
      assert.ok(changed > taken.length / 2, `${changed} texts are other than the fixtures'`);
    });
  }
});
