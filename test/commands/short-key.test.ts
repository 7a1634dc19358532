import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";

const CONFIG = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {secrets: Keyed}\n";

describe("the key of keyed stamps", () => {
  for (const args of [
    ["stamp", "--check", "."],
    ["stamp", "--check", "--apps", "."],
    ["digest", "."],
    ["graph", "--apps", "."],
    ["plan", "a", "b"],
    ["fn", "--config", "rollstamp.yaml"],
  ]) {
    for (const [length, warnings] of [
      [15, 1],
      [16, 0],
    ] as const) {
      it(`of ${length} bytes gives ${warnings} warning: ${args.join(" ")}`, () =>
        inFolder(
          {
            ".git/HEAD": "",
            "rollstamp.yaml": CONFIG,
            "a/web.yaml": deployment("web", "env"),
            "b/web.yaml": deployment("web", "env"),
          },
          async (folder) => {
            const { stderr } = await cli(
              args.map((arg) => (/^(?:[ab.]|rollstamp\.yaml)$/u.test(arg) ? join(folder, arg) : arg)),
              { stdin: deployment("web", "env"), environment: { ROLLSTAMP_HMAC_KEY: "k".repeat(length) } },
            );
            assert.equal(stderr.split("(short-key)").length - 1, warnings, stderr);
            assert.doesNotMatch(stderr, /kkkk/u);
          },
        ));
    }
  }
});
