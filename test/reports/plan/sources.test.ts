import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { SourceReason } from "../../../src/reports/plan/plan-reasons.ts";
import { planned, workload, type PlanSetup } from "./planned.ts";

// What a plan says of the sources of a workload: which, by which name, and the keys that it can see.

const source = (kind: string, name: string, data: string): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}}\n${kind === "Secret" ? "stringData" : "data"}: {${data}}\n`;
const user = (...refs: readonly string[]): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, image: a, envFrom: [${refs.map((ref) => `{${ref}}`).join(", ")}]}]}}}\n`;
const oneKey = (key: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, image: a, env: [{name: A, valueFrom: {configMapKeyRef: {name: env, key: ${key}}}}]}]}}}\n`;
const config = (name: string): string => `configMapRef: {name: ${name}}`;
const stream = (...documents: readonly string[]): string => documents.join("---\n");

function sources(base: string, head: string, setup?: PlanSetup): SourceReason[] {
  return workload(planned(base, head, { all: true, ...setup }), "web").reasons.flatMap((reason) =>
    reason.type === "Source" ? [reason] : [],
  );
}

const keys = (added: string[], removed: string[], changed: string[]): SourceReason["keys"] => ({
  added,
  removed,
  changed,
});

describe("the keys of a source", () => {
  const base = source("ConfigMap", "env", "a: x, b: x");
  it("are those that the pod template sees", () => {
    const head = source("ConfigMap", "env", "a: y, b: y, c: y");
    assert.deepEqual(sources(stream(base, oneKey("a")), stream(head, oneKey("a")))[0]?.keys, keys([], [], ["a"]));
    assert.deepEqual(
      sources(stream(base, user(config("env"))), stream(head, user(config("env"))))[0]?.keys,
      keys(["c"], [], ["a", "b"]),
    );
  });
  it("are all with granularity: Object, seen or not", () => {
    const head = source("ConfigMap", "env", "a: x, b: y");
    const setup = { spec: { granularity: "Object" } } as const;
    assert.deepEqual(
      sources(stream(base, oneKey("a")), stream(head, oneKey("a")), setup)[0]?.keys,
      keys([], [], ["b"]),
    );
    assert.deepEqual(sources(stream(base, oneKey("a")), stream(head, oneKey("a"))), []);
  });
  it("do not change where a declaration differs elsewhere", () => {
    const external = (interval: string): string =>
      `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {dataFrom: [{extract: {key: ${interval}}}]}\n`;
    const uses = user("secretRef: {name: db}");
    const [reason] = sources(stream(external("a"), uses), stream(external("b"), uses));
    assert.deepEqual(reason, {
      type: "Source",
      source: { kind: "Secret", namespace: "default", name: "db", madeBy: "ExternalSecret db" },
      keys: keys([], [], []),
    });
  });
  it("of an ExternalSecret, with the key that pods need: no new pod can start", () => {
    const external = (key: string): string =>
      `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: db}\nspec: {secretStoreRef: {name: a}, data: [{secretKey: ${key}, remoteRef: {key: a}}]}\n`;
    const uses = (image: string): string =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, image: "${image}", env: [{name: A, valueFrom: {secretKeyRef: {name: db, key: password}}}]}]}}}\n`;
    const { workloads } = planned(stream(external("password"), uses("a:1")), stream(external("pass"), uses("a:2")));
    assert.deepEqual(
      workloads.map(({ safety, lost }) => [safety, lost]),
      [["MayStick", [{ source: { kind: "Secret", namespace: "default", name: "db" }, keys: ["password"] }]]],
    );
  });
  it("of a ClusterTrustBundle, which nothing makes", () => {
    const bundle = (text: string): string =>
      `apiVersion: certificates.k8s.io/v1beta1\nkind: ClusterTrustBundle\nmetadata: {name: ca}\nspec: {trustBundle: ${text}}\n`;
    const uses =
      "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: app, image: a}], volumes: [{name: v, projected: {sources: [{clusterTrustBundle: {name: ca, path: a}}]}}]}}}\n";
    const [reason] = sources(stream(bundle("a"), uses), stream(bundle("b"), uses));
    assert.deepEqual(reason?.source, { kind: "ClusterTrustBundle", namespace: "", name: "ca" });
  });
  it("of one that a plain source replaces", () => {
    const sealed =
      "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: db}\nspec: {encryptedData: {a: AgA}}\n";
    const uses = user("secretRef: {name: db}");
    const [reason] = sources(stream(sealed, uses), stream(source("Secret", "db", "a: x"), uses));
    assert.deepEqual(reason?.source, { kind: "Secret", namespace: "default", name: "db" });
  });
});

describe("the sources of a workload", () => {
  it("are in the order of their stamps, each once", () => {
    const side = (value: string): string =>
      stream(
        source("Secret", "a", `x: ${value}`),
        source("ConfigMap", "b", `x: ${value}`),
        source("ConfigMap", "a", `x: ${value}`),
        user(config("b"), "secretRef: {name: a}", config("a"), config("b")),
      );
    assert.deepEqual(
      sources(side("p"), side("q")).map(({ source: { kind, name } }) => `${kind} ${name}`),
      ["ConfigMap a", "ConfigMap b", "Secret a"],
    );
  });
  it("that do not differ are not shown, also with one stamp for all", () => {
    for (const layout of ["PerSource", "Combined"] as const) {
      const side = (value: string): string =>
        stream(
          source("ConfigMap", "a", "x: same"),
          source("ConfigMap", "b", `x: ${value}`),
          user(config("a"), config("b")),
        );
      assert.deepEqual(
        sources(side("p"), side("q"), { spec: { layout } }).map(({ source: { name } }) => name),
        ["b"],
        layout,
      );
    }
  });
  it("that are added or removed are shown with one stamp for all", () => {
    const all = [source("ConfigMap", "a", "x: p"), source("ConfigMap", "b", "x: p")];
    const setup = { spec: { layout: "Combined" } } as const;
    assert.deepEqual(
      sources(stream(...all, user(config("a"))), stream(...all, user(config("b"))), setup).map(
        ({ source: { name }, keys: { added, removed } }) => [name, added, removed],
      ),
      [
        ["a", [], ["x"]],
        ["b", ["x"], []],
      ],
    );
  });
  it("that do not exist leave a hand-written stamp as an ordinary field", () => {
    const written = (value: string): string =>
      user(config("env")).replace(
        "template: {",
        `template: {metadata: {annotations: {rollstamp.dev/config-hash: ${value}}}, `,
      );
    const setup = { spec: { selection: "Annotated", layout: "Combined" }, all: true } as const;
    const off = (text: string): string =>
      text.replace("{name: web}", '{name: web, annotations: {rollstamp.dev/stamp: "false"}}');
    assert.deepEqual(planned(off(written("a")), off(written("b")), setup).workloads[0]?.reasons, []);
  });
});

describe("a hash in the name of a source", () => {
  const hashed = (name: string, hash: string, data = "x: p"): string => source("ConfigMap", `${name}-${hash}`, data);
  const [OLD, NEW, MORE] = ["g4hk9g2ff8", "t5fg7cb9mk", "2bg6hkt8c4"];
  const named = (...names: readonly string[]): string => user(...names.map(config));
  const changesOf = (base: string, head: string): unknown =>
    sources(base, head).map(({ source: { name, previousName }, keys: { changed } }) => [name, previousName, changed]);

  it("changes with its content: one source", () => {
    assert.deepEqual(
      changesOf(
        stream(hashed("env", OLD), named(`env-${OLD}`)),
        stream(hashed("env", NEW, "x: q"), named(`env-${NEW}`)),
      ),
      [[`env-${NEW}`, `env-${OLD}`, ["x"]]],
    );
  });
  it("may change alone", () => {
    assert.deepEqual(
      changesOf(stream(hashed("env", OLD), named(`env-${OLD}`)), stream(hashed("env", NEW), named(`env-${NEW}`))),
      [[`env-${NEW}`, `env-${OLD}`, []]],
    );
  });
  // The hash of an object's content is kustomize's own: its stamp is named without it, and stays where it is.
  const generated = (data: Readonly<Record<string, string>>): readonly [name: string, text: string] => {
    const hex = createHash("sha256")
      .update(JSON.stringify({ data, kind: "ConfigMap", name: "" }))
      .digest("hex");
    const letters: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };
    const name = `env-${hex.slice(0, 10).replace(/[013ae]/gu, (digit) => letters[digit] ?? digit)}`;
    return [
      name,
      source(
        "ConfigMap",
        name,
        Object.entries(data)
          .map(([key, value]) => `${key}: ${value}`)
          .join(", "),
      ),
    ];
  };
  it("changes by a key that the pods don't see: the name is the reason", () => {
    const [old, before] = generated({ a: "x", b: "y" });
    const [now, after] = generated({ a: "x", b: "z" });
    const side = (name: string, text: string): string =>
      stream(text, oneKey("a").replace("name: env", `name: ${name}`));
    assert.notEqual(old, now);
    assert.deepEqual(changesOf(side(old, before), side(now, after)), [[now, old, []]]);
    assert.deepEqual(changesOf(side(old, before), side(old, before)), []);
    const report = planned(side(old, before), side(now, after));
    assert.deepEqual(
      workload(report, "web").reasons.map(({ type }) => type),
      ["Source"],
      "the reference is that source",
    );
    const combined = { spec: { layout: "Combined" } } as const;
    assert.deepEqual(
      sources(side(old, before), side(now, after), combined).map(({ source: { name } }) => name),
      [now],
    );
  });
  it("pairs those of one name only", () => {
    assert.deepEqual(
      changesOf(
        stream(hashed("env", OLD), hashed("app", OLD), named(`env-${OLD}`, `app-${OLD}`)),
        stream(hashed("env", NEW, "x: q"), hashed("app", MORE, "x: r"), named(`env-${NEW}`, `app-${MORE}`)),
      ),
      [
        [`app-${MORE}`, `app-${OLD}`, ["x"]],
        [`env-${NEW}`, `env-${OLD}`, ["x"]],
      ],
    );
    assert.deepEqual(
      changesOf(stream(hashed("env", OLD), named(`env-${OLD}`)), stream(hashed("app", NEW), named(`app-${NEW}`))),
      [
        [`app-${NEW}`, undefined, []],
        [`env-${OLD}`, undefined, []],
      ],
    );
  });
  it("keeps every other field that contains the two names", () => {
    const side = (hash: string): string =>
      stream(hashed("env", hash), named(`env-${hash}`).replace("image: a", `image: env-${hash}`));
    const reasons = workload(planned(side(OLD), side(NEW)), "web").reasons.flatMap((reason) =>
      reason.type === "Template" ? [reason.path] : [],
    );
    assert.deepEqual(reasons, ["spec.containers[name=app].image"]);
  });
  it("pairs none where two are added", () => {
    assert.deepEqual(
      changesOf(
        stream(hashed("env", OLD), named(`env-${OLD}`)),
        stream(hashed("env", NEW), hashed("env", MORE), named(`env-${NEW}`, `env-${MORE}`)),
      ),
      [
        [`env-${MORE}`, undefined, []],
        [`env-${OLD}`, undefined, []],
        [`env-${NEW}`, undefined, []],
      ],
    );
  });
});

describe("the values of a source, where they are asked for", () => {
  const shown = (base: string, head: string): unknown => sources(base, head, { showValues: true })[0]?.diffs;
  const uses = user(config("env"));
  it("are a ConfigMap's", () => {
    assert.deepEqual(
      shown(stream(source("ConfigMap", "env", "a: x"), uses), stream(source("ConfigMap", "env", "a: y"), uses)),
      [{ key: "a", lines: ["-x", "+y"] }],
    );
    assert.deepEqual(shown(uses, stream(source("ConfigMap", "env", "a: y"), uses)), [{ key: "a", lines: ["+y"] }]);
    assert.deepEqual(shown(stream(source("ConfigMap", "env", "a: x"), uses), uses), [{ key: "a", lines: ["-x"] }]);
  });
  it("are not those of a Secret, nor anything that SOPS encrypted", () => {
    const secret = user("secretRef: {name: db}");
    assert.equal(
      shown(stream(source("Secret", "db", "a: x"), secret), stream(source("Secret", "db", "a: y"), secret)),
      undefined,
    );
    const sops = (value: string): string =>
      `${source("ConfigMap", "env", `a: "ENC[AES256_GCM,data:${value}]"`)}sops: {version: "3"}\n`;
    assert.equal(shown(stream(sops("x"), uses), stream(sops("y"), uses)), undefined);
    assert.equal(shown(stream(sops("x"), uses), stream(source("ConfigMap", "env", "a: y"), uses)), undefined);
  });
});

describe("a source with many keys", () => {
  const many = (count: number, value: string): string =>
    Array.from({ length: count }, (_, i) => `k${i}: ${value}`).join(", ");
  const side = (count: number, value: string, ...names: readonly string[]): string =>
    stream(...names.map((name) => source("ConfigMap", name, many(count, value))), user(...names.map(config)));
  it("names a hundred, and counts the others", () => {
    const [hundred] = sources(side(100, "a", "env"), side(100, "b", "env"));
    assert.deepEqual([hundred?.keys.changed.length, hundred?.keys.more], [100, undefined]);
    const [more] = sources(side(103, "a", "env"), side(103, "b", "env"));
    assert.deepEqual([more?.keys.changed.length, more?.keys.more], [100, 3]);
  });
  it("shows the values of twenty of them, and counts the others", () => {
    const [reason] = sources(side(22, "a", "env"), side(22, "b", "env"), { showValues: true });
    assert.deepEqual([reason?.diffs?.length, reason?.moreDiffs], [20, 2]);
    const [few] = sources(side(20, "a", "env"), side(20, "b", "env"), { showValues: true });
    assert.deepEqual([few?.diffs?.length, few?.moreDiffs], [20, undefined]);
  });
  it("shows the values of an added one, and of a removed one", () => {
    const without = user(config("else"));
    const comes = sources(without, side(1, "b", "env"), { showValues: true }).find(({ diffs }) => diffs);
    assert.deepEqual(comes?.diffs, [{ key: "k0", lines: ["+b"] }]);
    const goes = sources(side(1, "b", "env"), without, { showValues: true }).find(({ diffs }) => diffs);
    assert.deepEqual(goes?.diffs, [{ key: "k0", lines: ["-b"] }]);
  });
  it("is shown with twenty workloads, whatever the other sources are", () => {
    const workloads = (value: string): string =>
      stream(
        source("ConfigMap", "one", `a: ${value}`),
        source("ConfigMap", "two", `a: ${value}`),
        ...Array.from({ length: 24 }, (_, i) =>
          user(config(i < 21 ? "one" : "two")).replace("name: web", `name: w${String(i).padStart(2, "0")}`),
        ),
      );
    const report = planned(workloads("x"), workloads("y"), { showValues: true });
    assert.deepEqual(
      report.workloads.flatMap(({ name, reasons }) =>
        reasons.flatMap((reason) => (reason.type === "Source" && reason.diffs === undefined ? [name] : [])),
      ),
      ["w20"],
    );
  });
});

describe("a stamp that no source accounts for", () => {
  // The content of a cluster is taken as it is.
  const GONE = "configmap.rollstamp.dev/gone";
  const stamped = (value: string, key: string): string =>
    user().replace("template: {", `template: {metadata: {annotations: {${key}: ${value}}}, `);
  const reasonsOf = (value: string, key: string = GONE): unknown =>
    workload(planned(stamped(value, key), user(), { isLive: true }), "web").reasons;
  const path = `metadata.annotations["${GONE}"]`;
  const digest = `h1-${"a".repeat(40)}`;
  it("is shown where it is a digest of a ConfigMap and is removed", () =>
    assert.deepEqual(reasonsOf(digest), [{ type: "Stamp", path, from: digest, to: null }]));
  for (const key of ["secret.rollstamp.dev/gone", "rollstamp.dev/config-hash"])
    it(`is hidden where it may be of a Secret: ${key}`, () =>
      assert.deepEqual(reasonsOf(digest, key), [
        { type: "Stamp", path: `metadata.annotations["${key}"]`, hidden: true },
      ]));
  it("is hidden where it is not a digest", () =>
    assert.deepEqual(reasonsOf("hunter2"), [{ type: "Stamp", path, hidden: true }]));
});

describe("the reason of a restart", () => {
  const restarted = (value: string): string =>
    user(config("env")).replace(
      "template: {",
      `template: {metadata: {annotations: {rollstamp.dev/restartedAt: "${value}"}}, `,
    );
  const restartsOf = (from: string, to: string): unknown =>
    workload(planned(restarted(from), restarted(to)), "web").reasons.map((reason) =>
      reason.type === "Restart" ? [reason.from, reason.to] : reason.type,
    );
  it("is the moment, or a number", () => {
    assert.deepEqual(restartsOf("2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z"), [
      ["2026-01-02T03:04:05Z", "2026-01-03T03:04:05Z"],
    ]);
    assert.deepEqual(restartsOf("7", "1234567890123456789"), [["7", "1234567890123456789"]]);
  });
  it("is not any other hand-written value", () => {
    for (const text of ["hunter", "1 hunter", "hunter 1", "12345678901234567890", ""])
      assert.deepEqual(restartsOf(text, "7"), [["(hidden)", "7"]], text);
  });
});
