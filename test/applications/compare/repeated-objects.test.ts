// An object that several files of plain manifests have: each folder or file that has one is checked separately.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { PlanJson } from "../../../src/output/plan-json.ts";
import { cli } from "../../support/cli.ts";
import type { Files } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { inRepository } from "../../reports/plan/repository.ts";

/** What a commit removes from a repository, and writes to it. */
interface Commit {
  readonly remove?: readonly string[];
  readonly write?: Files;
}

/** The level of the plan of a commit, its workloads and the objects that it deletes, and the findings of linting its head. */
async function planned(files: Files, { remove = [], write = {} }: Commit): Promise<readonly string[]> {
  let found: readonly string[] = [];
  await inRepository(files, async ({ commit, git, environment }) => {
    if (remove.length > 0) git("rm", "-rq", ...remove);
    commit("changed", write);
    const { stdout, stderr } = await cli(["plan", "-o", "json", "--git", "start..changed"], { environment });
    assert.notEqual(stdout, "", stderr);
    const { verdict, workloads, objects }: PlanJson = JSON.parse(stdout);
    found = [
      verdict?.level ?? "",
      ...workloads.map(({ name, part, action, safety, lost }) =>
        [action, name, ...(part === undefined ? [] : [part]), ...(lost === undefined ? [] : ["lost", safety])].join(
          " ",
        ),
      ),
      ...objects.flatMap(({ change, kind, name, isCause }) =>
        change === "Delete" && isCause !== true ? [`${change} ${kind} ${name}`] : [],
      ),
    ];
    const linted = await cli(["lint", "."], { environment });
    if (linted.stdout.includes("RS001")) found = [...found, "RS001"];
  });
  return found;
}

const folderOf = (name: string, ...more: readonly Files[]): Files =>
  Object.fromEntries(
    Object.entries(
      Object.assign({ "web.yaml": deployment("web", "conf"), "conf.yaml": configMap("conf", "a") }, ...more) as Files,
    ).map(([file, text]) => [`${name}/${file}`, text]),
  );
const ENVIRONMENTS: Files = { ...folderOf("dev"), ...folderOf("prod") };
const removed: Commit = { remove: ["prod/conf.yaml"] };
const KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\n";

describe("a source that one of several environments loses", () => {
  const lost = ["attention", "None web prod lost Safe", "RS001"];
  it("is lost, although another one has a source of that name", async () => {
    assert.deepEqual(await planned(ENVIRONMENTS, removed), lost);
    const third = { ...ENVIRONMENTS, ...folderOf("test") };
    assert.deepEqual(await planned(third, removed), lost, "nor is it ambiguous");
  });
  it("lets a rollout stick", async () => {
    const write = { "prod/web.yaml": deployment("web", "conf").replace("app:1", "app:2") };
    assert.deepEqual(await planned(ENVIRONMENTS, { ...removed, write }), [
      "danger",
      "Roll web prod lost MayStick",
      "RS001",
    ]);
  });
  it("is lost in a package with a Kptfile", async () => {
    const packages = { ...folderOf("dev", { Kptfile: KPTFILE }), ...folderOf("prod", { Kptfile: KPTFILE }) };
    assert.deepEqual(await planned(packages, removed), lost);
  });
  it("is lost if only the sources have the same name", async () => {
    const files = { ...ENVIRONMENTS, "dev/web.yaml": deployment("web-dev", "conf") };
    // The head alone does not show that the folders are environments.
    assert.deepEqual(await planned(files, removed), lost.slice(0, 2));
  });
  it("is lost if what makes it is in another environment", async () => {
    const certificate =
      "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: web}\nspec: {secretName: conf}\n";
    const web = deployment("web", "conf").replace("configMapRef", "secretRef");
    const conf = configMap("conf", "a").replace("kind: ConfigMap", "kind: Secret").replace("\ndata:", "\nstringData:");
    const prod = folderOf("prod", { "web.yaml": web, "conf.yaml": conf });
    assert.deepEqual(await planned({ "dev/web.yaml": web, "dev/cert.yaml": certificate, ...prod }, removed), lost);
  });
  it("is not lost if it moves to a folder that did not have it, or next to the environments", async () => {
    const api = {
      "shared.yaml": configMap("shared", "a"),
      "dev/api.yaml": deployment("api", "shared"),
      "prod/api.yaml": deployment("api", "shared"),
    };
    const files = { ...api, "prod/only.yaml": deployment("only", "conf"), "prod/conf.yaml": configMap("conf", "a") };
    const moved = (path: string): Commit => ({ ...removed, write: { [path]: configMap("conf", "a") } });
    assert.deepEqual(await planned(files, moved("dev/conf.yaml")), ["ok", "Delete ConfigMap conf"]);
    assert.deepEqual(await planned(ENVIRONMENTS, moved("conf.yaml")), ["ok", "Delete ConfigMap conf"]);
  });
});

describe("an object that the head still has", () => {
  const namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n";
  const claim =
    "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteOnce]}\n";

  it("is not deleted with another definition in its package or file", async () => {
    const files = { "app/Kptfile": KPTFILE, "app/a.yaml": namespace, "app/more/b.yaml": `${namespace}spec: {}\n` };
    assert.deepEqual(await planned(files, { remove: ["app/a.yaml"] }), ["ok"]);
    assert.deepEqual(await planned(files, { remove: ["app/more/b.yaml"] }), ["ok"]);
    const both = { "app/a.yaml": `${namespace}---\n${namespace}` };
    assert.deepEqual(await planned(both, { write: { "app/a.yaml": namespace } }), ["ok"]);
  });
  it("is deleted if the other definition may be that of another environment", async () => {
    const claims = { "dev/claim.yaml": claim, "prod/claim.yaml": claim };
    for (const remove of Object.keys(claims))
      assert.deepEqual(await planned(claims, { remove: [remove] }), ["danger", "Delete PersistentVolumeClaim data"]);
    const web = ["attention", "Delete web prod"];
    assert.deepEqual(await planned(ENVIRONMENTS, { remove: ["prod"] }), [...web, "Delete ConfigMap conf"]);
    const files = {
      "dev.yaml": `${deployment("web", "conf").replace("app:1", "app:2")}---\n${claim}`,
      "prod.yaml": `${deployment("web", "conf")}---\n${claim}`,
    };
    assert.deepEqual(await planned(files, { write: { "prod.yaml": deployment("web", "conf") } }), [
      "danger",
      "Delete PersistentVolumeClaim data",
      "RS001",
    ]);
    assert.deepEqual(await planned(files, { remove: ["prod.yaml"] }), [
      "danger",
      "Delete web prod.yaml",
      "Delete PersistentVolumeClaim data",
      "RS001",
    ]);
  });
  it("is not deleted if its file moves next to an alternative", async () => {
    const move: Commit = {
      remove: ["app"],
      write: {
        ...folderOf("app/native"),
        "app/other/web.yaml": deployment("web", "conf").replace("app:1", "other:1"),
      },
    };
    assert.deepEqual(await planned(folderOf("app"), move), ["ok", "Create web app/other", "RS001"]);
  });
});
