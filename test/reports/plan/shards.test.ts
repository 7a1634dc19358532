// A plan in parts: joining them produces exactly the report of a single run.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import type { PlanShard } from "../../../src/reports/plan/shards.ts";
import { cli, type CliResult } from "../../support/cli.ts";
import { LONG } from "../../support/long.ts";
import { configMap, deployment, STAMP_OF_A } from "../../support/manifests.ts";
import { assertSchema } from "./planned.ts";
import { inRepository, type Repository } from "./repository.ts";

const NAMES = ["a", "b", "c", "d", "e", "f", "g"];

/** An Application of plain manifests, which are read as committed, without running a tool. */
function application(name: string, namespace: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example/x.git, path: apps/${name}}
  destination: {namespace: ${namespace}, name: ${name < "d" ? "east" : "west"}}
`;
}

const release = (name: string): string =>
  `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}}\nspec: {chartRef: {kind: OCIRepository, name: x}}\n`;
const immutable = (name: string, value: string): string => `${configMap(name, value)}immutable: true\n`;
const crowd = (n: number): string =>
  Array.from({ length: n }, (_, i) => deployment(`crowd${i}`, "crowd")).join("---\n");

const FILES = {
  ...Object.fromEntries(
    NAMES.flatMap((name) => [
      [`argo/${name}.yaml`, application(name, name < "c" ? "shop" : name)],
      // Names and namespaces are those of other applications, too.
      [`apps/${name}/web.yaml`, `${deployment("web", "env")}---\n${configMap("env", "old")}---\n${release(name)}`],
    ]),
  ),
  "apps/d/crowd.yaml": `${crowd(14)}---\n${configMap("crowd", "old")}`,
  "apps/e/fixed.yaml": `${deployment("fixed", "fixed")}---\n${immutable("fixed", "old")}---\n${immutable("unused", "old")}`,
  "apps/b/waits.yaml": `${deployment("waits", "later")}---\n${configMap("later", "z")}`,
  "apps/e/waits.yaml": `${deployment("waits", "later")}---\n${configMap("later", "z")}`,
  // One application of a cluster sees what another one has.
  "apps/a/sees.yaml": deployment("sees", "shared"),
  "apps/b/shared.yaml": configMap("shared", "old"),
  "apps/f/latest.yaml": deployment("latest", "nowhere"),
  "plain/web.yaml": `${deployment("web", "env")}---\n${configMap("env", "old")}---\n${deployment("plain", "none")}`,
  "kustomized/kustomization.yaml": "resources: [web.yaml, absent.yaml]\n",
  "kustomized/web.yaml": `${deployment("web", "env")}---\n${configMap("env", "old")}`,
  "chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 1.0.0\n",
};

/** It has its content already and takes its stamp later, in a window. */
const waiting = (hour: number): string =>
  deployment("waits", "later").replace(
    "  name: waits\n",
    `  name: waits\n  annotations:\n    rollstamp.dev/waiting: configmap.rollstamp.dev/later=${STAMP_OF_A.slice(1, -1)}\n    rollstamp.dev/rollout-window: 0 ${hour} * * *; 1h\n`,
  );

let sharedRepository: Repository | undefined;
let letGo = (): void => {};
let gone: Promise<void> = Promise.resolve();

async function inChanged(test: (repository: Repository) => Promise<void>): Promise<void> {
  assert.ok(sharedRepository !== undefined);
  await test(sharedRepository);
}

const run = ({ environment }: Repository, ...args: string[]): Promise<CliResult> =>
  cli(["plan", ...args], { environment: { ...environment, ROLLSTAMP_NOW: "2026-01-01T00:00:00Z" } });

/** Writes each part to a file, and returns the file names. */
async function parts(repository: Repository, count: number, ...args: string[]): Promise<string[]> {
  const names: string[] = [];
  for (let index = 1; index <= count; index++) {
    const { status, stdout, stderr } = await run(repository, ...args, "--shard", `${index}/${count}`, "-o", "json");
    assert.notEqual(status, 2, stderr);
    assertSchema(stdout);
    const name = `.git/${index}-of-${count}.json`;
    writeFileSync(name, stdout);
    names.push(name);
  }
  return names;
}

const RANGE = ["--git", "start..HEAD", "--as", "stamped"];
const report = (file: string): PlanJson => JSON.parse(readFileSync(file, "utf8"));

const LIMITS = ["--max-pods", "3", "--max-workloads", "2", "--fail-on", "RS017"];
const FORMS = [["text"], ["text", ...LIMITS], ["markdown"], ["html"], ["json", ...LIMITS]];

/** All formats are printed from the report and its limits, and JSON has both. The others are compared once, always in the long form. */
const SOME_FORMS = FORMS.filter(([form]) => form === "json" || LONG);

const GIVEN: readonly { readonly options: readonly string[]; readonly counts: readonly number[] }[] = [
  { options: [], counts: [1, 3, 5] },
  { options: ["--all", "--all-apps"], counts: [3] },
  { options: ["--app", "a", "--app", "d", "--show-values"], counts: [2, 5] },
  { options: ["plain", "apps/d", "argo"], counts: [4] },
];

describe("parts of a plan", () => {
  // One for all tests: each writes into .git alone.
  before(
    () =>
      new Promise<void>((ready, failed) => {
        gone = inRepository(FILES, async (repository) => {
          const changed = Object.entries(FILES).flatMap(([path, text]): [string, string][] =>
            path.startsWith("apps/g") || !text.includes("old") ? [] : [[path, text.replaceAll("old", "new")]],
          );
          repository.commit("changed", {
            ...Object.fromEntries(changed),
            "apps/b/waits.yaml": `${waiting(7)}---\n${configMap("later", "a")}`,
            "apps/e/waits.yaml": `${waiting(5)}---\n${configMap("later", "a")}`,
          });
          sharedRepository = repository;
          await new Promise<void>((resolve) => {
            letGo = resolve;
            ready();
          });
        });
        gone.catch(failed);
      }),
  );
  after(async () => {
    letGo();
    await gone;
  });

  for (const { options, counts } of GIVEN) {
    it(`produce the result of a single run: ${options.join(" ") || "as it is"}`, () =>
      inChanged(async (repository) => {
        const made = new Map<number, readonly string[]>();
        // The last first: the order does not matter.
        for (const count of counts)
          made.set(count, (await parts(repository, count, ...RANGE, ...options)).toReversed());
        for (const form of options.length === 0 ? FORMS : SOME_FORMS) {
          const whole = await run(repository, ...RANGE, ...options, "-o", ...form);
          assert.notEqual(whole.status, 2, whole.stderr);
          for (const [count, files] of made) {
            const merged = await run(repository, "--merge", ...files, "-o", ...form);
            assert.deepEqual(merged, whole, `${count} parts, ${form.join(" ")}`);
          }
        }
      }));
  }

  it("are of similar size, and contain everything once", () =>
    inChanged(async (repository) => {
      const files = await parts(repository, 3, ...RANGE);
      const applications = files.map((file) => report(file).applications ?? []);
      const rendered = applications.map((rows) => rows.filter(({ status }) => status !== "NotAffected").length);
      assert.deepEqual(rendered, [3, 3, 2]);
      const names = applications.flat().map(({ name }) => name);
      assert.deepEqual([names.length, new Set(names).size], [10, 10]);
      // This plan has everything that a plan can report.
      const { stdout } = await run(repository, "--merge", ...files, "-o", "json");
      const { summary, schedule, findings, verdict, exceeded, notExamined, applications: all } = JSON.parse(stdout);
      assert.deepEqual([verdict.level, summary.fails, schedule.waiting, exceeded], ["refused", 1, 2, []]);
      assert.equal(schedule.nextWindow, "2026-01-01T05:00:00Z");
      assert.deepEqual(
        [...new Set(findings.map(({ id }: { id: string }) => id))],
        ["RS006", "RS017", "cross-application-change"],
      );
      assert.deepEqual([notExamined.length > 0, all[0].name, all[0].status], [true, "kustomized", "Failed"]);
    }));

  it("are refused if one is missing, is duplicated, or belongs to another plan", () =>
    inChanged(async (repository) => {
      const [one = "", two = ""] = await parts(repository, 2, ...RANGE);
      const other = async (name: string, ...args: string[]): Promise<string> => {
        const { stdout } = await run(repository, ...args, "-o", "json");
        writeFileSync(`.git/${name}`, stdout);
        return `.git/${name}`;
      };
      const second = ["--shard", "2/2"];
      writeFileSync(
        ".git/stamp.yaml",
        "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
      );
      writeFileSync(".git/no.json", "{}");
      writeFileSync(".git/text.json", "no plan");
      const edited = (name: string, file: string, edit: (shard: PlanShard) => object, isSealed = true): string => {
        const json = report(file);
        const { digest, ...shard } = edit(json.shard ?? assert.fail()) as Record<string, unknown>;
        const sealed = isSealed ? createHash("sha256").update(JSON.stringify(shard)).digest("hex") : digest;
        writeFileSync(`.git/${name}`, JSON.stringify({ ...json, shard: { ...shard, digest: sealed } }));
        return `.git/${name}`;
      };
      const rows: readonly (readonly [readonly string[], RegExp])[] = [
        [[one], /missing shards: 2\/2/u],
        [[one, one], /shard 1\/2 is in \.git\/1-of-2\.json too/u],
        [
          [one, await other("third.json", ...RANGE, "--shard", "2/3")],
          /third\.json: the number of shards must be the same as in .*1-of-2\.json: expected '2', found '3'/u,
        ],
        [[one, await other("base.json", "--git", "HEAD..start", ...second)], /the compared commits must be the same/u],
        [
          [one, await other("all.json", ...RANGE, "--all", ...second)],
          /the options must be the same as in .*: expected '--as=stamped \.', found '--all --as=stamped \.'/u,
        ],
        [
          [one, await other("config.json", ...RANGE, "--config", ".git/stamp.yaml", ...second)],
          /the configuration must be the same/u,
        ],
        [
          [
            one,
            edited("version.json", two, ({ run: { version, ...more }, ...shard }) => ({
              ...shard,
              run: { version: `9${version}`, ...more },
            })),
          ],
          /the version of rollstamp must be that of this run/u,
        ],
        [[one, await other("fetch.json", ...RANGE, "--fetch-charts", ...second)], /the options must .*--fetch-charts/u],
        [
          [one, two].map((file, i) =>
            edited(`tools-${i}.json`, file, (shard) => ({
              ...shard,
              tools: { kustomize: `v5.${i}.0`, helm: "v3.22.0" },
            })),
          ),
          /tools-1\.json: kustomize must have the same version as in \.git\/tools-0\.json: expected v5\.0\.0, found v5\.1\.0\n {2}Make all shards with one version of kustomize/u,
        ],
        [
          [
            one,
            edited("apps.json", two, ({ run: shardRun, ...shard }) => ({
              ...shard,
              run: { ...shardRun, applications: "-" },
            })),
          ],
          /the applications must be the same/u,
        ],
        [
          [one, edited("data.json", two, (shard) => ({ ...shard, index: 1 }), false)],
          /data\.json: was changed after rollstamp wrote it/u,
        ],
        [[one, await other("whole.json", ...RANGE)], /must be a shard of a plan, but is a whole plan/u],
        [[one, ".git/no.json"], /no\.json: must be a RolloutPlan/u],
        [[one, ".git/text.json"], /text\.json: must be JSON/u],
        [[one, ".git/absent.json"], /absent\.json/u],
        [[one, "-"], /standard input cannot be a shard/u],
        [[], /--merge needs the shards of a plan/u],
      ];
      for (const [files, says] of rows) {
        const { status, stdout, stderr } = await run(repository, "--merge", ...files);
        assert.deepEqual([status, stdout], [2, ""], says.source);
        assert.match(stderr, says);
      }
    }));

  it("refuse options that apply only to the whole plan", () =>
    inChanged(async (repository) => {
      const json = ["-o", "json"];
      const rows: readonly (readonly [readonly string[], RegExp])[] = [
        [[...RANGE, "--shard", "0/2", ...json], /--shard 0\/2: must be I\/N/u],
        [[...RANGE, "--shard", "3/2", ...json], /--shard 3\/2: must be I\/N/u],
        [[...RANGE, "--shard", "1/2"], /--shard has no effect without -o json/u],
        [
          [...RANGE, "--shard", "1/2", "--max-pods", "1", ...json],
          /--max-pods has no effect with --shard: give it to plan --merge/u,
        ],
        [[...RANGE, "--shard", "1/2", "--render", "true", ...json], /--shard has no effect with --render/u],
        [
          [...RANGE, "--shard", "1/2", "plain/web.yaml", ...json],
          /--shard divides applications, but a path is a file/u,
        ],
        [["a", "b", "--shard", "1/2", ...json], /--shard has no effect without --git/u],
        [["--merge", "a", ...RANGE], /--git has no effect with --merge/u],
        [["--merge", "a", "--all"], /--all has no effect with --merge/u],
      ];
      for (const [args, says] of rows) {
        const { status, stderr } = await run(repository, ...args);
        assert.equal(status, 2, stderr);
        assert.match(stderr, says);
      }
    }));
});
