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

const USED = "---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {selector: {helm.sh/chart: web}}\n";

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

async function upgradeOf(given: Given = {}): Promise<unknown> {
  const { status, stdout, stderr } = await plan({ ...given, args: ["-o", "json", ...(given.args ?? [])] });
  assert.equal(status, 0, stderr);
  assertSchema(stdout);
  const report: { upgrade?: unknown } = JSON.parse(stdout);
  return report.upgrade;
}

const NONE = { workloads: 0, pods: 0 };
const WHICH = { chart: "web", from: "1.0.0", to: "2.0.0" };

describe("plan --chart A --chart B", () => {
  it("counts avoidable rollouts, and those that options would avoid", async () => {
    assert.deepEqual(await upgradeOf(), {
      ...WHICH,
      avoidable: {
        workloads: 3,
        pods: 4,
        saves: [
          { options: ["versionLabels: Remove"], workloads: 1, pods: 2 },
          { options: ["versionLabels: Remove", "checksums: Remove"], workloads: 1, pods: 1 },
          { options: ["checksums: Remove"], workloads: 1, pods: 1 },
        ],
        stays: NONE,
      },
      saved: NONE,
    });
  });

  it("doesn't promise what a selector keeps", async () => {
    const [used, now] = [rendering("1.0.0") + USED, rendering("2.0.0") + USED];
    assert.deepEqual(await upgradeOf({ old: chart("1.0.0", used), new: chart("2.0.0", now) }), {
      ...WHICH,
      avoidable: { workloads: 2, pods: 3, saves: [], stays: { workloads: 2, pods: 3 } },
      saved: NONE,
    });
  });

  it("reports what the configuration saves", async () => {
    assert.deepEqual(await upgradeOf({ config: "{checksums: Remove, versionLabels: Remove}" }), {
      ...WHICH,
      avoidable: { ...NONE, saves: [], stays: NONE },
      saved: { workloads: 3, pods: 4 },
    });
    assert.deepEqual(await upgradeOf({ config: "{versionLabels: Remove}" }), {
      ...WHICH,
      avoidable: {
        workloads: 2,
        pods: 2,
        saves: [{ options: ["checksums: Remove"], workloads: 2, pods: 2 }],
        stays: NONE,
      },
      saved: { workloads: 1, pods: 2 },
    });
  });

  it("says so in every form", async () => {
    const { stdout } = await plan();
    assert.match(
      stdout,
      /^web from 1\.0\.0 to 2\.0\.0: 3 workloads roll \(4 pods\) only because of the chart's version labels/mu,
    );
    assert.match(stdout, /^versionLabels: Remove would avoid 1 of them \(2 pods\)$/mu);
    const markdown = await plan({ args: ["-o", "markdown"] });
    assert.match(markdown.stdout, /^- `checksums: Remove` would avoid 1 of them \(1 pod\)$/mu);
    const html = await plan({ args: ["-o", "html"] });
    assert.match(html.stdout, /<ul class="upgrade"><li><code>web<\/code> from <code>1\.<wbr>0\.<wbr>0<\/code>/u);
    const same = await plan({ new: OLD });
    assert.match(same.stdout, /^web from 1\.0\.0 to 1\.0\.0: no avoidable rollouts$/mu);
    const saved = await plan({ config: "{checksums: Remove, versionLabels: Remove}" });
    assert.match(saved.stdout, /^The configuration avoids the rollout of 3 workloads \(4 pods\)$/mu);
  });

  it("accepts packed charts, and leaves no folder", async () => {
    await inFolder(below("new", NEW), async (folder) => {
      writeFileSync(join(folder, "web-1.0.0.tgz"), packed(OLD));
      const folders = (): string[] =>
        readdirSync(tmpdir()).filter((name) => name.startsWith(`rollstamp-cmp-${process.pid}-`));
      const args = ["plan", "--chart", join(folder, "web-1.0.0.tgz"), "--chart", join(folder, "new")];
      const { status, stdout } = await cli(args, { environment: { PATH: fakeHelm(folder) } });
      assert.equal(status, 0);
      assert.match(stdout, /^web from 1\.0\.0 to 2\.0\.0/mu);
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
