import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entriesOf, get, ownEntries, toJson } from "../../../src/yaml/read/node.ts";
import { readTree } from "../../support/trees.ts";
import { run } from "../../support/run.ts";

/** What kubectl's reader gives for the same texts. */
const LAST_COUNTS: readonly (readonly [text: string, value: unknown])[] = [
  ["a: 1\na: 2\n", { a: 2 }],
  ["a: 1\nb: 2\na: 3\na: 4\n", { a: 4, b: 2 }],
  ['1: a\n"1": b\n', { 1: "b" }],
  ['a: {x: 1, "x": 2, y: 3}\n', { a: { x: 2, y: 3 } }],
  ["- {a: [1], a: {b: 2}}\n- c: &k d\n", [{ a: { b: 2 } }, { c: "d" }]],
  ["k: &k name\nm: {*k : 1, name: 2}\n", { k: "name", m: { name: 2 } }],
  ["x: &x {p: 1, p: 2}\ny: {<<: *x}\nz: {<<: *x, p: 3, p: 4}\n", { x: { p: 2 }, y: { p: 2 }, z: { p: 4 } }],
  [
    Array.from({ length: 40 }, (_, i) => `k${i % 30}: ${i}\n`).join(""),
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, i < 10 ? i + 30 : i])),
  ],
];

const REFUSED: readonly (readonly [text: string, place: string])[] = [
  ["x: {{ .Values.x }}\n", "1:5"],
  ["a: 1\n? [b]\n: c\n", "2:3"],
  ["a: &a {b: c}\n*a : d\n", "2:1"],
  ["a: &a {b: c}\nd: {<<: *a, <<: *a}\n", "2:13"],
];

describe("a duplicate key", () => {
  for (const [text, value] of LAST_COUNTS) {
    it(`the last one counts: ${JSON.stringify(text.slice(0, 60))}`, () => {
      const tree = readTree(text, "stdin");
      const root = tree.documents[0] ?? 0;
      assert.deepEqual(JSON.parse(JSON.stringify(toJson(tree, root))), value);
      for (const entries of [ownEntries(tree, root), entriesOf(tree, root)]) {
        assert.equal(new Set(entries.map(({ key }) => key)).size, entries.length);
        for (const { key, valueNode } of entries) assert.equal(get(tree, root, key), valueNode);
      }
    });
  }

  it("texts without any have no table of them", () => {
    assert.equal(readTree("a: 1\nb: {a: 1}\n", "stdin").repeated.size, 0);
  });
});

describe("keys that no reader takes", () => {
  for (const [text, place] of REFUSED) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => readTree(text, "stdin"),
        (cause: { place?: { line: number; column: number } }) => {
          assert.equal(`${cause.place?.line}:${cause.place?.column}`, place);
          return true;
        },
      );
    });
  }
});

const CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n  A: x\n";

const workload = (
  lines: Readonly<Partial<Record<"root" | "spec" | "template" | "container" | "env", string>>>,
): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
${lines.root ?? ""}spec:
  replicas: 1
${lines.spec ?? ""}  template:
    metadata: {labels: {app: web}, annotations: {note: x}}
${lines.template ?? ""}    spec:
      containers:
      - name: app
        image: a:1
${lines.container ?? ""}        envFrom:
        - configMapRef:
            name: env
${lines.env ?? ""}`;

describe("a duplicate key in a workload", () => {
  const cases: readonly (readonly [where: Parameters<typeof workload>[0], field: string])[] = [
    [{ spec: "  replicas: 2\n" }, "spec.replicas"],
    [{ container: "        image: a:2\n" }, "spec.template.spec.containers[0].image"],
  ];
  for (const [where, field] of cases) {
    it(`${field}: a warning, and the stamp`, () => {
      const { text, messages, status } = run(CONFIG + workload(where));
      assert.equal(status, 0, messages);
      assert.match(messages, new RegExp(`'${field.replaceAll(/[.[\]]/gu, "\\$&")}' in Deployment web`, "u"));
      assert.match(text, /configmap\.rollstamp\.dev\/env/u);
    });
  }

  const refused: readonly (readonly [where: Parameters<typeof workload>[0], field: string])[] = [
    [{ root: "kind: Deployment\n" }, "kind"],
    [{ root: "metadata: {name: web}\n" }, "metadata"],
    [{ root: "spec: {}\n" }, "spec"],
    [{ spec: "  template: {}\n" }, "spec.template"],
    [{ template: "    metadata: {annotations: {other: x}}\n" }, "spec.template.metadata"],
    [{ container: "        envFrom: []\n" }, "spec.template.spec.containers[0].envFrom"],
    [{ container: "        env: []\n        env: []\n" }, "spec.template.spec.containers[0].env"],
    [{ env: "            name: other\n" }, "spec.template.spec.containers[0].envFrom[0].configMapRef.name"],
    [{ env: "      volumes: []\n      volumes: []\n" }, "spec.template.spec.volumes"],
  ];
  for (const [where, field] of refused) {
    it(`${field}: an error`, () => {
      const { messages, status } = run(CONFIG + workload(where));
      assert.equal(status, 2);
      assert.ok(messages.includes(`'${field}' of Deployment web is duplicated`), messages);
    });
  }

  it("metadata of a pod template without annotations: an error", () => {
    const bare = workload({ template: "    metadata: {labels: {app: web}}\n" }).replace(", annotations: {note: x}", "");
    const { messages, status } = run(CONFIG + bare);
    assert.equal(status, 2);
    assert.ok(messages.includes("'spec.template.metadata' of Deployment web is duplicated"), messages);
  });

  const twice = (what: string): { messages: string; status: number; text: string } =>
    run(CONFIG + workload({}).replace(what, `${what}, ${what}`));

  it("in annotations of a pod template: an error", () => {
    const { messages, status } = twice("note: x");
    assert.equal(status, 2);
    assert.match(messages, /spec\.template\.metadata\.annotations\.note' of Deployment web is duplicated/u);
  });

  it("in its labels, which no stamp touches: a warning", () => {
    const { messages, status, text } = twice("app: web");
    assert.equal(status, 0);
    assert.match(messages, /warning: .*spec\.template\.metadata\.labels\.app' in Deployment web.*\(duplicate-key\)/u);
    assert.match(text, /rollstamp\.dev\//u);
  });
});

describe("a duplicate key in a source", () => {
  it("is an error in its content and in what names it", () => {
    for (const more of ["  A: y\n", "data: {}\n", "kind: ConfigMap\n"])
      assert.match(run(CONFIG + more + workload({})).messages, /of ConfigMap env is duplicated/u, more);
  });

  it("is a warning elsewhere, also in other objects", () => {
    const { status, messages } = run(
      `${CONFIG.replace("name: env", "name: env\n  labels: {a: b, a: c}")}${workload({})}---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {type: NodePort, type: ClusterIP}
`,
    );
    assert.equal(status, 0, messages);
    assert.match(messages, /'metadata\.labels\.a' in ConfigMap env.*\(duplicate-key\)/u);
    assert.match(messages, /'spec\.type' in Service web.*\(duplicate-key\)/u);
  });
});

it("a functionConfig means one of the two", () => {
  const config = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined, layout: PerSource}\n";
  const { messages, status } = run(CONFIG, config);
  assert.equal(status, 2);
  assert.match(messages, /^config\.yaml:3:\d+: 'layout' is duplicated in this mapping/u);
});
