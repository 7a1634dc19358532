import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Json } from "../../../src/yaml/read/node.ts";
import { HIDDEN, shownValues } from "../../../src/reports/plan/hidden-values.ts";
import { changedKeys } from "../../../src/kubernetes/sources/changed-keys.ts";
import { valueDiffs, type ValueDiffs } from "../../../src/reports/plan/value-diffs.ts";
import { planOfPairs } from "../../../src/reports/plan/plan.ts";
import { readSide, type Side } from "../../../src/reports/plan/side.ts";
import { CONFIG_HASH_DEFAULTS } from "../../../src/stamping/function/config-hash.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { readTree } from "../../support/trees.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { compare, type Change } from "../../../src/kubernetes/rollout/compare.ts";
import { isShownText, isShownWhole } from "../../../src/reports/plan/shown-fields.ts";
import { ANY, fieldType, POD_TEMPLATE } from "../../../src/kubernetes/rollout/pod-types.ts";

// The values that a plan shows: ConfigMaps line by line, pod templates without anything that could be a secret.

const diffsOf = (): ValueDiffs => valueDiffs(changedKeys, () => false);

const diff = (from: string | Uint8Array | undefined, to: string | Uint8Array | undefined): readonly string[] => {
  const entries = (value: string | Uint8Array | undefined): Map<string, string | Uint8Array> =>
    new Map(value === undefined ? [] : [["key", value]]);
  return diffsOf()("source", entries(from), entries(to)).diffs[0]?.lines ?? [];
};

describe("the diff of a ConfigMap's value", () => {
  const ROWS: readonly (readonly [string, string | undefined, string | undefined, readonly string[]])[] = [
    ["of one line", "a", "b", ["-a", "+b"]],
    ["has the lines that differ", "a\nb\nc\n", "a\nx\nc\n", ["-b", "+x"]],
    ["has every line of several together", "a\nb\nc\n", "a\nx\ny\nc\n", ["-b", "+x", "+y"]],
    ["keeps empty lines", "a\n", "a\n\n\nb\n", ["+", "+", "+b"]],
    ["shows that the last line gained its newline", "a", "a\n", ["-a", "(no newline at the end)", "+a"]],
    ["shows that the last line lost its newline", "b\na\n", "b\na", ["-a", "+a", "(no newline at the end)"]],
    ["shows an added space", "a=b\n", "a=b \n", ['-"a=b"', '+"a=b "']],
    ["shows which space it is", "a b", "a\u00a0b", ['-"a b"', '+"a\\u00a0b"']],
    [
      "keeps where long lines differ",
      `${"x".repeat(300)}1`,
      `${"x".repeat(300)}2`,
      ["-…xxxxxxxxxxxx1", "+…xxxxxxxxxxxx2"],
    ],
    ["keeps a line's own ends", "a\n", "  b \n", ["-a", "+  b "]],
    ["of an added key", undefined, "a\nb\n", ["+a", "+b"]],
    ["of a removed key", "a\nb\n", undefined, ["-a", "-b"]],
  ];
  for (const [name, from, to, expected] of ROWS) it(name, () => assert.deepEqual(diff(from, to), expected));

  it("is in the order of the keys: added, removed and changed ones together", () => {
    const from = new Map([
      ["b", "1"],
      ["c", "1"],
      ["same", "1"],
    ]);
    const to = new Map([
      ["d", "1"],
      ["a", "1"],
      ["c", "2"],
      ["same", "1"],
    ]);
    assert.deepEqual(diffsOf()("source", from, to).diffs, [
      { key: "a", lines: ["+1"] },
      { key: "b", lines: ["-1"] },
      { key: "c", lines: ["-1", "+2"] },
      { key: "d", lines: ["+1"] },
    ]);
  });
  it("shows no bytes, on either side", () => {
    for (const [from, to] of [
      [Buffer.of(0xff), "a"],
      ["a", Buffer.of(0xff)],
      [Buffer.of(0xff), Buffer.of(0xfe)],
    ] as const) {
      assert.deepEqual(diff(from, to), ["(binary)"]);
    }
  });
  it("has at most twelve lines, and counts the others", () => {
    const lines = (n: number): string => Array.from({ length: n }, (_, i) => `l${i}\n`).join("");
    assert.equal(diff("", lines(12)).length, 12);
    assert.deepEqual(diff("", lines(12)).at(-1), "+l11");
    assert.deepEqual(diff("", lines(15)).slice(11), ["+l11", "(3 more lines)"]);
  });
  it("has at most 200 characters of a line", () => {
    assert.deepEqual(diff("", "x".repeat(200)), [`+${"x".repeat(200)}`]);
    assert.deepEqual(diff("", "x".repeat(201)), [`+${"x".repeat(200)}…`]);
  });
  it("is not computed for more than 100,000 characters on both sides together", () => {
    assert.deepEqual(diff("x\n".repeat(25_000), `${"x\n".repeat(24_999)}yy`), ["-x", "+yy"]);
    assert.deepEqual(diff("x\n".repeat(25_000), `${"x\n".repeat(24_999)}yyy`), ["(too long to show)"]);
  });
  it("is not computed for more than 200 edits", () => {
    const lines = (n: number, sign: string): string => Array.from({ length: n }, (_, i) => `${sign}${i}\n`).join("");
    assert.equal(diff(lines(100, "a"), lines(100, "b")).at(-1), "(188 more lines)");
    assert.deepEqual(diff(lines(101, "a"), lines(101, "b")), ["(too many lines differ to show)"]);
  });
  it("is of the source of the same rendering", () => {
    const side = (value: string): Side =>
      readSide(
        [readManifests(readTree(`${deployment("web", "web")}---\n${configMap("web", value)}`, "a.yaml"))],
        CONFIG_HASH_DEFAULTS,
        undefined,
      );
    const pairs = ["dev", "prod"].map((part) => ({ part, base: side(`${part} 1`), head: side(`${part} 2`) }));
    const options = { all: false, showValues: true, maxWorkloads: undefined, maxPods: undefined, failOn: [] };
    const reasons = planOfPairs(pairs, options, "stamped").workloads.flatMap((workload) => workload.reasons);
    assert.deepEqual(
      reasons.map((reason) => reason.type === "Source" && reason.diffs?.[0]?.lines),
      [
        ["-dev 1", "+dev 2"],
        ["-prod 1", "+prod 2"],
      ],
    );
  });
  it("is shown with twenty keys of a source, and with twenty workloads", () => {
    const entries = (value: string): Map<string, string> =>
      new Map(Array.from({ length: 30 }, (_, i) => [`k${i}`, value]));
    const diffs = diffsOf();
    const seen = Array.from({ length: 25 }, () => diffs("source", entries("a"), entries("b")));
    assert.deepEqual(
      seen.map((one) => [one.diffs.length, one.more]),
      seen.map((_, i) => (i < 20 ? [20, 10] : [0, 30])),
    );
    assert.equal(diffs("another", entries("a"), entries("b")).diffs.length, 20);
  });
});

describe("what a plan shows of a pod template's values", () => {
  const shown = (from: Json, to: Json, showValues = false): readonly unknown[] =>
    compare(POD_TEMPLATE, from, to, { quantitiesByText: false }).map((change) => shownValues(change, showValues));
  const container = (fields: { [key: string]: Json }): Json => ({ spec: { containers: [{ name: "app", ...fields }] } });

  const HIDES: readonly (readonly [string, (text: string) => Json])[] = [
    ["values of variables", (text) => container({ env: [{ name: "A", value: text }] })],
    ["commands", (text) => container({ command: [text] })],
    ["arguments", (text) => container({ args: ["--token", text] })],
    ["working folders", (text) => container({ workingDir: text })],
    [
      "headers of probes",
      (text) => container({ livenessProbe: { httpGet: { httpHeaders: [{ name: "A", value: text }] } } }),
    ],
    ["paths of probes", (text) => container({ livenessProbe: { httpGet: { path: text } } })],
    ["commands of hooks", (text) => container({ lifecycle: { preStop: { exec: { command: [text] } } } })],
    ["annotations", (text) => ({ metadata: { annotations: { a: text } } })],
    ["checksums", (text) => ({ metadata: { annotations: { "checksum/config": text } } })],
    [
      "attributes of CSI",
      (text) => ({ spec: { volumes: [{ name: "v", csi: { driver: "d", volumeAttributes: { image: text } } }] } }),
    ],
    [
      "options of drivers",
      (text) => ({ spec: { volumes: [{ name: "v", flexVolume: { driver: "d", options: { image: text } } }] } }),
    ],
    ["options of DNS", (text) => ({ spec: { dnsConfig: { options: [{ name: "a", value: text }] } } })],
    ["system calls", (text) => ({ spec: { securityContext: { sysctls: [{ name: "a", value: text }] } } })],
    ["fields unknown to Kubernetes", (text) => ({ spec: { version: text, token: text } })],
    ["objects unknown to Kubernetes", (text) => ({ spec: { config: { image: text } } })],
    ["strings for variables, as in Compose", (text) => container({ env: [`PASSWORD=${text}`] })],
    ["a string for the list of variables", (text) => container({ env: `PASSWORD=${text}` })],
    ["lists of strings for variables", (text) => container({ env: [[`PASSWORD=${text}`]] })],
    ["strings for containers", (text) => ({ spec: { containers: [text] } })],
    ["a string for a number", (text) => container({ ports: [{ name: "a", containerPort: text }] })],
    ["a string for a boolean", (text) => ({ spec: { hostNetwork: text } })],
    ["a string for a quantity", (text) => container({ resources: { limits: { cpu: text } } })],
    ["a string for a port", (text) => container({ livenessProbe: { httpGet: { port: text } } })],
    ["a string for a time", (text) => ({ metadata: { creationTimestamp: text } })],
    ["an object for an image", (text) => container({ image: { name: text } })],
  ];
  for (const digits of [32, 40, 64]) {
    it(`hides a digest of ${digits} digits, wherever a string is shown`, () => {
      const digest = (i: number): string => String(i).repeat(digits);
      for (const pod of [
        (text: string): Json => ({ metadata: { labels: { "checksum/config": text } } }),
        (text: string): Json => ({ spec: { nodeSelector: { config: text } } }),
        (text: string): Json => ({ metadata: { annotations: { "checksum/config": text } } }),
      ]) {
        assert.doesNotMatch(JSON.stringify(shown(pod(digest(1)), pod(digest(2)))), /1{32}|2{32}/u);
        assert.match(JSON.stringify(shown(pod(digest(1)), pod(digest(2)), true)), /1{32}/u);
      }
    });
  }
  it("never shows the digest in an annotation that names a Secret", () => {
    const pod = (text: string): Json => ({ metadata: { annotations: { "checksum/app-secret": text } } });
    const [from, to] = [pod("a1".repeat(32)), pod("b2".repeat(32))];
    assert.deepEqual(shown(from, to, true), [{ hidden: true }]);
    assert.deepEqual(shown({}, to, true), [{ hidden: true }]);
    assert.match(JSON.stringify(shown(pod("Hunter_2"), pod("Hunter_3"), true)), /Hunter_3/u);
  });
  for (const [name, pod] of HIDES) {
    it(`hides ${name}`, () => {
      const without = container({});
      for (const [from, to] of [
        [pod("Hunter_2 a"), pod("Hunter_2 b")],
        [without, pod("Hunter_2 a")],
        [pod("Hunter_2 a"), without],
      ] as const) {
        const changes = shown(from, to);
        assert.ok(changes.length > 0);
        assert.doesNotMatch(JSON.stringify(changes), /Hunter_2/u);
        assert.match(JSON.stringify(shown(from, to, true)), /Hunter_2/u);
      }
    });
  }

  it("hides what only begins or ends like a port name, and a boolean for a string", () => {
    const port = (value: Json): Json => container({ livenessProbe: { httpGet: { port: value } } });
    for (const [from, to] of [
      [port("hunter Two"), port("hunter Three")],
      [port("-".repeat(16)), port("a".repeat(16))],
      [port(true), port(false)],
      [container({ env: [{ name: "A", value: true }] }), container({ env: [{ name: "A", value: false }] })],
    ] as const)
      assert.deepEqual(shown(from, to), [{ hidden: true }]);
  });
  it("hides two that differ only in what is hidden", () => {
    const containers = fieldType("PodSpec", "containers");
    assert.ok(containers?.form === "list");
    const change = (from: Json, to: Json): Change => ({
      path: "spec.containers[0]",
      from,
      to,
      type: containers.element,
    });
    assert.deepEqual(shownValues(change({ name: "a", command: ["x"] }, { name: "a", command: ["y"] }), false), {
      hidden: true,
    });
    assert.deepEqual(shownValues(change({ name: "a", command: ["x"] }, { name: "b", command: ["x"] }), false), {
      from: { name: "a", command: [HIDDEN] },
      to: { name: "b", command: [HIDDEN] },
    });
  });
  it("hides an added object without any shown field, and shows one that has some or is empty", () => {
    const probe = (value: Json): readonly unknown[] => shown(container({}), container({ livenessProbe: value }));
    assert.deepEqual(probe({ exec: { command: ["x", "y"] } }), [{ hidden: true }]);
    const httpHeaders = [{ value: "x" }, { name: "A", value: "y" }];
    assert.deepEqual(probe({ httpGet: { path: "/", httpHeaders } }), [
      {
        from: null,
        to: { httpGet: { path: HIDDEN, httpHeaders: [{ value: HIDDEN }, { name: "A", value: HIDDEN }] } },
      },
    ]);
    assert.deepEqual(probe({}), [{ from: null, to: {} }]);
    const added = (add: Json): Json => container({ securityContext: { capabilities: { add } } });
    assert.deepEqual(shown(added([]), added(["NET_ADMIN"])), [{ from: [], to: ["NET_ADMIN"] }]);
  });

  const SHOWS: readonly (readonly [string, Json, Json])[] = [
    ["images", container({ image: "app:1" }), container({ image: "app:2" })],
    [
      "names of Secrets",
      container({ envFrom: [{ secretRef: { name: "a" } }] }),
      container({ envFrom: [{ secretRef: { name: "b" } }] }),
    ],
    [
      "resources",
      container({ resources: { limits: { cpu: "1" } } }),
      container({ resources: { limits: { cpu: "500m" } } }),
    ],
    [
      "times of probes",
      container({ livenessProbe: { periodSeconds: 1 } }),
      container({ livenessProbe: { periodSeconds: 2 } }),
    ],
    [
      "ports of probes",
      container({ livenessProbe: { httpGet: { port: 80 } } }),
      container({ livenessProbe: { httpGet: { port: "http-2" } } }),
    ],
    ["labels", { metadata: { labels: { a: "b" } } }, { metadata: { labels: { a: "c" } } }],
    ["nodes", { spec: { nodeSelector: { a: "b" } } }, { spec: { nodeSelector: { a: "c" } } }],
    ["priorities", { spec: { priorityClassName: "a" } }, { spec: { priorityClassName: "b" } }],
    ["images of an operator's pods", { spec: { image: "a:1" } }, { spec: { image: "a:2" } }],
  ];
  for (const [name, from, to] of SHOWS) {
    it(`shows ${name}`, () => {
      assert.doesNotMatch(JSON.stringify(shown(from, to)), /hidden/u);
      assert.deepEqual(shown(from, to), shown(from, to, true));
    });
  }
  it("shows the shown fields of what is added as a whole", () => {
    const env = { name: "A", value: "a" };
    assert.deepEqual(shown({ spec: {} }, { spec: { containers: [{ name: "app", image: "app:1", env: [env] }] } }), [
      { from: null, to: { name: "app", image: "app:1", env: [{ name: "A", value: HIDDEN }] } },
    ]);
    assert.equal(HIDDEN, "(hidden)");
  });
  it("shows another order as such: no value is added or removed", () => {
    const change: Change = { path: "spec.args", from: ["a", "b"], to: ["b", "a"], type: ANY, order: true };
    assert.deepEqual(shownValues(change, false), { from: ["a", "b"], to: ["b", "a"] });
  });
  it("shows only the policies of a Job's fields as a whole", () => {
    for (const [struct, field, isWhole] of [
      ["JobSpec", "podFailurePolicy", true],
      ["JobSpec", "successPolicy", true],
      ["JobSpec", "completionMode", false],
      ["PodSpec", "podFailurePolicy", false],
      ["constructor", "name", false],
    ] as const)
      assert.equal(isShownWhole(struct, field), isWhole, `${struct}.${field}`);
    assert.equal(isShownText("constructor", "name"), false);
  });
  it("hides what is in no field", () => {
    assert.deepEqual(shownValues({ path: "", from: "a", to: "b", type: ANY }, false), { hidden: true });
  });
});
