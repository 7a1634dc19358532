import assert from "node:assert/strict";
import { it } from "node:test";
import { pathToFileURL } from "node:url";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { inRoot } from "../../support/paths.ts";

interface History {
  readonly writeHistory: (
    folder: string,
    commits: number,
    shape: { readonly rolls: "one" | "all"; readonly files: "each" | "one" },
  ) => void;
}

const { writeHistory } = (await import(pathToFileURL(inRoot("bench", "corpora", "history.mjs")).href)) as History;

const SHAPES = {
  "all, in one file": { rolls: "all", files: "one", step: 1 },
  "one in forty, in files of their own": { rolls: "one", files: "each", step: 40 },
} as const;

interface Logged {
  readonly subject: string;
  readonly reasons: readonly { readonly path?: string; readonly keys?: unknown }[];
}

/** Tests the report of `rollstamp log` for a history of that many commits; bench/bars.mjs measures the time. */
export function isRightOver(count: number, name: keyof typeof SHAPES): void {
  const { step, ...shape } = SHAPES[name];
  it(`is right over ${count} commits that roll it: ${name}`, () =>
    inFolder({}, async (folder) => {
      writeHistory(folder, count, shape);
      const environment = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
      const { status, stdout, stderr } = await cli(["log", "deployment/app0", folder, "-o", "json"], { environment });
      assert.equal(status, 0, stderr);
      const { commits } = JSON.parse(stdout) as { readonly commits: readonly Logged[] };
      assert.deepEqual(
        commits.map(({ subject, reasons }) => [subject, reasons.map((reason) => reason.path ?? reason.keys)]),
        Array.from({ length: count / step }, (_, i) => i * step)
          .toReversed()
          .map((commit) => [
            `commit ${commit}`,
            commit === 0
              ? []
              : [
                  commit % 3 === 0
                    ? "spec.containers[name=main].image"
                    : { added: [], removed: [], changed: ["LEVEL"] },
                ],
          ]),
      );
    }));
}
