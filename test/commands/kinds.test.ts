import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fg from "fast-glob";
import { parse } from "yaml";
import { readWorkload } from "../../src/stamping/function/workload-option.ts";
import { builtInKinds } from "../../src/reports/kinds/built-in-kinds.ts";
import type { KindsReport } from "../../src/reports/kinds/kinds-report.ts";
import { readManifests } from "../../src/yaml/read/items.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { templatesOf } from "../../src/kubernetes/workloads/find-workloads.ts";
import { WORKLOAD_KINDS } from "../../src/kubernetes/workloads/workload-kinds.ts";
import { withFakeApi } from "../reports/status/fake-api.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { inRoot, ROOT } from "../support/paths.ts";
import { readTree } from "../support/trees.ts";

const STORE = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: stores.example.com}
spec:
  group: example.com
  names: {kind: Store, plural: stores}
  versions:
    - name: v1
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                image: {type: string}
                podAnnotations: {type: object, additionalProperties: {type: string}}
                envFrom:
                  type: array
                  items:
                    type: object
                    properties:
                      secretRef: {type: object, properties: {name: {type: string}}}
`;
const OBJECTS = `apiVersion: example.com/v1
kind: Store
metadata: {name: db}
spec: {image: i, envFrom: [{secretRef: {name: pw}}]}
---
{apiVersion: v1, kind: Secret, metadata: {name: pw}, stringData: {p: w}}
`;

const validate = new Ajv2020({ strict: false }).compile(
  JSON.parse(readFileSync(inRoot("schemas/kinds.json"), "utf8")) as object,
);

function reportOf(stdout: string): KindsReport {
  const report: unknown = JSON.parse(stdout);
  assert.ok(validate(report), JSON.stringify(validate.errors));
  return report as KindsReport;
}

describe("rollstamp kinds", () => {
  it("counts each definition of a kind that is defined more than once, whatever their order", async () => {
    const old = STORE.replace("image: {type: string}", "x: {type: string}").replace(/ {16}podAnnotations[^]*/u, "");
    const both = await cli(["kinds", "--from-crds", "-"], { stdin: `${STORE}---\n${old}` });
    const turned = await cli(["kinds", "--from-crds", "-"], { stdin: `${old}---\n${STORE}` });
    assert.equal(both.stdout, turned.stdout);
    assert.equal(both.stdout, (await cli(["kinds", "--from-crds", "-"], { stdin: STORE })).stdout);
    assert.match(both.stdout, /podAnnotations: spec\.podAnnotations/u);
    const other = STORE.replaceAll("podAnnotations", "annotationsOfPods").replace("name: v1", "name: v2");
    const { stdout } = await cli(["kinds", "--from-crds", "-", "-o", "json"], { stdin: `${other}---\n${STORE}` });
    const [kind] = reportOf(stdout).kinds;
    assert.equal(kind?.version, "v1, v2");
  });

  it("writes a configuration by which objects are stamped, and lint is content", async () => {
    await inFolder({ "crds/store.yaml": STORE, "app.yaml": OBJECTS }, async (folder) => {
      const before = await cli(["lint", join(folder, "app.yaml")]);
      assert.match(before.stdout, /RS014/u);
      const { status, stdout, stderr } = await cli(["kinds", "--from-crds", join(folder, "crds")]);
      assert.equal(stderr, "");
      assert.equal(status, 0);
      await inFolder({ "rollstamp.yaml": stdout, "app.yaml": OBJECTS }, async (configured) => {
        const stamped = await cli(["stamp", "--stdout", join(configured, "app.yaml")]);
        assert.match(stamped.stdout, /podAnnotations: \{secret\.rollstamp\.dev\/pw: "h1-/u);
        const after = await cli(["lint", join(configured, "app.yaml")]);
        assert.doesNotMatch(after.stdout, /RS014/u);
      });
    });
  });

  it("says in JSON what it looked at, and what not", async () => {
    await inFolder(
      { "store.yaml": STORE, "app.yaml": OBJECTS, "chart/Chart.yaml": "name: c\nversion: 1.0.0\napiVersion: v2\n" },
      async (folder) => {
        const { stdout, status } = await cli(["kinds", "--from-crds", folder, "-o", "json"]);
        const report = reportOf(stdout);
        assert.equal(status, 0);
        assert.deepEqual(
          report.kinds.map(({ kind, status: told }) => [kind, told]),
          [["Store", "Derived"]],
        );
        assert.equal(report.examined.objects, 3);
        assert.deepEqual(
          report.notExamined.map(({ kind }) => kind),
          ["Chart"],
        );
        const text = await cli(["kinds", "--from-crds", folder]);
        assert.match(text.stdout, /^# not examined: .*helm template .*rollstamp kinds --from-crds -/mu);
        parse(text.stdout);
      },
    );
  });

  it("takes definitions from standard input, in a list as kubectl prints it", async () => {
    const list = `apiVersion: v1\nkind: List\nitems:\n${STORE.trimEnd()
      .split("\n")
      .map((line, i) => `${i === 0 ? "- " : "  "}${line}\n`)
      .join("")}`;
    const { stdout } = await cli(["kinds", "--from-crds", "-", "-o", "json"], { stdin: list });
    assert.equal(reportOf(stdout).kinds[0]?.status, "Derived");
  });

  it("refuses inputs without definitions, and a cluster that doesn't show them", async () => {
    const none = await cli(["kinds", "--from-crds", "-"], { stdin: OBJECTS });
    assert.equal(none.status, 2);
    assert.match(none.stderr, /there are no CustomResourceDefinitions in -/u);
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const forbidden = await withFakeApi({ lists: {}, forbidden: [path] }, { args: ["kinds", "--live"] });
    assert.equal(forbidden.status, 2);
    assert.match(forbidden.stderr, /does not show its CustomResourceDefinitions \(forbidden\)/u);
  });

  it("reads the definitions of a cluster, and nothing else", async () => {
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const asked: string[] = [];
    const { status, stdout } = await withFakeApi(
      { lists: { [path]: [parse(STORE)] }, seen: (url) => asked.push(url.pathname) },
      { args: ["kinds", "--live", "-o", "json"] },
    );
    assert.equal(status, 0);
    const report = reportOf(stdout);
    assert.equal(report.context, "fake");
    assert.equal(report.kinds[0]?.status, "Derived");
    assert.deepEqual([...new Set(asked)], [path]);
  });

  it("refuses options that have no effect", async () => {
    for (const args of [["--live", "--from-crds", "."], ["--context", "c"], ["--verbose"]]) {
      const { status, stderr } = await cli(["kinds", ...args]);
      assert.equal(status, 2);
      assert.match(stderr, /has no effect/u);
    }
  });

  it("lists what is built in, a line each", async () => {
    const { stdout } = await cli(["kinds"]);
    assert.match(stdout, /^batch +CronJob +spec\.jobTemplate\.spec\.template +\(cronJobs\)$/mu);
    assert.equal(stdout.trimEnd().split("\n").length, builtInKinds().length);
    const json = reportOf((await cli(["kinds", "-o", "json"])).stdout);
    assert.deepEqual(json.kinds, JSON.parse(JSON.stringify(builtInKinds())));
  });
});

// What a built-in row says and `workloads` can't: a template that holds only where another one is missing.
const MORE = new Set(["sparkoperator.k8s.io/SparkApplication", "sparkoperator.k8s.io/ScheduledSparkApplication"]);

describe("entries of the built-in kinds", () => {
  const files = fg.sync("fixtures/workload-kinds/*/input.yaml", { cwd: ROOT });
  const items = files.flatMap((file) => readManifests(readTree(readFileSync(inRoot(file), "utf8"), file)).items);
  for (const report of builtInKinds()) {
    const row = WORKLOAD_KINDS.find(({ group, kind }) => group === report.group && kind === report.kind);
    it(`${report.group} ${report.kind}: say all that its row says`, () => {
      assert.ok(row);
      const own = items.filter(({ group, kind }) => group === row.group && kind === row.kind);
      const kinds = report.workloads.map((entry, i) => readWorkload(JSON.parse(JSON.stringify(entry)) as Json, i));
      for (const item of own) {
        const told = (list: readonly ReturnType<typeof templatesOf>[number][]): object[] =>
          // What refers to nothing gets no stamp, whether or not it is there.
          list
            .filter(({ references }) => references.length > 0)
            .map(({ annotationsField, references }) => ({
              annotationsField,
              references: references.map(({ field, kind, name, keys }) => ({ field, kind, name, keys })),
            }));
        const byRow = told(templatesOf(item, row, "default"));
        const byEntries = told(kinds.flatMap((kind) => templatesOf(item, kind, "default")));
        if (!MORE.has(`${row.group}/${row.kind}`)) assert.deepEqual(byEntries, byRow);
        else
          for (const template of byRow)
            assert.ok(byEntries.some((other) => JSON.stringify(other) === JSON.stringify(template)));
      }
      assert.deepEqual(new Set(kinds.map(({ rollsBy }) => rollsBy)), new Set([row.rollsBy]));
    });
  }
});
