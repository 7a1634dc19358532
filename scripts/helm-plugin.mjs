// Packs Helm 4's plugin as a tarball that needs nothing but node: node scripts/helm-plugin.mjs FOLDER.
// Helm wants the folder in it to be the file's name without the version; npm has rollstamp-VERSION.tgz.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "rollstamp-helm";
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error("usage: node scripts/helm-plugin.mjs FOLDER");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const metadata = readFileSync(join(root, "functions/helm-postrenderer/plugin.yaml"), "utf8");
if (!metadata.includes(`\nversion: ${version}\n`)) {
  console.error(`functions/helm-postrenderer/plugin.yaml has another version than package.json: ${version}`);
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), "rollstamp-helm-plugin-"));
try {
  const plugin = join(work, NAME);
  mkdirSync(plugin);
  cpSync(join(root, "functions/helm-postrenderer/plugin.yaml"), join(plugin, "plugin.yaml"));
  cpSync(join(root, "dist/rollstamp.cjs"), join(plugin, "rollstamp.cjs"));
  cpSync(join(root, "LICENSE"), join(plugin, "LICENSE"));
  mkdirSync(folder, { recursive: true });
  const tarball = join(resolve(folder), `${NAME}-${version}.tgz`);
  // The same files make the same bytes, whoever packs them and when.
  const same = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];
  const tar = execFileSync("tar", ["--format=ustar", ...same, "-C", work, "-cf", "-", NAME], {
    maxBuffer: 1 << 28,
  });
  execFileSync("sh", ["-c", 'gzip -9n > "$1"', "sh", tarball], { input: tar });
  console.log(tarball);
} finally {
  rmSync(work, { recursive: true, force: true });
}
