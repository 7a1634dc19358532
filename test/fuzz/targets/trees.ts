// A tree of files, as the bytes choose: links that stay and that lead out, pipes, sockets, folders where files are
// expected, ignore files with any patterns, manifests and what is none. Commands look through it and stamp it.
import { spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Bytes, inFolder, ran, type Ran } from "../world.ts";

const SENTINEL = "planted-by-the-fuzzer";

/** Files outside: they must not be changed or shown. */
const outside = mkdtempSync(join(tmpdir(), "rollstamp-fuzz-outside-"));
const secret = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${SENTINEL}}\ndata: {a: b}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${SENTINEL}}\nspec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: ${SENTINEL}}}]}]}}}\n`;
writeFileSync(join(outside, "secret.yaml"), secret);
const pipe = join(outside, "pipe");
spawnSync("mkfifo", [pipe]);

const MANIFEST =
  "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: b}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n      containers: [{name: a, image: 'a:1', envFrom: [{configMapRef: {name: env}}]}]\n";

const NAMES: readonly [string, ...string[]] = [
  "a.yaml",
  "b.yml",
  "c.json",
  "d/a.yaml",
  "d/e/a.yaml",
  "d/f.yaml",
  "g/kustomization.yaml",
  "g/a.yaml",
  "h/Chart.yaml",
  "h/values.yaml",
  "h/templates/a.yaml",
  "rollstamp.yaml",
  ".git/HEAD",
  "x y.yaml",
  "-n.yaml",
  "\u2028.yaml",
];

const TEXTS: readonly [(bytes: Bytes) => string, ...((bytes: Bytes) => string)[]] = [
  () => MANIFEST,
  (bytes) => MANIFEST.replaceAll(/web|env/gu, (name) => `${name}${bytes.below(4)}`),
  () => "",
  () => "a: b\n",
  () => "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [\n",
  () => "{{ .Values.a }}\n",
  () => "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {layout: Combined}\n",
  () => "\u0000\uFFFD",
  () =>
    `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [../a.yaml, ${outside}/secret.yaml]\n`,
];

const LINKS: readonly [string, ...string[]] = [
  "a.yaml",
  "d",
  ".",
  "..",
  "../a.yaml",
  "nothing.yaml",
  "d/e/../../b.yml",
  "loop.yaml",
  `${outside}/secret.yaml`,
  outside,
  pipe,
  "/dev/zero",
  "/proc/self/environ",
];

const IGNORE_FILES: readonly [string, ...string[]] = [".gitignore", ".krmignore", "d/.gitignore", "d/.krmignore"];
const PATTERN_PIECES: readonly [string, ...string[]] = [
  "*",
  "**",
  "/",
  "?",
  "[a-z]",
  "[!a]",
  "[",
  "]",
  "\\",
  "!",
  "#",
  " ",
  "a",
  "d",
  ".yaml",
  "\n",
  "[[:alpha:]]",
  "\r\n",
];

const COMMANDS: readonly [readonly string[], ...(readonly string[])[]] = [
  ["stamp", "."],
  ["stamp", "--check", "."],
  ["stamp", "--check", "--scope", "directory", "."],
  ["stamp", "--kustomize-input", "--keep-going", "."],
  ["lint", "-o", "json", "."],
  ["lint", "--scope", "file", "."],
  ["graph", "-o", "json", "--verbose", "."],
  ["digest", "d"],
  ["plan", "-o", "json", ".", "d"],
  ["migrate", "."],
  ["restart", "--all", "--at", "2026-01-01T00:00:00Z", "."],
  ["stamp", "a.yaml", "d/f.yaml"],
  ["explain", "deployment/web", "."],
];

const WRITING: ReadonlySet<string> = new Set(["stamp", "restart", "migrate"]);

/** Longer than this no small tree takes: something waits, or reads without an end. */
const MOST_MILLISECONDS = 20_000;

/** Throws where a command does what it never may. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const given = new Bytes(bytes);
  const args = given.pick(COMMANDS);
  await inFolder({}, async (folder) => {
    while (!given.isAtEnd) plant(folder, given);
    if (args.some((arg) => isLinkOut(folder, arg))) {
      // A link that is named is the person's own: to what only reads, and outside of a repository.
      if (!WRITING.has(args[0] ?? "")) return;
      mkdirSync(join(folder, ".git"), { recursive: true });
    }
    const began = Date.now();
    const once = checked(args, await ran(args, ""));
    if (Date.now() - began > MOST_MILLISECONDS) throw new Error(`${args.join(" ")} took ${Date.now() - began} ms`);
    if (readFileSync(join(outside, "secret.yaml"), "utf8") !== secret) {
      writeFileSync(join(outside, "secret.yaml"), secret);
      throw new Error("a file outside was changed");
    }
    if (readdirSync(outside).length !== 2) throw new Error("a file was made outside");
    if (args[0] !== "stamp" || args.includes("--check") || once.status === 2) return;
    const before = contents(folder);
    checked(args, await ran(args, ""));
    if (contents(folder) !== before) throw new Error("stamping twice is not stamping once");
  });
}

function checked(args: readonly string[], run: Ran): Ran {
  if (`${run.stdout}${run.stderr}`.includes(SENTINEL)) throw new Error(`${args.join(" ")} shows a file outside`);
  return run;
}

function isLinkOut(folder: string, arg: string): boolean {
  try {
    return !realpathSync(join(folder, arg)).startsWith(folder);
  } catch {
    return false;
  }
}

/** Puts one more thing into a folder; what can't be there is not. */
function plant(folder: string, bytes: Bytes): void {
  const what = bytes.below(8);
  const path = join(folder, bytes.pick(NAMES));
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (what === 0) symlinkSync(bytes.pick(LINKS), path);
    else if (what === 1) linkSync(pipe, path);
    else if (what === 2) mkdirSync(path);
    else if (what === 3) {
      const pieces = Array.from({ length: bytes.below(12) }, () => bytes.pick(PATTERN_PIECES));
      const file = join(folder, bytes.pick(IGNORE_FILES));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, pieces.join(""), { flag: "wx" });
    } else writeFileSync(path, bytes.pick(TEXTS)(bytes), { flag: "wx" });
  } catch (cause) {
    // Something else of that name is there.
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
  }
}

/** What a folder's own files hold; no link is followed. */
function contents(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return contents(path);
      return entry.isFile() ? `${path}\n${readFileSync(path, "utf8")}` : path;
    })
    .join("\n");
}
