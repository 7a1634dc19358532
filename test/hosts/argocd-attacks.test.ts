// The attacks of cmp-attacks.test.ts, through Argo CD's own plugin server.
import assert from "node:assert/strict";
import { readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { ARGOCD, ask, startServer, unpackedBelow, type PluginServer } from "./argocd.ts";
import { CHART_ATTACKS, INFLATION_ATTACKS, KUSTOMIZATION_ATTACKS, SENTINEL, type Attack } from "./attacks.ts";
import {
  UNLISTED_CHART_ATTACKS,
  UNLISTED_INFLATION_ATTACKS,
  UNLISTED_KUSTOMIZATION_ATTACKS,
  UNLISTED_PLAIN_ATTACKS,
} from "./unlisted-attacks.ts";
import { assertHeld, listen, makeSidecar, plant, replacing, write, type Dialled, type Sidecar } from "./attacked.ts";
import { HELM } from "./cmp.ts";
import { STANDALONE } from "./kustomize.ts";
import { unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const IS_LONG = process.env["ROLLSTAMP_LONG"] === "1";
const skip = [ARGOCD, STANDALONE, HELM].map(unlessFound).find((reason) => reason !== false) ?? false;

// Its client doesn't send these, and the server would not take them: what is tried with them never comes to us.
const SENT = (attack: Attack): boolean => !Object.values(attack.files).includes("pipe:");

/** One of five: the whole table with --long. Those that are to succeed stand in either. */
const CHOSEN = [
  ...CHART_ATTACKS,
  ...KUSTOMIZATION_ATTACKS,
  ...INFLATION_ATTACKS,
  ...UNLISTED_CHART_ATTACKS,
  ...UNLISTED_KUSTOMIZATION_ATTACKS,
  ...UNLISTED_INFLATION_ATTACKS,
  ...UNLISTED_PLAIN_ATTACKS,
]
  .filter(SENT)
  .filter((attack, index) => IS_LONG || index % 5 === 1 || attack.what === "it renders at all");

// The owner's settings are those of the server.
const BY_OWNER = new Map<string, Attack[]>();
for (const attack of CHOSEN) {
  const owner = JSON.stringify(attack.owner ?? {});
  BY_OWNER.set(owner, [...(BY_OWNER.get(owner) ?? []), attack]);
}

let dialled: Dialled;
before(async () => {
  dialled = await listen();
});
after(() => {
  assert.equal(dialled.count(), 0, "nothing is dialled");
  dialled.close();
});

for (const [owner, attacks] of BY_OWNER) {
  describe(`a tenant of Argo CD's plugin server, with the owner's settings ${owner}`, { skip }, () => {
    let server: PluginServer;
    let sidecar: Sidecar;
    before(async () => {
      const folder = realpathSync(temporaryFolder());
      const outer = unpackedBelow(folder);
      sidecar = makeSidecar([STANDALONE, HELM], outer);
      const settings = Object.entries<string>(JSON.parse(owner));
      server = await startServer(
        sidecar.bin,
        {
          TMPDIR: sidecar.temporary,
          ROLLSTAMP_HMAC_KEY: SENTINEL,
          ROLLSTAMP_HMAC_KEY_FILE: join(outer, "key"),
          SIDECAR_TOKEN: SENTINEL,
          ...Object.fromEntries(settings),
        },
        folder,
      );
      // As it starts it clears its folder, with the socket there already; what answers has done so.
      const empty = temporaryFolder();
      write(join(empty, "app"), { "cm.yaml": "" });
      const { body, error } = ask(server, "match", { folder: empty, build: empty }, "app");
      assert.ok(body !== undefined, error);
      plant(outer);
    });
    after(() => server.stop());

    for (const attack of attacks) {
      test(attack.what, async () => {
        // What the server says is read between the calls, which block: it would wait for a reader.
        await setImmediate();
        const { subcommand = "generate", parameters = [], environment = {} } = attack;
        const replaced = replacing(sidecar.outer, dialled);
        const tree = realpathSync(temporaryFolder());
        write(join(tree, "app"), attack.files, replaced);
        const { body, error } = ask(server, subcommand, { folder: tree, build: tree }, "app", {
          parameters: JSON.parse(replaced(JSON.stringify(parameters))),
          environment: JSON.parse(replaced(JSON.stringify(environment))),
        });
        const stdout = body === undefined ? "" : JSON.stringify(body);
        assertHeld(throughServer(attack, body !== undefined), sidecar, {
          succeeded: body !== undefined,
          stdout,
          stderr: error,
          ...sidecar.calls(),
        });
        const left = readdirSync(sidecar.temporary).filter((name) => name.startsWith("rollstamp-"));
        assert.deepEqual(left, [], "nothing stays behind");
      });
    }
  });
}

/** A link out is not sent, or leads nowhere where the server has unpacked it: the rest is rendered, or lacks it. */
function throughServer(attack: Attack, succeeded: boolean): Attack {
  const hasLink = Object.values(attack.files).some((file) => file.startsWith("-> "));
  if (!hasLink) return attack;
  // What we leave alone, the server may not take.
  if (attack.says === undefined) return succeeded ? attack : { ...attack, says: /illegal filepath in symlink/u };
  const lacks = new RegExp(
    `${attack.says.source}|can't be read \\(ENOENT\\)|does not exist|(?:kustomize|helm dependency) build ended`,
    "u",
  );
  return { ...attack, says: succeeded ? undefined : lacks };
}
