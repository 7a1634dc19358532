import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { run } from "../support/run.ts";
import { application } from "./manifests.ts";
import { printStream, seed, styleOf, type Data } from "./styles.ts";

// What must hold for every manifest, in every style. FC_RUNS and FC_SEED make a long or a repeated run.
const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 70), seed: Number(process.env["FC_SEED"] ?? 20261121) };

const config = fc.constantFrom(
  undefined,
  "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
  "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {granularity: Object, secrets: Keyed}\n",
  "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {selection: Annotated}\n",
);

/** What an independent reader makes of a stream. */
function read(text: string): unknown[] {
  return parseAllDocuments(text.replace(/^\uFEFF/u, ""), { merge: true }).map((document) => {
    assert.deepEqual(document.errors, []);
    return document.toJS() as unknown;
  });
}

const OURS = /^(?:(?:configmap|secret|secretproviderclass)\.rollstamp\.dev\/|rollstamp\.dev\/config-hash$)/u;

/** The data without our annotations, and without mappings that are only there for them. */
function withoutStamps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStamps);
  if (value === null || typeof value !== "object") return value;
  const kept: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    if (OURS.test(key)) continue;
    const inner = withoutStamps(item);
    const isEmptied =
      (key === "annotations" || key === "metadata") && (inner === null || Object.keys(inner as object).length === 0);
    if (!isEmptied) kept[key] = inner;
  }
  return kept;
}

/** The stamps of each workload. */
function stampsOf(text: string): Record<string, Record<string, string>> {
  const found: Record<string, Record<string, string>> = {};
  for (const document of read(text)) {
    const { kind, metadata, spec } = document as {
      kind: string;
      metadata: { name: string };
      spec?: { template?: Pod; jobTemplate?: { spec: { template: Pod } } };
    };
    const pod = spec?.template ?? spec?.jobTemplate?.spec.template;
    const ours = Object.entries(pod?.metadata?.annotations ?? {}).filter(([key]) => OURS.test(key));
    found[`${kind}/${metadata.name}`] = Object.fromEntries(ours);
  }
  return found;
}

interface Pod {
  readonly metadata?: { readonly annotations?: Record<string, string> | null } | null;
}

describe("stamping, over generated manifests in every style", () => {
  it("changes nothing but our annotations, as an independent reader sees it", () => {
    fc.assert(
      fc.property(application, seed, config, ({ documents }, style, options) => {
        const text = printStream(documents, styleOf(style));
        const result = run(text, options);
        assert.equal(result.status, 0, result.messages);
        assert.deepEqual(withoutStamps(read(result.text)), withoutStamps(documents as unknown[]));
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
        const inserted = after.length - text.length;
        const stamps = after.match(/"?(?:[a-z]+\.)?rollstamp\.dev\/[^:"]+"?: ?"[hk]1-[0-9a-f]{40}"/gu) ?? [];
        const most = stamps.reduce((sum, stamp) => sum + stamp.length + 160, 0);
        assert.ok(inserted <= most, `${inserted} characters for ${stamps.length} stamps`);
      }),
      PARAMETERS,
    );
  });

  it("changes nothing in a second run", () => {
    fc.assert(
      fc.property(application, seed, config, ({ documents }, style, options) => {
        const once = run(printStream(documents, styleOf(style)), options).text;
        assert.equal(run(once, options).text, once);
      }),
      PARAMETERS,
    );
  });

  it("gives the same stamps whatever the style and the order of the documents", () => {
    fc.assert(
      fc.property(application, seed, seed, fc.func(fc.nat()), ({ documents }, one, other, order) => {
        const shuffled = [...documents].sort((a, b) => order(JSON.stringify(a)) - order(JSON.stringify(b)));
        assert.deepEqual(
          sorted(stampsOf(run(printStream(documents, styleOf(one))).text)),
          sorted(stampsOf(run(printStream(shuffled, styleOf(other))).text)),
        );
      }),
      PARAMETERS,
    );
  });

  it("writes each value as a double-quoted string of the text form", () => {
    fc.assert(
      fc.property(application, seed, ({ documents }, style) => {
        const stamps = Object.values(stampsOf(run(printStream(documents, styleOf(style))).text)).flatMap((s) =>
          Object.values(s),
        );
        for (const stamp of stamps) assert.match(stamp, /^[hk]1-[0-9a-f]{40}$/u);
      }),
      PARAMETERS,
    );
  });

  it("never shows a Secret's value in a message", () => {
    fc.assert(
      fc.property(application, seed, fc.nat(), ({ documents, secrets }, style, cut) => {
        // Cut anywhere, the text is mostly broken: the error must not quote what it stumbled over.
        const text = printStream(documents, styleOf(style));
        const broken = text.slice(0, cut % (text.length + 1)) + ["", "}", "\t-", "&a *b", "!x"][cut % 5];
        for (const input of [text, broken]) {
          const { messages } = run(input);
          for (const value of secrets) assert.ok(!messages.includes(value), messages);
        }
      }),
      PARAMETERS,
    );
  });

  it("changes a stamp when a visible key changes, and none when an invisible one does", () => {
    fc.assert(
      fc.property(seed, fc.string(), fc.string(), (style, before, after) => {
        const stamp = (seen: string, unseen: string): unknown => {
          const pod: Data = {
            spec: {
              containers: [
                { name: "a", env: [{ name: "E", valueFrom: { configMapKeyRef: { name: "c", key: "seen" } } }] },
              ],
            },
          };
          const documents: Data[] = [
            { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { seen, unseen } },
            { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" }, spec: { template: pod } },
          ];
          return stampsOf(run(printStream(documents, styleOf(style))).text)["Deployment/d"];
        };
        assert.deepEqual(stamp("same", before), stamp("same", after));
        if (before !== after) assert.notDeepEqual(stamp(before, "same"), stamp(after, "same"));
      }),
      PARAMETERS,
    );
  });
});

function sorted(stamps: Record<string, Record<string, string>>): unknown {
  return Object.entries(stamps)
    .map(([name, values]) => [name, Object.entries(values).sort()] as const)
    .sort((a, b) => (a[0] < b[0] ? -1 : 1));
}
