import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { parse } from "yaml";
import { inRoot } from "../support/paths.ts";

const { version, license } = JSON.parse(readFileSync(inRoot("package.json"), "utf8")) as Record<string, string>;

const EXECUTABLES = ["linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64", "windows-amd64.exe"];

interface Krew {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string;
    readonly shortDescription: string;
    readonly platforms: readonly {
      readonly selector: { readonly matchLabels: { readonly os: string; readonly arch: string } };
      readonly uri: string;
      readonly sha256: string;
      readonly bin: string;
    }[];
  };
}

describe("what package managers take", () => {
  const assets = mkdtempSync(join(tmpdir(), "rollstamp-assets-"));
  after(() => rmSync(assets, { recursive: true, force: true }));
  const run = (): string =>
    execFileSync(process.execPath, [inRoot("scripts/release-manifests.mjs"), assets], { encoding: "utf8" });
  const sha256 = (file: string): string =>
    createHash("sha256")
      .update(readFileSync(join(assets, file)))
      .digest("hex");
  before(() => {
    for (const name of EXECUTABLES) writeFileSync(join(assets, `rollstamp-${name}`), `the program ${name}`);
    writeFileSync(join(assets, `rollstamp-${version}.tgz`), "the package");
    run();
  });

  it("krew: each executable in an archive with licenses and its checksum", () => {
    const { metadata, spec } = parse(readFileSync(join(assets, "krew.yaml"), "utf8")) as Krew;
    assert.equal(metadata.name, "rollstamp");
    assert.equal(spec.version, `v${version}`);
    // krew-index accepts at most 50 characters.
    assert.ok(spec.shortDescription.length <= 50);
    const found = spec.platforms.map(({ selector: { matchLabels }, uri, sha256: sum, bin }) => {
      const archive = uri.slice(uri.lastIndexOf("/") + 1);
      assert.equal(uri, `https://github.com/rollstamp/rollstamp/releases/download/v${version}/${archive}`);
      assert.equal(sum, sha256(archive));
      const files = execFileSync("tar", ["-tzf", join(assets, archive)], { encoding: "utf8" })
        .trim()
        .split("\n");
      assert.deepEqual(files, ["LICENSE", "THIRD-PARTY-LICENSES.txt", bin]);
      return `${matchLabels.os}-${matchLabels.arch}${bin.slice("rollstamp".length)}`;
    });
    assert.deepEqual(found.toSorted(), EXECUTABLES.toSorted());
  });

  it("Homebrew: npm's package with its checksum", () => {
    const formula = readFileSync(join(assets, "rollstamp.rb"), "utf8");
    assert.match(
      formula,
      new RegExp(`^  url "https://registry.npmjs.org/rollstamp/-/rollstamp-${version}.tgz"$`, "mu"),
    );
    assert.match(formula, new RegExp(`^  sha256 "${sha256(`rollstamp-${version}.tgz`)}"$`, "mu"));
    assert.match(formula, new RegExp(`^  license "${license}"$`, "mu"));
    assert.doesNotMatch(formula, /\{\{(?:version|sha256)\}\}/u);
  });

  it("are the same bytes each time", () => {
    const files = ["krew.yaml", "rollstamp.rb", "rollstamp-linux-amd64.tar.gz"];
    const first = files.map(sha256);
    run();
    assert.deepEqual(files.map(sha256), first);
  });
});
