import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { parse } from "yaml";
import { inRoot, ROOT } from "../support/paths.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string | readonly string[];
  readonly uses?: string;
  readonly "timeout-minutes"?: number;
  readonly strategy?: { readonly matrix?: Readonly<Record<string, readonly unknown[]>> };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

const files = fg.sync(".github/workflows/*.yml", { cwd: ROOT, dot: true }).sort();

function workflow(file: string): {
  readonly text: string;
  readonly jobs: readonly (readonly [string, Job])[];
  readonly all: Workflow;
} {
  const text = readFileSync(inRoot(file), "utf8");
  const all = parse(text) as Workflow;
  return { text, jobs: Object.entries(all.jobs), all };
}

function stepsOf(jobs: readonly (readonly [string, Job])[]): readonly Step[] {
  return jobs.flatMap(([, { steps = [] }]) => steps);
}

describe("the workflows", () => {
  it("exist", () => assert.deepEqual(files, [".github/workflows/ci.yml", ".github/workflows/release.yml"]));

  for (const file of files) {
    const { text, jobs, all } = workflow(file);

    it(`${file}: each job has only its own permissions`, () => {
      assert.deepEqual(all.permissions, {});
      for (const [name, { permissions, "timeout-minutes": timeout, uses }] of jobs) {
        assert.ok(permissions !== undefined && Object.keys(permissions).length > 0, `${name} says what it may`);
        assert.ok(uses !== undefined || timeout !== undefined, `${name} ends some day`);
      }
    });

    it(`${file}: actions are pinned by commit, with their version in a comment`, () => {
      const used = [...text.matchAll(/^\s*(?:- )?uses: (?<action>\S+)(?<comment>.*)$/gmu)].filter(
        (match) => !(match.groups?.["action"] ?? "").startsWith("./"),
      );
      assert.ok(used.length > 0);
      for (const { groups } of used) {
        assert.match(groups?.["action"] ?? "", /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/u);
        assert.match(groups?.["comment"] ?? "", /^ # v\d+\.\d+\.\d+$/u);
      }
    });

    it(`${file}: scripts use variables, never expressions`, () => {
      for (const { run = "" } of stepsOf(jobs)) assert.doesNotMatch(run, /\$\{\{/u);
    });

    it(`${file}: no checkout keeps the token`, () => {
      for (const step of stepsOf(jobs).filter(({ uses = "" }) => uses.startsWith("actions/checkout@"))) {
        assert.equal(step.with?.["persist-credentials"], false);
      }
    });
  }

  it("each action has one version", () => {
    const all = files
      .flatMap((file) => stepsOf(workflow(file).jobs))
      .flatMap(({ uses = "" }) => (uses.startsWith("./") || uses === "" ? [] : [uses]));
    const names = new Set(all.map((uses) => uses.split("@")[0]));
    assert.equal(new Set(all).size, names.size, [...new Set(all)].sort().join("\n"));
  });
});

describe("ci", () => {
  it("tests every supported Node, and runs .ci/run", () => {
    const { jobs } = workflow(".github/workflows/ci.yml");
    const matrix = (name: string): unknown[] => jobs.flatMap(([, { strategy }]) => strategy?.matrix?.[name] ?? []);
    assert.deepEqual(matrix("node"), [20, 22, 24]);
    assert.deepEqual(matrix("step"), ["fast", "hosts", "e2e"]);
    assert.ok(stepsOf(jobs).some(({ run = "" }) => run.includes('bash .ci/run "$STEP"')));
  });
});

describe("a release", () => {
  const { jobs, all } = workflow(".github/workflows/release.yml");
  const job = (name: string): Job => all.jobs[name] ?? assert.fail(`there is no job ${name}`);
  const scripts = (name: string): string => (job(name).steps ?? []).map(({ run = "" }) => run).join("\n");

  it("publishes only after the tests", () => {
    const reached = new Set<string>();
    const needs = (name: string): readonly string[] => [job(name).needs ?? []].flat();
    const visit = (name: string): boolean =>
      name === "test" || (!reached.has(name) && (reached.add(name), needs(name).some(visit)));
    for (const [name] of jobs) {
      reached.clear();
      assert.ok(visit(name), `${name} does not wait for the tests`);
    }
    assert.equal(job("test").uses, "./.github/workflows/ci.yml");
  });

  it("publishes to npm with provenance and without a token", () => {
    assert.match(scripts("npm"), /npm publish --provenance --access public/u);
    assert.deepEqual(job("npm").permissions, { "id-token": "write" });
    assert.doesNotMatch(JSON.stringify(job("npm")), /secrets\./u);
  });

  it("builds both images for two processors, with SBOM, provenance and signature", () => {
    const build = job("images").steps?.find(({ uses = "" }) => uses.startsWith("docker/build-push-action@"));
    assert.deepEqual(
      { platforms: build?.with?.["platforms"], sbom: build?.with?.["sbom"], provenance: build?.with?.["provenance"] },
      { platforms: "linux/amd64,linux/arm64", sbom: true, provenance: "mode=max" },
    );
    const targets = (job("images").strategy?.matrix?.["include"] ?? []).map(
      (row) => (row as { readonly target: string }).target,
    );
    assert.deepEqual(targets, ["function", "argocd-cmp"]);
    assert.match(scripts("images"), /cosign sign --yes "\$IMAGE@\$DIGEST"/u);
  });

  it("builds executables, and signs its assets", () => {
    assert.match(scripts("executables"), /node scripts\/executable\.mjs/u);
    assert.match(scripts("release"), /node scripts\/release-manifests\.mjs assets/u);
    assert.match(scripts("release"), /cosign sign-blob --yes/u);
    assert.match(scripts("release"), /gh release create "\$GITHUB_REF_NAME" --verify-tag/u);
  });

  it("has the version of its tag", () => {
    assert.match(
      scripts("package"),
      /test "\$GITHUB_REF_NAME" = "v\$\(node -p 'require\("\.\/package\.json"\)\.version'\)"/u,
    );
  });
});
