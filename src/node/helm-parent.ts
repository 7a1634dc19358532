import { readFileSync, readlinkSync } from "node:fs";
import { basename } from "node:path";
import { RollstampError } from "../base/errors.ts";
import { HELM_VERSION_VARIABLE } from "../base/hosts/helm.ts";

// Helm 3 sets nothing in the environment of a post-renderer (pkg/postrender/exec.go), so the process that started this one
// says whether it is Helm.

const HELM = /^helm(?:[-_]?v?\d[-\w.]*)?$/u;

/** Our process, and the shells of a script that starts it. */
const MOST_PARENTS = 4;

/** Milliseconds. */
const TIME_LIMIT = 10_000;

/**
 * The version of the Helm that runs this process as a post-renderer: `v3.22.0`. Undefined if Helm does not run it.
 * Throws a RollstampError if the version cannot be read.
 */
export function helmVersion(environment: Readonly<Record<string, string | undefined>>): string | undefined {
  const given = environment[HELM_VERSION_VARIABLE] ?? "";
  if (given !== "") return given;
  const program = helmAmongParents();
  if (program === undefined) return undefined;
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  // It is the program that runs us, whatever its environment tells plugins.
  const { status, stdout } = spawnSync(program, ["version", "--template", "{{.Version}}"], {
    encoding: "utf8",
    timeout: TIME_LIMIT,
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (status === 0 && /^v?\d+\.\d+/u.test(stdout)) return stdout.trim();
  throw new RollstampError("config", "the version of Helm is unknown, and layout Versioned needs it", {
    remedy: `Set ${HELM_VERSION_VARIABLE}, for example to 3.22.0.`,
  });
}

function helmAmongParents(): string | undefined {
  let pid = process.ppid;
  for (let i = 0; i < MOST_PARENTS && pid > 1; i++) {
    const parent = parentProcess(pid);
    if (parent === undefined) return undefined;
    if (HELM.test(basename(parent.program))) return parent.program;
    ({ pid } = parent);
  }
  return undefined;
}

/** The program of a process, and the process that started it. */
function parentProcess(pid: number): { readonly program: string; readonly pid: number } | undefined {
  try {
    // After the name in parentheses: the state, then the parent (proc_pid_stat(5)).
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { program: readlinkSync(`/proc/${pid}/exe`).replace(/ \(deleted\)$/u, ""), pid: Number(parent) };
  } catch {
    return fromPs(pid);
  }
}

/** macOS has no /proc. */
function fromPs(pid: number): { readonly program: string; readonly pid: number } | undefined {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status, stdout } = spawnSync("ps", ["-o", "ppid=,comm=", "-p", String(pid)], { encoding: "utf8" });
  const [, parent, program] = /^\s*(\d+)\s+(.+?)\s*$/u.exec(stdout ?? "") ?? [];
  return status === 0 && program !== undefined ? { program, pid: Number(parent) } : undefined;
}
