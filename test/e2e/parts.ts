/** The programs of a test cluster, and that nothing of them outlives the test. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const START_SECONDS = 60;

export type PartSignal = "SIGSTOP" | "SIGCONT" | "SIGKILL";

export interface Parts {
  /** A program of the folder of them all, or of another one. */
  readonly start: (
    program: string,
    args: readonly string[],
    from?: string,
    env?: Readonly<Record<string, string>>,
  ) => void;
  /** Tries until it holds; a part that ended, or too long a wait, is an error with the part's last words. */
  readonly until: (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Halts one of them, lets it go on, or kills it and waits until it is gone. */
  readonly signal: (program: string, signal: PartSignal) => Promise<void>;
}

/** Programs of the folder `binaries`, with their logs and all they write in `folder`, which goes with them. */
export function startParts(binaries: string, folder: string): Parts {
  const running = new Map<string, ChildProcess>();
  const failures = new Map<string, string>();
  const killAll = (): void => {
    for (const child of running.values()) child.kill("SIGKILL");
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    } catch {
      // A part that is dying may still write; a folder left in the temporary one must not hide why we end.
    }
  };
  const dieBySignal = (signal: NodeJS.Signals): void => {
    killAll();
    process.removeListener(signal, dieBySignal);
    process.kill(process.pid, signal);
  };
  const signals: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
  process.on("exit", killAll);
  for (const signal of signals) process.on(signal, dieBySignal);

  const send = async (child: ChildProcess | undefined, signal: PartSignal): Promise<void> => {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.ref();
    const gone = new Promise((done) => child.once("exit", done));
    child.kill(signal);
    if (signal === "SIGKILL") await gone;
    child.unref();
  };

  const lastWords = (program: string): string =>
    readFileSync(join(folder, `${program}.log`), "utf8")
      .split("\n")
      .slice(-15)
      .join("\n");

  return {
    start: (program, args, from = binaries, env = {}) => {
      const log = openSync(join(folder, `${program}.log`), "a");
      // The parent-death signal holds even where no handler of ours runs (SIGKILL of this process).
      const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", join(from, program), ...args], {
        // A folder of its own: kwok reads and writes below HOME.
        env: { PATH: process.env["PATH"], HOME: folder, ...env },
        stdio: ["ignore", log, log],
      });
      closeSync(log);
      child.on("error", (error) => failures.set(program, error.message));
      // The tests end when they end: the parts must not keep the process.
      child.unref();
      running.set(program, child);
    },
    until: async (what, holds) => {
      const deadline = Date.now() + START_SECONDS * 1000;
      let refusal: unknown = "";
      while (Date.now() < deadline) {
        for (const [program, message] of failures) throw new Error(`${program} could not be started: ${message}`);
        const dead = [...running].find(([, child]) => child.exitCode !== null || child.signalCode !== null);
        if (dead) throw new Error(`${dead[0]} ended while the tests waited for ${what}:\n${lastWords(dead[0])}`);
        try {
          if (await holds()) return;
          refusal = "not yet";
        } catch (error) {
          refusal = error;
        }
        await sleep(50);
      }
      const logs = [...running.keys()].map((program) => `--- ${program}\n${lastWords(program)}`).join("\n");
      throw new Error(`${what}: not ready after ${START_SECONDS} s (${String(refusal)})\n${logs}`);
    },
    stop: async () => {
      process.removeListener("exit", killAll);
      for (const signal of signals) process.removeListener(signal, dieBySignal);
      await Promise.all([...running.values()].map((child) => send(child, "SIGKILL")));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
    signal: (program, signal) => send(running.get(program), signal),
  };
}

/** Ports that were free a moment ago; all are held at once, so that no two are the same. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((done, fail) => {
        server.once("error", fail);
        server.listen(0, host, () => done(server));
      });
    }),
  );
  return Promise.all(
    servers.map((server) => {
      const address = server.address();
      const port = typeof address === "object" && address ? address.port : 0;
      return new Promise<number>((done) => server.close(() => done(port)));
    }),
  );
}
