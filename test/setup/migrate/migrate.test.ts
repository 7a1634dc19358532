import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parseAllDocuments } from "yaml";
import {
  CONFIG_HASH_DEFAULTS,
  readConfigHash,
  type ConfigHashSpec,
} from "../../../src/stamping/function/config-hash.ts";
import { applySplices } from "../../../src/yaml/edit/splice.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { toJson } from "../../../src/yaml/read/node.ts";
import type { Difference } from "../../../src/setup/migrate/differences.ts";
import { migrate, type Migration } from "../../../src/setup/migrate/migrate.ts";
import { analyse, stampsOf } from "../../../src/stamping/pipeline.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

function migrated(text: string, spec: ConfigHashSpec): { text: string; migration: Migration } {
  const input = readManifests(readTree(text, "input.yaml"));
  const migration = migrate([input], spec);
  return { text: applySplices(text, migration.edits.get(input.tree) ?? []), migration };
}

/** The stamps of a stamped text, by workload. */
function stamps(text: string, spec: ConfigHashSpec): unknown {
  const input = readManifests(readTree(text, "input.yaml"));
  const stamped = applySplices(text, stampsOf(analyse([input], spec)).get(input.tree) ?? []);
  const found: Record<string, Record<string, string>> = {};
  const visit = (value: unknown, name: string): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value)) {
      if (/rollstamp\.dev\/(?!stamp|sources|exclude)/u.test(key)) (found[name] ??= {})[key] = String(inner);
      visit(inner, name);
    }
  };
  parseAllDocuments(stamped).forEach((document, i) => visit(document.toJSON(), String(i)));
  return found;
}

describe("a migration keeps the stamps", () => {
  const folders = fg
    .sync("fixtures/{peers,policy}/**/input.yaml", { cwd: ROOT })
    .map((path) => join(path, ".."))
    .sort();
  let compared = 0;
  for (const folder of folders) {
    const configFile = inRoot(folder, "config.yaml");
    if (!existsSync(configFile)) continue;
    const config = readTree(readFileSync(configFile, "utf8"), configFile);
    const spec = readConfigHash(toJson(config, config.documents[0] ?? 0));
    if (spec.compat.length === 0) continue;
    it(folder, () => {
      const text = readFileSync(inRoot(folder, "input.yaml"), "utf8");
      if (/kind: ResourceList/u.test(text)) return;
      const after = migrated(text, spec).text;
      assert.deepEqual(stamps(after, { ...spec, compat: [] }), stamps(text, spec));
      assert.doesNotMatch(after.replaceAll(/#.*/gu, ""), /stakater|wave\.pusher/u, "an annotation of a peer is left");
      assert.equal(migrated(after, spec).text, after, "a second migration changes something");
      compared += 1;
    });
  }
  it("compares more than twenty fixtures", () => assert.ok(compared > 20, String(compared)));
});

const ANNOTATED: ConfigHashSpec = { ...CONFIG_HASH_DEFAULTS, selection: "Annotated" };
const ALL: ConfigHashSpec = CONFIG_HASH_DEFAULTS;

const SOURCES = ["settings", "extra-1", "extra-2", "extrabc", "x-db"]
  .map((name) => `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {a: b}\n`)
  .join("");
const SECRET = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: db}\nstringData: {password: x}\n";

/** A Deployment that sees ConfigMap settings and one key of Secret db. */
function workload(annotations: string, template: string = ""): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  annotations: {${annotations}}
spec:
  template:
    metadata: {annotations: {${template}}}
    spec:
      containers:
        - name: app
          image: app:1
          envFrom: [{configMapRef: {name: settings}}]
          env: [{name: P, valueFrom: {secretKeyRef: {name: db, key: password}}}]
${SOURCES}${SECRET}`;
}

describe("annotations and what replaces them", () => {
  const cases: readonly {
    name: string;
    annotations: string;
    template?: string;
    spec?: ConfigHashSpec;
    replacement: Record<string, string>;
  }[] = [
    { name: "auto", annotations: 'reloader.stakater.com/auto: "true"', replacement: { stamp: "true" } },
    {
      name: "typed auto",
      annotations: 'configmap.reloader.stakater.com/auto: "true"',
      replacement: { stamp: "true", exclude: "secret/*" },
    },
    {
      name: "typed auto, with all stamped",
      annotations: 'secret.reloader.stakater.com/auto: "false"',
      spec: ALL,
      replacement: { exclude: "secret/*" },
    },
    { name: "auto off", annotations: 'reloader.stakater.com/auto: "false"', replacement: { stamp: "false" } },
    {
      name: "auto off beside a name",
      annotations: 'reloader.stakater.com/auto: "false", secret.reloader.stakater.com/reload: db',
      replacement: { sources: "secret/db" },
    },
    {
      name: "auto off beside a name, with all stamped",
      annotations: 'reloader.stakater.com/auto: "false", secret.reloader.stakater.com/reload: db',
      spec: ALL,
      replacement: { sources: "secret/db", exclude: "configmap/*, secret/*" },
    },
    {
      name: "auto with excludes",
      annotations: 'reloader.stakater.com/auto: "true", secrets.exclude.reloader.stakater.com/reload: "db, other"',
      replacement: { stamp: "true", exclude: "secret/db, secret/other" },
    },
    {
      name: "names",
      annotations: 'configmap.reloader.stakater.com/reload: "settings,extra-1"',
      replacement: { sources: "configmap/extra-1, configmap/settings" },
    },
    {
      name: "names that are excluded",
      annotations:
        'configmap.reloader.stakater.com/reload: "settings,extra-1", configmaps.exclude.reloader.stakater.com/reload: settings',
      replacement: { sources: "configmap/extra-1" },
    },
    {
      name: "a pattern",
      annotations: 'configmap.reloader.stakater.com/reload: "extra-.*"',
      replacement: { sources: "configmap/extra-1, configmap/extra-2" },
    },
    {
      name: "auto on the pod template",
      annotations: "",
      template: 'reloader.stakater.com/auto: "true"',
      replacement: { stamp: "true" },
    },
    {
      name: "wave",
      annotations: 'wave.pusher.com/update-on-config-change: "true", wave.pusher.com/extra-configmaps: "other/x"',
      template: 'wave.pusher.com/config-hash: "abc"',
      replacement: { stamp: "true", sources: "configmap/other/x" },
    },
    {
      name: "a chart's checksum",
      annotations: "",
      template: `checksum/config: ${"0123456789abcdef".repeat(4)}`,
      replacement: { stamp: "true" },
    },
    {
      name: "rollstamp's own beside them",
      annotations:
        'reloader.stakater.com/auto: "true", rollstamp.dev/stamp: "false", rollstamp.dev/exclude: "secret/x"',
      replacement: { stamp: "false", exclude: "secret/x" },
    },
    { name: "a value that Reloader does not take", annotations: 'reloader.stakater.com/auto: "yes"', replacement: {} },
  ];
  for (const { name, annotations, template, spec = ANNOTATED, replacement } of cases) {
    it(name, () => {
      const { text, migration } = migrated(workload(annotations, template), spec);
      const found = Object.fromEntries(
        [...(migration.workloads[0]?.replacement ?? [])].map(([key, value]) => [
          key.replace("rollstamp.dev/", ""),
          value,
        ]),
      );
      assert.deepEqual(found, replacement);
      assert.doesNotMatch(text, /stakater|wave\.pusher|checksum\//u);
    });
  }
  it("replace ignore on a source", () => {
    const text = workload('reloader.stakater.com/auto: "true"').replace(
      "metadata: {name: db}",
      'metadata: {name: db, annotations: {reloader.stakater.com/ignore: "true"}}',
    );
    assert.match(
      migrated(text, ANNOTATED).text,
      /metadata: \{name: db, annotations: \{rollstamp\.dev\/stamp: "false"\}\}/u,
    );
  });
  it("leave other annotations alone", () => {
    const text = workload('team: "a"', "checksum/config: not-a-digest");
    assert.equal(migrated(text, ANNOTATED).text, text);
  });
});

describe("differences of a migration", () => {
  const differences = (annotations: string, template = ""): readonly Difference[] =>
    migrated(workload(annotations, template), ANNOTATED).migration.workloads[0]?.differences ?? [];
  const auto = 'reloader.stakater.com/auto: "true"';
  const cases: readonly (readonly [annotations: string, difference: Difference, template?: string])[] = [
    [auto, { is: "fewerKeys", source: "Secret db", keys: ["password"] }],
    ['configmap.reloader.stakater.com/reload: "extra-.*"', { is: "expression", text: "extra-.*" }],
    ['reloader.stakater.com/search: "true"', { is: "search" }],
    ['configmap.reloader.stakater.com/reload: "elsewhere"', { is: "missingSources", names: ["ConfigMap elsewhere"] }],
    [
      `${auto}, deployment.reloader.stakater.com/pause-period: 5m`,
      { is: "timing", key: "deployment.reloader.stakater.com/pause-period" },
    ],
    ['wave.pusher.com/update-on-config-change: "true"', { is: "wave" }],
    ["", { is: "checksum" }, `checksum/config: ${"0123456789abcdef".repeat(4)}`],
  ];
  for (const [annotations, difference, template] of cases)
    it(`include ${difference.is}`, () => {
      const found = differences(annotations, template).find(({ is }) => is === difference.is);
      assert.deepEqual(found, difference);
    });
  it("say nothing about the keys of a source that the new annotations name: it counts whole", () => {
    assert.deepEqual(differences("secret.reloader.stakater.com/reload: db"), []);
  });
  it("include an invalid expression, with the problem", () => {
    const found = differences('configmap.reloader.stakater.com/reload: "bad["')[0];
    assert.equal(found?.is === "invalidExpression" && found.text, "bad[");
  });
});
