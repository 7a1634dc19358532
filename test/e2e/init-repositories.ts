/** Repositories that `rollstamp init` sets up, and what Argo CD makes of them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import fg from "fast-glob";
import { parseAllDocuments } from "yaml";
import { type Files, writeFiles } from "../support/folders.ts";
import { NAMESPACE } from "./argocd-parts.ts";
import type { Cluster } from "./cluster.ts";
import { customKind } from "./custom-kind.ts";
import { kubectl, rollstamp, run, succeeded } from "./commands.ts";
import { fieldAt, listAt, textAt } from "./fields.ts";
import { eventually } from "./observe.ts";

export const APPLICATIONS: string = `/apis/argoproj.io/v1alpha1/namespaces/${NAMESPACE}/applications`;

/** Commits all that is in the current folder. */
export const COMMIT: string =
  "git add --all && git -c user.name=e2e -c user.email=e2e@example.com commit --quiet --allow-empty --message Change";

/** Runs a line of a shell in a folder, with the programs of `bin`. */
export async function shell(bin: string, folder: string, line: string): Promise<string> {
  const env = { ...process.env, PATH: [bin, process.env["PATH"] ?? ""].join(delimiter) };
  const ran = await run("sh", ["-c", `cd "$0" && ${line}`, folder], "", env);
  return succeeded(line, ran) + ran.stderr;
}

/** A repository with files. */
export async function repositoryWith(cluster: Cluster, files: (folder: string) => Files): Promise<string> {
  const folder = mkdtempSync(join(cluster.folder, "init-"));
  writeFiles(folder, files(folder));
  await shell("", folder, `git init --quiet --initial-branch=main && ${COMMIT}`);
  return folder;
}

/** The files of a repository, as manifests are found. */
export const manifestsIn = (folder: string): Files =>
  Object.fromEntries(
    fg
      .sync("**/*.{yaml,yml}", { cwd: folder, dot: true, ignore: [".git/**"] })
      .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
  );

/** Waits until an Application is synced, or can't be; undefined, or why not. */
export async function syncedOrWhy(cluster: Cluster, name: string): Promise<string | undefined> {
  let why: string | undefined;
  await eventually(`the Application ${name}`, async () => {
    const status = fieldAt(await cluster.api.get(`${APPLICATIONS}/${name}`), "status");
    const conditions = listAt(status, "conditions").filter((one) => textAt(one, "type").endsWith("Error"));
    const phase = textAt(status, "operationState", "phase");
    const isSynced = textAt(status, "sync", "status") === "Synced";
    why = conditions.map((one) => textAt(one, "message"))[0];
    if (phase === "Failed" || phase === "Error") why ??= textAt(status, "operationState", "message");
    return why !== undefined || (isSynced && phase === "Succeeded") ? "" : JSON.stringify(status ?? "no status");
  });
  return why;
}

/** The stamps of what an Application has applied, none of which is missing or stale. */
export async function stampsOf(cluster: Cluster, application: string): Promise<readonly string[]> {
  const kinds = "deployments,statefulsets,daemonsets,cronjobs,configmaps,secrets";
  const got = succeeded("get", await kubectl(cluster, ["get", kinds, "--all-namespaces", "-o", "json"]));
  const idOf = (at: readonly string[], object: unknown): string =>
    ["namespace", "name"].map((key) => textAt(object, ...at, key)).join("/") + textAt(object, "kind");
  const status = fieldAt(await cluster.api.get(`${APPLICATIONS}/${application}`), "status");
  const applied = listAt(status, "resources").map((one) => idOf([], one));
  const items = listAt(JSON.parse(got), "items").filter((item) => applied.includes(idOf(["metadata"], item)));
  if (items.length === 0) return [];
  const manifests = items.map((item) => JSON.stringify(item)).join("\n---\n");
  succeeded(`stamps of ${application}`, await rollstamp(["stamp", "--check", "-"], manifests));
  return items.flatMap((item) => {
    const spec = JSON.stringify(fieldAt(item, "spec") ?? {});
    return spec.match(/(?:configmap|secret)\.rollstamp\.dev\/[\w.-]+/gu) ?? [];
  });
}

/** An Application or ApplicationSet of a public repository, for the copy of it in `folder`. */
function here(
  object: unknown,
  { folder, server, namespace }: { folder: string; server: string; namespace: string },
): unknown {
  const source = fieldAt(object, "spec", "source");
  return {
    ...(typeof object === "object" ? object : {}),
    metadata: { name: namespace, namespace: NAMESPACE },
    spec: {
      project: "default",
      source: { ...(typeof source === "object" ? source : {}), repoURL: `file://${folder}`, targetRevision: "main" },
      destination: { server, namespace },
      syncPolicy: { automated: { prune: true }, syncOptions: ["CreateNamespace=true"], retry: { limit: 1 } },
    },
  };
}

/** Defines the kinds of manifests that the cluster does not know. */
async function defineKinds(cluster: Cluster, files: Files): Promise<void> {
  const header = /^apiVersion: *["']?(?<group>[\w.-]+\.[\w-]+)\/(?<version>v\w+)["']?\s*\nkind: *["']?(?<kind>\w+)/gmu;
  for (const text of Object.values(files))
    for (const { groups: { group = "", version = "", kind = "" } = {} } of text.matchAll(header)) {
      const served = await cluster.api.get(`/apis/${group}/${version}`).catch(() => undefined);
      const kinds = listAt(served, "resources").map((one) => textAt(one, "kind"));
      if (
        kinds.includes(kind) ||
        /(?:^|\.)(?:kustomize|config)\.|^(?:rbac|admission|api|storage|policy|networking)\S*k8s\.io$/u.test(group)
      )
        continue;
      const plural = kind.toLowerCase().replace(/(?:y)?$/u, (end) => (end === "y" ? "ies" : "s"));
      const scope = kind.startsWith("Cluster") ? "Cluster" : "Namespaced";
      const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
      const defined = await cluster.api
        .post(definitions, customKind({ group, version, kind, plural, scope }))
        .catch(() => undefined);
      if (defined === undefined) continue;
      await eventually(`the kind ${kind}`, async () => {
        const now = await cluster.api.get(`/apis/${group}/${version}`).catch(() => undefined);
        return listAt(now, "resources").some((one) => textAt(one, "kind") === kind) ? "" : "not yet";
      });
    }
}

/** What became of an Application of a public repository. */
export interface Tried {
  readonly path: string;
  readonly why: string | undefined;
  readonly stamps: number;
}

/**
 * Sets up a clone named `owner+name` by `init argocd`, and syncs its Applications: those that it has, or one for each
 * folder that `rollstamp apps` finds.
 */
export async function tryRepository(cluster: Cluster, bin: string, clone: string): Promise<readonly Tried[]> {
  const name = basename(clone);
  const folder = join(cluster.folder, "public", name);
  mkdirSync(folder, { recursive: true });
  execFileSync("sh", ["-c", 'git -C "$0" archive HEAD | tar -x -C "$1"', clone, folder]);
  await shell("", folder, `git init --quiet --initial-branch=main && ${COMMIT}`);
  const applications = (): readonly unknown[] =>
    Object.values(manifestsIn(folder))
      .filter((text) => text.includes("argoproj.io/") && !text.includes("{{"))
      .flatMap((text) => parseAllDocuments(text))
      .map((document): unknown => (document.errors.length > 0 ? undefined : document.toJS()))
      .filter((object) => textAt(object, "kind") === "Application")
      .filter((object) => textAt(object, "spec", "source", "repoURL").includes(name.replace("+", "/")));
  if (applications().length === 0) {
    const found = JSON.parse(await shell(bin, folder, "rollstamp apps --output json 2>/dev/null"));
    const paths = listAt(found, "applications")
      .filter((one) => ["Kustomize", "Helm", "Files"].includes(textAt(one, "kind")))
      .map((one) => textAt(one, "path"))
      .filter((path) => path !== "." && path !== "");
    writeFiles(
      folder,
      Object.fromEntries(
        paths.map((path, index) => [
          `argocd/${index}.yaml`,
          `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a-${index}}\nspec:\n  source:\n    repoURL: https://github.com/${name.replace("+", "/")}\n    path: ${path}\n`,
        ]),
      ),
    );
  }
  await shell(bin, folder, `rollstamp init argocd --write && ${COMMIT}`);
  await defineKinds(cluster, manifestsIn(folder));
  const tried: Tried[] = [];
  for (const [index, object] of applications().entries()) {
    const path = textAt(object, "spec", "source", "path");
    const namespace = `${name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/gu, "-")
      .slice(0, 30)}-${index}`;
    if (textAt(object, "spec", "source", "plugin", "name") === "") continue;
    await cluster.api.post(APPLICATIONS, here(object, { folder, server: cluster.server, namespace }));
    const why = await syncedOrWhy(cluster, namespace);
    const stamps = why === undefined ? await stampsOf(cluster, namespace) : [];
    tried.push({ path, why, stamps: stamps.length });
  }
  return tried;
}
