import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";

// The same files give the same bytes on any machine, at any time.
const SAME = ["--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"];

/** Packs files or folders of a folder as a gzipped tarball. */
export function writeTarball(tarball, folder, names) {
  const maxBuffer = 1 << 29;
  const tar = execFileSync("tar", ["--format=ustar", ...SAME, "-C", folder, "-cf", "-", ...names], { maxBuffer });
  writeFileSync(tarball, execFileSync("gzip", ["-6n"], { input: tar, maxBuffer }));
}
