import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Command } from "commander";
import fg from "fast-glob";
import { COMMANDS } from "../../src/commands/commands.ts";
import { addForAll, withCommandFirst } from "../../src/main/command-line.ts";
import { cli, testIo } from "../support/cli.ts";
import { fencesOf, type Fence } from "../support/fences.ts";
import { inRoot, ROOT } from "../support/paths.ts";
import { rollstampCalls, shellCommands } from "./shell.ts";
import { inWorkspace, type Workspace } from "./workspace.ts";

// Every block of shell in README and docs is valid, and each call of rollstamp in it has options that exist. Blocks run
// here in a copy of the example, unless the comment in front of them says which test runs them (`run: FILE`), or why none
// does (`not run: REASON`). kustomize and helm are stand-ins that print the example: test/hosts has the real ones.

const PAGES = ["README.md", ...fg.sync("docs/**/*.md", { cwd: ROOT }).sort()];

for (const page of PAGES) {
  describe(page, () => {
    for (const fence of fencesOf(page)) if (fence.language === "sh") testBlock(page, fence);
    it("shows commands in blocks that say so", () => {
      const text = readFileSync(inRoot(page), "utf8");
      assert.doesNotMatch(text, /^ *```(?:bash|shell|console)$/mu);
      assert.doesNotMatch(text, /\n\n {4}(?:rollstamp|kustomize|kubectl|helm|git) /u);
    });
  });
}

function testBlock(page: string, { line, text, note = "" }: Fence): void {
  it(`line ${line}: is shell, with commands and options that exist`, async () => {
    const { status, stderr } = spawnSync("bash", ["-n", "-c", text], { encoding: "utf8" });
    assert.equal(status, 0, stderr);
    for (const args of rollstampCalls(text)) await checkUsage(args);
  });
  const [, isNot, rest = ""] = /^(not )?run: (.+)$/u.exec(note) ?? [];
  if (rest === "") it(`line ${line}: runs`, () => inWorkspace(text, (workspace) => runBlock(text, workspace)));
  else if (isNot === undefined)
    it(`line ${line}: is run by ${rest}`, () => {
      assert.ok(existsSync(inRoot(rest)));
      assert.ok(readFileSync(inRoot(rest), "utf8").includes(page), `${rest} names ${page}`);
    });
}

/** Parses arguments as the command does, and runs nothing. */
async function checkUsage(given: readonly string[]): Promise<void> {
  const [name, ...args] = withCommandFirst(given.length === 0 ? ["fn"] : given);
  const row = COMMANDS.find((each) => each.name === name);
  assert.ok(row !== undefined, `no command '${name}'`);
  const command = new Command(row.name);
  const io = testIo({}, { writeStdout: () => Promise.resolve(), writeStderr: () => {} });
  (await row.load())(command, io, () => {});
  addForAll(command, { limits: {}, isQuiet: false });
  for (const each of [command, ...command.commands]) {
    each.exitOverride().configureOutput({ writeErr: () => {} });
    if (each !== command || command.commands.length === 0) each.action(() => {});
  }
  await command.parseAsync(args, { from: "user" });
}

async function runBlock(script: string, workspace: Workspace): Promise<void> {
  const { folder, path, rendered } = workspace;
  const before = process.cwd();
  process.chdir(folder);
  try {
    let stdin = "";
    let isReader = false;
    for (const { words, variables, to, isPiped } of shellCommands(script)) {
      const environment = { PATH: path, ...variables };
      const output = await runProgram(words, { stdin, isReader, rendered, environment });
      if (to !== undefined) writeFileSync(join(folder, to), output);
      stdin = isPiped ? output : "";
      isReader = isPiped;
    }
  } finally {
    process.chdir(before);
  }
}

interface World {
  readonly stdin: string;
  readonly isReader: boolean;
  readonly rendered: string;
  readonly environment: Readonly<Record<string, string>>;
}

async function runProgram(words: readonly string[], { stdin, isReader, rendered, environment }: World): Promise<string> {
  const [program = "", ...args] = words;
  switch (program) {
    case "rollstamp": {
      const { status, stdout, stderr } = await cli(args, { stdin, environment });
      assert.ok(status < 2, `${words.join(" ")}: ${status}\n${stderr}`);
      return stdout;
    }
    case "kustomize":
      return rendered;
    case "set":
      return "";
    case "git": {
      const { status, stdout, stderr } = spawnSync("git", args, { input: stdin, encoding: "utf8" });
      assert.equal(status, 0, stderr);
      return stdout;
    }
    default:
      if (program === "helm" && args[0] === "template") return rendered;
      // What reads the output of a pipe is not ours.
      if (isReader) return "";
      return assert.fail(`write '<!-- not run: REASON -->' or '<!-- run: TEST -->' in front of it: ${program}`);
  }
}
