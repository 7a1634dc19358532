import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fieldAt, listAt, textAt } from "../../e2e/fields.ts";
import { inRoot } from "../../support/paths.ts";
import { withFakeApi, type FakeApi } from "./fake-api.ts";
import { CUSTOM, EARLY, LAST, LATER, live, objects, stamped } from "./live.ts";

const schema: object = JSON.parse(readFileSync(inRoot("schemas/status.json"), "utf8"));
const meetsSchema = new Ajv2020().compile(schema);

const deployment = (name: string, env: string): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec: {template: {spec: {containers: [{name: app, image: a, ${env}}]}}}
`;
const configMap = (name: string, data: string): string => `---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
data: ${data}
`;
const secret = (name: string, data: string): string => `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}}
data: ${data}
`;
const envFrom = (name: string): string => `envFrom: [{configMapRef: {name: ${name}}}]`;
const secretFrom = (name: string): string => `envFrom: [{secretRef: {name: ${name}}}]`;

interface Look extends Partial<FakeApi> {
  readonly environment?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

async function look(lists: FakeApi["lists"], { environment = {}, args = [], ...api }: Look = {}): Promise<unknown> {
  const run = { args: ["status", "-o", "json", "--all", ...args], world: { environment } };
  const { status, stdout, stderr } = await withFakeApi({ lists, ...api }, run);
  assert.equal(status, 0, stderr);
  const report: unknown = JSON.parse(stdout);
  assert.ok(meetsSchema(report), JSON.stringify(meetsSchema.errors));
  return report;
}

function state(report: unknown, name = "web"): unknown {
  return fieldAt(
    listAt(report, "workloads").find((one) => textAt(one, "name") === name),
    "state",
  );
}

const firstSource = (report: unknown): unknown => listAt(listAt(report, "workloads")[0], "sources")[0];

/** Looks at manifests as they were stamped, and at the same with another content. */
async function both(
  manifests: string,
  from: string,
  to: string,
  config = "",
  environment = {},
): Promise<readonly unknown[]> {
  const text = await stamped(manifests, environment, config);
  assert.ok(text.includes(from));
  const before = await look(live(objects(text)), { environment });
  const after = await look(live(objects(text.replaceAll(from, to)), { written: LATER }), { environment });
  return [state(before), state(after)];
}

describe("status compares stamps", () => {
  const plain = configMap("env", "{LEVEL: info}") + deployment("web", envFrom("env"));

  for (const config of ["", "layout: Combined", "granularity: Object", "{layout: Combined, granularity: Object}"]) {
    it(`without access to the configuration: ${config || "defaults"}`, async () => {
      assert.deepEqual(await both(plain, "info", "debug", config), ["Current", "Stale"]);
    });
  }

  for (const [layout, key] of [
    ["PerSource", "configmap.rollstamp.dev/env"],
    ["Combined", "rollstamp.dev/config-hash"],
  ] as const) {
    it(`treats what waits for the current content as waiting: ${layout}`, async () => {
      const config = `layout: ${layout}`;
      const digestOf = async (text: string): Promise<string> =>
        /h1-[0-9a-f]{40}/u.exec(await stamped(text, {}, config))?.[0] ?? "";
      const waits = async (digest: string, isStamped = true): Promise<unknown> => {
        const text = isStamped ? await stamped(plain, {}, config) : plain;
        const marked = text
          .replaceAll("info", "debug")
          .replace(
            '"metadata":{"name":"web"',
            `"metadata":{"annotations":{"rollstamp.dev/waiting":"${key}=${digest}"},"name":"web"`,
          )
          .replace(
            "metadata: {name: web",
            `metadata: {annotations: {rollstamp.dev/waiting: "${key}=${digest}"}, name: web`,
          );
        assert.ok(marked.includes("rollstamp.dev/waiting"), marked);
        return look(live(objects(marked), { written: LATER }), { args: isRight(digest) ? ["--check"] : [] });
      };
      const right = await digestOf(plain.replaceAll("info", "debug"));
      const isRight = (digest: string): boolean => digest === right;
      const waiting = await waits(right);
      assert.equal(state(waiting), "Waiting");
      assert.equal(fieldAt(waiting, "summary", "stalePods"), 0, "--check has nothing to tell");
      assert.equal(fieldAt(waiting, "summary", "waiting"), 1);
      assert.equal(fieldAt(firstSource(waiting), "state"), "Waiting");
      assert.equal(state(await waits(await digestOf(plain))), "Stale", "it waits for something else");
      assert.equal(state(await waits(right, false)), "Waiting", "a first stamp");
    });
  }

  it("with keyed stamps, given the key", async () => {
    const manifests = secret("login", "{pass: b25l}") + deployment("web", secretFrom("login"));
    for (const layout of ["PerSource", "Combined"]) {
      const config = `{secrets: Keyed, layout: ${layout}}`;
      const environment = { ROLLSTAMP_HMAC_KEY: "k" };
      assert.deepEqual(await both(manifests, "b25l", "dHdv", config, environment), ["Current", "Stale"], layout);
      const keyless = await look(live(objects(await stamped(manifests, environment, config))));
      assert.equal(state(keyless), "Unknown");
      assert.match(textAt(firstSource(keyless), "because"), /ROLLSTAMP_HMAC_KEY/u);
    }
  });

  it("of content with characters that YAML does not allow", async () => {
    const odd = String.raw`{A: "\u2028 \u007f \u0085 \ufeff \ud83d\ude00 \t\n", "key.with-all_chars": "'\"#: "}`;
    assert.deepEqual(await both(configMap("env", odd) + deployment("web", envFrom("env")), "'", "`"), [
      "Current",
      "Stale",
    ]);
  });

  it("of templates whose sources kustomize has renamed", async () => {
    const written = await stamped(plain + configMap("env-more", "{A: b}"));
    // As kustomize leaves it: prefix and content hash on the object and in the reference, the stamp's key as it was.
    const renamed = written
      .replaceAll('"env"', '"prod-env-5gh7k2m9tc"')
      .replaceAll("name: env}", "name: prod-env-5gh7k2m9tc}");
    assert.notEqual(renamed, written);
    assert.equal(state(await look(live(objects(renamed)))), "Current");
    const edited = live(objects(renamed.replaceAll("info", "debug")), { written: LATER });
    assert.equal(state(await look(edited)), "Stale");
  });

  it("with the declaration that a Secret comes from, and sees that the Secret was rotated", async () => {
    const declaration = `---
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: login}
spec: {secretStoreRef: {name: s}, data: [{secretKey: pass, remoteRef: {key: k}}]}
`;
    const text = await stamped(declaration + deployment("web", secretFrom("login")));
    const made = [...objects(text), ...objects(secret("login", "{pass: b25l}"))];
    const api = { answers: CUSTOM };
    assert.equal(state(await look(live(made), api)), "Current");
    const rotated = await look(live(made, { pods: [EARLY, LAST], written: LATER }), api);
    assert.equal(state(rotated), "Stale");
    assert.equal(fieldAt(firstSource(rotated), "state"), "Rotated");
    assert.equal(fieldAt(firstSource(rotated), "stalePods"), 1);
    assert.equal(state(await look(live(made, { pods: [LAST], written: LATER }), api)), "Current");
  });

  it("of a template that a Rollout runs", async () => {
    const rollout = `---
apiVersion: argoproj.io/v1alpha1
kind: Rollout
metadata: {name: canary}
spec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
`;
    const text = (await stamped(plain + rollout)).replace("info", "debug");
    const all = objects(text);
    const report = await look(live(all, { pods: [EARLY, EARLY], written: LATER }), { answers: CUSTOM });
    assert.equal(state(report), "Stale");
    assert.equal(listAt(report, "workloads").length, 1);
  });

  it("of a kind that only another version of its group has than the preferred one", async () => {
    const cloneSet = `---
apiVersion: apps.kruise.io/v1alpha1
kind: CloneSet
metadata: {name: clones}
spec: {template: {spec: {containers: [{name: app, image: a, ${envFrom("env")}}]}}}
`;
    const resources = (name: string, kind: string): unknown => ({ resources: [{ name, kind, namespaced: true }] });
    const versions = ["v1beta1", "v1alpha1"].map((version) => ({ groupVersion: `apps.kruise.io/${version}` }));
    const answers = {
      "/apis": {
        groups: [
          { name: "apps", preferredVersion: { groupVersion: "apps/v1" } },
          { name: "apps.kruise.io", preferredVersion: versions[0], versions },
        ],
      },
      "/apis/apps.kruise.io/v1beta1": resources("statefulsets", "StatefulSet"),
      "/apis/apps.kruise.io/v1alpha1": resources("clonesets", "CloneSet"),
    };
    const lists = live(objects((await stamped(cloneSet + plain)).replace("info", "debug")), { written: LATER });
    assert.equal(state(await look(lists, { answers }), "clones"), "Stale");
  });

  it("by the pods that started before the content changed", async () => {
    const text = (await stamped(plain)).replace("info", "debug");
    const seen = async (...pods: string[]): Promise<unknown> => look(live(objects(text), { pods, written: LATER }));
    const some = await seen(EARLY, LAST);
    assert.equal(state(some), "Stale");
    assert.equal(fieldAt(some, "summary", "stalePods"), 1);
    assert.equal(state(await seen(LAST)), "Behind");
    assert.equal(state(await seen()), "Behind");
  });
});

describe("status reads", () => {
  it("page by page, and restarts a list that has expired", async () => {
    const maps = Array.from({ length: 120 }, (_, i) => configMap(`m${i}`, `{A: "${i}"}`)).join("");
    const webs = Array.from({ length: 120 }, (_, i) => deployment(`w${i}`, envFrom(`m${i}`))).join("");
    const lists = live(objects(await stamped(maps + webs)));
    const pages: string[] = [];
    let isOld = true;
    const report = await look(lists, {
      seen: ({ pathname, searchParams }) => {
        if (pathname.includes("/namespaces/")) assert.ok(Number(searchParams.get("limit")) > 0);
        if (pathname.endsWith("/configmaps"))
          pages.push(`${searchParams.get("limit")}+${searchParams.get("continue") ?? ""}`);
      },
      fault: (_, response, { searchParams }) => {
        if (searchParams.get("continue") !== "100" || !isOld) return false;
        isOld = false;
        response.writeHead(410).end("{}");
        return true;
      },
    });
    assert.deepEqual(pages, ["500+", "50+", "50+50", "50+100", "50+", "50+50", "50+100"]);
    assert.deepEqual(fieldAt(report, "summary", "workloads"), 120);
    assert.ok(listAt(report, "workloads").every((one) => fieldAt(one, "state") === "Current"));
  });

  it("each object once, where a list is restarted after its first page", async () => {
    const webs = Array.from({ length: 300 }, (_, i) => deployment(`w${i}`, envFrom("env"))).join("");
    const lists = live(objects(await stamped(configMap("env", "{A: b}") + webs)), { pods: [EARLY, EARLY] });
    const old = new Set(["deployments", "replicasets", "pods"]);
    const report = await look(lists, {
      fault: (_, response, { pathname, searchParams }) => {
        const isOld = searchParams.has("continue") && old.delete(pathname.split("/").at(-1) ?? "");
        if (isOld) response.writeHead(410).end("{}");
        return isOld;
      },
    });
    assert.deepEqual([...old], ["replicasets"], "300 of them are one page");
    assert.equal(fieldAt(report, "summary", "workloads"), 300);
    assert.ok(listAt(report, "workloads").every((one) => fieldAt(one, "pods", "total") === 2));
  });

  it("answers that are zipped", async () => {
    const lists = live(objects(await stamped(configMap("env", "{A: b}") + deployment("web", envFrom("env")))));
    const report = await look(lists, {
      fault: ({ headers }, response, { pathname }) => {
        if (!pathname.endsWith("/deployments")) return false;
        assert.equal(headers["accept-encoding"], "gzip");
        response.writeHead(200, { "Content-Encoding": "gzip" });
        response.end(gzipSync(JSON.stringify({ items: lists[pathname] })));
        return true;
      },
    });
    assert.equal(state(report), "Current");
  });

  it("no content of sources that no workload uses", async () => {
    const text = await stamped(deployment("web", "env: []"));
    const lists = live([...objects(text), ...objects(secret("unused", "{a: b25l}"))]);
    const accepts: unknown[] = [];
    await look(lists, {
      seen: ({ pathname }, { headers }) => pathname.endsWith("/secrets") && accepts.push(headers.accept),
    });
    assert.equal(accepts.length, 1);
    assert.match(String(accepts[0]), /PartialObjectMetadataList/u);
  });

  it("past an object with a wrong annotation, which it names", async () => {
    const good = await stamped(configMap("env", "{A: b}") + deployment("web", envFrom("env")));
    const bad = deployment("bad", envFrom("env")).replace(
      "{name: bad}",
      "{name: bad, annotations: {rollstamp.dev/stamp: perhaps}}",
    );
    const report = await look(live([...objects(good), ...objects(bad)]));
    assert.equal(state(report), "Current");
    assert.match(textAt(listAt(report, "unseen")[0], "what"), /Deployment shop\/bad/u);
  });

  it("nothing of Secrets without the right, and says so", async () => {
    const text = await stamped(secret("login", "{pass: b25l}") + deployment("web", secretFrom("login")));
    const report = await look(live(objects(text)), { forbidden: ["/api/v1/namespaces/shop/secrets"] });
    assert.equal(state(report), "Unknown");
    assert.deepEqual(listAt(report, "unseen"), [{ what: "secrets", because: "forbidden" }]);
  });

  for (const [list, what, because] of [
    ["/api/v1/namespaces/shop/pods", "pods", "Pods can't be read"],
    ["/apis/apps/v1/namespaces/shop/replicasets", "replicasets.apps", "ReplicaSets can't be read"],
  ] as const)
    it(`nothing of pods without the right to list ${what}: neither current nor behind, and --check fails`, async () => {
      const old = configMap("env", "{A: b}");
      const text = await stamped(old + deployment("web", envFrom("env")));
      for (const now of [text, text.replace("A: b", "A: c")]) {
        const lists = live(objects(now));
        const report = await look(lists, { forbidden: [list] });
        assert.equal(state(report), "Unknown");
        assert.equal(fieldAt(firstSource(report), "because"), because);
        assert.deepEqual(listAt(report, "unseen"), [{ what, because: "forbidden" }]);
        const check = await withFakeApi({ lists, forbidden: [list] }, { args: ["status", "--check"] });
        assert.deepEqual([check.status, check.stdout], [2, ""]);
      }
    });
});

describe("status of versioned sources", () => {
  const KEY = { ROLLSTAMP_HMAC_KEY: "k".repeat(32) };
  const VERSIONED = "{layout: Versioned, versionedSecrets: true}";
  const mounted =
    "volumeMounts: [{name: v, mountPath: /v}]}], volumes: [{name: v, projected: {sources: [{configMap: {name: env}}]}";
  const PODS = "/api/v1/namespaces/shop/pods";
  const CONFIG_MAPS = "/api/v1/namespaces/shop/configmaps";
  const manifests = (value: string, reference: string): string =>
    configMap("env", `{LEVEL: ${value}}`) + deployment("web", reference);

  for (const reference of [envFrom("env"), mounted])
    it(`resolves copies to their sources: ${reference}`, async () => {
      const text = await stamped(manifests("info", reference), {}, VERSIONED);
      const report = await look(live(objects(text)));
      assert.equal(state(report), "Current");
      const source = firstSource(report);
      assert.deepEqual(
        [textAt(source, "source", "name"), textAt(source, "state"), listAt(report, "workloads").length],
        ["env", "Current", 1],
      );
      // The original changes, and nobody stamps: a pod that is created later has the old copy all the same.
      const changed = objects(text).map((one) =>
        textAt(one, "metadata", "name") === "env" ? objects(configMap("env", "{LEVEL: debug}"))[0] : one,
      );
      const stale = await look(live(changed, { written: LATER, pods: [EARLY, LAST] }));
      assert.deepEqual([state(stale), fieldAt(stale, "summary", "stalePods")], ["Stale", 2]);
    });

  it("tells by their specs which pods of a rollout have the old content", async () => {
    const [from, to] = await Promise.all(
      ["info", "debug"].map(async (value) => live(objects(await stamped(manifests(value, mounted), {}, VERSIONED)))),
    );
    const during = { ...to, [PODS]: [...(from?.[PODS] ?? []), ...(to?.[PODS] ?? [])] };
    const copies = [...(from?.[CONFIG_MAPS] ?? []), ...(to?.[CONFIG_MAPS] ?? [])].filter(
      (one, i, all) =>
        all.findLastIndex((other) => textAt(one, "metadata", "name") === textAt(other, "metadata", "name")) === i,
    );
    // With the old copy, and after it was pruned.
    for (const lists of [{ ...during, [CONFIG_MAPS]: copies }, during]) {
      const report = await look(lists);
      const pods = fieldAt(listAt(report, "workloads")[0], "pods");
      assert.deepEqual([state(report), pods], ["RollingOut", { total: 2, stale: 1 }]);
    }
  });

  it("does not know copies of Secrets whose names may be keyed", async () => {
    const text = await stamped(
      secret("login", "{pass: b25l}") + deployment("web", secretFrom("login")),
      KEY,
      "{layout: Versioned, versionedSecrets: true, secrets: Keyed}",
    );
    const lists = live(objects(text));
    assert.deepEqual(
      [state(await look(lists)), state(await look(lists, { environment: KEY }))],
      ["Unknown", "Current"],
    );
  });
});
