// npm run bench (docs/why/benchmarks.md).
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { areStartsTold, verdicts } from "./bars.mjs";
import {
  applicationCommands,
  folderCommands,
  functionCommands,
  hasCommand,
  APPS,
  HISTORIES,
  kptCommands,
  kustomizeCommands,
  logCommands,
  LOOP,
  peerFunctions,
  PLAN_APPLICATIONS,
  startCommands,
  which,
} from "./commands.mjs";
import { writeHistory } from "./corpora/history.mjs";
import { writeRepository } from "./corpora/repository.mjs";
import { measure, measureTogether, MEMORY_REASON } from "./measure.mjs";
import { barsText, comparisonText, groupText } from "./report.mjs";

const HELP = `usage: npm run bench -- [options]
  --long             more runs, more inputs, and hosts: about ten minutes instead of two
  --full             slow peers too, and with --long hosts at 5,000 resources
  --only LIST        only these groups or corpora, comma-separated: apps-kpt/50,crds
  --json FILE        write all figures
  --compare FILE     set the figures against those of an earlier --json
  --strict           exit with status 1 if a bar that was measured is not met
  --node FILE        the Node that runs rollstamp and the floors
  --executable FILE  the single-file executable
  --peer COMMAND     one more KRM function to measure (repeatable)
`;

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bench = join(root, "bench");

/** The inputs on stdin; without --long those that a bar needs. */
const INPUTS = [
  { corpus: "apps-kpt", resources: 5, resourceList: true },
  { corpus: "apps-kpt", resources: 50, resourceList: true, isInBars: true },
  { corpus: "apps-kpt", resources: 500, resourceList: true },
  { corpus: "apps-kpt", resources: 5000, resourceList: true, isInBars: true },
  { corpus: "apps-kpt", resources: 20_000, resourceList: true, isInBars: true },
  { corpus: "apps-kustomize", resources: 5000, resourceList: true },
  { corpus: "apps-stream", resources: 5000, resourceList: false },
  { corpus: "dashboards", resources: 41, resourceList: false },
  { corpus: "crds", resources: 157, resourceList: false, isInBars: true },
  { corpus: "mixture", resources: 5000, resourceList: false, isInBars: true },
];
const FOLDER_FILES = 5000;
const COMMITS = 2000;
const APPLICATIONS = 800;
/** As many of them differ between its two commits. */
const CHANGED = 104;
/** Four times so many small files, a page of memory or two each. */
const FOLDER_SPACE = 250e6;

/**
 * Writes a corpus, in a process of its own: this one stays small and its forks quick.
 * @param {string} corpus
 * @param {number} resources
 * @param {string} target
 * @returns {{ stamps: number, bytes: number }}
 */
function generate(corpus, resources, target) {
  const argv = [join(bench, "corpus.mjs"), corpus, String(resources), target];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return corpus === "apps-folder" ? { stamps: 0, bytes: folderBytes(target) } : JSON.parse(stdout);
}

/** @param {string} folder */
function folderBytes(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true })) {
    const stat = statSync(join(folder, String(entry)));
    if (stat.isFile()) bytes += stat.size;
  }
  return bytes;
}

/**
 * Changes a key of each application's configuration: a plan has all of them to tell.
 * @param {string} folder
 */
function changeConfiguration(folder) {
  for (const entry of readdirSync(folder, { recursive: true })) {
    const file = join(folder, String(entry));
    if (!file.endsWith(".yaml")) continue;
    const text = readFileSync(file, "utf8");
    const changed = text.replace(/LOG_LEVEL: .*/, "LOG_LEVEL: changed");
    if (changed !== text) writeFileSync(file, changed);
  }
}

/**
 * The floors, bundled as the program is: what they cost is the work, not the loading of a larger file.
 * @param {string} scratch
 */
async function buildFloors(scratch) {
  const names = { parse: "parse", parseFolder: "parse-folder" };
  for (const name of Object.values(names)) {
    await build({
      entryPoints: [join(bench, "floors", `${name}.mjs`)],
      outfile: join(scratch, `${name}.cjs`),
      bundle: true,
      minify: true,
      platform: "node",
      format: "cjs",
      logLevel: "warning",
    });
  }
  return { parse: join(scratch, "parse.cjs"), parseFolder: join(scratch, "parse-folder.cjs") };
}

/**
 * One base of applications, and an overlay for each way to go over it.
 * @param {string} folder
 * @param {import("./commands.mjs").Setup} setup
 */
function writeKustomizations(folder, setup) {
  const files = readdirSync(join(folder, "base"), { recursive: true })
    .map(String)
    .filter((file) => file.endsWith(".yaml"));
  const list = (/** @type {readonly string[]} */ items) => items.map((item) => `  - ${item}\n`).join("");
  writeFileSync(join(folder, "base", "kustomization.yaml"), `resources:\n${list(files.sort())}`);
  const exec = (/** @type {string} */ path) => `transformers:
  - |-
    apiVersion: rollstamp.dev/v1alpha1
    kind: ConfigHash
    metadata:
      name: stamp
      annotations:
        config.kubernetes.io/function: |
          exec:
            path: ${path}
`;
  const overlays = {
    "no transformer": "",
    "its own labels": "labels:\n  - pairs: {bench: rollstamp}\n    includeTemplates: true\n",
    cat: exec(which("cat") ?? "cat"),
    rollstamp: exec(setup.program),
    ...(setup.executable && { "rollstamp (executable)": exec(setup.executable) }),
  };
  return Object.entries(overlays).map(([name, text]) => {
    const overlay = join(folder, name.replaceAll(/\W/g, "-"));
    mkdirSync(overlay);
    writeFileSync(join(overlay, "kustomization.yaml"), `resources:\n  - ../base\n${text}`);
    return { name, folder: overlay };
  });
}

/** A folder in memory, where there is one with room for the files; else one beside the others. */
function inMemory(scratch) {
  const memory = "/dev/shm";
  const { bavail = 0, bsize = 0 } = existsSync(memory) ? statfsSync(memory) : {};
  if (bavail * bsize < FOLDER_SPACE) return mkdtempSync(join(scratch, "files-"));
  return mkdtempSync(join(memory, "rollstamp-bench-"));
}

/**
 * @param {import("./commands.mjs").Setup} setup
 * @param {Record<string, string>} missing reasons for the bars, filled in
 * @param {boolean} isLong
 * @returns {{ name: string, corpus: string, resources: number, together?: boolean, prepare: (scratch: string) => { bytes: number, commands: import("./measure.mjs").Command[], clean?: () => void } }[]}
 */
function groups(setup, missing, isLong) {
  const functions = INPUTS.filter((input) => isLong || input.isInBars).map(({ corpus, resources, resourceList }) => ({
    name: `${corpus}/${resources}`,
    corpus,
    resources,
    prepare: (/** @type {string} */ scratch) => {
      const stdin = join(scratch, "input.yaml");
      const { stamps, bytes } = generate(corpus, resources, stdin);
      return {
        bytes,
        commands: functionCommands(setup, { stdin, resources, stamps, resourceList }),
      };
    },
  }));

  const start = {
    name: "start/50",
    corpus: "start",
    resources: 50,
    together: true,
    prepare: (/** @type {string} */ scratch) => {
      const stdin = join(scratch, "input.yaml");
      const { stamps, bytes } = generate("apps-kpt", 50, stdin);
      return { bytes, commands: startCommands(setup, { stdin, stamps }) };
    },
  };

  const folders = {
    name: `apps-folder/${FOLDER_FILES}`,
    corpus: "apps-folder",
    resources: FOLDER_FILES,
    prepare: (/** @type {string} */ scratch) => {
      const files = inMemory(scratch);
      const [original, folder, stamped, changed] = ["original", "folder", "stamped", "changed"].map((name) =>
        join(files, name),
      );
      const { bytes } = generate("apps-folder", FOLDER_FILES, original);
      const restore = () => {
        rmSync(folder, { recursive: true, force: true });
        cpSync(original, folder, { recursive: true });
      };
      restore();
      cpSync(original, stamped, { recursive: true });
      cpSync(original, changed, { recursive: true });
      changeConfiguration(changed);
      const present = hasCommand(setup, "stamp");
      if (present) spawnSync(setup.node, [setup.program, "stamp", stamped]);
      else missing["stamp"] = missing["stamp --check"] = "the program has no command `stamp`";
      const planned = hasCommand(setup, "plan");
      if (!planned) missing["plan"] = "the program has no command `plan`";
      const commands = folderCommands(setup, {
        folder,
        stampedFolder: stamped,
        changedFolder: changed,
        restore,
      });
      return {
        bytes,
        commands: commands.filter(({ name }) => (present || !name.startsWith("stamp")) && (name !== "plan" || planned)),
        clean: () => rmSync(files, { recursive: true }),
      };
    },
  };

  const history = {
    name: `history/${COMMITS}`,
    corpus: "history",
    resources: COMMITS,
    prepare: (/** @type {string} */ scratch) => {
      const repositories = HISTORIES.map(({ name, shape, of }, i) => {
        const folder = join(scratch, `history-${i}`);
        mkdirSync(folder);
        writeHistory(folder, COMMITS, shape);
        return { name, folder, rolls: COMMITS / of };
      });
      const bytes = repositories.reduce((all, { folder }) => all + folderBytes(folder), 0);
      return { bytes, commands: hasCommand(setup, "log") ? logCommands(setup, repositories) : [] };
    },
  };

  const applications = {
    name: `applications/${APPLICATIONS}`,
    corpus: "applications",
    resources: APPLICATIONS,
    prepare: (/** @type {string} */ scratch) => {
      const files = inMemory(scratch);
      const [folder, before, temporary] = ["head", "base", "tmp"].map((name) => join(files, name));
      const differing = writeRepository(folder, { applications: APPLICATIONS, changed: CHANGED });
      const bytes = folderBytes(folder);
      const { status, stderr } = spawnSync("git", ["worktree", "add", "--quiet", "--detach", before, "HEAD~1"], {
        cwd: folder,
        encoding: "utf8",
      });
      if (status !== 0) throw new Error(stderr);
      mkdirSync(temporary);
      const list = join(files, "list");
      const rendered = [before, folder].flatMap((side) => differing.map((path) => join(side, path)));
      writeFileSync(list, `${rendered.join("\n")}\n`);
      const present = hasCommand(setup, "apps");
      if (!present) missing[APPS] = "the program has no command `apps`";
      if (which("kustomize") === undefined) missing[PLAN_APPLICATIONS] = missing[LOOP] = "kustomize is not on PATH";
      return {
        bytes,
        commands: present
          ? applicationCommands(setup, {
              folder,
              list,
              temporary,
              cache: join(files, "cache"),
              applications: APPLICATIONS,
              changed: CHANGED,
              jobs: cpus().length,
            })
          : [],
        clean: () => rmSync(files, { recursive: true }),
      };
    },
  };

  const hosts = (setup.full ? [50, 500, 5000] : [50, 500]).flatMap((resources) => [
    {
      name: `kpt/${resources}`,
      corpus: "apps-folder",
      resources,
      prepare: (/** @type {string} */ scratch) => {
        const { bytes } = generate("apps-folder", resources, join(scratch, "package"));
        return { bytes, commands: kptCommands(setup, join(scratch, "package")) };
      },
    },
    {
      name: `kustomize/${resources}`,
      corpus: "apps-folder",
      resources,
      prepare: (/** @type {string} */ scratch) => {
        const { bytes } = generate("apps-folder", resources, join(scratch, "base"));
        return { bytes, commands: kustomizeCommands(writeKustomizations(scratch, setup)) };
      },
    },
  ]);
  return [start, ...functions, folders, history, applications, ...(isLong ? hosts : [])];
}

/**
 * The command as users get it: packed, and installed from the tarball, in a folder of its own.
 * @param {string} scratch
 */
function install(scratch) {
  const folder = join(scratch, "installed");
  mkdirSync(folder);
  const quiet = ["--ignore-scripts", "--silent"];
  npm(root, ["pack", ...quiet, "--pack-destination", folder]);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  npm(folder, ["install", ...quiet, "--offline", "--no-audit", "--no-fund", "--prefix", folder, join(folder, tarball)]);
  return join(folder, "node_modules", "rollstamp", "dist", "start.cjs");
}

/**
 * @param {string} cwd
 * @param {readonly string[]} args
 */
function npm(cwd, args) {
  const { status, stderr, error } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`npm ${args[0]} failed: ${error?.message ?? stderr}`);
}

/** @param {string} node */
function machine(node) {
  return {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    system: `${process.platform} ${process.arch} ${release()}`,
    node: spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim(),
    load: Number(loadavg()[0]?.toFixed(2)),
    date: new Date().toISOString(),
  };
}

const { values: options } = parseArgs({
  options: {
    long: { type: "boolean", default: false },
    full: { type: "boolean", default: false },
    only: { type: "string" },
    json: { type: "string" },
    compare: { type: "string" },
    strict: { type: "boolean", default: false },
    node: { type: "string", default: process.execPath },
    executable: {
      type: "string",
      default: join(root, "dist", `rollstamp-${process.platform}-${process.arch}`),
    },
    peer: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});

async function main() {
  const scratch = mkdtempSync(join(tmpdir(), "rollstamp-bench-"));
  try {
    const built = join(root, "dist", "start.cjs");
    const hasProgram = existsSync(built);
    /** @type {import("./commands.mjs").Setup} */
    const setup = {
      node: resolve(options.node),
      program: hasProgram ? install(scratch) : built,
      otherPlaces: hasProgram ? { "rollstamp (checkout)": built } : {},
      executable: existsSync(options.executable) ? resolve(options.executable) : undefined,
      hasProgram,
      floors: await buildFloors(scratch),
      peers: [
        ...peerFunctions(),
        ...options.peer.map((command) => ({
          name: basename(command.split(" ")[0]),
          argv: command.split(" "),
        })),
      ],
      full: options.full,
    };
    /** @type {Record<string, string>} */
    const missing = {
      ...(!hasProgram && { rollstamp: "dist/rollstamp.cjs is not built: npm run build" }),
      refhash: "refhash is not on PATH",
      "rollstamp (executable)": `no executable at ${options.executable}`,
    };
    const about = machine(setup.node);
    console.log(
      Object.entries(about)
        .map(([key, value]) => `${key} ${value}`)
        .join(" · "),
    );
    if (about.load > about.cores / 2) console.log("The machine is busy: read the ratios, not the milliseconds.");

    console.log(options.long ? "This takes about ten minutes." : "This takes about two minutes (--long: ten).");
    const effort = options.long
      ? { budget: 5000, least: 3, most: 41, memoryRounds: 3 }
      : { budget: 1500, least: 3, most: 15, memoryRounds: 1 };
    const turns = { least: 20, most: options.long ? 200 : 60, memoryRounds: effort.memoryRounds };
    const only = options.only?.split(",");
    const done = [];
    for (const { name, corpus, resources, together, prepare } of groups(setup, missing, options.long)) {
      if (only !== undefined && !only.includes(name) && !only.includes(corpus)) continue;
      if (process.stderr.isTTY) process.stderr.write(`measuring ${name} …\n`);
      const folder = join(scratch, "group");
      mkdirSync(folder);
      const { bytes, commands, clean } = prepare(folder);
      const group = {
        name,
        corpus,
        resources,
        bytes,
        commands: /** @type {import("./measure.mjs").Measured[]} */ ([]),
      };
      try {
        group.commands = together
          ? measureTogether(commands, { scratch: folder, ...turns, isEnough: areStartsTold })
          : measure(commands, { scratch: folder, ...effort });
      } finally {
        clean?.();
      }
      rmSync(folder, { recursive: true });
      if (commands.length === 0) continue;
      done.push(group);
      console.log(`\n${groupText(group)}`);
    }

    const run = {
      machine: about,
      groups: done,
      bars: verdicts(done, { missing, memoryReason: MEMORY_REASON }),
    };
    console.log(`\nBars\n${barsText(run.bars)}`);
    if (options.compare !== undefined) {
      console.log(
        `\nAgainst ${options.compare}\n${comparisonText(JSON.parse(readFileSync(options.compare, "utf8")), run)}`,
      );
    }
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(run, null, 2)}\n`);
    // A figure that is missing because the output is not as expected must not pass for "not measured".
    if (done.some(({ commands }) => commands.some(({ failure }) => failure !== undefined))) process.exitCode = 1;
    if (options.strict && run.bars.some(({ met }) => met === false)) process.exitCode = 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (options.help) process.stdout.write(HELP);
else await main();
