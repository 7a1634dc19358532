// The hosts that render charts: each renders a chart with a filter that returns its input unchanged, and with rollstamp.
//
// Charts generate new passwords and certificates in each rendering. So the filter saves its input, and rollstamp gets
// the saved input in the second rendering. The two outputs of the host then differ only in stamps.
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SECONDS = 180;
const NAMESPACE = "shop";
/** The Kubernetes version that charts see. A Helm that was built by `go install` would report 1.20. */
const KUBERNETES = "1.34.0";

const running = new Set();

/** Ends what runs: an ended table leaves nothing behind. */
export function endAll() {
  for (const child of running) child.kill("SIGKILL");
}

/** Runs a program to its end: its status (or why it has none), and what it printed. */
export function run(program, args, { input = "", env = {}, cwd } = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, timeout: SECONDS * 1000 });
    running.add(child);
    const [out, err] = [[], []];
    child.stdout.on("data", (part) => out.push(part));
    child.stderr.on("data", (part) => err.push(part));
    const text = (parts) => Buffer.concat(parts).toString("utf8");
    child.on("error", (cause) => resolve({ status: -1, stdout: "", stderr: cause.message }));
    child.on("close", (status) => {
      running.delete(child);
      resolve({ status: status ?? -1, stdout: text(out), stderr: text(err) });
    });
    // A program that reads nothing may end first.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function script(path, text) {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return path;
}

/** Makes the filters in a folder, and gives the hosts whose programs are given. */
export function hostsOf({ helm3, helm4, kpt }, rollstamp, work) {
  // What runs it: the file that ships, or any other program.
  const line = /\.[cm]?js$/u.test(rollstamp) ? `"${process.execPath}" "${rollstamp}"` : `"${rollstamp}"`;
  const filters = {
    same: script(join(work, "same"), 'exec tee "$CHART_INPUT"'),
    stamps: script(join(work, "stamps"), `cat > /dev/null\nexec ${line} < "$CHART_INPUT"`),
  };
  // Helm 4 runs plugins only.
  for (const [name, program] of Object.entries(filters)) {
    const folder = join(work, "plugins", name);
    mkdirSync(folder, { recursive: true });
    const what = ["apiVersion: v1", "type: postrenderer/v1", `name: ${name}`, "version: 0.1.0", "runtime: subprocess"];
    const runs = ["runtimeConfig:", "  platformCommand:", `    - command: ${program}`];
    writeFileSync(join(folder, "plugin.yaml"), [...what, ...runs, ""].join("\n"));
  }
  const homes = Object.fromEntries(["DATA", "CONFIG", "CACHE"].map((kind) => [`HELM_${kind}_HOME`, join(work, kind)]));
  // Helm 3 can't read those of Helm 4, and says so.
  const pluginsOf = (program) => join(work, program === helm4 ? "plugins" : "none");
  const home = { ...homes, KUBECONFIG: join(work, "none") };

  const helm =
    (program, names, ...more) =>
    ({ folder, values }, filter, scratch) =>
      run(program, [...templateArgs(folder, values), ...more, "--post-renderer", names[filter]], {
        env: { ...home, HELM_PLUGINS: pluginsOf(program), CHART_INPUT: join(scratch, "input.yaml") },
      });

  const hosts = [
    // Its hooks go through no post-renderer: they would be those of another rendering.
    { name: "Helm 3", program: helm3, render: helm(helm3, filters, "--no-hooks") },
    { name: "Helm 4", program: helm4, render: helm(helm4, { same: "same", stamps: "stamps" }) },
    {
      name: "kpt",
      program: kpt,
      render: kptFn(kpt, { same: "cat", stamps: script(join(work, "kpt"), `exec ${line}`) }),
    },
  ];
  return hosts.filter(({ program }) => program !== undefined);
}

/** kpt works on files: those of a rendering, which it leaves in place. */
function kptFn(program, filters) {
  return async ({ rendering }, filter, scratch) => {
    const folder = join(scratch, filter);
    mkdirSync(folder);
    const file = join(folder, "all.yaml");
    writeFileSync(file, rendering);
    const { status, stderr } = await run(program, ["fn", "eval", folder, "--exec", filters[filter]]);
    return { status, stdout: existsSync(file) ? readFileSync(file, "utf8") : "", stderr };
  };
}

/** `helm template` of a chart. */
export function templateArgs(folder, values) {
  const files = values.flatMap((file) => ["--values", file]);
  // Schemas say what values may be, and some name others on the web.
  const options = ["--namespace", NAMESPACE, "--kube-version", KUBERNETES, "--skip-schema-validation"];
  return ["template", "release", folder, ...options, ...files];
}
