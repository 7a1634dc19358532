import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { inRoot } from "../support/paths.ts";

const SHOP = inRoot("examples/shop");

/** Options without effect, and the message. */
const IDLE: readonly (readonly [args: readonly string[], message: string])[] = [
  [["plan", "-n", "shop", SHOP, SHOP], "--namespace has no effect without --live or --chart"],
  [["plan", "--context", "prod", SHOP, SHOP], "--context has no effect without --live"],
  [["plan", "--kubeconfig", "none", SHOP, SHOP], "--kubeconfig has no effect without --live"],
  // The default counts too if it is set explicitly.
  [["plan", "--request-timeout", "30", SHOP, SHOP], "--request-timeout has no effect without --live"],
  [["plan", "--title", "T", SHOP, SHOP], "--title has no effect without -o markdown or -o html"],
  [["plan", "--title", "T", "-o", "json", SHOP, SHOP], "--title has no effect without -o markdown or -o html"],
  [
    ["plan", "--git", "A..B", "--render", "cat x", "--kustomize-input"],
    "--kustomize-input has no effect with --render",
  ],
  [["plan", "--stamped-by", "Files", SHOP, SHOP], "--stamped-by has no effect without --git"],
  [["plan", "--live", "--kustomize-input", "-"], "--kustomize-input has no effect on standard input"],
  [["plan", "--git", "A..B", "--render", "cat x", "--scope", "file"], "--scope has no effect with --render"],
  [["plan", "--live", "--scope", "file", SHOP], "--scope has no effect with --live"],
  [["lint", "--render", "cat x", "--scope", "directory"], "--scope has no effect with --render"],
  [["lint", "--render", "cat x", "--kustomize-input"], "--kustomize-input has no effect with --render"],
  ...["lint", "graph", "digest"].flatMap((name) => [
    [[name, "--scope", "directory", "-"], "--scope has no effect on standard input"] as const,
    [[name, "--kustomize-input", "-"], "--kustomize-input has no effect on standard input"] as const,
  ]),
  [["explain", "deployment/api", "-", "--scope", "directory"], "--scope has no effect on standard input"],
  [["status", "--fail-fast"], "--fail-fast has no effect without --wait"],
  [["status", "--wait", "--check"], "--check has no effect with --wait"],
  [["init", "github", SHOP, "--plugin"], "--plugin has no effect for this host; it is for kustomize"],
  [["init", "kustomize", SHOP, "--plan"], "--plan has no effect for this host; it is for github, gitlab"],
  [["init", "helm", SHOP, "--image", "x"], "--image has no effect for this host; it is for kustomize, kpt"],
  [["init", "kustomize", SHOP, "--plugin", "--image", "x"], "--image has no effect with --plugin"],
];

describe("an option without effect", () => {
  for (const [args, told] of IDLE) {
    it(args.map((arg) => (arg === SHOP ? "shop" : arg)).join(" "), async () => {
      const { status, stdout, stderr } = await cli(args, { stdin: "" });
      assert.equal(status, 2);
      assert.equal(stdout, "");
      assert.ok(stderr.startsWith(`rollstamp: error: ${told}\n  Leave it out`), stderr);
    });
  }

  it("is accepted if it has an effect", () =>
    inFolder({ "a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" }, async (folder) => {
      for (const args of [
        ["plan", "--title", "T", "-o", "markdown", folder, folder],
        ["plan", "--title", "T", "-o", "html", folder, folder],
        ["plan", "--kustomize-input", folder, folder],
        ["plan", "--scope", "file", folder, folder],
        ["lint", "--scope", "directory", "--kustomize-input", folder],
        ["graph", "--scope", "directory", folder, "-"],
        ["init", "gitlab", "--plan", folder, "--write"],
      ]) {
        const { status, stderr } = await cli(args, { stdin: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\n" });
        assert.equal(status, 0, `${args.join(" ")}: ${stderr}`);
      }
    }));
});

describe("options for every command", () => {
  const lint = (...args: string[]): Promise<unknown> => cli(args);

  it("are accepted before and after the name of the command", async () => {
    const expected = await lint("lint", "--color", "always", "--max-depth", "20", SHOP);
    for (const args of [
      ["--color", "always", "lint", "--max-depth", "20", SHOP],
      ["--color=always", "--max-depth=20", "lint", SHOP],
      ["--max-depth", "20", "--color", "always", "lint", SHOP],
    ])
      assert.deepEqual(await lint(...args), expected, args.join(" "));
  });

  it("have an effect in both places", async () => {
    const { status, stdout } = await cli(["--max-depth", "3", "lint", SHOP]);
    assert.equal(status, 2);
    assert.match(stdout, /nests deeper than 3 levels/u);
    const color = await cli(["--color", "purple", "lint", SHOP]);
    assert.match(color.stderr, /'--color <when>' argument 'purple' is invalid/u);
  });

  it("belong to the function if there is no command", async () => {
    const stdin = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
    for (const args of [
      ["--color", "never"],
      ["--max-depth=9"],
      ["--color", "never", "fn"],
      ["--max-depth", "9", "--color=never"],
    ])
      assert.deepEqual(await cli(args, { stdin }), { status: 0, stdout: stdin, stderr: "" }, args.join(" "));
  });

  it("suggest the nearest name before an unknown one, and change nothing before --version and --help", async () => {
    assert.match((await cli(["--color", "never", "lnt", SHOP])).stderr, /unknown command 'lnt'[\s\S]*lint/u);
    assert.deepEqual(await cli(["--color", "never", "--version"]), await cli(["--version"]));
    assert.deepEqual(await cli(["--color=never", "--help"]), await cli(["--help"]));
    assert.deepEqual(await cli(["--color=never", "lint", "--help"]), await cli(["lint", "--help"]));
  });

  it("without a value are an error, and do not run the function", async () => {
    assert.equal((await cli(["--color"])).status, 2);
    assert.equal((await cli(["--color", "lint", SHOP])).status, 2);
  });
});
