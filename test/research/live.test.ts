import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { stamp } from "../../src/main/index.ts";
import { inRoot } from "../support/paths.ts";

// research/charts/live.mjs compares live stamps with live ConfigMaps and Secrets: it has to find a wrong digest.

interface Held {
  readonly right: number;
  readonly other: readonly string[];
  readonly wrong: readonly string[];
}

interface Live {
  readonly heldAgainstLive: (
    api: { readonly get: (path: string) => Promise<unknown> },
    state: ReadonlyMap<string, unknown>,
  ) => Promise<Held>;
}

const live = (await import(pathToFileURL(inRoot("research", "charts", "live.mjs")).href)) as Live;

const BYTES = Buffer.from([0, 255, 10]).toString("base64");
const DATA = { "ConfigMap settings": { a: "1", b: "ü" }, "Secret keys": { x: "MQ==", y: BYTES } };
const SPEC = {
  containers: [
    {
      name: "app",
      image: "a",
      env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }],
      envFrom: [{ secretRef: { name: "keys" } }],
    },
  ],
};

/** The stamps that rollstamp writes. */
function stamps(): Record<string, string> {
  const objects = [
    ...Object.entries(DATA).map(([id, data]) => {
      const [kind, name] = id.split(" ");
      return { apiVersion: "v1", kind, metadata: { name }, data };
    }),
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "web" },
      spec: { selector: {}, template: { metadata: {}, spec: SPEC } },
    },
  ];
  const { text } = stamp(objects.map((object) => `${JSON.stringify(object)}\n`).join("---\n"));
  return Object.fromEntries(
    [...text.matchAll(/"((?:configmap|secret)\.rollstamp\.dev\/\w+)"\s*:\s*"([^"]+)"/gu)].map(
      ([, key = "", value = ""]) => [key, value],
    ),
  );
}

function countStamps(
  annotations: Record<string, string>,
  data: Readonly<Record<string, object | undefined>> = DATA,
): Promise<Held> {
  const api = {
    get: (path: string): Promise<unknown> => {
      const [, kinds = "", name = ""] = /\/namespaces\/shop\/(\w+)\/(\w+)$/u.exec(path) ?? [];
      const found = data[`${kinds === "secrets" ? "Secret" : "ConfigMap"} ${name}`];
      return found === undefined ? Promise.reject(new Error(`GET ${path}: 404 no`)) : Promise.resolve({ data: found });
    },
  };
  const row = { kind: "Deployment", namespace: "shop", name: "web" };
  return live.heldAgainstLive(api, new Map([["web", { row, template: { metadata: { annotations }, spec: SPEC } }]]));
}

describe("live stamps", () => {
  it("equal the digests of the sources in the cluster", async () => {
    assert.equal(Object.keys(stamps()).length, 2);
    assert.deepEqual(await countStamps(stamps()), { right: 2, other: [], wrong: [] });
  });

  it("are wrong if the pods see another key or value", async () => {
    for (const [id, data] of [
      ["ConfigMap settings", { a: "2", b: "ü" }],
      ["Secret keys", { x: "MQ==" }],
      ["Secret keys", { x: "Mg==", y: BYTES }],
    ] as const) {
      const { right, wrong } = await countStamps(stamps(), { ...DATA, [id]: data });
      assert.deepEqual([right, wrong.length], [1, 1], JSON.stringify(data));
    }
    const unseen = await countStamps(stamps(), { ...DATA, "ConfigMap settings": { a: "1", b: "other" } });
    assert.equal(unseen.right, 2, "a key that no pod sees");
  });

  it("are neither right nor wrong if the source is missing", async () => {
    const { right, other } = await countStamps(stamps(), { ...DATA, "Secret keys": undefined });
    assert.deepEqual([right, other], [1, ["web: secret.rollstamp.dev/keys"]]);
  });
});
