import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../../support/cli.ts";
import { run } from "../../support/run.ts";

// Names that kustomize 5.8.1 gave to generated objects.
const GENERATED = [
  { kind: "ConfigMap", name: "empty", hash: "6ct58987ht", content: "" },
  { kind: "ConfigMap", name: "bin", hash: "5cck5766bg", content: "data: {a: é}\nbinaryData: {x.bin: AP8B}\n" },
  // Go escapes the first four for HTML and JavaScript, and a backspace since 1.22.
  {
    kind: "ConfigMap",
    name: "env",
    hash: "955g75b4db",
    content: 'data: {C: "a\\bb", A: "1", B: "<&>\\u2028"}\n',
  },
  {
    kind: "Secret",
    name: "sec",
    hash: "d6fmf8f42b",
    content: `type: Opaque\ndata:\n  p: |\n    bG9vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb2\n    9vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vb29vbmc=\n`,
  },
  {
    kind: "Secret",
    name: "tls",
    hash: "m6h7bkm2dg",
    content: "type: kubernetes.io/tls\ndata: {tls.crt: YQ==, tls.key: Yg==}\n",
  },
] as const;

const FIELDS = { ConfigMap: "configMapRef", Secret: "secretRef" } as const;

function rendered({ kind, name, hash, content }: (typeof GENERATED)[number], more = ""): string {
  const whole = `${name}-${hash}`;
  return `apiVersion: v1
kind: ${kind}
metadata: {name: ${whole}}
${content}---
${workload([`${FIELDS[kind]}: {name: ${whole}}`])}${more}`;
}

function workload(sources: readonly string[], annotations = ""): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations: {${annotations}}
    spec:
      containers:
        - name: app
          image: app:1
          envFrom: [${sources.map((source) => `{${source}}`).join(", ")}]
`;
}

const keysOf = (text: string): string[] => text.match(/(?:configmap|secret)\.rollstamp\.dev\/[\w.-]+/gu) ?? [];

describe("a name that ends in kustomize's own hash", () => {
  for (const row of GENERATED) {
    const word = row.kind.toLowerCase();
    it(`of a ${row.kind} is the name before it in stamps: ${row.name}`, () => {
      const { text, messages } = run(rendered(row));
      assert.deepEqual(keysOf(text), [`${word}.rollstamp.dev/${row.name}`], messages);
    });

    it(`is computed, never guessed: ${row.name} with other content`, () => {
      const other = rendered(row)
        .replace("---\n", "binaryData: {other: AA==}\n---\n")
        .replace("binaryData: {x.bin: AP8B}\n", "");
      const text = row.kind === "Secret" ? rendered(row).replace("type: ", "type: x") : other;
      assert.deepEqual(keysOf(run(text).text), [`${word}.rollstamp.dev/${row.name}-${row.hash}`]);
    });
  }

  const [EMPTY] = GENERATED;
  const WHOLE = `${EMPTY.name}-${EMPTY.hash}`;
  const MAPS = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${WHOLE}}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: empty}\n---\n`;

  it("is kept if the template also names a source with the name before it, in either order", () => {
    for (const names of [
      [WHOLE, "empty"],
      ["empty", WHOLE],
    ])
      assert.deepEqual(keysOf(run(MAPS + workload(names.map((name) => `configMapRef: {name: ${name}}`))).text).sort(), [
        "configmap.rollstamp.dev/empty",
        `configmap.rollstamp.dev/${WHOLE}`,
      ]);
  });

  it("keeps the stamp of a missing source, under either name", () => {
    for (const name of ["empty", WHOLE]) {
      const text = workload([`configMapRef: {name: ${WHOLE}}`], `configmap.rollstamp.dev/${name}: h1-x`);
      assert.equal(run(text).text, text);
    }
  });

  it("is not stamped with nameSuffix: Skip, as during the build", () => {
    const config = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {nameSuffix: Skip}\n";
    const text = rendered(EMPTY);
    assert.equal(run(text, config).text, text);
  });

  it("is the name before it in the digest of layout: Combined, too (hash-v1, section 3)", () => {
    const config = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n";
    const stampOf = (text: string): string => /rollstamp\.dev\/config-hash: "?([\w-]+)/u.exec(text)?.[1] ?? "";
    const within = stampOf(run(rendered(EMPTY).replaceAll(WHOLE, "empty"), config).text);
    assert.match(within, /^h1-/u);
    const stale = rendered(EMPTY).replace("annotations: {}", "annotations: {rollstamp.dev/config-hash: h1-stale}");
    for (const text of [rendered(EMPTY), stale]) assert.equal(stampOf(run(text, config).text), within);
  });
});

describe("a rendering in which kustomize has added a prefix after the function", () => {
  const STAMPED = run(rendered(GENERATED[1])).text;
  const PREFIXED = STAMPED.replaceAll("name: bin", "name: prod-bin");
  const check = async (stdin: string): Promise<number> => (await cli(["stamp", "--check", "-"], { stdin })).status;

  it("passes the check by name and digest", async () => {
    assert.equal(await check(STAMPED), 0);
    assert.equal(await check(PREFIXED), 0);
  });

  it("is stale with another digest, name or kind, or an additional stamp", async () => {
    const key = "configmap.rollstamp.dev/bin";
    for (const [what, text] of [
      ["digest", PREFIXED.replace(/h1-\w{4}/u, "h1-0000")],
      ["name", PREFIXED.replace(key, "configmap.rollstamp.dev/other")],
      ["kind", PREFIXED.replace(key, "secret.rollstamp.dev/bin")],
      ["too many", PREFIXED.replace(key, `configmap.rollstamp.dev/x: h1-x, ${key}`)],
    ] as const)
      assert.equal(await check(text), 1, what);
  });

  it("stamps in a pipe have the names of the pod template", () => {
    assert.deepEqual(keysOf(run(PREFIXED).text), ["configmap.rollstamp.dev/prod-bin"]);
  });
});
