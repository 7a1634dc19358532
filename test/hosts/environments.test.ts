// A changed hash would restart a fleet: the shipped files give the recorded stamps of every fixture on every supported Node, as a
// single executable, and with any settings of the machine.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "yaml";
import { contentOf, goldenFixtures, SPELLINGS, stampsIn, type Golden } from "../support/golden.ts";
import { command, installed, root, run, succeed, unlessFound, type Program } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const KEY = "correct horse battery staple";

/** What a machine may be set to, by what shows in messages. */
const ENVIRONMENTS: Readonly<Record<string, NodeJS.ProcessEnv>> = {
  "no variable at all": {},
  "LC_ALL=C": { LC_ALL: "C" },
  "LC_ALL=POSIX": { LC_ALL: "POSIX" },
  // Where I and i are no pair.
  Turkish: { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
  "German, sorted as in Czech": { LANG: "de_DE.UTF-8", LC_COLLATE: "cs_CZ.UTF-8" },
  "Japanese, in another encoding": { LC_ALL: "ja_JP.eucJP" },
  "Arabic, with its caseFolder digits": { LC_ALL: "ar_EG.UTF-8", LANGUAGE: "ar" },
  "a locale that is none": { LC_ALL: "xx_YY.nonsense" },
  "a time zone ahead": { TZ: "Pacific/Apia" },
  "a time zone behind, by half an hour": { TZ: "America/St_Johns" },
  "a time zone that is none": { TZ: "Not/AZone" },
  "no ICU data of its own": { NODE_ICU_DATA: "/nonexistent" },
  "a terminal of twenty columns, with colours": { COLUMNS: "20", FORCE_COLOR: "3", TERM: "xterm-256color" },
  "another moment": { SOURCE_DATE_EPOCH: "0", ROLLSTAMP_NOW: "2038-01-19T03:14:08Z" },
};

const DEFAULT: NodeJS.ProcessEnv = ENVIRONMENTS["no variable at all"] ?? {};

const here: Program = { found: true, path: process.execPath };
const NODES: Readonly<Record<string, Program>> = {
  "Node 20": installed("nodes.sh", "20"),
  "Node 22": installed("nodes.sh", "22"),
  "Node 24": installed("nodes.sh", "24"),
  "this Node": here,
};

const golden = goldenFixtures();

interface Work {
  readonly text: string;
  readonly options: unknown;
}

/** The options of the library for a fixture; undefined for a configuration that it can't be given. */
function optionsOf({ config, text }: Golden): unknown {
  if (config === undefined) return {};
  const { kind, spec } = parse(config) as { kind: string; spec?: unknown };
  return kind === "ConfigHash" && !text.includes("ResourceList") ? (spec ?? {}) : undefined;
}

/** What the library is given: each fixture as it stands, and in some other spellings. */
const corpus = golden.flatMap((fixture) => {
  const options = optionsOf(fixture);
  if (options === undefined) return [];
  const spelled = ["flow style", "CR LF", "keys the other way round"].map(
    (name) => SPELLINGS[name]?.(contentOf(fixture.text)) ?? "",
  );
  return [fixture.text, ...spelled].map((text) => ({ fixture, work: { text, options } satisfies Work }));
});

// In the process of each Node: nothing of the tests is loaded there but this.
const WORKER = `
import { readFileSync } from "node:fs";
const { stamp } = await import(process.argv[1]);
const works = JSON.parse(readFileSync(0, "utf8"));
const texts = works.map(({ text, options }) => stamp(text, options, { hmacKey: ${JSON.stringify(KEY)} }).text);
process.stdout.write(JSON.stringify(texts));
`;

function holdsForLibrary(program: Program, env: NodeJS.ProcessEnv): void {
  // The spellings of a fixture do not differ in what a machine's settings could change.
  const given = env === DEFAULT ? corpus : corpus.filter(({ fixture, work }) => work.text === fixture.text);
  const library = pathToFileURL(join(root, "dist", "index.js")).href;
  const input = JSON.stringify(given.map(({ work }) => work));
  const args = ["--input-type=module", "--eval", WORKER, "--", library];
  const texts = JSON.parse(succeed(program, args, { cwd: temporaryFolder(), env, input })) as readonly string[];
  assert.equal(texts.length, given.length);
  for (const [i, text] of texts.entries()) {
    const { fixture } = given[i] ?? {};
    assert.deepEqual(stampsIn(text), fixture?.stamps, fixture?.path);
  }
}

// The command is given those without a configuration in one run: a folder for each.
const plain = golden.filter(({ config, text }) => config === undefined && !text.includes("ResourceList"));

function writeFolders(): string {
  const folder = temporaryFolder();
  for (const [i, { text, path }] of plain.entries()) {
    const caseFolder = join(folder, String(i).padStart(4, "0"));
    mkdirSync(caseFolder);
    writeFileSync(join(caseFolder, path.endsWith(".json") ? "a.json" : "a.yaml"), text);
  }
  return folder;
}

function holdsForCommand(program: Program, leading: readonly string[], env: NodeJS.ProcessEnv): void {
  const folder = writeFolders();
  const { status, stderr } = run(program, [...leading, "stamp", "--scope", "directory", "--kustomize-input", folder], {
    cwd: folder,
    env,
  });
  assert.equal(status, 0, stderr);
  for (const [i, { path, stamps }] of plain.entries()) {
    const file = join(folder, String(i).padStart(4, "0"), path.endsWith(".json") ? "a.json" : "a.yaml");
    assert.deepEqual(stampsIn(readFileSync(file, "utf8")), stamps, path);
  }
}

test("there are many fixtures", () => {
  assert.ok(corpus.length > 500, String(corpus.length));
  assert.ok(plain.length > 80, String(plain.length));
});

for (const [name, program] of Object.entries(NODES)) {
  describe(name, { skip: unlessFound(program) }, () => {
    test("has the version of its name", () => {
      const version = succeed(program, ["--version"], { cwd: temporaryFolder(), env: {} });
      const [, major] = /(\d+)$/u.exec(name) ?? [];
      assert.match(version, major === undefined ? /^v\d+\./u : new RegExp(`^v${major}\\.`, "u"));
    });
    for (const [set, env] of Object.entries(
      name === "Node 20" || name === "Node 24" ? ENVIRONMENTS : { "no variable at all": DEFAULT },
    )) {
      test(`the library gives the recorded stamps: ${set}`, () => holdsForLibrary(program, env));
    }
    for (const set of ["no variable at all", "Turkish"]) {
      test(`the command gives the recorded stamps: ${set}`, () =>
        holdsForCommand(program, [command], ENVIRONMENTS[set] ?? {}));
    }
    test("the command gives them as a copy in another folder, with another umask", () => {
      const folder = join(temporaryFolder(), "a b – ü");
      cpSync(join(root, "dist"), folder, { recursive: true });
      const umask = process.umask(0o077);
      try {
        holdsForCommand(program, [join(folder, "rollstamp.cjs")], DEFAULT);
      } finally {
        process.umask(umask);
      }
    });
  });
}

const bun = installed("bun.sh");

describe("the single executable", { skip: unlessFound(bun) }, () => {
  let executable: Program = { found: false, reason: "not built yet" };
  before(() => {
    const path = join(temporaryFolder(), "rollstamp");
    succeed(here, [join(root, "scripts", "executable.mjs"), path], { cwd: root, env: process.env });
    executable = { found: true, path };
  });
  for (const [set, env] of Object.entries(ENVIRONMENTS)) {
    test(`gives the recorded stamps: ${set}`, () => holdsForCommand(executable, [], env));
  }
});
