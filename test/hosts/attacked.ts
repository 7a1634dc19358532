// Runs the attacks of a tenant on the plugin: the tenant's folder is next to files of others. kustomize and helm are wrapped,
// so that their arguments, environment, paths and addresses are recorded (the last two by strace).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { basename, dirname, join } from "node:path";
import { SENTINEL, type Attack } from "./attacks.ts";
import { sidecar } from "./cmp.ts";
import { installed, type Program } from "./programs.ts";
import { gzipSync } from "node:zlib";
import { writeTar } from "../../src/applications/tools/tar-archive.ts";
import { temporaryFolder } from "./trees.ts";

const STRACE = installed("strace.sh");

/** A folder with what is nobody's but the sidecar's, and with its programs. */
export interface Sidecar {
  /** The folder above the tenant's. */
  readonly outer: string;
  /** The only folder in which its programs may open files. */
  readonly temporary: string;
  /** The folder of its programs. */
  readonly bin: string;
  /** What its programs have been called with since the last time that it was asked. */
  readonly calls: () => Calls;
}

/** Arguments and environments, and the system calls. */
export interface Calls {
  readonly called: string;
  readonly traced: string;
}

/** Lays out a sidecar; the sentinels are in `outer`, which is beside the tenant's folder. */
export function makeSidecar(programs: readonly Program[], outer: string = newFolder()): Sidecar {
  const records = newFolder();
  const temporary = join(newFolder(), "tmp");
  mkdirSync(temporary);
  plant(outer);
  const bin = sidecar([]);
  const record = join(records, "called");
  for (const program of programs) {
    if (!program.found) continue;
    const strace = STRACE.found
      ? `${STRACE.path} -f -qq -s 400 -e trace=file,network,process -o ${join(records, "trace")}.$$ `
      : "";
    const wrapper = join(bin, basename(program.path));
    writeFileSync(
      wrapper,
      `#!/bin/sh\nprintf '%s\\n' "$@" >> ${record}\n/usr/bin/env >> ${record}\nexec ${strace}${program.path} "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
  }
  // What would start containers, and what fetches.
  for (const name of ["docker", "podman", "git"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "STARTED ${name} $*" >> ${record}\nexit 1\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const calls = (): Calls => {
    const called = existsSync(record) ? readFileSync(record, "utf8") : "";
    const traces = readdirSync(records).filter((name) => name.startsWith("trace."));
    const traced = traces.map((name) => readFileSync(join(records, name), "utf8")).join("");
    for (const name of readdirSync(records)) rmSync(join(records, name));
    return { called, traced: programs.reduce((text, one) => withoutItself(text, one), traced) };
  };
  return { outer, temporary, bin, calls };
}

/** Puts beside the tenant's folder what he is after. */
export function plant(outer: string): void {
  write(outer, {
    key: SENTINEL,
    "key.json": JSON.stringify({ const: SENTINEL }),
    "key.env": `a=${SENTINEL}\n`,
    "other/kustomization.yaml": "resources: [cm.yaml]\n",
    "other/cm.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: ${SENTINEL}}\n`,
    "other/Chart.yaml": "apiVersion: v2\nname: other\nversion: 1.0.0\n",
    "other/values.yaml": `a: ${SENTINEL}\n`,
    "other/templates/cm.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: ${SENTINEL}}\n`,
  });
}

/**
 * Writes files; `-> target` is a link, `packed:` a chart's archive, `pipe:` a named pipe. A path behind `latin1:` is
 * written in bytes that are no UTF-8. `replaced` goes over every text.
 */
export function write(
  folder: string,
  files: Readonly<Record<string, string>>,
  replaced: (text: string) => string = (text) => text,
): void {
  for (const [path, text] of Object.entries(files)) {
    if (path.startsWith("latin1:")) {
      const bytes = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path.slice("latin1:".length), "latin1")]);
      mkdirSync(bytes.subarray(0, bytes.lastIndexOf("/")), { recursive: true });
      writeFileSync(bytes, replaced(text));
      continue;
    }
    const offset = join(folder, path);
    mkdirSync(dirname(offset), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(replaced(text.slice(3)), offset);
    else if (text === "pipe:") assert.equal(spawnSync("/usr/bin/mkfifo", [offset]).status, 0);
    else if (text.startsWith("packed:")) writeFileSync(offset, archive(JSON.parse(replaced(text.slice(7)))));
    else writeFileSync(offset, replaced(text), { mode: text.startsWith("#!") ? 0o755 : 0o644 });
  }
}

/** A packed chart; `zeros:N` are N bytes, `many:N` as many files. */
function archive(files: Readonly<Record<string, string>>): Buffer {
  const tar = writeTar(
    Object.entries(files).flatMap(([name, text]) => {
      const [, what, count] = /^(zeros|many):(\d+)$/u.exec(text) ?? [];
      if (what === "many") {
        return Array.from({ length: Number(count) }, (_, i) => ({ name: `${name}${i}`, bytes: Buffer.alloc(0) }));
      }
      return [{ name, bytes: what === undefined ? Buffer.from(text) : Buffer.alloc(Number(count)) }];
    }),
  );
  for (let offset = 0; offset < tar.length; offset += 512) {
    const body = tar.toString("utf8", offset + 512, offset + 1024).replace(/\0[^]*$/u, "");
    if (tar.toString("latin1", offset + 257, offset + 262) !== "ustar" || !body.startsWith("-> ")) continue;
    // A symbolic link, of which the content is not read; with the header's sum put right.
    tar.write("2", offset + 156, "latin1");
    tar.write(body.slice(3), offset + 157, 100, "utf8");
    tar.write("        ", offset + 148, "latin1");
    const sum = tar.subarray(offset, offset + 512).reduce((total, byte) => total + byte, 0);
    tar.write(`${sum.toString(8).padStart(6, "0")}\0 `, offset + 148, "latin1");
  }
  return gzipSync(tar);
}

/** What an attack's texts mean here: `OUTER` is the folder above, `DIALLED` an address offset which somebody listens. */
export function replacing(outer: string, dialled: Dialled): (text: string) => string {
  return (text) => text.replaceAll("OUTER", outer).replaceAll("DIALLED", `127.0.0.1:${dialled.port}`);
}

/** A port offset which somebody listens, and counts who calls. */
export interface Dialled {
  readonly port: number;
  readonly count: () => number;
  readonly close: () => void;
}

export async function listen(): Promise<Dialled> {
  let count = 0;
  const server: Server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { port: address.port, count: () => count, close: () => server.close() };
}

/** What an attack came to. */
export interface Outcome extends Calls {
  readonly succeeded: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Holds an outcome against what must never be. */
export function assertHeld(attack: Attack, { outer, temporary }: Sidecar, outcome: Outcome): void {
  const { succeeded, stdout, stderr, called, traced } = outcome;
  assert.ok(![stdout, stderr, called].join("\n").includes(SENTINEL), `${stdout}\n${stderr}\n${called}`);
  assert.doesNotMatch(called, /ROLLSTAMP_|SIDECAR_TOKEN|ARGOCD_APP_PARAMETERS|^STARTED /mu);
  assert.ok(!existsSync(join(outer, "ran")), "nothing of the repository ran");
  assertNothingOutside(traced, outer, temporary);
  assert.doesNotMatch(stderr, /internal error/u);
  if (attack.says === undefined) assert.ok(succeeded, stderr);
  else {
    assert.ok(!succeeded, stdout);
    assert.equal(stdout, "");
    assert.match(stderr, attack.says);
  }
}

function assertNothingOutside(traced: string, outer: string, temporary: string): void {
  for (const line of traced.split("\n")) {
    assert.doesNotMatch(line, /connect\(.*AF_INET|sendto\(.*AF_INET/u, "nothing is dialled");
    const [, path = ""] = /\bopen(?:at2?)?\((?:AT_FDCWD, )?"([^"]*)"/u.exec(line) ?? [];
    assert.ok(!path.startsWith(outer) || path.startsWith(`${temporary}/`), `opened outside of the copy: ${line}`);
    // Node looks offset the memory, and rollstamp as a plugin for Helm among the processes above it.
    assert.doesNotMatch(
      path,
      /^\/proc\/(?!self\/(?:maps|cgroup|mountinfo|exe|auxv)|sys\/|stat$|meminfo$|\d+\/status$)/u,
      line,
    );
    assert.doesNotMatch(path, /\.\.(?:\/\.\.){6}|^\/(?:root|home|var\/run\/secrets)\//u, line);
    // What is started has to be of the sidecar.
    const [, program = ""] = /\bexecve\("([^"]*)"/u.exec(line) ?? [];
    // Ours: one does nothing, the other is rollstamp.
    if (
      program.endsWith("/home/bin/docker") ||
      program.endsWith("/home/plugins/rollstamp.dev/v1alpha1/confighash/ConfigHash")
    )
      continue;
    assert.ok(!program.startsWith(outer) && !program.startsWith(`${temporary}/`), `ran: ${line}`);
    assert.doesNotMatch(program, /(?:^|\/)(?:ba|da)?sh$/u, "no shell is started");
  }
}

function withoutItself(traced: string, program: Program): string {
  return program.found ? traced.replaceAll(`"${program.path}"`, '"the program itself"') : traced;
}

function newFolder(): string {
  return realpathSync(temporaryFolder());
}
