import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment, STAMP_OF_A } from "../support/manifests.ts";

// What a command found but did not check is in every format of its report. A run over nothing is not a success.

const APP: Files = { "plain/web.yaml": deployment("web", "settings"), "plain/config.yaml": configMap("settings", "a") };
const ELSEWHERE: Files = {
  "apps/web/kustomization.yaml": "resources: [web.yaml]\n",
  "apps/web/web.yaml": deployment("web", "settings"),
  "charts/web/Chart.yaml": "apiVersion: v2\nname: web\n",
  "charts/web/charts/db/Chart.yaml": "apiVersion: v2\nname: db\n",
  "charts/web/templates/web.yaml": "{{ x }}\n",
  "charts/lib/Chart.yaml": "apiVersion: v2\nname: lib\ntype: library\n",
  "flux/release.yaml":
    "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: web, namespace: shop}\nspec: {}\n",
  "flux/ks.yaml": "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: apps}\nspec: {}\n",
  "argo/app.yaml": "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {}\n",
  "scaffold/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .name }}\n  {{ if .x }}\n",
  "values.yaml": "a: 1\n",
};

const ROWS: readonly (readonly [string, string])[] = [
  ["Kustomization", "apps/web"],
  ["Chart", "charts/web"],
  ["Application", "argo/app.yaml"],
  ["FluxKustomization", "flux/ks.yaml"],
  ["HelmRelease", "flux/release.yaml"],
  ["Template", "scaffold/web.yaml"],
];

interface Report {
  readonly examined: { readonly files: number; readonly objects: number; readonly workloads: number };
  readonly notExamined: readonly { readonly path: string; readonly kind: string; readonly reason: string }[];
}

const rowsOf = (json: string): string[] =>
  (JSON.parse(json) as Report).notExamined.map(({ kind, path }) => `${kind} ${path}`).sort();
const EXPECTED = ROWS.map(([kind, path]) => `${kind} ${path}`).sort();

/** Runs in a folder, by paths from there. */
async function inside(files: Files, run: () => Promise<void>): Promise<void> {
  const before = process.cwd();
  await inFolder(files, async (folder) => {
    process.chdir(folder);
    try {
      await run();
    } finally {
      process.chdir(before);
    }
  });
}

describe("what is not checked", () => {
  for (const command of ["lint", "graph", "digest"]) {
    it(`is in all forms of ${command}`, () =>
      inside({ ...APP, ...ELSEWHERE }, async () => {
        const json = await cli([command, "--files", "-o", "json", "."]);
        assert.equal(json.status, 0, json.stderr);
        assert.deepEqual(rowsOf(json.stdout), EXPECTED);
        const { examined } = JSON.parse(json.stdout) as Report;
        assert.deepEqual([examined.files, examined.objects, examined.workloads], [5, 5, 1]);
        for (const form of {
          lint: ["text", "github", "sarif"],
          graph: ["text", "dot", "mermaid", "html"],
          digest: ["text"],
        }[command] ?? []) {
          const { stdout } = await cli([command, "--files", "-o", form, "."]);
          for (const [, path] of ROWS) assert.ok(stdout.includes(path), `${form}: ${path}\n${stdout}`);
        }
      }));
  }
  it("is in all formats of a plan, once for both sides, and an error where nothing else is there", () =>
    inside(
      Object.fromEntries(
        ["base", "head"].flatMap((side) => Object.entries(ELSEWHERE).map(([path, text]) => [`${side}/${path}`, text])),
      ),
      async () => {
        for (const form of ["text", "markdown", "json", "html"]) {
          const { status, stdout, stderr } = await cli(["plan", "-o", form, "base", "head"]);
          assert.equal(status, 2, form);
          assert.match(stderr, /nothing was examined[^]*rollstamp plan --git A\.\.B --render 'kustomize build /u);
          assert.doesNotMatch(stdout, /None of 0|Nothing changes/u);
          if (form === "json")
            assert.deepEqual(
              rowsOf(stdout),
              EXPECTED.map((row) => row.replace(" ", " head/")),
            );
          else assert.match(stdout, /Not checked:[^]*nothing was examined/u);
        }
      },
    ));
  it("excludes a file that one side can't read from both sides: its objects are unknown", () =>
    inside(
      {
        "base/web.yaml": deployment("web", "settings"),
        "base/api.yaml": deployment("api", "settings"),
        "head/web.yaml": deployment("web", "settings"),
        "head/api.yaml": "apiVersion: apps/v1\nkind: [\n",
      },
      async () => {
        const { status, stdout } = await cli(["plan", "base", "head"]);
        assert.equal(status, 1);
        assert.match(stdout, /^ERROR +head\/api\.yaml:\d+:\d+: /mu);
        assert.match(stdout, /no rollouts\. 1 workload checked/u);
        const { verdict } = JSON.parse((await cli(["plan", "-o", "json", "base", "head"])).stdout) as {
          verdict: unknown;
        };
        const { level, text } = verdict as { level: string; text: string };
        assert.equal(level, "danger");
        assert.match(text, /^(?:As if stamped: )?Do not merge: head\/api\.yaml.* \(unreadable-manifest\)/u);
      },
    ));
  it("is a broken copy of a source in another file", () =>
    inside(
      {
        ...APP,
        "plain/secret.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: YQ==}}\n",
        "plain/copy.yaml":
          "{apiVersion: v1, kind: Secret, metadata: {name: s-0123456789, labels: {rollstamp.dev/version-of: s}}, data: {a: '!'}}\n",
      },
      async () => {
        const { status, stdout } = await cli(["lint", "-o", "json", "plain"]);
        assert.equal(status, 1);
        assert.deepEqual(rowsOf(stdout), ["Manifest plain/copy.yaml"]);
      },
    ));
  it("is shown with the verdict of a plan in which nothing else changes", () =>
    inside(
      {
        "base/web.yaml": deployment("web", "settings"),
        "head/web.yaml": deployment("web", "settings"),
        "base/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
        "head/shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
      },
      async () => {
        const { status, stdout } = await cli(["plan", "-o", "json", "base", "head"]);
        assert.equal(status, 0);
        const { verdict } = JSON.parse(stdout) as { verdict: unknown };
        assert.deepEqual(verdict, {
          level: "ok",
          text: "As if stamped: Safe to merge: no rollouts in what was examined",
        });
      },
    ));
  for (const args of [
    ["lint", "--files"],
    ["graph", "--files"],
    ["stamp"],
    ["stamp", "--check"],
    ["stamp", "--diff"],
  ]) {
    it(`is not a success where no workload was: ${args.join(" ")}`, () =>
      inside({ ...ELSEWHERE, "config.yaml": configMap("settings", "a") }, async () => {
        const { status, stderr } = await cli([...args, "."]);
        assert.equal(status, 2, stderr);
        assert.match(stderr, /nothing was examined[^]*kustomize build apps\/web \| rollstamp/u);
      }));
  }
  it("may hold what explain finds nowhere", () =>
    inside({ ...APP, ...ELSEWHERE }, async () => {
      const { status, stderr } = await cli(["explain", "--files", "deployment/nope", "."]);
      assert.equal(status, 2, stderr);
      assert.match(
        stderr,
        /no workload '[^']*' was found[^]*not examined: 1 kustomization \(apps\/web\): kustomize build/u,
      );
    }));
  it("is named in full with --verbose, and with the files without manifests", () =>
    inside(
      {
        ...APP,
        "no.yaml": "a: 1\n",
        ...Object.fromEntries([...Array(9).keys()].map((i) => [`k${i}/kustomization.yaml`, ""])),
      },
      async () => {
        const few = await cli(["lint", "--files", "."]);
        assert.match(few.stdout, /9 kustomizations \(k0, k1, k2 and 6 more\)/u);
        const all = await cli(["lint", "--files", "--verbose", "."]);
        assert.match(all.stdout, /\(k0, k1, k2, k3, k4, k5, k6, k7, k8\)/u);
        assert.match(all.stderr, /no manifests: no\.yaml/u);
      },
    ));
});

describe("files that are found and foreign", () => {
  it("do not stop the run: other encodings, scaffolds, archives, broken YAML that is not a manifest", () =>
    inside(
      {
        ...APP,
        "scaffold.yaml": ELSEWHERE["scaffold/web.yaml"] ?? "",
        "values.yaml": "extra:\n  - apiVersion: v1\n    kind: ConfigMap\n  bad: [\n",
      },
      async () => {
        writeFileSync(
          "latin.yaml",
          Buffer.from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: caf\xe9}\n", "latin1"),
        );
        writeFileSync(
          "wide.yaml",
          Buffer.from("\ufeffapiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", "utf16le"),
        );
        writeFileSync("archived.json", Buffer.from([0x1f, 0x8b, 8, 0, 0xff, 0xfe, 0, 3]));
        const { status, stdout, stderr } = await cli(["stamp", "."]);
        assert.deepEqual([status, stdout], [0, "plain/web.yaml\n"], stderr);
        assert.match(stderr, /1 template \(scaffold\.yaml\)/u);
        assert.match(stderr, /3 files that are not UTF-8 \(archived\.json, latin\.yaml, wide\.yaml\)/u);
        assert.equal((await cli(["stamp", "latin.yaml"])).status, 2, "one that is named is an error");
      },
    ));
  const FOREIGN: Files = {
    "docs/number.yaml": configMap("other", "a").replace('"a"', "7"),
    "docs/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {a: <yours>}\n",
    "docs/twice.yaml": `${configMap("twice", "a")}---\n${configMap("twice", "b")}`,
    "docs/workloads.yaml": `${deployment("x", "y")}---\n${deployment("x", "z")}`,
  };
  const PROBLEMS = [
    /number\.yaml:6:10: .*must be a string/u,
    /secret\.yaml:4:11: .*must be base64/u,
    /twice\.yaml:8:1: .*ConfigMap twice is duplicated/u,
    /workloads\.yaml:18:1: .*Deployment x is duplicated/u,
  ];
  for (const args of [
    ["lint", "-o", "github"],
    ["graph", "-o", "json"],
    ["digest", "-o", "json"],
    ["explain", "deployment/web"],
    ["stamp", "--check"],
    ["stamp"],
  ]) {
    it(`that cannot be read are findings of ${args.join(" ")}, which handles the rest`, () =>
      inside({ ...APP, ...FOREIGN }, async () => {
        const { status, stdout, stderr } = await cli([...args, "."]);
        assert.equal(status, 1, stderr);
        const report =
          args[0] === "lint"
            ? stdout.replaceAll(/file=([^,]+),line=(\d+),(?:endLine=\d+,)?col=(\d+)/gu, "$1:$2:$3: ")
            : stderr;
        for (const problem of PROBLEMS) assert.match(report, problem);
        if (args[0] !== "lint") assert.match(stdout, /web|settings/u);
        // What is named is an error.
        for (const file of Object.keys(FOREIGN)) assert.equal((await cli([...args, "plain", file])).status, 2, file);
      }));
  }
  it("that cannot be read are on neither side of a plan", () =>
    inside(
      {
        "base/web.yaml": deployment("web", "settings"),
        "head/web.yaml": deployment("web", "settings"),
        "base/x.yaml": configMap("settings", "a"),
        "head/x.yaml": configMap("settings", "a").replace('"a"', "7"),
      },
      async () => {
        const { status, stdout } = await cli(["plan", "-o", "json", "base", "head"]);
        const { summary, findings } = JSON.parse(stdout) as { summary: { rolls: number }; findings: unknown[] };
        assert.deepEqual([status, summary.rolls], [1, 0]);
        assert.match(JSON.stringify(findings), /head\/x\.yaml:6:10: .*must be a string/u);
      },
    ));
  it("are advised only the scope that parts them", () =>
    inside({ ...APP, "plain/old.yaml": configMap("settings", "b") }, async () => {
      const { status, stderr } = await cli(["stamp", "."]);
      assert.equal(status, 2);
      assert.match(stderr, /is duplicated[^]*--scope file/u);
      assert.doesNotMatch(stderr, /--scope directory/u);
      assert.equal((await cli(["stamp", "--scope", "directory", "."])).status, 2);
      assert.equal((await cli(["stamp", "--scope", "file", "."])).status, 0);
    }));
});

describe("stamp --check -", () => {
  const rendering = `${deployment("web", "settings")}---\n${configMap("settings", "a")}`;

  it("checks a rendering, and only checks", async () => {
    const { status, stdout } = await cli(["stamp", "--check", "-"], { stdin: rendering });
    assert.deepEqual([status, stdout], [1, "stdin\n"]);
    const through = await cli(["fn"], { stdin: rendering });
    assert.ok(through.stdout.includes(STAMP_OF_A));
    assert.deepEqual(await cli(["stamp", "--check", "-"], { stdin: through.stdout }), {
      status: 0,
      stdout: "",
      stderr: "",
    });
    assert.equal((await cli(["stamp", "-"], { stdin: rendering })).status, 2);
  });
  it("asks for stamps with --require-stamps, also where the sources are not there", async () => {
    const alone = deployment("web", "settings");
    const lenient = await cli(["stamp", "--check", "-"], { stdin: alone });
    assert.equal(lenient.status, 0, "what is missing is a warning");
    const strict = await cli(["stamp", "--check", "--require-stamps", "-"], { stdin: alone });
    assert.equal(strict.status, 1);
    assert.match(strict.stderr, /error: stdin:1:1: Deployment web .* \(no-stamp\)/u);
    const { stdout } = await cli(["fn"], { stdin: rendering });
    assert.equal((await cli(["stamp", "--check", "--require-stamps", "-"], { stdin: stdout })).status, 0);
    const optional = `${alone}                optional: true\n`;
    assert.equal((await cli(["stamp", "--check", "--require-stamps", "-"], { stdin: optional })).status, 0);
    assert.equal((await cli(["stamp", "--require-stamps", "."])).status, 2, "it goes with --check");
  });
});

describe("paths in lint -o github and -o sarif", () => {
  it("are from the repository's root, wherever it runs; standard input has none", () =>
    inside({ ...APP, "plain/web.yaml": deployment("web", "gone") }, async () => {
      execFileSync("git", ["init", "-q"]);
      process.chdir("plain");
      assert.match((await cli(["lint", "-o", "github", "."])).stdout, /file=plain\/web\.yaml,line=/u);
      const sarif = (await cli(["lint", "-o", "sarif", join(process.cwd(), "web.yaml"), "config.yaml"])).stdout;
      assert.match(sarif, /"uri": "plain\/web\.yaml"/u);
      const piped = await cli(["lint", "-o", "github", "-"], { stdin: deployment("web", "gone") });
      assert.match(piped.stdout, /^::warning title=/mu);
      assert.doesNotMatch(piped.stdout, /file=/u);
      assert.doesNotMatch(
        (await cli(["lint", "-o", "sarif", "-"], { stdin: deployment("web", "gone") })).stdout,
        /physicalLocation/u,
      );
    }));
});
