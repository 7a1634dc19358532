import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments, parseDocument } from "yaml";
import type { Io } from "../../src/platform/ports/io.ts";
import { runHelmPlugin } from "../../src/commands/helm-plugin.ts";
import type { ExitStatus } from "../../src/base/errors.ts";
import { cli } from "../support/cli.ts";
import { configMap, deployment } from "../support/manifests.ts";

interface Outcome {
  readonly status: ExitStatus;
  readonly stdout: string;
}

/** Runs the plugin around a command line that prints the given texts. */
async function plugin(status: ExitStatus, stdout: string, stderr: string): Promise<Outcome> {
  let written = "";
  const io = { writeStdout: (text: string) => Promise.resolve(void (written += text)) } satisfies Partial<Io>;
  const world: Io = Object.assign(Object.create(null), io);
  const run = async (args: readonly string[], inner: Io): Promise<ExitStatus> => {
    assert.deepEqual(args, ["fn", "--config", "c.yaml"]);
    inner.writeStderr(stderr);
    await inner.writeStdout(stdout);
    return status;
  };
  const ended = await runHelmPlugin(["--config", "c.yaml"], world, run);
  return { status: ended, stdout: written };
}

describe("Helm 4's plugin", () => {
  it("prints the stamped manifests", async () => {
    assert.deepEqual(await plugin(0, "a: 1\n", ""), { status: 0, stdout: "a: 1\n" });
  });
  it("adds warnings as a hook that Helm leaves out of the release", async () => {
    const { status, stdout } = await plugin(0, "a: 1\n", "careful: x\n  Do this.\n");
    assert.equal(status, 0);
    assert.deepEqual(
      parseAllDocuments(stdout).map((document): unknown => document.toJS()),
      [
        {
          apiVersion: "rollstamp.dev/v1alpha1",
          kind: "Warnings",
          metadata: { name: "rollstamp", annotations: { "helm.sh/hook": "careful: x\n  Do this." } },
        },
        { a: 1 },
      ],
    );
  });
  for (const status of [1, 2] as const) {
    it(`prints the error as a document that Helm refuses: status ${status}`, async () => {
      const text = 'rollstamp: error: "x": {y} # \u{1f4a5}\n  Do this.\n';
      const outcome = await plugin(status, "a: 1\n", text);
      assert.equal(outcome.status, 0);
      assert.deepEqual(parseDocument(outcome.stdout).toJS(), {
        apiVersion: "rollstamp.dev/v1alpha1",
        kind: "Error",
        metadata: text.trimEnd(),
      });
    });
  }
  it("replaces characters that YAML does not allow", async () => {
    const { stdout } = await plugin(2, "", "a\u{feff}b\u{ffff}c\ud800d\u0001e\n");
    assert.match(stdout, /\n {2}a\?b\?c\?d\?e\n$/u);
  });
});

describe("messages about a rendering of Helm", () => {
  const web = deployment("web", "settings");
  it("name the template in a warning", async () => {
    const stdin = `---\n# Source: shop/templates/config.yaml\n${configMap("other", "a")}---\n# Source: shop/templates/web.yaml\n${web}`;
    const { stderr } = await cli(["fn"], { stdin });
    assert.match(stderr, /^rollstamp: warning: stdin:\d+:\d+ \(in shop\/templates\/web\.yaml\): /u);
  });
  it("name the template in an error", async () => {
    const stdin = `---\n# Source: shop/templates/web.yaml\n${web}---\n# Source: shop/templates/hint.yaml\nSet an image.\n`;
    const { status, stderr } = await cli(["fn"], { stdin });
    assert.equal(status, 2);
    assert.match(
      stderr,
      /^rollstamp: error: stdin:21:1 \(in shop\/templates\/hint\.yaml\): this is not a Kubernetes object/u,
    );
  });
  it("use Helm 4's annotation with the file name", async () => {
    const annotated = web.replace(
      "  name: web\n",
      "  name: web\n  annotations:\n    postrenderer.helm.sh/postrender-filename: shop/templates/w.yaml\n",
    );
    const { stderr, stdout } = await cli(["fn"], { stdin: annotated });
    assert.match(stderr, /\(in shop\/templates\/w\.yaml\): /u);
    assert.match(stdout, /\n {4}postrenderer\.helm\.sh\/postrender-filename: shop\/templates\/w\.yaml\n/u);
  });
});
