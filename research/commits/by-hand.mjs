// Renders a root with kustomize or helm, and reads its workloads, Services and sources: as little code as possible, and
// none of rollstamp's.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments, parseDocument, stringify } from "yaml";
import { below } from "./tree.mjs";

/** The kinds with pods that are read here; an operator can have others. */
export const WORKLOADS = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod", "Rollout"];
/** What someone misses when it goes, besides workloads. */
export const MISSED = [
  "Service",
  "Ingress",
  "HorizontalPodAutoscaler",
  "PodDisruptionBudget",
  "PersistentVolumeClaim",
  "Namespace",
  "CustomResourceDefinition",
];
const READ = new RegExp(
  `^kind: *["']?(?:${[...WORKLOADS, ...MISSED, "ConfigMap", "Secret"].join("|")})["']?\\s*$`,
  "mu",
);
const MOST_MILLISECONDS = 120_000;

/** Programs without a network, git or plugins: what is remote fails at once. */
function run(program, args, cwd, home) {
  const ran = spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 1 << 30,
    timeout: MOST_MILLISECONDS,
    env: { PATH: "/nonexistent", HOME: home, HTTPS_PROXY: "http://127.0.0.1:9", HTTP_PROXY: "http://127.0.0.1:9" },
  });
  if (ran.status !== 0) throw new Error((ran.stderr || String(ran.error ?? ran.signal)).trim().split("\n").at(-1));
  return ran.stdout;
}

/** A renderer of roots; what has the same content is rendered once. */
export function renderer({ kustomize, helm, home }) {
  const kept = new Map();
  mkdirSync(home, { recursive: true });
  return (revision, root, plain) => {
    const key = [root.kind, root.folder, root.key, ...(root.kind === "files" ? plain : [])].join(" ");
    if (!kept.has(key)) {
      try {
        const { stream, missing } = text(revision, root, plain);
        kept.set(key, { objects: objectsOf(stream), missing });
      } catch (cause) {
        kept.set(key, { objects: [], error: cause.message });
      }
    }
    return kept.get(key);
  };

  function text(revision, root, plain) {
    const folder = join(revision.tree, root.folder);
    if (root.kind === "files") return { stream: plain.map((path) => revision.read(path)).join("\n---\n") };
    if (root.kind === "plain") return { stream: fluxFolder(revision, root.folder) };
    if (root.kind === "kustomize") return { stream: built(revision, folder, root.isFlux) };
    const { release, namespace, files, inline, set } = root.helm;
    const values = files.flatMap((path) => ["-f", join(revision.tree, path)]);
    if (inline !== "") {
      writeFileSync(join(home, "values.yaml"), inline);
      values.push("-f", join(home, "values.yaml"));
    }
    const args = ["template", release, folder, "-n", namespace, "--skip-schema-validation", ...values];
    const template = () => run(helm, [...args, ...set.flatMap((one) => ["--set", one])], folder, home);
    const charts = missingCharts.get(revision) ?? missingCharts.set(revision, new Map()).get(revision);
    try {
      if (!charts.has(root.folder)) return { stream: template() };
    } catch (cause) {
      if (!/dependenc/u.test(cause.message)) throw cause;
      charts.set(root.folder, withoutDependencies(folder, files.length === 0 && inline === "" && set.length === 0));
    }
    const missing = [charts.get(root.folder), ...files.map((path) => yamlOf(join(revision.tree, path))), inline];
    return { stream: template(), missing: JSON.stringify(missing) };
  }

  /**
   * Removes the dependencies of a chart if one is not in its folder; what they and the values are decides the rest. Without
   * values from elsewhere, those that the chart itself turns off are none.
   */
  function withoutDependencies(folder, isAlone) {
    const chart = yamlOf(join(folder, "Chart.yaml"));
    const { dependencies, ...rest } = chart;
    writeFileSync(join(folder, "Chart.yaml"), stringify({ name: rest.name, version: rest.version, apiVersion: "v2" }));
    rmSync(join(folder, "Chart.lock"), { force: true });
    const file = join(folder, "values.yaml");
    const values = existsSync(file) ? yamlOf(file) : undefined;
    const isElsewhere = ({ name }) => !existsSync(join(folder, "charts", name));
    return [dependencies?.filter((one) => isElsewhere(one) && !(isAlone && isOff(one, values))), values];
  }

  /** Flux has no restriction of files. */
  function built(revision, folder, isFlux) {
    withoutRemote(revision);
    const restrictor = isFlux ? "LoadRestrictionsNone" : "LoadRestrictionsRootOnly";
    return run(
      kustomize,
      ["build", folder, "--load-restrictor", restrictor, "--enable-helm", "--helm-command", helm],
      folder,
      home,
    );
  }

  /** As kustomize-controller reads a folder without a kustomization: its manifests, and kustomizations below it as a whole. */
  function fluxFolder(revision, folder) {
    const files = below(revision, folder);
    const inner = files
      .filter((path) => /\/(?:kustomization\.ya?ml|Kustomization)$/u.test(path))
      .map((path) => path.slice(0, path.lastIndexOf("/")));
    const outer = inner.filter((one) => !inner.some((other) => other !== one && one.startsWith(`${other}/`)));
    const plain = files.filter((path) => /\.ya?ml$/u.test(path) && !outer.some((one) => path.startsWith(`${one}/`)));
    return [
      ...plain.map((path) => revision.read(path)),
      ...outer.map((one) => built(revision, join(revision.tree, one), true)),
    ].join("\n---\n");
  }
}

/** Whether a value turns a dependency off: the first path of its condition that has one decides. */
function isOff({ condition = "" }, values) {
  const found = condition.split(",").map((path) => path.split(".").reduce((at, key) => at?.[key], values));
  return found.find((value) => typeof value === "boolean") === false;
}

const yamlOf = (file) => parse(readFileSync(file, "utf8"), { uniqueKeys: false, logLevel: "silent" });

/** Charts of a checkout whose dependencies are elsewhere: these, and the values. */
const missingCharts = new WeakMap();
const stripped = new WeakSet();

/** Removes what kustomizations of a checkout fetch or decrypt: a reviewer without a network compares the rest. */
function withoutRemote(revision) {
  if (stripped.has(revision)) return;
  stripped.add(revision);
  for (const path of revision.sorted) {
    if (!/(?:^|\/)(?:kustomization\.ya?ml|Kustomization)$/u.test(path)) continue;
    const file = join(revision.tree, path);
    const document = parseDocument(readFileSync(file, "utf8"), { uniqueKeys: false, logLevel: "silent" });
    if (document.errors.length > 0) continue;
    let isChanged = false;
    for (const field of ["resources", "bases", "components", "generators", "transformers"]) {
      const list = document.get(field);
      if (!Array.isArray(list?.items)) continue;
      const here = list.items.filter(({ value }) => isHere(file, String(value), field));
      isChanged ||= here.length < list.items.length;
      list.items = here;
    }
    if (isChanged) writeFileSync(file, document.toString());
  }
}

function isHere(file, entry, field) {
  const path = join(file, "..", entry);
  if (/:\/\/|^github\.com|^git@|\?ref=/u.test(entry)) return false;
  if (field === "generators") return existsSync(path) && !/ksops|sops/iu.test(readFileSync(path, "utf8"));
  return true;
}

/** The objects of a stream that matter here. */
function objectsOf(text) {
  return text
    .split(/^---.*$/mu)
    .filter((one) => READ.test(one))
    .flatMap((one) => parseAllDocuments(one, { uniqueKeys: false, logLevel: "silent" }))
    .filter(({ errors }) => errors.length === 0)
    .map((one) => one.toJS({ maxAliasCount: -1 }))
    .filter((one) => one?.metadata?.name !== undefined && one.apiVersion !== undefined)
    .map(read);
}

const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key])]),
        )
      : value;

function read({ apiVersion, kind, metadata, spec, data, stringData, binaryData }) {
  const object = {
    kind,
    apiVersion,
    name: String(metadata.name),
    namespace: metadata.namespace ?? "",
    isHook: isHook(metadata),
    isWatched: isWatched(metadata),
  };
  if (kind === "Service") return { ...object, selector: spec?.selector };
  if (kind === "ConfigMap" || kind === "Secret")
    return { ...object, data: digests({ ...binaryData, ...data, ...stringData }) };
  if (!WORKLOADS.includes(kind)) return object;
  const template =
    kind === "Pod" ? { metadata, spec } : kind === "CronJob" ? spec?.jobTemplate?.spec?.template : spec?.template;
  return {
    ...object,
    isWorkload: true,
    labels: template?.metadata?.labels ?? {},
    template: JSON.stringify(sorted(withPullPolicies(template ?? null))),
    fixed: JSON.stringify(sorted(FIXED.map((field) => spec?.[field]))),
    replicas: spec?.replicas,
    references: references(template?.spec),
  };
}

/** A pod template with the pull policies that the API server writes where there is none (pkg/apis/core/v1/defaults.go). */
function withPullPolicies(template) {
  const filled = (container) => {
    const [name, digest] = String(container?.image).split("@");
    const tag = /:([^/]*)$/u.exec(name)?.[1] ?? (digest === undefined ? "latest" : "");
    return { imagePullPolicy: tag === "latest" ? "Always" : "IfNotPresent", ...container };
  };
  if (!Array.isArray(template?.spec?.containers)) return template;
  return { ...template, spec: { ...template.spec, containers: template.spec.containers.map(filled) } };
}

/** Fields that the API server lets nobody change. */
const FIXED = ["selector", "serviceName", "podManagementPolicy"];

/** A digest of each key: no Secret's value is kept. */
const digests = (data) =>
  Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, createHash("sha256").update(JSON.stringify(value)).digest("hex")]),
  );

/** Stakater's Reloader restarts its pods. Only the annotations that name no source count here. */
const isWatched = ({ annotations = {} }) =>
  ["reloader", "configmap.reloader", "secret.reloader"].some(
    (who) => annotations?.[`${who}.stakater.com/auto`] === "true",
  );

const isHook = ({ annotations = {} }) =>
  Object.keys(annotations ?? {}).some((key) => key === "helm.sh/hook" || key === "argocd.argoproj.io/hook");

/** What a pod reads; it cannot start without what is not optional. */
function references(pod) {
  const found = [];
  const add = (kind, name, key, optional) => {
    if (typeof name === "string") found.push({ kind, name, key, isOptional: optional === true });
  };
  for (const container of [...(pod?.containers ?? []), ...(pod?.initContainers ?? [])]) {
    for (const { valueFrom } of container?.env ?? []) {
      const [map, secret] = [valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef];
      add("ConfigMap", map?.name, map?.key, map?.optional);
      add("Secret", secret?.name, secret?.key, secret?.optional);
    }
    for (const { configMapRef, secretRef } of container?.envFrom ?? []) {
      add("ConfigMap", configMapRef?.name, undefined, configMapRef?.optional);
      add("Secret", secretRef?.name, undefined, secretRef?.optional);
    }
  }
  for (const volume of pod?.volumes ?? []) {
    for (const source of [volume, ...(volume?.projected?.sources ?? [])]) {
      const map = source?.configMap;
      add("ConfigMap", map?.name, undefined, map?.optional);
      for (const { key } of map?.items ?? []) add("ConfigMap", map.name, key, map.optional);
      const secret = source?.secret;
      add("Secret", secret?.secretName ?? secret?.name, undefined, secret?.optional);
    }
  }
  return found;
}
