// The attacks of a tenant on the command, called as the plugin server calls it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { readdirSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { CHART_ATTACKS, INFLATION_ATTACKS, KUSTOMIZATION_ATTACKS, SENTINEL, type Attack } from "./attacks.ts";
import {
  UNLISTED_CHART_ATTACKS,
  UNLISTED_INFLATION_ATTACKS,
  UNLISTED_KUSTOMIZATION_ATTACKS,
  UNLISTED_PLAIN_ATTACKS,
} from "./unlisted-attacks.ts";
import { assertHeld, listen, makeSidecar, replacing, write, type Dialled, type Outcome } from "./attacked.ts";
import { environmentOf, HELM } from "./cmp.ts";
import { STANDALONE } from "./kustomize.ts";
import { installed, unlessFound, type Program } from "./programs.ts";

const HELM4 = installed("helm4.sh");
const IS_LONG = process.env["ROLLSTAMP_LONG"] === "1";

let dialled: Dialled;
before(async () => {
  dialled = await listen();
});
after(() => {
  assert.equal(dialled.count(), 0, "nothing is dialled");
  dialled.close();
});

async function run(programs: readonly Program[], attack: Attack): Promise<void> {
  const sidecar = makeSidecar(programs);
  const { outer, temporary, bin, calls } = sidecar;
  const replaced = replacing(outer, dialled);
  const folder = join(outer, "in", "app");
  write(folder, attack.files, replaced);
  const { subcommand = "generate", parameters = [], environment = {}, owner = {} } = attack;
  const child = spawn("rollstamp", ["cmp", subcommand], {
    cwd: folder,
    env: {
      ...environmentOf("app", { bin }),
      ARGOCD_APP_PARAMETERS: replaced(JSON.stringify(parameters)),
      TMPDIR: temporary,
      ROLLSTAMP_HMAC_KEY: SENTINEL,
      ROLLSTAMP_HMAC_KEY_FILE: join(outer, "key"),
      SIDECAR_TOKEN: SENTINEL,
      ...Object.fromEntries(Object.entries({ ...environment, ...owner }).map(([name, text]) => [name, replaced(text)])),
    },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const outcome: Outcome = { succeeded: status === 0, stdout, stderr, ...calls() };
  assertHeld(attack, sidecar, outcome);
  if (attack.says !== undefined) assert.equal(status, 2);
  assert.deepEqual(readdirSync(temporary), [], "nothing stays behind");
}

function suite(name: string, programs: readonly Program[], attacks: readonly Attack[]): void {
  const skip = programs.map(unlessFound).find((reason) => reason !== false) ?? false;
  describe(name, { skip, concurrency: 2 }, () => {
    for (const attack of attacks) test(attack.what, () => run(programs, attack));
  });
}

/** One of three: the whole matrix with --long. */
function some(attacks: readonly Attack[]): readonly Attack[] {
  return IS_LONG ? attacks : attacks.filter((_, index) => index % 3 === 0);
}

suite("a chart of a tenant, with Helm 3", [HELM], CHART_ATTACKS);
suite("a chart of a tenant, with Helm 4", [HELM4], some(CHART_ATTACKS));
suite("a kustomization of a tenant", [STANDALONE], KUSTOMIZATION_ATTACKS);
suite("helmCharts of a tenant, with Helm 3", [STANDALONE, HELM], INFLATION_ATTACKS);
suite("helmCharts of a tenant, with Helm 4", [STANDALONE, HELM4], some(INFLATION_ATTACKS));
suite("a chart of a tenant, by what nobody has listed, with Helm 3", [HELM], UNLISTED_CHART_ATTACKS);
suite("a chart of a tenant, by what nobody has listed, with Helm 4", [HELM4], some(UNLISTED_CHART_ATTACKS));
suite("a kustomization of a tenant, by what nobody has listed", [STANDALONE], UNLISTED_KUSTOMIZATION_ATTACKS);
suite("helmCharts of a tenant, by what nobody has listed", [STANDALONE, HELM], UNLISTED_INFLATION_ATTACKS);
suite("a plain folder of a tenant", [STANDALONE, HELM], UNLISTED_PLAIN_ATTACKS);
