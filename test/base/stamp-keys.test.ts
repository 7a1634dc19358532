import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { isStampKey, sourceOfStampKey, stampKey } from "../../src/base/stamp-keys.ts";

// The keys of the contract's section 3: what is ours is removed, so nothing else may be taken for it.

const start = (name: string): string => createHash("sha256").update(name, "utf8").digest("hex").slice(0, 16);

const KEYS: readonly (readonly [args: Parameters<typeof stampKey>, key: string])[] = [
  [["ConfigMap", "", "env"], "configmap.rollstamp.dev/env"],
  [["Secret", "", "login"], "secret.rollstamp.dev/login"],
  [["SecretProviderClass", "", "vault"], "secretproviderclass.rollstamp.dev/vault"],
  [["ClusterTrustBundle", "", "example.com:web:a"], "clustertrustbundle.rollstamp.dev/example.com_web_a"],
  [["ConfigMap", "shop", "env"], "configmap.rollstamp.dev/shop_env"],
  [["ConfigMap", "", "a".repeat(63)], `configmap.rollstamp.dev/${"a".repeat(63)}`],
  [["ConfigMap", "", "a".repeat(64)], `configmap.rollstamp.dev/${"a".repeat(46)}-${start("a".repeat(64))}`],
  [
    ["ConfigMap", "", `${"a".repeat(43)}.--${"b".repeat(20)}`],
    `configmap.rollstamp.dev/${"a".repeat(43)}-${start(`${"a".repeat(43)}.--${"b".repeat(20)}`)}`,
  ],
  [
    ["Secret", "n".repeat(45), "b".repeat(20)],
    `secret.rollstamp.dev/${"n".repeat(45)}-${start(`${"n".repeat(45)}_${"b".repeat(20)}`)}`,
  ],
];

const OURS = [
  "rollstamp.dev/config-hash",
  "configmap.rollstamp.dev/env",
  "secret.rollstamp.dev/shop_login",
  "secretproviderclass.rollstamp.dev/vault",
];

const NOT_OURS = [
  "rollstamp.dev/restartedAt",
  "rollstamp.dev/stamp",
  "rollstamp.dev/config-hash-of-old",
  "my.rollstamp.dev/config-hash",
  "my-configmap.rollstamp.dev/env",
  "x.secret.rollstamp.dev/login",
  "configmap.rollstamp.dev",
  "configmaps.rollstamp.dev/env",
  "configmap.rollstamp.development/env",
  "configmap-rollstamp.dev/env",
  "configmap.rollstamp-dev/env",
  "env",
];

describe("the keys of stamps", () => {
  for (const [args, key] of KEYS) it(`${args.join(" ")} has ${key}`, () => assert.equal(stampKey(...args), key));
  it("are at most 63 characters behind the slash", () => {
    for (const [, key] of KEYS) assert.ok((key.split("/")[1] ?? "").length <= 63, key);
  });
  for (const key of OURS) it(`${key} is one`, () => assert.ok(isStampKey(key)));
  for (const key of NOT_OURS) it(`${key} is none`, () => assert.ok(!isStampKey(key)));
});

describe("the source that a stamp is for", () => {
  for (const [kind, key] of [
    ["ConfigMap", "configmap.rollstamp.dev/a"],
    ["Secret", "secret.rollstamp.dev/a"],
    ["SecretProviderClass", "secretproviderclass.rollstamp.dev/a"],
  ] as const) {
    it(`is read off ${key}`, () => assert.deepEqual(sourceOfStampKey(key), { kind, name: "a" }));
  }
  for (const key of [
    ...NOT_OURS,
    "rollstamp.dev/config-hash",
    "configmap.rollstamp.dev/shop_env",
    "configmap.rollstamp.dev/env_",
    "configmap.rollstamp.dev/",
  ]) {
    it(`is not derived from ${key}`, () => assert.equal(sourceOfStampKey(key), undefined));
  }
});
