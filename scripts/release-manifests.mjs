// Writes what package managers take: node scripts/release-manifests.mjs ASSETS
//
// ASSETS has the package of npm (rollstamp-VERSION.tgz) and the executables of a release (rollstamp-OS-PROCESSOR). This adds
// krew.yaml, the manifest for krew-index, rollstamp.rb, the formula for Homebrew, and an archive of each executable, because
// krew installs only archives.
import { createHash } from "node:crypto";
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { writeTarball } from "./tarball.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const assets = resolve(process.argv[2] ?? "");
const EXECUTABLE = /^rollstamp-(?<os>linux|darwin|windows)-(?<arch>amd64|arm64)(?<suffix>\.exe)?$/u;
const executables = process.argv.length === 3 ? readdirSync(assets).filter((name) => EXECUTABLE.test(name)) : [];
if (executables.length === 0) {
  console.error("usage: node scripts/release-manifests.mjs ASSETS, a folder with rollstamp-OS-PROCESSOR");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const sha256 = (name) =>
  createHash("sha256")
    .update(readFileSync(join(assets, name)))
    .digest("hex");
const template = (name) => readFileSync(join(root, "scripts/release", name), "utf8").replaceAll("{{version}}", version);

const manifest = parse(template("krew.yaml"));
manifest.spec.platforms = executables.map((name) => {
  const { os, arch, suffix = "" } = EXECUTABLE.exec(name).groups;
  const archive = `rollstamp-${os}-${arch}.tar.gz`;
  const bin = `rollstamp${suffix}`;
  writeArchive(archive, name, bin);
  return {
    selector: { matchLabels: { os, arch } },
    uri: `https://github.com/rollstamp/rollstamp/releases/download/v${version}/${archive}`,
    sha256: sha256(archive),
    bin,
  };
});
writeFileSync(join(assets, "krew.yaml"), stringify(manifest, { lineWidth: 0 }));
const formula = template("rollstamp.rb").replace("{{sha256}}", sha256(`rollstamp-${version}.tgz`));
writeFileSync(join(assets, "rollstamp.rb"), formula);

/** Packs an executable with the licenses, which krew requires. */
function writeArchive(archive, executable, bin) {
  const work = mkdtempSync(join(tmpdir(), "rollstamp-archive-"));
  try {
    cpSync(join(assets, executable), join(work, bin));
    // Artifacts of CI lose their file modes.
    chmodSync(join(work, bin), 0o755);
    cpSync(join(root, "LICENSE"), join(work, "LICENSE"));
    cpSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), join(work, "THIRD-PARTY-LICENSES.txt"));
    writeTarball(join(assets, archive), work, readdirSync(work).sort());
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
