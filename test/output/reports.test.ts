import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fg from "fast-glob";
import { readConfigHash, type ConfigHashSpec } from "../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../src/yaml/read/items.ts";
import { toJson } from "../../src/yaml/read/node.ts";
import { analyse } from "../../src/stamping/pipeline.ts";
import { digestReport, type SourceDigests } from "../../src/reports/digest/digest-report.ts";
import { jsonReport } from "../../src/findings/results/json-text.ts";
import { digestDocument } from "../../src/output/digest-text.ts";
import { explainWorkload } from "../../src/output/explain-workload.ts";
import { graphDot, graphMermaid } from "../../src/output/graph-diagrams.ts";
import { graphDocument, graphPage } from "../../src/output/graph-text.ts";
import { plainText } from "../support/documents.ts";
import type { SourceGraph } from "../../src/reports/graph/graph-report.ts";
import { sourceGraph } from "../../src/reports/graph/source-graph.ts";
import type { Rollout } from "../../src/kubernetes/rollout/rollout-types.ts";
import { rollsOf } from "../../src/kubernetes/rollout/rolls.ts";
import { surroundingsOf } from "../../src/kubernetes/rollout/surroundings.ts";
import type { Workload } from "../../src/kubernetes/workloads/types.ts";
import { cli } from "../support/cli.ts";
import { inRoot, ROOT } from "../support/paths.ts";
import { readTree } from "../support/trees.ts";
import { examinedAll } from "../support/accounts.ts";

// digest, graph and explain over every fixture: each shape meets its schema, no report holds a value of
// a Secret, and what a manifest says stays text.

const KEY = { ROLLSTAMP_HMAC_KEY: "correct horse battery staple" };

const fixtures = fg
  .sync("fixtures/{config-hash,peers,policy,sources,workload-kinds}/**/input.yaml", { cwd: ROOT })
  .filter((path) => existsSync(inRoot(path, "..", "output.yaml")))
  .sort();

function fixtureArgs(path: string): string[] {
  const config = inRoot(path, "..", "config.yaml");
  return existsSync(config) ? ["--config", config] : [];
}

function specOf(path: string): ConfigHashSpec {
  const [, config] = fixtureArgs(path);
  if (config === undefined) return readConfigHash(null);
  const tree = readTree(readFileSync(config, "utf8"), config);
  return readConfigHash(toJson(tree, tree.documents[0] ?? 0));
}

function schema(name: string): (json: string) => void {
  const validate = new Ajv2020({ allErrors: true, strict: true }).compile(
    JSON.parse(readFileSync(inRoot("schemas", `${name}.json`), "utf8")) as object,
  );
  return (json) => assert.ok(validate(JSON.parse(json)), JSON.stringify(validate.errors, undefined, 2));
}

const isDigest = schema("digest");
const isGraph = schema("graph");

/** The values of the Secrets of a fixture that are long enough not to be mistaken for words. */
function secretValues(text: string): string[] {
  const documents = text.split(/^---$/mu).filter((document) => /^kind: Secret$/mu.test(document));
  return documents.flatMap((document) =>
    [...document.matchAll(/(?:not-a-real-one|nor-this)/gu)].map(([value]) => value),
  );
}

describe("reports over every fixture", () => {
  it("are found", () => assert.ok(fixtures.length > 100, String(fixtures.length)));
  for (const path of fixtures) {
    it(path, async () => {
      const text = readFileSync(inRoot(path), "utf8");
      const spec = specOf(path);
      const analysis = analyse([readManifests(readTree(text, path))], spec, Buffer.from(KEY.ROLLSTAMP_HMAC_KEY));
      const digests = {
        ...examinedAll(1),
        ...digestReport([analysis], spec, spec.secrets === "Keyed" ? Buffer.from(KEY.ROLLSTAMP_HMAC_KEY) : undefined),
      };
      const graph = { ...examinedAll(1), ...sourceGraph([analysis]) };
      const workloads = analysis.decisions.map(({ workload }) => workload);
      const surroundings = surroundingsOf(analysis.items, workloads, spec.defaultNamespace);
      const rollout = (workload: Workload): Rollout => rollsOf(workload, surroundings);
      isDigest(jsonReport(digests));
      isGraph(jsonReport(graph));
      const documents = [
        digestDocument(digests),
        graphDocument(graph),
        ...analysis.decisions.map((decision) => ({
          title: "explain",
          blocks: explainWorkload(analysis, decision, { spec, rollout }),
        })),
      ];
      const texts = [
        ...(await Promise.all(documents.map(plainText))),
        ...[graphMermaid, graphDot, graphPage].map((report) => report(graph, {})),
      ];
      for (const report of [...texts, jsonReport(digests), jsonReport(graph)]) {
        assert.ok(report.endsWith("\n"), report);
        for (const value of secretValues(text)) assert.ok(!report.includes(value), "a value of a Secret");
      }
    });
  }
});

const shop = relative(process.cwd(), inRoot("fixtures/explain/shop"));

describe("explain", () => {
  it("prints what its documentation shows", async () => {
    const page = readFileSync(inRoot("docs/reference/commands/explain.md"), "utf8");
    const [, shown] = /```text\n(Deployment shop\/web[^`]*)```/u.exec(page) ?? [];
    const { stdout, status } = await cli(["explain", "deployment/web", shop]);
    assert.equal(status, 0);
    assert.equal(stdout.replaceAll(`${shop}/`, ""), shown);
  });
  it("takes any case and kubectl's short names", async () => {
    const { stdout } = await cli(["explain", "Deployment/web", shop]);
    for (const target of ["deployment/web", "deploy/web", "DEPLOYMENTS/web"]) {
      assert.equal((await cli(["explain", target, shop])).stdout, stdout);
    }
  });
  it("names the nearest workloads where there is none", async () => {
    for (const target of ["deployment/wbe", "statefulset/web"]) {
      const { stdout, stderr, status } = await cli(["explain", target, shop]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.equal(stderr, `rollstamp: error: no workload '${target}' was found\n  Similar names: deployment/web.\n`);
    }
    const { stderr } = await cli(["explain", "deployment/web", "-n", "other", shop]);
    assert.match(
      stderr,
      /no workload 'deployment\/web' was found in namespace 'other'\n {2}Similar names: deployment\/web -n shop/u,
    );
  });
  it("refuses a source, and names the command that lists them", async () => {
    for (const target of ["configmap/settings", "cm/settings", "Secrets/login"]) {
      const { status, stdout, stderr } = await cli(["explain", target, shop]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /is a source, and explain is about workloads\n {2}'rollstamp graph' lists each source/u);
    }
  });
  it("refuses what is not KIND/NAME", async () => {
    for (const target of ["web", "/web", "deployment/", "a/b/c"]) {
      const { status, stderr } = await cli(["explain", target, shop]);
      assert.equal(status, 2);
      assert.match(stderr, /expected KIND\/NAME, found '[^']*'\n {2}Write KIND\/NAME/u);
    }
  });
  it("shows each workload of that name, and one with a namespace", async () => {
    const stdin = readFileSync(inRoot("fixtures/peers/01-data-changes/input.yaml"), "utf8");
    const both = await cli(["explain", "deployment/web", "-"], { stdin });
    assert.deepEqual(
      [...both.stdout.matchAll(/^Deployment (\S+)/gmu)].map(([, name]) => name),
      ["before/web", "after/web"],
    );
    const selected = await cli(["explain", "deployment/web", "-n", "after", "-"], { stdin });
    assert.deepEqual(
      [...selected.stdout.matchAll(/^Deployment (\S+)/gmu)].map(([, name]) => name),
      ["after/web"],
    );
  });
  it("continues with the workload whose pod template a Rollout runs", async () => {
    const path = "fixtures/workload-kinds/rollout-with-workload-ref/input.yaml";
    const { stdout } = await cli(["explain", "rollout/web", inRoot(path), ...fixtureArgs(path)]);
    assert.match(
      stdout,
      /^Rollout default\/web .*\n.*\n {2}stamped {2}no, it is left unchanged: runs the pod template of Deployment default\/web$/mu,
    );
    assert.match(stdout, /^Deployment default\/web [^]* {2}run by {3}Rollout web, whose annotations count for it$/mu);
    assert.match(stdout, /metadata\.annotations\[rollstamp\.dev\/sources\] of Rollout web/u);
  });
  it("shows what is missing, with the stamp that stays", async () => {
    const { stdout } = await cli(["explain", "deployment/web", "-"], {
      stdin: readFileSync(inRoot("fixtures/peers/22-missing/input.yaml"), "utf8"),
    });
    assert.match(
      stdout,
      /Secret default\/must-be-there\n {2}coverage {2}missing: it is not in the input, so it has no stamp/u,
    );
    assert.match(stdout, /^Warnings\n {2}RS00/mu);
  });
});

describe("digest", () => {
  it("gives a single key the digest of the source with only that key, and all keys the digest of the stamp", async () => {
    const { stdout } = await cli(["digest", "-o", "json", shop]);
    const { sources } = JSON.parse(stdout) as SourceDigests;
    assert.deepEqual(
      sources.map(({ kind, name, coverage, provides }) => [`${kind}/${name}`, coverage, provides]),
      [
        ["ConfigMap/feature-flags", "content", undefined],
        ["ConfigMap/settings", "content", undefined],
        ["SealedSecret/login", "ciphertext", { kind: "Secret", name: "login" }],
      ],
    );
    const [flags, settings] = sources;
    assert.equal(flags?.digest, flags?.keys["new-checkout"]);
    assert.deepEqual(Object.keys(settings?.keys ?? {}), ["database", "logging.yaml", "theme"]);
    const digestOf = async (data: string): Promise<string | undefined> => {
      const stdin = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {${data}}}`;
      const alone = await cli(["digest", "-o", "json", "-"], { stdin });
      return (JSON.parse(alone.stdout) as SourceDigests).sources[0]?.digest;
    };
    const [database, logging, theme] = [
      "database: postgres://db/shop",
      '"logging.yaml": "level: info\\n"',
      "theme: dark",
    ];
    assert.deepEqual(
      [settings?.digest, settings?.keys["database"], settings?.keys["theme"]],
      await Promise.all([[database, logging, theme].join(", "), database, theme].map(digestOf)),
    );
  });
  it("has the kind and name of a declaration, and what it provides", async () => {
    const stdin = `{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: login}, spec: {target: {name: db}, dataFrom: [{extract: {key: a}}]}}`;
    const { stdout } = await cli(["digest", "-o", "json", "-"], { stdin });
    const [{ digest, ...source } = assert.fail()] = (JSON.parse(stdout) as SourceDigests).sources;
    assert.match(digest, /^h1-[0-9a-f]{40}$/u);
    assert.deepEqual(source, {
      kind: "ExternalSecret",
      namespace: "default",
      name: "login",
      coverage: "declaration",
      keys: {},
      provides: { kind: "Secret", name: "db" },
    });
  });
  it("is keyed for Secrets only", async () => {
    const path = "fixtures/sources/keyed/input.yaml";
    const { stdout } = await cli(["digest", inRoot(path), ...fixtureArgs(path)], { environment: KEY });
    for (const line of stdout
      .trim()
      .split("\n")
      .filter((each) => !each.includes("    "))) {
      const isSecret = / Secret | SealedSecret |makes Secret/u.test(line);
      assert.match(line, isSecret ? /^k1-/u : /^h1-/u, line);
    }
  });
  it("asks for the key where the configuration wants it", async () => {
    const path = "fixtures/sources/keyed/input.yaml";
    const { status, stderr } = await cli(["digest", inRoot(path), ...fixtureArgs(path)]);
    assert.equal(status, 2);
    assert.match(stderr, /config\.yaml:4:12: 'secrets: Keyed' needs a key, but none is set/u);
  });
  it("leaves Secrets out where they are ignored", async () => {
    const path = "fixtures/sources/ignored/input.yaml";
    const { stdout } = await cli(["digest", "-o", "json", inRoot(path), ...fixtureArgs(path)]);
    const { sources } = JSON.parse(stdout) as { sources: { kind: string; provides?: { kind: string } }[] };
    assert.deepEqual(
      sources.map(({ kind, provides }) => provides?.kind ?? kind),
      ["SecretProviderClass"],
    );
  });
});

/** A workload that sees sources in every way. */
const EVERY_WAY = `{apiVersion: v1, kind: ConfigMap, metadata: {name: env}, data: {A: a, B: b, C: c}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: more}, data: {A: a}}
---
{apiVersion: v1, kind: Secret, metadata: {name: db}, stringData: {A: a}}
---
{apiVersion: secrets-store.csi.x-k8s.io/v1, kind: SecretProviderClass, metadata: {name: vault}, spec: {provider: vault}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {rollstamp.dev/sources: configmap/more}}
spec:
  template:
    spec:
      containers:
        - name: app
          env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: A}}}]
          envFrom: [{secretRef: {name: db, optional: true}}]
          volumeMounts: [{name: a, mountPath: /a}, {name: b, mountPath: /b}, {name: c, mountPath: /c}]
      volumes:
        - {name: a, configMap: {name: env, items: [{key: B, path: b}]}}
        - {name: b, projected: {sources: [{configMap: {name: more}}]}}
        - {name: c, csi: {driver: secrets-store.csi.k8s.io, volumeAttributes: {secretProviderClass: vault}}}
`;

describe("graph", () => {
  it("shows what uses a source, what nothing uses, and what is missing", async () => {
    const { stdout } = await cli(["graph", shop]);
    assert.equal(
      stdout,
      `ConfigMap shop/feature-flags
  Deployment shop/web  all keys  envFrom, not stamped

ConfigMap shop/settings
  Deployment shop/web  database, logging.yaml  env, volume

ConfigMap shop/trust (missing)
  Deployment shop/web  all keys  projected, optional

Secret shop/login (ciphertext, by SealedSecret login)
  Deployment shop/web  password, user  env, projected

4 sources, 1 workload, 4 uses; 1 source missing
`,
    );
  });
  it("is edges by index, with the keys, the ways and whether all are optional", async () => {
    const { stdout } = await cli(["graph", "-o", "json", "-"], { stdin: EVERY_WAY });
    const { workloads, sources, edges } = JSON.parse(stdout) as SourceGraph;
    assert.deepEqual(workloads, [{ apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "web" }]);
    assert.deepEqual(
      sources,
      [
        ["ConfigMap", "env", "content"],
        ["ConfigMap", "more", "content"],
        ["Secret", "db", "content"],
        ["SecretProviderClass", "vault", "declaration"],
      ].map(([kind, name, coverage]) => ({ kind, namespace: "default", name, coverage })),
    );
    assert.deepEqual(
      edges.map(({ counts: _counts, ...edge }) => edge),
      [
        { workload: 0, source: 0, keys: ["A", "B"], via: ["env", "volume"], optional: false },
        { workload: 0, source: 1, keys: "*", via: ["projected", "extra"], optional: false },
        { workload: 0, source: 2, keys: "*", via: ["envFrom"], optional: true },
        { workload: 0, source: 3, keys: "*", via: ["csi"], optional: false },
      ],
    );
  });
  it("is the same whatever the order of the input", async () => {
    const text = readFileSync(inRoot("fixtures/peers/21-order-of-references/input.yaml"), "utf8");
    const reversed = text.split("---\n").toReversed().join("---\n");
    for (const format of ["json", "text", "mermaid", "dot"]) {
      const first = await cli(["graph", "-o", format, "-"], { stdin: text });
      const other = await cli(["graph", "-o", format, "-"], { stdin: reversed });
      assert.equal(other.stdout, first.stdout, format);
    }
  });
  it("keeps what a manifest says text, in Mermaid and DOT", async () => {
    const hostile = '"];click s0 "javascript:alert(1)"\\n%% <script>';
    const stdin = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${JSON.stringify(hostile)}\ndata: {}\n`;
    const mermaid = await cli(["graph", "-o", "mermaid", "-"], { stdin });
    assert.match(mermaid.stdout, /^ {2}s0\("ConfigMap<br\/>default\/[\p{L}\p{N} ,._/*:#;-]*"\)$/mu);
    const dot = await cli(["graph", "-o", "dot", "-"], { stdin });
    assert.match(dot.stdout, /^ {2}s0 \[label="ConfigMap\\ndefault\/(?:[^"\\]|\\.)*", style=rounded\];$/mu);
  });
  it("refuses a form that it does not know", async () => {
    const { status, stderr } = await cli(["graph", "-o", "svg", shop]);
    assert.equal(status, 2);
    assert.match(stderr, /svg/u);
  });
});

describe("the three commands", () => {
  for (const [command, ...target] of [["digest"], ["graph"], ["explain", "deployment/web"]] as const) {
    it(`${command} says what it could not read`, async () => {
      const { status, stdout, stderr } = await cli([command, ...target, `${shop}/nothing.yaml`]);
      assert.deepEqual([status, stdout], [2, ""]);
      assert.match(stderr, /nothing\.yaml/u);
    });
    it(`${command} checks each folder separately with the option`, async () => {
      const folder = relative(process.cwd(), inRoot("fixtures/explain"));
      const { status, stderr } = await cli([command, ...target, "--scope", "directory", folder]);
      assert.equal(status, 0, stderr);
    });
    it(`${command} has a help with examples`, async () => {
      const { status, stdout } = await cli([command, "--help"]);
      assert.equal(status, 0);
      assert.match(stdout, new RegExp(`Examples:\\n {2}.*rollstamp ${command}`, "u"));
    });
  }
});
