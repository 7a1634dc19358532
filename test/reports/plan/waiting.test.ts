import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli, type CliResult } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { assertSchema } from "./planned.ts";

/** The digests of the content "a" and "b". */
const OLD_STAMP = "h1-1c3e2bf085c989311d37cb1ecb2c805e6f8894ae";
const NEW_STAMP = "h1-72362ea47beb64a209018b32a1dc19b6a614d926";
const NOW = "2026-11-27T12:00:00Z";
const NAMES = ["w1", "w2", "w3"];
const WINDOW = '  annotations: {rollstamp.dev/rollout-window: "0 2 * * SUN; 4h"}\n  name';

const runAt = (time: string, ...args: string[]): Promise<CliResult> =>
  cli(args, { environment: { ROLLSTAMP_NOW: time } });

interface Planned {
  readonly verdict: { readonly text: string };
  readonly schedule?: object;
  readonly workloads: readonly { readonly name: string; readonly action: string; readonly reasons: object[] }[];
}

async function planned(folder: string, ...more: string[]): Promise<Planned> {
  const { stdout } = await runAt(NOW, "plan", join(folder, "base"), join(folder, "head"), "-o", "json", ...more);
  assertSchema(stdout);
  return JSON.parse(stdout) as Planned;
}

const actions = ({ workloads }: Planned): string => workloads.map(({ name, action }) => `${name} ${action}`).join(", ");

/** A stamped base, and a head with different content, stamped by a command. */
const inWave = (stamp: readonly string[], test: (folder: string) => Promise<void>): Promise<void> =>
  inFolder(
    {
      "head/config.yaml": configMap("settings", "a"),
      "head/w1.yaml": deployment("w1", "settings"),
      "head/w2.yaml": deployment("w2", "settings").replace("  name", WINDOW),
      "head/w3.yaml": deployment("w3", "settings").replace("  name", WINDOW),
    },
    async (folder) => {
      const head = join(folder, "head");
      await runAt("2026-11-29T03:00:00Z", "stamp", head);
      cpSync(head, join(folder, "base"), { recursive: true });
      const file = join(head, "config.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace('"a"', '"b"'));
      await runAt(NOW, "stamp", ...stamp, head);
      await test(folder);
    },
  );

describe("a plan of a wave", () => {
  it("shows what rolls out now, what waits, and when it may roll out, in every form", () =>
    inWave([], async (folder) => {
      const report = await planned(folder);
      assert.equal(actions(report), "w1 Roll, w2 Waiting, w3 Waiting");
      assert.deepEqual(report.schedule, {
        waiting: 2,
        ready: 0,
        at: NOW,
        nextWindow: "2026-11-29T02:00:00Z",
      });
      assert.deepEqual(report.workloads[1]?.reasons, report.workloads[0]?.reasons, "what they wait for");
      for (const form of ["text", "markdown", "html"]) {
        const { stdout } = await runAt(NOW, "plan", join(folder, "base"), join(folder, "head"), "-o", form);
        assert.match(
          stdout,
          /1 rolls \(1 pod\), 2 wait, next window Sunday 02(?::|&#58;)00 UTC\.[^]*3 workloads checked\./u,
        );
        assert.match(stdout, /waiting/iu);
        assert.match(stdout, /(?:they wait|waits?) for (?:its|their) new stamps: (?:`|<code>)?rollstamp stamp --due/iu);
      }
    }));

  it("says how many wait for no window", () =>
    inWave(["--max-workloads", "0"], async (folder) => {
      const report = await planned(folder);
      assert.equal(actions(report), "w1 Waiting, w2 Waiting, w3 Waiting");
      assert.equal(report.verdict.text, "Safe to merge: no rollouts (3 workloads wait, 1 other object changes)");
      assert.deepEqual(report.schedule, { waiting: 3, ready: 1, at: NOW, nextWindow: "2026-11-29T02:00:00Z" });
      const { stdout } = await runAt(NOW, "plan", join(folder, "base"), join(folder, "head"));
      assert.match(stdout, /3 wait, 1 of them for no window, next window Sunday 02:00 UTC/u);
    }));

  it("counts what waited before, and shows what stops waiting", () =>
    inWave(["--max-workloads", "0"], async (folder) => {
      rmSync(join(folder, "base"), { recursive: true });
      cpSync(join(folder, "head"), join(folder, "base"), { recursive: true });
      const same = await planned(folder);
      assert.equal(actions(same), "");
      assert.equal(same.verdict.text, "Safe to merge: no rollouts");
      assert.deepEqual(same.schedule, { waiting: 3, ready: 1, at: NOW, nextWindow: "2026-11-29T02:00:00Z" });
      assert.equal(actions(await planned(folder, "--all")), "w1 Waiting, w2 Waiting, w3 Waiting");
      await runAt(NOW, "stamp", "--due", join(folder, "head"));
      const released = await planned(folder);
      assert.equal(actions(released), "w1 Roll");
      assert.deepEqual(released.workloads[0]?.reasons, [
        {
          type: "Stamp",
          path: 'metadata.annotations["configmap.rollstamp.dev/settings"]',
          from: OLD_STAMP,
          to: NEW_STAMP,
        },
      ]);
    }));

  it("is stale for a workload whose waiting stamp does not match: it waits for something else", () =>
    inWave([], async (folder) => {
      const file = join(folder, "head", "w2.yaml");
      writeFileSync(
        file,
        readFileSync(file, "utf8")
          .replace("=h1-", "=h1-0")
          .replace(/(h1-0\w{39})\w/u, "$1"),
      );
      assert.equal(actions(await planned(folder)), "w2 Stale, w1 Roll, w3 Waiting");
    }));

  it("rolls out nothing that waits for its first stamp, or for the removal of chart marks", () =>
    inFolder(
      {
        "rollstamp.yaml":
          "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: stamp}\nspec: {versionLabels: Remove}\n",
        "head/config.yaml": configMap("settings", "a"),
        "head/w1.yaml": deployment("w1", "settings"),
        "head/w2.yaml": deployment("w2", "settings").replace("app: w2", "app: w2\n        helm.sh/chart: web-1"),
      },
      async (folder) => {
        const head = join(folder, "head");
        cpSync(head, join(folder, "base"), { recursive: true });
        await runAt(NOW, "stamp", "--max-workloads", "0", head);
        const report = await planned(folder);
        assert.equal(actions(report), "w1 Waiting, w2 Waiting");
        assert.equal(report.workloads[0]?.reasons.length, 1, "the ConfigMap");
      },
    ));

  it("rolls out what gets its first stamp while others wait for theirs", () =>
    inFolder(
      {
        "head/config.yaml": configMap("settings", "a"),
        ...Object.fromEntries(["w1", "w2", "w3"].map((name) => [`head/${name}.yaml`, deployment(name, "settings")])),
      },
      async (folder) => {
        const head = join(folder, "head");
        cpSync(head, join(folder, "base"), { recursive: true });
        await runAt(NOW, "stamp", "--max-workloads", "1", head);
        assert.equal(actions(await planned(folder)), "w1 Roll, w2 Waiting, w3 Waiting");
      },
    ));

  for (const name of NAMES)
    it(`rolls out ${name} for a new image although it waits`, () =>
      inWave(["--max-workloads", "0"], async (folder) => {
        const file = join(folder, "head", `${name}.yaml`);
        writeFileSync(file, readFileSync(file, "utf8").replace("app:1", "app:2"));
        const { workloads } = await planned(folder);
        assert.deepEqual(
          workloads.filter(({ action }) => action === "Roll").map((workload) => workload.name),
          [name],
        );
      }));
});
