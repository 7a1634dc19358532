// What is measured: our function, the floors that nothing can go below, and the peers on PATH.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { occurrences } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Command} Command */
/** @typedef {{ node: string, program: string, otherPlaces: Record<string, string>, hasProgram: boolean, executable: string | undefined, floors: { parse: string, parseFolder: string }, peers: { name: string, argv: string[] }[], full: boolean }} Setup */

/**
 * @param {string} name
 * @returns {string | undefined} the file that the shell would run
 */
export function which(name) {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}

/** Other functions that write digests of configuration into pod templates. */
const PEER_FUNCTIONS = ["refhash", "hash-dependency"];

/** @returns {Setup["peers"]} */
export function peerFunctions() {
  return PEER_FUNCTIONS.flatMap((name) => {
    const file = which(name);
    return file === undefined ? [] : [{ name, argv: [file] }];
  });
}

/** Two programs have the name: Go's reads and prints YAML itself, Python's goes through jq. */
function yq() {
  const file = which("yq");
  if (file === undefined) return [];
  const go = spawnSync(file, ["--version"], { encoding: "utf8" }).stdout.includes("mikefarah");
  return [{ name: go ? "yq (Go)" : "yq (Python)", argv: go ? [file, "."] : [file, "-y", "."] }];
}

/**
 * Whether the output holds the stamps that the corpus calls for: a fast wrong answer is no figure.
 * @param {number} stamps
 */
const stamped = (stamps) => (/** @type {string} */ file) => {
  const found = occurrences(file, ': "h1-');
  return found === stamps ? undefined : `${found} stamps in the output, ${stamps} expected`;
};

/**
 * The commands for one corpus on stdin.
 * @param {Setup} setup
 * @param {{ stdin: string, resources: number, stamps: number, resourceList: boolean }} input
 * @returns {Command[]}
 */
export function functionCommands(setup, { stdin, resources, stamps, resourceList }) {
  const check = stamped(stamps);
  const commands = [
    ...(setup.hasProgram ? [{ name: "rollstamp", argv: [setup.node, setup.program], check }] : []),
    ...(setup.executable ? [{ name: "rollstamp (executable)", argv: [setup.executable], check }] : []),
    { name: "node -e 0", argv: [setup.node, "-e", "0"] },
    { name: "cat", argv: ["cat"] },
    { name: "parseEvents", argv: [setup.node, setup.floors.parse] },
    ...(resourceList && (resources <= 5000 || setup.full) ? setup.peers : []),
    ...(resources <= 500 || setup.full ? yq() : []),
  ];
  return commands.map((command) => ({ ...command, stdin }));
}

/** The places from which the same program is started: all have to start alike. */
export const PLACES = ["rollstamp", "rollstamp (checkout)"];

/**
 * What a render pays before anything: Node, and the function from each place.
 * @param {Setup} setup
 * @param {{ stdin: string, stamps: number }} input
 * @returns {Command[]}
 */
export function startCommands(setup, { stdin, stamps }) {
  if (!setup.hasProgram) return [];
  const check = stamped(stamps);
  return [
    { name: "node -e 0", argv: [setup.node, "-e", "0"], stdin },
    ...PLACES.map((name) => ({
      name,
      argv: [setup.node, setup.otherPlaces[name] ?? setup.program],
      check,
      stdin,
    })),
  ];
}

/**
 * `stamp` in place, and the commands beside it. Each run of `stamp` begins with the folder as it was.
 * @param {Setup} setup
 * @param {{ folder: string, stampedFolder: string, changedFolder: string, restore: () => void }} input
 * @returns {Command[]}
 */
export function folderCommands(setup, { folder, stampedFolder, changedFolder, restore }) {
  const stamp = [setup.node, setup.program, "stamp"];
  return [
    { name: "stamp", argv: [...stamp, folder], before: restore },
    { name: "stamp --check", argv: [...stamp, "--check", stampedFolder] },
    { name: "plan", argv: [setup.node, setup.program, "plan", stampedFolder, changedFolder] },
    { name: "parseEvents of each file", argv: [setup.node, setup.floors.parseFolder, folder] },
    { name: "node -e 0", argv: [setup.node, "-e", "0"] },
  ];
}

/** The histories that `log` looks through: a folder of each, and how many of its commits roll the workload. */
export const HISTORIES = [
  { name: "log, files of its own", shape: { rolls: "all", files: "each" }, of: 1 },
  { name: "log, one file", shape: { rolls: "all", files: "one" }, of: 1 },
  { name: "log, one file, one in forty", shape: { rolls: "one", files: "one" }, of: 40 },
];

/**
 * `log` over a history: every commit that rolled the workload must be listed.
 * @param {Setup} setup
 * @param {readonly { name: string, folder: string, rolls: number }[]} histories
 * @returns {Command[]}
 */
export function logCommands(setup, histories) {
  return [
    ...histories.map(({ name, folder, rolls }) => ({
      name,
      argv: [setup.node, setup.program, "log", "deployment/app0", folder, "-o", "json"],
      check: (/** @type {string} */ file) => {
        const found = occurrences(file, '"commit": ');
        return found === rolls ? undefined : `${found} commits in the output, ${rolls} expected`;
      },
    })),
    { name: "node -e 0", argv: [setup.node, "-e", "0"] },
  ];
}

/** What is measured over a repository of applications. */
export const APPS = "apps";
export const PLAN_APPLICATIONS = "plan --git";
export const LOOP = "a loop of the renderings";

/**
 * `apps`, and `plan --git` of the applications that differ, beside a loop that renders the same ones and does no more.
 * @param {Setup} setup
 * @param {{ folder: string, list: string, cache: string, temporary: string, applications: number, changed: number, jobs: number }} input
 *   `list`: a file with the folders that the loop renders, of both revisions
 * @returns {Command[]}
 */
export function applicationCommands(setup, { folder, list, cache, temporary, applications, changed, jobs }) {
  const says = (/** @type {string} */ text) => (/** @type {string} */ file) =>
    occurrences(file, text) === 1 ? undefined : `the output has no '${text}'`;
  const rollstamp = [setup.node, setup.program];
  const kustomize = which("kustomize");
  const env = { ...process.env, TMPDIR: temporary };
  const plan = [...rollstamp, "plan", "--git", "HEAD~1..HEAD", "--jobs", String(jobs)];
  const check = says(
    `${changed} workloads checked in ${changed} applications; ${applications - changed} applications not affected`,
  );
  const rendering =
    kustomize === undefined
      ? []
      : [
          { name: LOOP, argv: ["xargs", "-P", String(jobs), "-n", "1", "-a", list, kustomize, "build"] },
          { name: PLAN_APPLICATIONS, argv: plan, cwd: folder, env, check },
          { name: "plan --git, all in its cache", argv: [...plan, "--cache", cache], cwd: folder, env, check },
        ];
  return [
    { name: APPS, argv: [...rollstamp, "apps"], cwd: folder, check: says(`${applications} applications:`) },
    ...rendering,
    { name: "node -e 0", argv: [setup.node, "-e", "0"] },
  ];
}

/**
 * A host with functions: the same run with `cat` as the function is the host's own share.
 * @param {Setup} setup
 * @param {string} folder
 * @returns {Command[]}
 */
export function kptCommands(setup, folder) {
  const kpt = which("kpt");
  if (kpt === undefined) return [];
  const functions = [
    { name: "cat", argv: [which("cat") ?? "cat"] },
    { name: "rollstamp", argv: [setup.node, setup.program] },
    ...(setup.executable ? [{ name: "rollstamp (executable)", argv: [setup.executable] }] : []),
    ...setup.peers,
  ];
  return functions.map(({ name, argv }) => ({
    name: `kpt fn eval, ${name}`,
    argv: [kpt, "fn", "eval", folder, "--output", "stdout", "--exec", argv.join(" ")],
  }));
}

/**
 * @param {readonly { name: string, folder: string }[]} kustomizations
 * @returns {Command[]}
 */
export function kustomizeCommands(kustomizations) {
  const kustomize = which("kustomize");
  if (kustomize === undefined) return [];
  return kustomizations.map(({ name, folder }) => ({
    name: `kustomize build, ${name}`,
    argv: [kustomize, "build", "--enable-alpha-plugins", "--enable-exec", folder],
  }));
}

/**
 * Whether the program has a command yet.
 * @param {Setup} setup
 * @param {string} command
 */
export function hasCommand(setup, command) {
  return setup.hasProgram && spawnSync(setup.node, [setup.program, command, "--help"]).status === 0;
}
