import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { clearLeftBehind, copyPrefix } from "../../../src/platform/node/temporary-folders.ts";
import { inFolder } from "../../support/folders.ts";

const HOUR_MS = 3_600_000;
// Above what Linux gives out.
const ENDED = 4_200_000;

it("only copies that a killed process left behind are removed", () =>
  inFolder({ "elsewhere/kept": "" }, (folder) => {
    const now = Date.now();
    const make = (name: string, age: number, mode = 0o700): void => {
      const path = join(folder, name);
      mkdirSync(join(path, "in"), { recursive: true });
      writeFileSync(join(path, "in", "secret.yaml"), "a: b\n", { mode: 0o600 });
      chmodSync(path, mode);
      utimesSync(path, (now - age) / 1000, (now - age) / 1000);
    };
    make(`rollstamp-cmp-${ENDED}-aaaaaa`, 2 * HOUR_MS);
    make(`rollstamp-cmp-${ENDED}-aaaaab`, HOUR_MS / 2);
    make(`rollstamp-cmp-${process.ppid}-aaaaac`, 2 * HOUR_MS);
    make(`rollstamp-cmp-${process.ppid}-aaaaad`, 25 * HOUR_MS);
    make(`rollstamp-cmp-${ENDED}-aaaaae`, 2 * HOUR_MS, 0o755);
    make(`rollstamp-cmp-x-aaaaaf`, 25 * HOUR_MS);
    make(`rollstamp-plan-aaaaag`, 25 * HOUR_MS);
    make(`rollstamp-plan-${ENDED}-aaaaaj`, 2 * HOUR_MS);
    symlinkSync(join(folder, "elsewhere"), join(folder, `rollstamp-cmp-${ENDED}-aaaaah`));
    writeFileSync(join(folder, `rollstamp-cmp-${ENDED}-aaaaai`), "");
    const before = process.env["TMPDIR"];
    process.env["TMPDIR"] = folder;
    try {
      clearLeftBehind(now);
      assert.match(`${copyPrefix()}aaaaaa`, /^rollstamp-cmp-\d+-aaaaaa$/u);
      assert.match(`${copyPrefix("plan")}aaaaaa`, /^rollstamp-plan-\d+-aaaaaa$/u);
      clearLeftBehind(now);
    } finally {
      if (before === undefined) delete process.env["TMPDIR"];
      else process.env["TMPDIR"] = before;
    }
    assert.deepEqual(
      readdirSync(folder).sort(),
      [
        "elsewhere",
        "rollstamp-cmp-4200000-aaaaab",
        "rollstamp-cmp-4200000-aaaaae",
        "rollstamp-cmp-4200000-aaaaah",
        "rollstamp-cmp-4200000-aaaaai",
        `rollstamp-cmp-${process.ppid}-aaaaac`,
        "rollstamp-cmp-x-aaaaaf",
        "rollstamp-plan-aaaaag",
      ].sort(),
    );
    assert.deepEqual(readdirSync(join(folder, "elsewhere")), ["kept"]);
  }));
