// Runs the examples of functions/*/examples as their README says: each block of commands, then the expected output or file (a block
// whose first line names a file).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { fencesOf } from "../support/fences.ts";
import { builtImage, engine, pathOf, PUBLISHED, withEngine } from "./images.ts";
import { kpt } from "./kpt.ts";
import { KUBECTL, STANDALONE } from "./kustomize.ts";
import { root, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const HOSTS = [engine, kpt, KUBECTL.program, STANDALONE];
const missing = HOSTS.map(unlessFound).find((reason) => reason !== false) ?? false;

const examples = readdirSync(join(root, "functions"), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => join("functions", name, "examples"))
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
  .sort();

describe("the examples of the functions", { skip: missing }, () => {
  let image = "";
  before(() => {
    assert.ok(examples.length > 0, "there is no example");
    image = builtImage("function");
  });

  for (const example of examples) {
    test(example, () => {
      const folder = join(copyOfFunctions(image), example);
      let printed = "";
      let ran = 0;
      for (const { language, text, file } of fencesOf(join(example, "README.md"))) {
        if (language === "sh") {
          printed = runShell(text, folder);
          ran += 1;
        } else if (file !== undefined) assertHolds(readFileSync(join(folder, file), "utf8"), text, file);
        else assertHolds(printed, text, "what is printed");
      }
      assert.ok(ran > 0, "the README shows no command");
    });
  }
});

/** All of them, as they point to each other; the published image becomes the one that was just built. */
function copyOfFunctions(image: string): string {
  const folder = temporaryFolder();
  cpSync(join(root, "functions"), join(folder, "functions"), { recursive: true });
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const file = join(folder, path);
    if (!/(?:\.yaml|Kptfile)$/.test(path) || !statSync(file).isFile()) continue;
    const text = readFileSync(file, "utf8");
    if (text.includes(PUBLISHED)) writeFileSync(file, text.replaceAll(PUBLISHED, image));
  }
  return folder;
}

function runShell(script: string, cwd: string): string {
  const { KUSTOMIZE_PLUGIN_HOME: _, ...env } = withEngine(rollstamp.env);
  const { status, stdout, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
    cwd,
    env: { ...env, PATH: pathOf([kpt, KUBECTL.program, STANDALONE], env) },
    encoding: "utf8",
    timeout: 120_000,
  });
  assert.equal(status, 0, `${script} ends with ${status}: ${stderr}`);
  return stdout + stderr;
}

/** Lines of prose in a message stand in the middle of one; whole lines stand as they are. */
function assertHolds(text: string, part: string, what: string): void {
  assert.ok(text.includes(part.trimEnd()), `${what} has not\n${part}\nbut\n${text}`);
}
