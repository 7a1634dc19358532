import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { runAnyCommand } from "../../../src/main/command-line.ts";
import { testIo } from "../../support/cli.ts";
import { configMap } from "../../support/manifests.ts";
import { inRepository } from "../../reports/plan/repository.ts";
import type { PlanJson } from "../../../src/output/plan-json.ts";

const NAMES = ["a", "b", "c", "d"];

function kustomizations(suspend: boolean): string {
  const documents = NAMES.map(
    (name) =>
      `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: ${name}}\nspec: {suspend: ${suspend}, path: ./${name}, sourceRef: {kind: GitRepository, name: own}}\n`,
  );
  return documents.join("---\n");
}

function releases(): string {
  const documents = NAMES.map(
    (name) =>
      `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: ${name}}\nspec: {chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: own}}}}\n`,
  );
  return documents.join("---\n");
}

const chart = (version: number, level: number): Readonly<Record<string, string>> => ({
  "chart/Chart.yaml": `apiVersion: v2\nname: chart\nversion: ${version}.0.0\n`,
  "chart/templates/env.yaml": configMap("env", String(level)),
});

describe("what was applied last", () => {
  const CASES = [
    [
      "Kustomizations of one file that are resumed",
      Object.fromEntries([
        ["flux.yaml", kustomizations(false)],
        ...NAMES.map((name) => [`${name}/env.yaml`, configMap("env", "1")] as const),
      ]),
      { "flux.yaml": kustomizations(true) },
      { "flux.yaml": kustomizations(false) },
      ["flux.yaml"],
    ],
    [
      "HelmReleases with one chart of another version",
      { "flux.yaml": releases(), ...chart(1, 1) },
      chart(1, 2),
      chart(2, 2),
      ["chart/Chart.yaml"],
    ],
  ] as const;
  for (const [what, first, before, after, files] of CASES)
    it(`is the base, and the history of a file is read once for all: ${what}`, () =>
      inRepository(first, async ({ commit, environment, git }) => {
        commit("before", before);
        commit("after", after);
        let report = "";
        const writeStdout = (text: string): Promise<void> => {
          report += text;
          return Promise.resolve();
        };
        const streams = { writeStdout, writeStderr: () => undefined };
        const io = testIo({ environment }, streams);
        const asked: string[] = [];
        const history: typeof io.git.history = async () => {
          const real = await io.git.history();
          return {
            ...real,
            textsAt: (versions, options) => {
              asked.push(...new Set(versions.map(({ path }) => path)));
              return real.textsAt(versions, options);
            },
          };
        };
        await runAnyCommand(["plan", "--git", "before..after", "--output", "json"], {
          ...io,
          git: { ...io.git, history },
        });
        assert.deepEqual(asked, files);
        const { applications = [] }: PlanJson = JSON.parse(report);
        const start = git("rev-parse", "start");
        assert.deepEqual(
          applications.flatMap(({ appliedCommit }) => appliedCommit ?? []),
          NAMES.map(() => start),
        );
      }));
});
