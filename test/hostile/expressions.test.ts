// Texts that make regular expressions try again and again: a short one once took minutes, a long one seconds.
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { withVariables } from "../../src/applications/discover/argo-variables.ts";
import { repositoryKey } from "../../src/applications/discover/remotes.ts";
import { looksRemote } from "../../src/applications/kustomize/paths.ts";
import { mergedValues } from "../../src/applications/render/merged-values.ts";
import { withoutSops } from "../../src/applications/render/unknown-values.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { secretsOf, reasonsWithout } from "../../src/reports/plan/secret-texts.ts";
import { ANY_PLACEHOLDER } from "../../src/reports/lint/rules/digested-content.ts";
import { addToList, readAuthored } from "../../src/setup/init/yaml-insert.ts";
import { oneStream } from "../../src/yaml/edit/one-stream.ts";
import { looksLikeManifest } from "../../src/yaml/read/manifest-text.ts";
import { PIECE_LENGTH, piecesOf } from "../../src/yaml/read/pieces.ts";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { run } from "../support/run.ts";

const N = 50_000;
const LONGEST_SECONDS = 2;

/** A plan of one file that changes. */
async function planned(base: string, head: string): Promise<void> {
  await inFolder({ "base/a.yaml": base, "head/a.yaml": head }, async (folder) => {
    const { status, stderr } = await cli(["plan", join(folder, "base"), join(folder, "head")]);
    assert.ok(status < 2, stderr);
  });
}

const cronJob = (schedule: string): string =>
  `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: j}\nspec: {schedule: '${schedule}', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}}\n`;
const ingress = (host: string): string =>
  `apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: j}\nspec: {rules: [{host: '${host}'}]}\n`;
const stale = (behind: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec: {template: {metadata: {annotations: {configmap.rollstamp.dev/gone: "h1-${"0".repeat(40)}"${behind}}}, spec: {containers: [{name: a}]}}}\n`;
const values = (text: string): string =>
  JSON.stringify([
    ...mergedValues([{ is: "path", path: "a", text, isLiteral: false, shown: "x" }], {}, DEFAULT_LIMITS),
  ]);

const ROWS: readonly { readonly what: string; readonly does: () => unknown; readonly makes?: unknown }[] = [
  { what: "a schedule", does: () => planned(cronJob("@every 1s"), cronJob(`@every ${"0s000".repeat(40)}u`)) },
  { what: "digits of a schedule", does: () => planned(cronJob("@every 1s"), cronJob(`@every ${"1".repeat(N)}u`)) },
  { what: "a host", does: () => planned(ingress("a"), ingress(`${"a/".repeat(N)}!`)) },
  {
    what: "comments behind a stale stamp",
    does: () => run(stale(`${" #".repeat(40)}\n`)).text,
    makes: stale(`${" #".repeat(40)}\n`).replace(/configmap[^ ]*: "[^"]*"/u, ""),
  },
  {
    what: "empty lines before a document",
    does: () => oneStream(["a: b\n", `${"\r\n".repeat(40)}%`, `${"#\r\n".repeat(40)}a`]),
    makes: `a: b\n...\n${"\r\n".repeat(40)}%\n---\n${"#\r\n".repeat(40)}a`,
  },
  {
    what: "comments before the items of a list",
    does: () => piecesOf(`items:\n${"#\r\n".repeat(40)}a${" ".repeat(2 * PIECE_LENGTH)}`),
    makes: undefined,
  },
  { what: "a file of commas", does: () => looksLikeManifest(`a\n${",\n".repeat(N)}`), makes: false },
  { what: "empty lines of values", does: () => withoutSops(`ENC[${"\n".repeat(2 * N)}x`, DEFAULT_LIMITS) },
  {
    what: "quotes in a value",
    does: () => values(`'x${"'".repeat(2 * N)}x''`),
    makes: `[["a","x${"'".repeat(2 * N)}x"]]`,
  },
  { what: "a name with variables", does: () => ANY_PLACEHOLDER.test("${".repeat(N)), makes: false },
  { what: "variables of Argo CD", does: () => withVariables("${".repeat(N), {}), makes: "" },
  { what: "an address", does: () => repositoryKey(`https://a${"/".repeat(N)}b${"/".repeat(N)}`) },
  { what: "blanks before a resource", does: () => looksRemote(`${"\t".repeat(2 * N)}/a`), makes: false },
  {
    what: "an image",
    does: () =>
      reasonsWithout(
        () => secretsOf(["hunter2"]),
        [{ type: "Template", path: "containers[a].image", from: "a", to: `${":".repeat(2 * N)}/a:hunter2` }],
      ),
    makes: [{ type: "Template", path: "containers[a].image", hidden: true }],
  },
  {
    what: "comments of a kustomization",
    does: () => addToList(readAuthored(`a: b${":#".repeat(N)}\nc: d\n`, "x"), ["e"], ["f"]).length,
  },
  {
    what: "newlines of a copied value",
    does: () =>
      run(
        `${configMap("env", `a${"\n".repeat(2 * N)}b`)}---\n${deployment("web", "env")}`,
        "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Versioned}\n",
      ).status,
    makes: 0,
  },
  {
    what: "braces in a helmfile, and blanks in .gitmodules",
    does: () =>
      inFolder(
        {
          "helmfile.yaml": `releases: [{chart: ./c}]\nx: "${"{{".repeat(N)}"\n`,
          ".gitmodules": `[submodule "a"]\npath = a${"\t".repeat(2 * N)}b\n`,
          ".git/HEAD": "ref: refs/heads/main\n",
          "a/kustomization.yaml": "resources: []\n",
        },
        async (folder) => assert.equal((await cli(["apps", folder])).status, 0),
      ),
  },
];

describe("regular expressions take linear time", () => {
  for (const row of ROWS) {
    it(row.what, async () => {
      const before = process.cpuUsage();
      const made = await row.does();
      const { user, system } = process.cpuUsage(before);
      if ("makes" in row) assert.deepEqual(made, row.makes);
      assert.ok((user + system) / 1e6 < LONGEST_SECONDS, `${(user + system) / 1e6} s`);
    });
  }
});
