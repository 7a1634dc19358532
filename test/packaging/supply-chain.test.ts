import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { inRoot } from "../support/paths.ts";

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
}

interface Component {
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(inRoot(path), "utf8")) as T;

describe("the dependencies", () => {
  const { packages } = read<{ packages: Readonly<Record<string, Locked>> }>("package-lock.json");
  const locked = Object.entries(packages).filter(([path]) => path !== "");

  it("are locked by version and digest", () => {
    assert.ok(locked.length > 50);
    for (const [path, { version = "", resolved, integrity = "" }] of locked) {
      assert.match(integrity, /^sha512-/u, path);
      assert.match(version, /^\d+\.\d+\.\d/u, path);
      // No registry's name is locked: a company's mirror has the same tarballs.
      assert.equal(resolved, undefined, path);
    }
  });

  it("run no install scripts, except two that are optional", () => {
    // esbuild only puts its program in a quicker place; fsevents is not for what is built here.
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => path);
    assert.deepEqual(
      scripts.filter((path) => !["node_modules/esbuild", "node_modules/fsevents"].includes(path)),
      [],
    );
  });

  it("add no install scripts to this package", () => {
    const { scripts } = read<{ scripts: Readonly<Record<string, string>> }>("package.json");
    for (const name of ["preinstall", "install", "postinstall"]) assert.equal(scripts[name], undefined);
  });
});

describe("the bill of materials", () => {
  const { components, ...bom } = read<{ components: readonly Component[]; bomFormat: string }>("dist/sbom.cdx.json");
  const notices = readFileSync(inRoot("dist/THIRD-PARTY-LICENSES.txt"), "utf8");

  it("names exactly the bundled packages", () => {
    assert.equal(bom.bomFormat, "CycloneDX");
    const names = components.map(({ name }) => name);
    for (const name of ["js-yaml", "yaml", "commander", "fast-glob", "re2js", "croner", "client-node", "ajv"]) {
      assert.ok(names.includes(name), `${name} is bundled`);
    }
    // These are for building and testing.
    for (const name of ["esbuild", "typescript", "fast-check", "undici", "playwright-core"]) {
      assert.ok(!names.includes(name), `${name} is not bundled`);
    }
  });

  it("has a version, a location and the licence text for each", () => {
    for (const { name, version, purl } of components) {
      assert.match(purl ?? "", /^pkg:npm\//u, name);
      assert.match(notices, new RegExp(`^(?:@[\\w-]+/)?${name} ${version} \\((?:MIT|ISC|BSD|Apache)`, "mu"), name);
    }
  });

  it("has no time and no local path, so that the same bundles give the same bill", () => {
    const text = readFileSync(inRoot("dist/sbom.cdx.json"), "utf8");
    assert.doesNotMatch(text, /"(?:timestamp|serialNumber)"/u);
    assert.ok(!text.includes(inRoot("")));
  });
});
