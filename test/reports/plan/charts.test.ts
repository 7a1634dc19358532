import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { writeTar } from "../../../src/applications/tools/tar-archive.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli, type CliResult } from "../../support/cli.ts";
import { fakeHelm, RENDERED } from "../../support/fake-helm.ts";
import { inFolder, writeFiles } from "../../support/folders.ts";
import { assertSchema } from "./planned.ts";

const SUM = "a".repeat(64);

/** What a chart renders to: a workload by its labels alone, one by a checksum alone, one whose label a Service uses, one by its image. */
function rendering(version: string, sum = SUM): string {
  const workload = (name: string, { labels = "", annotations = "", image = "a", replicas = 1 } = {}): string =>
    `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata:
      labels: {app: ${name}${labels}}
      annotations: {a: b${annotations}}
    spec: {containers: [{name: app, image: ${image}, envFrom: [{configMapRef: {name: settings}}]}]}
---
`;
  const label = `, helm.sh/chart: web-${version}`;
  return [
    workload("labels", { labels: label, replicas: 2 }),
    workload("sums", { annotations: `, checksum/config: ${sum}` }),
    workload("both", { labels: label, annotations: `, checksum/config: ${sum}` }),
    workload("needed", { labels: label, image: `a:${version}` }),
    workload("same"),
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n`,
  ].join("");
}

function chart(version: string, rendered: string): Record<string, string> {
  return { "Chart.yaml": `apiVersion: v2\nname: web\nversion: ${version}\n`, [RENDERED]: rendered };
}

const OLD = chart("1.0.0", rendering("1.0.0"));
const NEW = chart("2.0.0", rendering("2.0.0", "b".repeat(64)));

function packed(files: Readonly<Record<string, string>>, top = "web"): Buffer {
  return gzipSync(
    writeTar(Object.entries(files).map(([name, text]) => ({ name: `${top}/${name}`, bytes: Buffer.from(text) }))),
  );
}

function below(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [`${folder}/${name}`, text]));
}

interface Given {
  readonly old?: Readonly<Record<string, string>>;
  readonly new?: Readonly<Record<string, string>>;
  readonly config?: string;
  readonly args?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

async function plan(given: Given = {}): Promise<CliResult> {
  let result: CliResult | undefined;
  await inFolder({ ...below("old", given.old ?? OLD), ...below("new", given.new ?? NEW) }, async (folder) => {
    const spec = given.config ?? "{}";
    writeFiles(folder, {
      "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: a}\nspec: ${spec}\n`,
    });
    result = await cli(
      [
        "plan",
        "--chart",
        join(folder, "old"),
        "--chart",
        join(folder, "new"),
        "--config",
        join(folder, "rollstamp.yaml"),
        ...(given.args ?? []),
      ],
      { environment: { PATH: fakeHelm(folder), ...given.environment } },
    );
  });
  assert.ok(result);
  return result;
}

describe("plan --chart A --chart B", () => {
  it("names the rollouts that only the marks of the chart cause, and the options that avoid them", async () => {
    const { status, stdout, stderr } = await plan({ args: ["-o", "json"] });
    assert.equal(status, 0, stderr);
    assertSchema(stdout);
    const report: PlanJson = JSON.parse(stdout);
    assert.deepEqual(
      report.workloads.map(({ name, next }) => [name, next?.replace(/^.* with (.*), if.*$/u, "$1")]),
      [
        ["labels", "versionLabels: Remove"],
        ["both", "versionLabels: Remove and checksums: Remove"],
        ["needed", undefined],
        ["sums", "checksums: Remove"],
      ],
    );
  });

  it("names no rollout that the configuration avoids", async () => {
    const { stdout } = await plan({ config: "{checksums: Remove, versionLabels: Remove}", args: ["-o", "json"] });
    const report: PlanJson = JSON.parse(stdout);
    assert.deepEqual(
      report.workloads.map(({ name }) => name),
      ["needed"],
    );
  });

  it("accepts packed charts, and leaves no folder", async () => {
    await inFolder(below("new", NEW), async (folder) => {
      writeFileSync(join(folder, "web-1.0.0.tgz"), packed(OLD));
      const folders = (): string[] =>
        readdirSync(tmpdir()).filter((name) => name.startsWith(`rollstamp-cmp-${process.pid}-`));
      const args = ["plan", "--chart", join(folder, "web-1.0.0.tgz"), "--chart", join(folder, "new")];
      const { status, stdout } = await cli(args, { environment: { PATH: fakeHelm(folder) } });
      assert.equal(status, 0);
      assert.match(stdout, /Deployment default\/needed/u);
      assert.deepEqual(folders(), []);
    });
  });

  it("deletes nothing that Helm keeps", async () => {
    const claim = (name: string, policy: string): string =>
      `---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: ${name}, annotations: {${policy}}}\n`;
    const claims =
      claim("kept", "helm.sh/resource-policy: keep") + claim("gone", "argocd.argoproj.io/sync-options: Prune=false");
    const old = { ...OLD, [RENDERED]: `${OLD[RENDERED]}${claims}` };
    const { stdout } = await plan({ old, args: ["-o", "json"] });
    const { objects }: PlanJson = JSON.parse(stdout);
    assert.deepEqual(
      objects.flatMap(({ kind, name, leaves }) => (kind === "PersistentVolumeClaim" ? [[name, leaves]] : [])),
      [
        ["gone", undefined],
        ["kept", true],
      ],
    );
  });
  it("takes the namespace of a release", async () => {
    const { stdout } = await plan({ args: ["-n", "shop"] });
    assert.match(stdout, /Deployment shop\/needed/u);
    const fromEnvironment = await plan({ environment: { HELM_NAMESPACE: "store" } });
    assert.match(fromEnvironment.stdout, /Deployment store\/needed/u);
  });
});

/** Creates the faulty files below a folder, and returns the arguments of `plan`. */
type Make = (folder: string) => readonly string[];

const BOTH = (folder: string): string[] => ["--chart", join(folder, "old"), "--chart", join(folder, "new")];
const withPackage =
  (bytes: () => Buffer): Make =>
  (folder) => {
    writeFileSync(join(folder, "web.tgz"), bytes());
    return ["--chart", join(folder, "old"), "--chart", join(folder, "web.tgz")];
  };

const WRONG: readonly (readonly [string, Make, RegExp])[] = [
  [
    "one chart",
    (folder) => ["--chart", join(folder, "old")],
    /plan compares two charts, and one is given.*Give --chart twice/su,
  ],
  ["three charts", (folder) => [...BOTH(folder), "--chart", "c"], /plan compares two charts, and 3 are given/u],
  ["paths beside", (folder) => [...BOTH(folder), "a"], /--chart can't go together with paths/u],
  ["--git beside", (folder) => [...BOTH(folder), "--git", "A..B"], /--chart can't go together with --git/u],
  ["--render beside", (folder) => [...BOTH(folder), "--render", "a"], /--chart can't go together with --render/u],
  ["--live beside", (folder) => [...BOTH(folder), "--live"], /--chart can't go together with --live/u],
  ["--scope beside", (folder) => [...BOTH(folder), "--scope", "directory"], /--scope has no effect with --chart/u],
  ["--values alone", () => ["-f", "a", "b", "c"], /--values has no effect without --chart/u],
  ["--release alone", () => ["--release", "a", "b", "c"], /--release has no effect without --chart/u],
  [
    "a bad release",
    (folder) => [...BOTH(folder), "--release", "A_b"],
    /--release A_b is not a valid name of a release/u,
  ],
  ["-n alone", () => ["-n", "a", "b", "c"], /--namespace has no effect without --live or --chart/u],
  [
    "values that are not there",
    (folder) => [...BOTH(folder), "-f", join(folder, "none")],
    /none: .*(?:ENOENT|not there|no such)/u,
  ],
  [
    "a chart that is not there",
    (folder) => ["--chart", join(folder, "none"), "--chart", join(folder, "new")],
    /none is not a chart: the path does not exist.*Give the folder of a chart/su,
  ],
  [
    "a folder that is none",
    (folder) => ["--chart", folder, "--chart", join(folder, "new")],
    /is not a chart: it has no Chart\.yaml/u,
  ],
  ["no gzip", withPackage(() => Buffer.from("text")), /web\.tgz: this is not a packed chart, or it is larger/u],
  ["no tar", withPackage(() => gzipSync("x".repeat(2000))), /web\.tgz: this is not a packed chart/u],
  [
    "a bomb",
    withPackage(() => gzipSync(Buffer.alloc(101 * 1024 * 1024), { level: 1 })),
    /web\.tgz: .*larger than helm allows/u,
  ],
  [
    "a way out",
    withPackage(() => packed({ "../../../etc/passwd": "a" })),
    /web\.tgz: a file of this packed chart is outside/u,
  ],
  [
    "an absolute path",
    withPackage(() => packed({ "//etc/passwd": "a" })),
    /web\.tgz: a file of this packed chart is outside/u,
  ],
  [
    "a package without Chart.yaml",
    withPackage(() => packed({ "values.yaml": "a" })),
    /web\.tgz is not a chart: it has no Chart\.yaml/u,
  ],
  [
    "a file that is a folder too",
    withPackage(() => packed({ "Chart.yaml": "a", "Chart.yaml/b": "c" })),
    /the copy of 'Chart\.yaml\/b' can't be written/u,
  ],
  [
    "a chart that doesn't render",
    withPackage(() => packed({ "Chart.yaml": "name: web" })),
    /web\.tgz: helm template ended with status 1/u,
  ],
  [
    "a chart that renders nothing",
    withPackage(() => packed(chart("1", "# nothing\n"))),
    /the rendering of .*web\.tgz:1:1: the input contains no Kubernetes object/u,
  ],
  [
    "a rendering that is no manifest",
    withPackage(() => packed(chart("1", "a: [\n"))),
    /the rendering of .*web\.tgz:2/u,
  ],
];

describe("plan --chart of bad input", () => {
  for (const [what, make, says] of WRONG) {
    it(`refuses ${what}`, async () => {
      await inFolder({ ...below("old", OLD), ...below("new", NEW) }, async (folder) => {
        const { status, stdout, stderr } = await cli(["plan", ...make(folder)], {
          environment: { PATH: fakeHelm(folder) },
        });
        assert.equal(status, 2, stderr);
        assert.equal(stdout, "");
        assert.match(stderr, says);
        assert.doesNotMatch(stderr, /rollstamp-cmp-/u);
      });
    });
  }
});
