// The inputs that fuzzing starts with, kept as one archive: test/fuzz/corpus.tar.gz has a folder for each target.
//
//   node scripts/fuzz-corpus.mjs unpack FOLDER
//   node scripts/fuzz-corpus.mjs pack FOLDER     the same files give the same archive
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const ARCHIVE = join(dirname(fileURLToPath(import.meta.url)), "..", "test/fuzz/corpus.tar.gz");

/** Writes the corpus of all targets, or of the named ones, into a folder. */
export function unpackCorpus(folder, targets = []) {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["-xzf", ARCHIVE, "-C", folder, ...targets]);
}

function packCorpus(folder) {
  const sameEverywhere = [
    "--sort=name",
    "--mtime=@0",
    "--owner=0",
    "--group=0",
    "--numeric-owner",
    "--mode=u=rwX,go=rX",
  ];
  const tar = execFileSync("tar", ["--format=ustar", ...sameEverywhere, "-cf", "-", ...readdirSync(folder).sort()], {
    cwd: folder,
    maxBuffer: Infinity,
  });
  writeFileSync(ARCHIVE, gzipSync(tar, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [action, folder] = process.argv.slice(2);
  if (folder !== undefined && action === "unpack") unpackCorpus(folder);
  else if (folder !== undefined && action === "pack") packCorpus(folder);
  else {
    console.error("usage: node scripts/fuzz-corpus.mjs unpack|pack FOLDER");
    process.exitCode = 2;
  }
}
