// One chart in one cluster by one Helm, with rollstamp as the post-renderer: installed, upgraded, taken away again.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { run } from "./hosts.mjs";
import { findExisting, heldAgainstLive, idOf, stampsOf, stateOf, workloadsIn } from "./live.mjs";
import { contentOf, objectsOf, sourcesOf, workloadsOf } from "./walker.mjs";

const RELEASE = "release";
/** How often missing prerequisites of a chart are created before the installation is tried again. */
const MOST_TRIES = 6;
const CONFIG = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata: { name: stamp }
spec: { checksums: Remove, versionLabels: Remove }
`;

/** What Helm says of a kind that the cluster doesn't serve, and of a namespace that is not there. */
const NO_KIND = /no matches for kind "(\w+)" in version "([\w.-]+)\/([\w.-]+)"/gu;
const NO_NAMESPACE = /namespaces "([\w-]+)" not found/gu;

/**
 * Tries one chart. `host` is { name, helm, env, postRenderer, cluster, kubectl, program, folder }. Gives { left } where it
 * doesn't install without rollstamp either, else { wrong: [], … }: what is wrong, and what was seen.
 */
export async function tryRelease({ sides, values }, name, host) {
  const namespace = `c-${name}`.slice(0, 60);
  const scratch = join(host.folder, namespace);
  mkdirSync(scratch, { recursive: true });
  const config = join(scratch, "rollstamp.yaml");
  writeFileSync(config, CONFIG);
  const place = {
    host,
    namespace,
    scratch,
    config,
    env: { ...host.env, HELM_NAMESPACE: namespace, ROLLSTAMP_CONFIG: config },
  };
  try {
    const result = await releaseIn(place, sides);
    return { ...result, values };
  } finally {
    await clean(place);
  }
}

const errorOf = ({ stderr, status }) => {
  const lines = stderr.split("\n").map((line) => line.trim());
  const index = lines.findIndex((line) => line.startsWith("Error:"));
  const found = index === -1 ? lines.findLast((line) => line !== "") : lines.slice(index).filter(Boolean).join(" ");
  return (found ?? `status ${status}`).slice(0, 400);
};

const valuesArgs = ({ files }) => files.flatMap((file) => ["--values", file]);

function helm({ host, namespace, env }, verb, ...args) {
  return run(host.helm, [...verb, ...args, "--namespace", namespace], { env });
}

async function kubectl({ host, env }, ...args) {
  return run("kubectl", [...args, "--kubeconfig", env.KUBECONFIG, "--cache-dir", join(host.folder, "kube-cache")], {
    env,
  });
}

/** Makes what a chart takes for granted: other operators' kinds, which take anything, and namespaces. */
async function grant(place, message, granted) {
  const before = granted.size;
  for (const [, kind, group, version] of message.matchAll(NO_KIND)) {
    if (granted.has(`${kind}.${group}`)) continue;
    granted.add(`${kind}.${group}`);
    const file = join(place.scratch, `${kind}.json`);
    const plural = `${kind.toLowerCase().replace(/y$/u, "ie")}s`;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    const spec = {
      group,
      scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced",
      names: { kind, plural },
      versions: [{ name: version, served: true, storage: true, schema }],
    };
    const metadata = {
      name: `${plural}.${group}`,
      // The API server guards what is named as Kubernetes' own.
      annotations: { "api-approved.kubernetes.io": "unapproved, a stand-in" },
    };
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata, spec }),
    );
    await kubectl(place, "apply", "-f", file);
    await kubectl(place, "wait", "--for=condition=Established", `crd/${plural}.${group}`, "--timeout=20s");
  }
  for (const [, name] of message.matchAll(NO_NAMESPACE)) {
    if (granted.has(`namespace ${name}`)) continue;
    granted.add(`namespace ${name}`);
    await kubectl(place, "create", "namespace", name);
  }
  return granted.size > before;
}

const POST = (host) => ["--post-renderer", host.postRenderer];
const COMMON = ["--skip-schema-validation", "--timeout", "60s"];

/** Installs a chart, and makes what it lacks of others; undefined where it went well, else Helm's words. */
async function install(place, side, post, granted) {
  for (let tries = 1; ; tries++) {
    const done = await helm(
      place,
      ["install", RELEASE, side.folder, "--create-namespace", ...COMMON],
      ...valuesArgs(side),
      ...post,
    );
    if (done.status === 0) return undefined;
    await helm(place, ["uninstall", RELEASE, "--ignore-not-found", "--no-hooks"]);
    await untilNamespacesAreGone(place);
    if (tries === MOST_TRIES || !(await grant(place, done.stderr, granted))) return errorOf(done);
  }
}

/** What rollstamp makes of `helm template`, asked of the same cluster. */
async function templates(place, side, isUpgrade) {
  // Helm 3 sends no hooks, and asks the API server for its API versions only with --validate. Helm 4 reformats the input of
  // a post-renderer, and removes the line break at the end of a template.
  const hostArgs = place.host.name === "Helm 3" ? ["--no-hooks", "--validate"] : ["--post-renderer", "same"];
  const args = [
    "template",
    RELEASE,
    side.folder,
    "--dry-run=server",
    "--skip-schema-validation",
    ...hostArgs,
    ...(isUpgrade ? ["--is-upgrade"] : []),
  ];
  const rendered = () => helm(place, args, ...valuesArgs(side));
  const first = await rendered();
  if (first.status !== 0) return { why: errorOf(first) };
  const stamped = await run(process.execPath, [place.host.program], { input: first.stdout, env: place.env });
  if (stamped.status !== 0) return { why: errorOf(stamped) };
  const expected = new Map();
  for (const { object } of objectsOf(stamped.stdout)) {
    const template = object.kind === "CronJob" ? object.spec?.jobTemplate?.spec?.template : object.spec?.template;
    if (template?.spec !== undefined)
      expected.set(
        idOf({
          kind: object.kind,
          namespace: object.metadata.namespace ?? place.namespace,
          name: object.metadata.name,
        }),
        stampsOf(template),
      );
  }
  return { expected, isRandom: async () => isOther(first.stdout, (await rendered()).stdout) };
}

/** Whether two renderings of one revision differ in what pods see: some charts generate a new password each time. */
function isOther(...texts) {
  const [x, y] = texts
    .map((text) => objectsOf(text))
    .map((objects) => ({ rows: workloadsOf(objects), sources: sourcesOf(objects) }));
  return [...x.rows].some(([id, { object }]) => {
    const other = y.rows.get(id)?.object;
    return (
      !isDeepStrictEqual(object.spec.template, other?.spec.template) ||
      !isDeepStrictEqual(contentOf(object.spec.template, x.sources), contentOf(other.spec.template, y.sources))
    );
  });
}

/** What is wrong with the stamps of what runs. */
async function stampsAre(place, side, state, isUpgrade) {
  const wrong = [];
  const live = await heldAgainstLive(place.host.cluster.api, state);
  wrong.push(...live.wrong);
  const { expected, isRandom, why } = await templates(place, side, isUpgrade);
  if (why !== undefined) wrong.push(`helm template: ${why}`);
  const differ = [...state].filter(
    ([id, { template }]) => !isDeepStrictEqual(stampsOf(template), expected?.get(id) ?? {}),
  );
  const random = why === undefined && differ.length > 0 && (await isRandom());
  if (why === undefined && !random) wrong.push(...differ.map(([id]) => `${id}: other stamps than of helm template`));
  return { wrong, right: live.right, other: live.other, isRandom: random };
}

const manifestOf = async (place, revision) =>
  (await helm(place, ["get", "manifest", RELEASE, ...(revision === undefined ? [] : ["--revision", String(revision)])]))
    .stdout;

async function planOf(place, before, after) {
  const files = [before, after].map((text, i) => {
    const file = join(place.scratch, `manifest-${i}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  const config = join(place.scratch, "plan.yaml");
  writeFileSync(config, CONFIG.replace("spec: {", `spec: { defaultNamespace: ${place.namespace},`));
  const options = ["--allow-empty", "--all", "-o", "json", "--config", config];
  const { stdout, stderr } = await run(process.execPath, [place.host.program, "plan", ...options, ...files], {
    env: place.env,
  });
  try {
    const { workloads } = JSON.parse(stdout);
    return new Map(workloads.map((row) => [idOf(row), row.action]));
  } catch {
    throw new Error(`plan: ${stderr.trim().slice(0, 300)}`);
  }
}

async function releaseIn(place, sides) {
  const { api } = place.host.cluster;
  const post = POST(place.host);
  const granted = new Set();
  const refused = await install(place, sides[0], post, granted);
  if (refused !== undefined) {
    const without = await install(place, sides[0], [], granted);
    return without === undefined
      ? { wrong: [`install: ${refused}`] }
      : { left: `it doesn't install without the post-renderer either: ${without}` };
  }
  const wrong = [];
  const manifests = [await manifestOf(place)];
  const installed = await stateOf(api, workloadsIn(manifests[0], place.namespace));
  const first = await stampsAre(place, sides[0], installed, false);
  wrong.push(...first.wrong.map((text) => `installed: ${text}`));

  const seen = {
    granted: [...granted],
    workloads: installed.size,
    stamps: first.right + first.other.length,
    other: first.other,
  };
  const upgrade = await upgradeIn(place, sides[1], granted);
  if (upgrade.left !== undefined) return { ...seen, wrong, left: upgrade.left };
  manifests.push(await manifestOf(place, upgrade.revision));
  const planned = await planOf(place, ...manifests);
  if (upgrade.refused !== undefined) {
    const fails = [...planned].filter(([, action]) => action === "Fail").map(([id]) => id);
    if (!(await isRefusedWithout(place, sides, granted))) wrong.push(`upgrade: ${upgrade.refused}`);
    return { ...seen, wrong, refused: upgrade.refused, predicted: fails };
  }
  const upgraded = await stateOf(api, workloadsIn(manifests[1], place.namespace));
  const second = await stampsAre(place, sides[1], upgraded, true);
  wrong.push(...second.wrong.map((text) => `upgraded: ${text}`));
  const rolls = rolled(installed, upgraded);
  for (const [id, did] of rolls) {
    const action = planned.get(id) ?? "nothing";
    if (action === "nothing") wrong.push(`${id} is not in the plan`);
    if (did && action === "None") wrong.push(`${id} rolled, and the plan says that it doesn't`);
    if (!did && action === "Roll") wrong.push(`${id} didn't roll, and the plan says that it does`);
  }
  const count = (test) => [...rolls].filter(test).length;
  const before = workloadsIn(manifests[1], place.namespace);
  const gone = await helm(place, ["uninstall", RELEASE, "--timeout", "60s"]);
  const notes = [];
  if (gone.status !== 0) {
    // Hooks that wait for what their image does, and no image runs.
    notes.push(`uninstalled without its hooks: ${errorOf(gone)}`);
    const without = await helm(place, ["uninstall", RELEASE, "--no-hooks", "--ignore-not-found"]);
    if (without.status !== 0) wrong.push(`uninstall: ${errorOf(without)}`);
  }
  const stays = await findExisting(api, before);
  if (stays.length > 0) wrong.push(`after the uninstallation there is still ${stays.join(", ")}`);
  return {
    ...seen,
    granted: [...granted],
    stamps: second.right + second.other.length,
    right: second.right,
    other: second.other,
    isRandom: first.isRandom || second.isRandom,
    workloads: upgraded.size,
    rolled: count(([, did]) => did),
    stood: count(([, did]) => !did),
    notes,
    wrong,
  };
}

/** For each workload that exists before and after: whether it rolled out. */
function rolled(before, after) {
  const rows = [...after].filter(([id, { uid, row }]) => before.get(id)?.uid === uid && row.kind !== "CronJob");
  return new Map(rows.map(([id, { revision }]) => [id, before.get(id).revision !== revision]));
}

async function upgradeIn(place, side, granted) {
  for (let tries = 1; ; tries++) {
    const done = await helm(
      place,
      ["upgrade", RELEASE, side.folder, ...COMMON],
      ...valuesArgs(side),
      ...POST(place.host),
    );
    const { stdout } = await helm(place, ["history", RELEASE, "-o", "json"]);
    const last = JSON.parse(stdout).at(-1);
    if (done.status === 0) {
      if (last.status !== "deployed") return { revision: last.revision, refused: `the release is ${last.status}` };
      return { revision: last.revision };
    }
    if (tries < MOST_TRIES && (await grant(place, done.stderr, granted))) continue;
    return { revision: last.revision, refused: errorOf(done) };
  }
}

/** Whether the same upgrade is refused without the post-renderer. */
async function isRefusedWithout(place, sides, granted) {
  await helm(place, ["uninstall", RELEASE, "--no-hooks"]);
  if ((await install(place, sides[0], [], granted)) !== undefined) return true;
  return (await helm(place, ["upgrade", RELEASE, sides[1].folder, ...COMMON], ...valuesArgs(sides[1]))).status !== 0;
}

/** A chart may make a namespace: while that goes, nothing can be made in it. */
async function untilNamespacesAreGone({ host: { cluster } }) {
  for (let tries = 0; tries < 100; tries++) {
    const { items } = await cluster.api.get("/api/v1/namespaces");
    if (items.every(({ metadata }) => metadata.deletionTimestamp === undefined)) return;
    await sleep(200);
  }
}

const LEFT = [
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
  "/apis/apiregistration.k8s.io/v1/apiservices",
  "/api/v1/namespaces",
  "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
];

/** Takes away what a release leaves: the next one is to find an empty cluster. */
async function clean(place) {
  const { stdout } = await helm(place, ["list", "--all", "-q"]);
  if (stdout.trim() !== "") await helm(place, ["uninstall", RELEASE, "--ignore-not-found", "--no-hooks"]);
  for (const path of LEFT) {
    const { items } = await place.host.cluster.api.get(path);
    const names = items
      .filter(({ spec }) => !path.endsWith("apiservices") || spec.service !== undefined)
      .map(({ metadata }) => metadata.name)
      .filter((name) => !path.endsWith("namespaces") || !/^(?:default|kube-.*)$/u.test(name));
    const wait = path.endsWith("customresourcedefinitions") ? "--timeout=30s" : "--wait=false";
    if (names.length > 0) await kubectl(place, "delete", path.split("/").at(-1), ...names, wait);
  }
}
