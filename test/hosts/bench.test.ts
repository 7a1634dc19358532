// The bench over applications: what it looks for in the output of a plan is what a plan prints. CI runs the bench without kustomize,
// so nothing else notices when the words change.
import assert from "node:assert/strict";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { STANDALONE } from "./kustomize.ts";
import { command, onPath, root, run, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const git = onPath("git");
const skip = unlessFound(git) || unlessFound(STANDALONE);

test("the bench accepts a plan over applications", { skip }, () => {
  assert(STANDALONE.found);
  const program = `
    import { applicationCommands, LOOP } from ${JSON.stringify(pathToFileURL(join(root, "bench", "commands.mjs")).href)};
    import { writeRepository } from ${JSON.stringify(pathToFileURL(join(root, "bench", "corpora", "repository.mjs")).href)};
    import { measure } from ${JSON.stringify(pathToFileURL(join(root, "bench", "measure.mjs")).href)};
    const [folder, scratch, cache] = process.argv.slice(1);
    writeRepository(folder, { applications: 16, changed: 8 });
    const setup = { node: process.execPath, program: ${JSON.stringify(command)} };
    const input = { folder, list: "/dev/null", cache, temporary: scratch, applications: 16, changed: 8, jobs: 2 };
    const commands = applicationCommands(setup, input).filter(({ name }) => name !== LOOP);
    const measured = measure(commands, { scratch, budget: 0, least: 1, most: 1, memoryRounds: 0 });
    console.log(JSON.stringify(measured.map(({ name, failure }) => ({ name, failure }))));
  `;
  const folders = [join(temporaryFolder(), "repository"), temporaryFolder(), join(temporaryFolder(), "cache")];
  const env = {
    ...process.env,
    PATH: `${dirname(STANDALONE.path)}${delimiter}${process.env["PATH"] ?? ""}`,
  };
  const { status, stdout, stderr } = run(
    { found: true, path: process.execPath },
    ["--input-type=module", "-e", program, ...folders],
    { cwd: root, env },
  );
  assert.equal(status, 0, stderr);
  assert.deepEqual(
    JSON.parse(stdout),
    ["apps", "plan --git", "plan --git, all in its cache", "node -e 0"].map((name) => ({ name })),
  );
});
