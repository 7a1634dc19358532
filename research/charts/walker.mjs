// What pods see of a rendering, worked out again: the measure of upgrades asks it whether a rollout was needed. It shares no
// code with rollstamp.
import { isDeepStrictEqual } from "node:util";
import { parseAllDocuments } from "yaml";

const ROLLED = new Set(["Deployment", "StatefulSet", "DaemonSet"]);
const STAMP = /^(?:(?:configmap|secret|secretproviderclass)\.rollstamp\.dev\/|rollstamp\.dev\/config-hash$)/u;
const VERSION_LABELS = new Set(["helm.sh/chart", "chart", "app.kubernetes.io/version"]);
const DIGEST = /^[0-9a-f]{32,64}$/iu;

/** The objects of a rendering, each with the template that Helm says it is from. */
export function objectsOf(text) {
  const objects = [];
  for (const part of text.split(/^---[ \t]*$/mu)) {
    const source = /^# Source: (.+)$/mu.exec(part)?.[1] ?? "";
    for (const document of parseAllDocuments(part, { logLevel: "silent", uniqueKeys: false })) {
      const value = document.toJS({ maxAliasCount: -1 });
      if (value === null || typeof value !== "object") continue;
      const inner = Array.isArray(value.items) && (value.kind ?? "").endsWith("List") ? value.items : [value];
      for (const object of inner) if (typeof object === "object" && object !== null) objects.push({ object, source });
    }
  }
  return objects;
}

const namespaceOf = ({ metadata }) => metadata?.namespace ?? "";
const idOf = (object) => `${object.kind} ${namespaceOf(object)}/${object.metadata?.name}`;

/** The workloads that roll, by their names. */
export function workloadsOf(objects) {
  const hooks = ({ object }) => object.metadata?.annotations?.["helm.sh/hook"] === undefined;
  const rows = objects.filter(({ object }) => ROLLED.has(object.kind) && object.spec?.template?.spec !== undefined);
  return new Map(rows.filter(hooks).map((row) => [idOf(row.object), row]));
}

/** ConfigMaps and Secrets by kind and name: their content as bytes. */
export function sourcesOf(objects) {
  const sources = new Map();
  for (const { object, source } of objects) {
    if (object.kind !== "ConfigMap" && object.kind !== "Secret") continue;
    const entries = new Map();
    for (const [key, value] of Object.entries(object.data ?? {}))
      entries.set(
        key,
        object.kind === "Secret" ? Buffer.from(String(value), "base64").toString("latin1") : String(value),
      );
    for (const [key, value] of Object.entries(object.binaryData ?? {}))
      entries.set(key, Buffer.from(String(value), "base64").toString("latin1"));
    for (const [key, value] of Object.entries(object.stringData ?? {}))
      entries.set(key, Buffer.from(String(value), "utf8").toString("latin1"));
    sources.set(`${object.kind} ${object.metadata?.name}`, { entries, source });
  }
  return sources;
}

/** Which keys of which sources a pod spec shows: "*" for all. */
export function seenBy(spec) {
  const seen = new Map();
  const see = (kind, name, keys) => {
    if (name === undefined || name === "") return;
    const id = `${kind} ${name}`;
    const known = seen.get(id);
    if (known === "*" || keys === "*") seen.set(id, "*");
    else seen.set(id, new Set([...(known ?? []), ...keys]));
  };
  const containers = ["initContainers", "containers", "ephemeralContainers"].flatMap((list) => spec[list] ?? []);
  for (const { env, envFrom } of containers) {
    for (const { valueFrom } of env ?? []) {
      const [map, secret] = [valueFrom?.configMapKeyRef, valueFrom?.secretKeyRef];
      if (map) see("ConfigMap", map.name, [map.key]);
      if (secret) see("Secret", secret.name, [secret.key]);
    }
    for (const { configMapRef, secretRef } of envFrom ?? []) {
      see("ConfigMap", configMapRef?.name, "*");
      see("Secret", secretRef?.name, "*");
    }
  }
  for (const volume of spec.volumes ?? []) {
    const mounts = containers
      .flatMap(({ volumeMounts }) => volumeMounts ?? [])
      .filter(({ name }) => name === volume.name);
    const parts = mounts.map(({ subPath }) => subPath ?? "");
    const isParts = mounts.length > 0 && parts.every((part) => part !== "");
    const shown = (items) => {
      const all = items?.map(({ key, path }) => ({ key, path }));
      if (!isParts) return all === undefined ? "*" : all.map(({ key }) => key);
      if (all === undefined) return parts.map((part) => part.split("/")[0]);
      return all
        .filter(({ path }) => parts.some((part) => path === part || path.startsWith(`${part}/`)))
        .map(({ key }) => key);
    };
    if (volume.configMap) see("ConfigMap", volume.configMap.name, shown(volume.configMap.items));
    if (volume.secret) see("Secret", volume.secret.secretName, shown(volume.secret.items));
    for (const { configMap, secret } of volume.projected?.sources ?? []) {
      if (configMap) see("ConfigMap", configMap.name, shown(configMap.items));
      if (secret) see("Secret", secret.name, shown(secret.items));
    }
  }
  return seen;
}

/** The content that a pod template shows. */
export function contentOf(template, sources) {
  return [...seenBy(template.spec)]
    .map(([id, keys]) => {
      const entries = [...(sources.get(id)?.entries ?? [])].filter(([key]) => keys === "*" || keys.has(key));
      return [id, entries.sort(([a], [b]) => (a < b ? -1 : 1))];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** True for what a chart writes to make pods roll, whatever it calls it. */
export function isMark(key, value) {
  return /checksum/iu.test(key) || DIGEST.test(String(value)) || key === "rollme";
}

/** A pod template without what makes no other pods: checksums, and labels that hold a version of the chart. */
export function functional(template, versions) {
  const { annotations = {}, labels = {}, ...metadata } = template.metadata ?? {};
  const keptAnnotations = Object.entries(annotations ?? {}).filter(
    ([key, value]) => !isMark(key, value) && !STAMP.test(key),
  );
  const kept = Object.entries(labels ?? {}).filter(
    ([key, value]) =>
      !VERSION_LABELS.has(key) && !versions.some((version) => version !== "" && String(value).includes(version)),
  );
  return {
    ...template,
    metadata: { ...metadata, annotations: Object.fromEntries(keptAnnotations), labels: Object.fromEntries(kept) },
  };
}

/** The paths of the metadata by which two pod templates differ, and `spec` where that does. */
export function differences(a, b) {
  const paths = isDeepStrictEqual(a.spec, b.spec) ? [] : ["spec"];
  for (const map of ["annotations", "labels"]) {
    const [had, has] = [a.metadata?.[map] ?? {}, b.metadata?.[map] ?? {}];
    for (const key of new Set([...Object.keys(had), ...Object.keys(has)]))
      if (!isDeepStrictEqual(had[key], has[key])) paths.push(`${map}[${key}]`);
  }
  return paths;
}

/** Undefined where two renderings are the same but for stamps that came and marks that went; else what differs. */
export function other(before, after) {
  if (before.length !== after.length) return "another number of objects";
  for (const [i, { object }] of before.entries()) {
    const part = part2(object, after[i].object, []);
    if (part !== undefined) return `${idOf(object)}: ${part}`;
  }
  return undefined;
}

function part2(had, has, path) {
  if (isDeepStrictEqual(had, has)) return undefined;
  const step = path.at(-1);
  const map = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  if (step === "annotations" || step === "labels" || step === "metadata") {
    const [a, b] = [had ?? {}, has ?? {}];
    if (!map(a) || !map(b)) return path.join(".");
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      if (step === "metadata" && (key === "annotations" || key === "labels")) {
        const inner = part2(a[key], b[key], [...path, key]);
        if (inner !== undefined) return inner;
      } else if (!isDeepStrictEqual(a[key], b[key])) {
        const went =
          !(key in b) && (step === "labels" ? VERSION_LABELS.has(key) : step === "annotations" && isMark(key, a[key]));
        const came = !(key in a) && step === "annotations" && STAMP.test(key);
        if (!went && !came) return [...path, key].join(".");
      }
    }
    return undefined;
  }
  if (Array.isArray(had) && Array.isArray(has) && had.length === has.length) {
    for (const [i, each] of had.entries()) {
      const inner = part2(each, has[i], [...path, String(i)]);
      if (inner !== undefined) return inner;
    }
    return undefined;
  }
  if (!map(had) || !map(has)) return path.join(".");
  for (const key of new Set([...Object.keys(had), ...Object.keys(has)])) {
    const inner = part2(had[key], has[key], [...path, key]);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
