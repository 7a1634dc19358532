import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { stamp } from "../../src/main/index.ts";
import { inRoot } from "../support/paths.ts";

// research/charts/walker.mjs decides whether a rollout was necessary: it has to see what pods see, and no more.

interface Template {
  readonly metadata?: object;
  readonly spec: object;
}

interface Row {
  readonly object: { readonly spec: { readonly template: Template } };
  readonly source: string;
}

interface Walker {
  readonly objectsOf: (text: string) => readonly Row[];
  readonly workloadsOf: (objects: readonly Row[]) => ReadonlyMap<string, Row>;
  readonly sourcesOf: (objects: readonly Row[]) => ReadonlyMap<string, unknown>;
  readonly contentOf: (
    template: Template,
    sources: ReadonlyMap<string, unknown>,
  ) => readonly (readonly [string, unknown])[];
  readonly functional: (template: Template, versions: readonly string[]) => unknown;
  readonly other: (before: readonly Row[], after: readonly Row[]) => string | undefined;
}

const walker = (await import(pathToFileURL(inRoot("research", "charts", "walker.mjs")).href)) as Walker;

const SOURCES = `---
# Source: web/templates/config.yaml
apiVersion: v1
kind: ConfigMap
metadata: {name: env}
data: {a: "1", b: "2"}
---
apiVersion: v1
kind: Secret
metadata: {name: pw}
data: {p: c2VjcmV0}
stringData: {q: plain}
`;
const pod = (containers: string, more = ""): string => `---
# Source: web/templates/web.yaml
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web, helm.sh/chart: web-1.0.0, release: web-1.0.0}
      annotations: {checksum/config: ${"a".repeat(64)}, note: kept}
    spec: {containers: [{name: app, image: a, ${containers}}]${more}}
`;

function content(containers: string, more = ""): string {
  const objects = walker.objectsOf(SOURCES + pod(containers, more));
  const [row] = walker.workloadsOf(objects).values();
  assert.ok(row !== undefined);
  return JSON.stringify(walker.contentOf(row.object.spec.template, walker.sourcesOf(objects)));
}

describe("the walker of the measure of upgrades", () => {
  it("sees the keys that pods see, for each kind of reference", () => {
    const env = "env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: a}}}]";
    assert.equal(content(env), '[["ConfigMap env",[["a","1"]]]]');
    assert.equal(content("envFrom: [{configMapRef: {name: env}}]"), '[["ConfigMap env",[["a","1"],["b","2"]]]]');
    assert.equal(content("envFrom: [{secretRef: {name: pw}}]"), '[["Secret pw",[["p","secret"],["q","plain"]]]]');
    const volume = (mount: string, of: string): string =>
      content(`volumeMounts: [{name: v, mountPath: /v${mount}}]`, `, volumes: [{name: v, ${of}}]`);
    assert.equal(volume("", "configMap: {name: env, items: [{key: b, path: x}]}"), '[["ConfigMap env",[["b","2"]]]]');
    assert.equal(volume(", subPath: a", "configMap: {name: env}"), '[["ConfigMap env",[["a","1"]]]]');
    assert.equal(
      volume("", "projected: {sources: [{secret: {name: pw, items: [{key: q, path: q}]}}]}"),
      '[["Secret pw",[["q","plain"]]]]',
    );
    assert.equal(content("args: [a]"), "[]");
  });

  it("ignores version labels and checksums, and nothing else", () => {
    const functionalOf = (text: string): string => {
      const [row] = walker.workloadsOf(walker.objectsOf(text)).values();
      return JSON.stringify(walker.functional(row?.object.spec.template ?? { spec: {} }, ["1.0.0", "2.0.0"]));
    };
    const text = pod("args: [a]");
    assert.equal(
      functionalOf(text),
      functionalOf(text.replaceAll("1.0.0", "2.0.0").replace("a".repeat(64), "b".repeat(64))),
    );
    assert.notEqual(functionalOf(text), functionalOf(text.replace("note: kept", "note: gone")));
    assert.notEqual(functionalOf(text), functionalOf(text.replace("args: [a]", "args: [b]")));
  });

  it("accepts added stamps and removed checksums and labels, and no other change", () => {
    const text = SOURCES + pod("envFrom: [{configMapRef: {name: env}}]");
    const stamped = stamp(text, { checksums: "Remove", versionLabels: "Remove" }).text;
    assert.doesNotMatch(stamped, /checksum|helm\.sh/u);
    const parts = (after: string): string | undefined => walker.other(walker.objectsOf(text), walker.objectsOf(after));
    assert.equal(parts(stamped), undefined);
    assert.match(parts(stamped.replace("image: a", "image: b")) ?? "", /image/u);
    assert.match(parts(stamped.replace(", release: web-1.0.0", "")) ?? "", /release/u);
    assert.match(parts(stamped.replace("note: kept", "note: lost")) ?? "", /note/u);
  });
});
