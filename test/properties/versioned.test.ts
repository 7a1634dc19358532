import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { allStamps, identityOf, mapping, optionalMapping, withoutStamps, type Mapping } from "../hosts/manifests.ts";
import { allNamed, isCopy, seenBy, withoutNames } from "../hosts/versioned.ts";
import { contextForLibrary } from "../../src/node/environment.ts";
import { run } from "../support/run.ts";
import { application } from "./manifests.ts";
import { printStream, seed, styleOf, type Data } from "./styles.ts";

// Layout Versioned, for every manifest in every style: contract, section 10.
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 70), seed: Number(process.env["FC_SEED"] ?? 20261126) };

const configOf = (spec: string): string => `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {${spec}}\n`;
const VERSIONED = configOf("layout: Versioned, versionedSecrets: true");
const config = fc.constantFrom(
  VERSIONED,
  configOf("layout: Versioned"),
  configOf("layout: Versioned, versionedSecrets: true, granularity: Object"),
  configOf("layout: Versioned, versionedSecrets: true, secrets: Keyed"),
);

/** What an independent reader makes of a stream. */
function read(text: string): Mapping[] {
  return parseAllDocuments(text.replace(/^\uFEFF/u, ""), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, []);
    return mapping(document.toJS());
  });
}

/** The objects without copies, stamps and the names at references; what is only there for stamps counts as absent. */
function others(objects: readonly Mapping[]): unknown {
  return withoutNames(withoutStamps(objects.filter(isNoCopy)));
}

const versioned = (documents: readonly Data[], style: number, options = VERSIONED): string => {
  const result = run(printStream(documents, styleOf(style)), options);
  assert.equal(result.status, 0, result.messages);
  return result.text;
};

describe("layout Versioned, over generated manifests in every style", () => {
  it("lets pods see the same, in copies that something names, and changes nothing else", () => {
    fc.assert(
      fc.property(application, seed, config, ({ documents }, style, options) => {
        const before = documents.map(mapping);
        const after = read(versioned(documents, style, options));
        assert.deepEqual(seenBy(after), seenBy(before));
        assert.deepEqual(others(after), others(before));
        const named = allNamed(after);
        for (const copy of after.filter(isCopy)) assert.ok(named.has(identityOf(copy)), identityOf(copy));
      }),
      PARAMETERS,
    );
  });

  it("only inserts into input without old stamps and nulls: every byte stays, in order", () => {
    fc.assert(
      fc.property(application, seed, config, ({ documents }, style, options) => {
        const text = printStream(documents, styleOf(style));
        fc.pre(!/rollstamp\.dev|null|~/iu.test(text));
        const after = run(text, options).text;
        let position = 0;
        for (const char of text) {
          position = after.indexOf(char, position) + 1;
          assert.ok(position > 0, "a character is lost");
        }
      }),
      PARAMETERS,
    );
  });

  it("changes nothing in a second run", () => {
    fc.assert(
      fc.property(application, seed, config, ({ documents }, style, options) => {
        const once = versioned(documents, style, options);
        assert.equal(run(once, options).text, once);
      }),
      PARAMETERS,
    );
  });

  it("makes the same objects whatever the style and the order of the documents", () => {
    fc.assert(
      fc.property(application, seed, seed, fc.func(fc.nat()), ({ documents }, one, other, order) => {
        const shuffled = [...documents].sort((a, b) => order(JSON.stringify(a)) - order(JSON.stringify(b)));
        const [first, second] = [read(versioned(documents, one)), read(versioned(shuffled, other))];
        assert.deepEqual(byName(first.filter(isCopy)), byName(second.filter(isCopy)));
        assert.deepEqual(seenBy(first), seenBy(second));
        assert.deepEqual(byName(first.filter(isNoCopy)), byName(second.filter(isNoCopy)));
      }),
      PARAMETERS,
    );
  });

  it("goes back to stamps with the bytes that stamping the original gives", () => {
    fc.assert(
      fc.property(application, seed, ({ documents }, style) => {
        const text = printStream(documents, styleOf(style));
        fc.pre(!/rollstamp\.dev|null|~/iu.test(text));
        // A copy after the last document ends with a line break, which stays.
        const withoutEnd = (all: string): string => all.replace(/\r?\n$/u, "");
        assert.equal(withoutEnd(run(versioned(documents, style)).text), withoutEnd(run(text).text));
      }),
      PARAMETERS,
    );
  });

  it("keeps the copies of earlier content, and goes on to new ones", () => {
    fc.assert(
      fc.property(application, seed, fc.string(), ({ documents }, style, value) => {
        const first = read(versioned(documents, style));
        const changed = first.map((object) =>
          object["kind"] === "ConfigMap" && !isCopy(object)
            ? { ...object, data: { ...dataOf(object), new: value } }
            : object,
        );
        const second = read(versioned(changed as Data[], style));
        const plain = changed.filter(isNoCopy).map(withOriginals);
        assert.deepEqual(seenBy(second), seenBy(plain));
        const names = new Set(second.map(identityOf));
        for (const object of first) assert.ok(names.has(identityOf(object)), identityOf(object));
      }),
      PARAMETERS,
    );
  });

  it("never shows a Secret's value in a message", () => {
    fc.assert(
      fc.property(application, seed, fc.nat(), ({ documents, secrets }, style, cut) => {
        const text = printStream(documents, styleOf(style));
        const once = run(text, VERSIONED).text;
        const broken = once.slice(0, cut % (once.length + 1)) + ["", "}", "\t-", "&a *b", "!x"][cut % 5];
        for (const input of [text, broken]) {
          const { messages } = run(input, VERSIONED);
          for (const value of secrets) assert.ok(!messages.includes(value), messages);
        }
      }),
      PARAMETERS,
    );
  });
});

it("copies of one source with the keys of many templates are limited, as their digests are", () => {
  const keys = Array.from({ length: 40 }, (_, i) => `k${i}`);
  const source = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
  const data = Object.fromEntries(keys.map((key) => [key, "x".repeat(1000)]));
  const web = (left: string): Data => {
    const env = keys
      .filter((key) => key !== left)
      .map((key) => ({ name: key, valueFrom: { configMapKeyRef: { name: "c", key } } }));
    const spec = { template: { spec: { containers: [{ name: "a", env }] } } };
    return { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: left }, spec };
  };
  const text = [{ ...source, data }, ...keys.map(web)].map((one) => JSON.stringify(one)).join("\n---\n");
  const context = contextForLibrary("correct horse battery staple");
  const limited = { ...context, limits: { ...context.limits, comparisons: 5_000_000 } };
  assert.match(run(text, VERSIONED, limited).messages, /the content of a source with its copies/u);
  assert.equal(run(text, VERSIONED).status, 0);
});

function isNoCopy(object: Mapping): boolean {
  return !isCopy(object);
}

function dataOf(object: Mapping): Mapping {
  return optionalMapping(object["data"]);
}

/** An object that names originals again. */
function withOriginals(object: Mapping): Mapping {
  return mapping(JSON.parse(JSON.stringify(object).replace(/-[0-9a-f]{10}(?=")/gu, "")));
}

/** Objects by name. What is only there for stamps counts as absent. */
function byName(objects: readonly Mapping[]): unknown {
  const named = withoutStamps(objects).map((object) => [identityOf(object), object] as const);
  return { stamps: new Map(Object.entries(allStamps(objects))), objects: new Map(named) };
}
