// Packs the plugin for Helm 4 as a tarball: node scripts/helm-plugin.mjs FOLDER [EXECUTABLE]. With a single executable of a
// release (rollstamp-linux-amd64) the plugin is complete; without one it needs node. Helm requires the folder in the tarball
// to have the name of the file without the version. rollstamp-VERSION.tgz is npm's package.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import fg from "fast-glob";
import { parse, stringify } from "yaml";
import { writeTarball } from "./tarball.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [folder, executable] = process.argv.slice(2);
const [, platform] = /^rollstamp-(\w+-\w+)(?:\.exe)?$/u.exec(basename(executable ?? "")) ?? [];
if (folder === undefined || (executable !== undefined && platform === undefined)) {
  console.error("usage: node scripts/helm-plugin.mjs FOLDER [rollstamp-OS-PROCESSOR]");
  process.exit(2);
}
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const metadata = parse(readFileSync(join(root, "functions/helm-postrenderer/plugin.yaml"), "utf8"));
if (metadata.version !== version) {
  console.error(`functions/helm-postrenderer/plugin.yaml has another version than package.json: ${version}`);
  process.exit(1);
}

const work = mkdtempSync(join(tmpdir(), "rollstamp-helm-plugin-"));
try {
  const name = platform === undefined ? "rollstamp-helm" : `rollstamp-helm-${platform}`;
  const plugin = join(work, name);
  mkdirSync(plugin);
  addCommand(plugin);
  writeFileSync(join(plugin, "plugin.yaml"), stringify(metadata));
  cpSync(join(root, "LICENSE"), join(plugin, "LICENSE"));
  cpSync(join(root, "dist/THIRD-PARTY-LICENSES.txt"), join(plugin, "THIRD-PARTY-LICENSES.txt"));
  mkdirSync(folder, { recursive: true });
  const tarball = join(resolve(folder), `${name}-${version}.tgz`);
  writeTarball(tarball, work, [name]);
  console.log(tarball);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** Adds the program, and names it in plugin.yaml if it is not a script for node. */
function addCommand(plugin) {
  if (executable === undefined) {
    for (const file of fg.sync("*.cjs", { cwd: join(root, "dist") }))
      cpSync(join(root, "dist", file), join(plugin, file));
    return;
  }
  const program = executable.endsWith(".exe") ? "rollstamp.exe" : "rollstamp";
  cpSync(executable, join(plugin, program));
  // Artifacts of CI lose their file modes.
  chmodSync(join(plugin, program), 0o755);
  const [{ args }] = metadata.runtimeConfig.platformCommand;
  const command = `\${HELM_PLUGIN_DIR}/${program}`;
  metadata.runtimeConfig.platformCommand = [{ command, args: args.slice(1) }];
}
