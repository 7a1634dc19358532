import assert from "node:assert/strict";
import { it } from "node:test";
import { checksumWords, isChecksum } from "../../src/base/hosts/chart-marks.ts";
import { isVendoredAs } from "../../src/base/hosts/helm.ts";
import { hasHashSuffix, isKustomizationFile, withoutHashSuffix } from "../../src/base/hosts/kustomize.ts";

it("kustomize's hash of the content is ten of its digits behind a hyphen, at the end", () => {
  // Of kustomize's own vectors, api/hasher/hasher_test.go: no data, one key, three keys.
  for (const hash of ["6ct58987ht", "9g67k2htb6", "7757f9kkct"]) {
    assert.equal(hasHashSuffix(`env-${hash}`), true, hash);
    assert.equal(withoutHashSuffix(`env-${hash}`), "env");
  }
  // A vowel, a digit that it leaves out, nine, eleven, not behind a hyphen, not at the end, none.
  const others = ["-6ct58987ha", "-6ct58987h3", "-6ct58987h", "-66ct58987ht", "6ct58987ht", "-6ct58987ht-a", ""];
  for (const end of others) {
    assert.equal(hasHashSuffix(`env${end}`), false, end);
    assert.equal(withoutHashSuffix(`env${end}`), `env${end}`);
  }
  assert.equal(withoutHashSuffix("env-9g67k2htb6-6ct58987ht"), "env-9g67k2htb6");
});

it("kustomize takes three names for its file, and no other spelling", () => {
  for (const name of ["kustomization.yaml", "kustomization.yml", "Kustomization"])
    assert.equal(isKustomizationFile(name), true, name);
  for (const name of ["Kustomization.yaml", "kustomization", "kustomization.json", ""])
    assert.equal(isKustomizationFile(name), false, name);
});

it("a chart is vendored as a folder of its name, or as an archive with its version and not the rest of another name", () => {
  for (const entry of ["web", "web-1.2.3.tgz", "web-v1.2.3-rc.1.tgz", "web-1.0.tgz", "web-1.tgz", "web-1.2.3+b.tgz"])
    assert.equal(isVendoredAs(entry, "web"), true, entry);
  for (const entry of ["web-local-1.2.3.tgz", "web-2-1.2.3.tgz", "web-1.2.3.zip", "web-2", "web.tgz", "webs-1.2.3.tgz"])
    assert.equal(isVendoredAs(entry, "web"), false, entry);
});

it("a chart's checksum is a digest of 32, 40 or 64 digits under checksum/", () => {
  for (const length of [32, 40, 64]) {
    assert.equal(isChecksum("checksum/config", "a".repeat(length)), true);
    assert.equal(isChecksum("checksum/config", "A".repeat(length)), true);
    assert.equal(isChecksum("checksum/config", "a".repeat(length - 1)), length === 64, "trunc 63");
    assert.equal(isChecksum("checksum/config", "a".repeat(length - 2)), false);
    assert.equal(isChecksum("checksum/config", "g".repeat(length)), false);
  }
  for (const key of ["checksum/", "checksum", "my-checksum/config", "checksum-config"])
    assert.equal(isChecksum(key, "a".repeat(64)), false, key);
});

it("other charts' checksums are known by their keys, with as many digits as they have", () => {
  const [short, whole] = ["a".repeat(63), "a".repeat(64)];
  for (const key of ["configchecksum", "configChecksum", "securityconfigchecksum", "pipelinechecksum"]) {
    assert.equal(isChecksum(key, short), true, key);
    assert.equal(isChecksum(key, whole), true, key);
    assert.equal(isChecksum(key, "a".repeat(40)), false, key);
    assert.equal(isChecksum(`my${key}`, short), false, key);
  }
  for (const key of [
    "configmap/checksum",
    "consul.hashicorp.com/config-checksum",
    "vault.hashicorp.com/config-checksum",
    "nextcloud-config-hash",
    "hooks-hash",
  ]) {
    assert.equal(isChecksum(key, whole), true, key);
    assert.equal(isChecksum(key, short), false, key);
  }
  for (const key of ["my-hash", "example.com/config-checksum", "secret-checksum", "rollme"])
    assert.equal(isChecksum(key, whole), false, key);
});

it("the name of a checksum says of what it is", () => {
  const said: readonly (readonly [string, readonly string[], "ConfigMap" | "Secret" | undefined])[] = [
    ["checksum/config", [], undefined],
    ["checksum/configMaps", [], "ConfigMap"],
    ["checksum/cm", [], "ConfigMap"],
    ["checksum/secrets.yaml", [], "Secret"],
    ["checksum/secret-core", ["core"], "Secret"],
    ["checksum/installInfo", ["install", "info"], undefined],
    ["checksum/install_info", ["install", "info"], undefined],
    ["consul.hashicorp.com/config-checksum", ["consul"], undefined],
  ];
  for (const [key, names, kind] of said) assert.deepEqual(checksumWords(key), { names, kind }, key);
});
