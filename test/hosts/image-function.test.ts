// The image of the KRM function, built with the Dockerfile and run as hosts run it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { parse } from "yaml";
import { stampOf } from "./expected-digest.ts";
import { builtImage, engine, runPodman, withEngine } from "./images.ts";
import { filesOf, kpt, kptFn, objectsIn } from "./kpt.ts";
import { build, declareContainer, KUSTOMIZE_HOSTS } from "./kustomize.ts";
import { allStamps, mapping, objectsOf } from "./manifests.ts";
import { installed, root, unlessFound } from "./programs.ts";
import { copyTree, scenariosOf, type Scenario } from "./scenario.ts";
import { treeOf } from "./trees.ts";
import { rollstamp, type Wiring } from "./wiring.ts";
import { ENV, WEB } from "./web.ts";

const STREAM = `${WEB}---\n${ENV}`;
const STAMPS = { "Deployment/web": { "configmap.rollstamp.dev/env": stampOf({ LEVEL: "info" }) } };

// What kustomize 5.8 and kpt put before the image's name: hosts.md of their sources, runner.go and
// container.go.
const KUSTOMIZE_FLAGS = [
  "--rm",
  "-i",
  "-a",
  "STDIN",
  "-a",
  "STDOUT",
  "-a",
  "STDERR",
  "--network",
  "none",
  "--security-opt=no-new-privileges",
];
const BARE = ["--read-only", "--read-only-tmpfs=false", "--cap-drop", "ALL", "--unsetenv", "HOME"];

describe("the image of the function", { skip: unlessFound(engine) }, () => {
  let image = "";
  before(() => {
    image = builtImage("function");
  });

  function stamped(flags: readonly string[], input: string = STREAM): ReturnType<typeof runPodman> {
    return runPodman(["run", ...KUSTOMIZE_FLAGS, ...flags, image], input);
  }

  for (const user of ["nobody", "65534:65534", "999", "12345:999"]) {
    test(`as ${user}: without network, home, writable files, capabilities`, () => {
      const { status, stdout, stderr } = stamped(["--user", user, ...BARE]);
      assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
      assert.deepEqual(allStamps(objectsOf(stdout)), STAMPS);
    });
  }

  test("runs as nobody by default", () => {
    const { stdout } = runPodman(["image", "inspect", "--format", "{{json .Config}}", image]);
    const config = mapping(parse(stdout));
    assert.equal(config["User"], "65534:65534");
    // The command of the base image would be taken for an argument of ours.
    assert.deepEqual(config["Cmd"] ?? [], []);
    assert.deepEqual(allStamps(objectsOf(stamped([]).stdout)), STAMPS);
  });

  test("its labels and its command have the version of the package", () => {
    const { version } = mapping(parse(readFileSync(join(root, "package.json"), "utf8")));
    const labels = mapping(parse(runPodman(["image", "inspect", "--format", "{{json .Labels}}", image]).stdout));
    assert.equal(labels["org.opencontainers.image.version"], version);
    assert.equal(labels["org.opencontainers.image.licenses"], "Apache-2.0");
    const run = runPodman(["run", "--rm", "--network", "none", image, "--version"]);
    assert.deepEqual({ status: run.status, stdout: run.stdout }, { status: 0, stdout: `${String(version)}\n` });
  });

  test("adds only a few megabytes to its base", () => {
    const sizes = runPodman(["image", "inspect", "--format", "{{.Size}}", image, baseOf()])
      .stdout.trim()
      .split("\n")
      .map(Number);
    const [whole = 0, base = 0] = sizes;
    assert.ok(base > 0 && whole - base < 5_000_000, `${whole - base} bytes over the base`);
  });

  test("empty input fails without output", () => {
    const { status, stdout, stderr } = stamped(["--user", "nobody"], "");
    assert.deepEqual({ status, stdout }, { status: 2, stdout: "" });
    assert.match(stderr, /no Kubernetes object/);
  });

  test("passes more than a pipe holds", () => {
    const many = Array.from({ length: 60 }, (_, i) =>
      ENV.replace("name: env", `name: env-${i}`).replace("info", "x".repeat(100_000)),
    );
    const { status, stdout } = stamped(["--user", "nobody"], [STREAM, ...many].join("---\n"));
    assert.equal(status, 0);
    assert.equal(objectsOf(stdout).length, 62);
  });

  for (const host of KUSTOMIZE_HOSTS.filter(({ args }) => !args.includes("--enable-exec"))) {
    describe(`${host.name.split(",")[0] ?? ""}, container function`, { skip: unlessFound(host.program) }, () => {
      for (const scenario of chosen("kustomize", [
        "generators-with-hash-suffix",
        "three-layers-of-names",
        "options-in-the-transformer-file",
      ])) {
        test(scenario.name, () => {
          const tree = copyTree(scenario);
          declareContainer(tree, image);
          assert.deepEqual(allStamps(objectsOf(build(host, tree, wired()))), scenario.stamps);
        });
      }
    });
  }

  describe("kpt, container function", { skip: unlessFound(kpt) }, () => {
    const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: app
pipeline:
  mutators:
    - image: IMAGE
`;

    test("fn render", () => {
      const tree = treeOf({ Kptfile: KPTFILE.replace("IMAGE", image), "web.yaml": WEB, "env.yaml": ENV });
      kptFn(tree, ["render"], wired());
      assert.deepEqual(allStamps(objectsIn(filesOf(tree))), STAMPS);
    });

    test("fn eval, with options", () => {
      const tree = treeOf({ "web.yaml": WEB, "env.yaml": ENV });
      kptFn(tree, ["eval", "--image", image, "--", "layout=Combined"], wired());
      const stamps = allStamps(objectsIn(filesOf(tree)));
      assert.deepEqual(Object.keys(stamps["Deployment/web"] ?? {}), ["rollstamp.dev/config-hash"]);
    });
  });
});

/** The hosts' environment without a rollstamp on PATH: only the image can have done it. */
function wired(): Wiring {
  const { KUSTOMIZE_PLUGIN_HOME: _, ...env } = rollstamp.env;
  return { env: withEngine({ ...env, PATH: process.env["PATH"] ?? "" }) };
}

function baseOf(): string {
  const base = installed("node-image.sh");
  assert.ok(base.found);
  return base.path;
}

function chosen(host: string, names: readonly string[]): readonly Scenario[] {
  const found = scenariosOf(host).filter(({ name }) => names.includes(name));
  assert.equal(found.length, names.length, "a scenario was renamed");
  return found;
}
