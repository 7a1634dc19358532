import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readBuildOptions } from "../../../src/applications/tools/build-options.ts";
import { pluginConfigs, unsafeRemote } from "../../../src/applications/kustomize/paths.ts";
import { programEnvironment } from "../../../src/applications/tools/program-environment.ts";

describe("the build options", () => {
  it("are passed to kustomize, except for those that rollstamp handles", () => {
    const text =
      "--reorder none --enable-helm --load-restrictor=LoadRestrictionsNone --helm-api-versions a/v1 --helm-api-versions=b/v1 --helm-kube-version 1.30 --helm-debug --enable-alpha-plugins";
    assert.deepEqual(readBuildOptions(text), {
      passed: ["--reorder=none", "--enable-alpha-plugins=true"],
      unrestricted: true,
      charts: true,
      kubeVersion: "1.30",
      apiVersions: ["a/v1", "b/v1"],
      plugins: true,
    });
    assert.equal(readBuildOptions("--enable-helm=false --load-restrictor LoadRestrictionsRootOnly").charts, false);
    assert.equal(readBuildOptions("").unrestricted, false);
  });
  for (const text of [
    "--enable-exec",
    "--enable-exec=true",
    "--enable-star",
    "--helm-command=./run.sh",
    "--mount type=bind",
    "-eSIDECAR_TOKEN",
    "-o/tmp/x",
    "-o=x",
    "--output=x",
    "--network",
    "/etc",
    "--load-restrictor=none",
  ]) {
    it(`are rejected: ${text}`, () => assert.throws(() => readBuildOptions(text), /which the plugin doesn't pass on/u));
  }
});

describe("the program of a plugin", () => {
  for (const [apiVersion, kind] of [
    ["x/v1", "../../../bin/sh"],
    ["x/v1", "bin/sh"],
    ["../../../bin", "sh"],
    ["../x/v1", "X"],
    ["a/b/c", "X"],
    ["x/..", "X"],
    ["x/v1", ""],
    ["x/v1", "X\0"],
  ] as const) {
    it(`is not ${apiVersion} ${kind}`, () =>
      assert.throws(() => pluginConfigs([{ apiVersion, kind }], "t.yaml"), /must be names/u));
  }
  it("is not defined by a list or an empty document", () => {
    assert.throws(
      () => pluginConfigs([{ apiVersion: "v1", kind: "List", items: [] }], "t.yaml"),
      /separate documents/u,
    );
    assert.throws(() => pluginConfigs([null], "t.yaml"), /is empty/u);
    assert.throws(() => pluginConfigs(["a"], "t.yaml"), /have a kind/u);
  });
  it("is a plugin of the owner or of kustomize", () => {
    for (const apiVersion of ["builtin", "rollstamp.dev/v1alpha1", "someteam.example.com/v1"])
      assert.equal(pluginConfigs([{ apiVersion, kind: "ConfigHash" }], "t.yaml").length, 1);
  });
});

describe("a remote base that the owner allows", () => {
  const SAFE = [
    "https://git.example/a/b?ref=v1",
    "github.com/a/b//c?ref=feature/-x&timeout=90s",
    "git@git.example:a/b",
    "https://gitlab.example/a/b/-/raw/main/x.yaml",
  ];
  for (const path of SAFE) it(`is ${path}`, () => assert.equal(unsafeRemote(path), undefined));
  const UNSAFE = [
    "https://git.example/a/b?ref=--upload-pack=x",
    "https://git.example/a/b?x=y&version=%2Dx",
    "https://git.example/a/b?ref=+-x",
    "file:///a/b",
    "git::file:///a/b",
    "git@-oProxyCommand=x:a/b",
    "ssh://-oProxyCommand=x/a",
  ];
  for (const path of UNSAFE) it(`is not ${path}`, () => assert.notEqual(unsafeRemote(path), undefined));
});

describe("the environment of kustomize and helm", () => {
  const environment = {
    PATH: ".:/usr/bin::bin:/opt/x:",
    ROLLSTAMP_HMAC_KEY: "k",
    SIDECAR_TOKEN: "t",
    ARGOCD_APP_NAME: "a",
    ARGOCD_APP_PARAMETERS: "[]",
    KUBECONFIG: "/k",
    HTTPS_PROXY: "http://proxy",
    GIT_CONFIG_COUNT: "1",
  };
  it("has absolute folders of PATH, variables of the application, and an empty home folder", () => {
    const given = programEnvironment(environment, "/home-of-its-own", { fetches: false });
    assert.equal(given["PATH"], "/usr/bin:/opt/x");
    assert.equal(given["HTTPS_PROXY"], "http://127.0.0.1:9");
    assert.equal(given["HELM_DATA_HOME"], "/home-of-its-own");
    for (const name of [
      "ROLLSTAMP_HMAC_KEY",
      "SIDECAR_TOKEN",
      "ARGOCD_APP_PARAMETERS",
      "KUBECONFIG",
      "GIT_CONFIG_COUNT",
    ])
      assert.ok(!(name in given), name);
  });
  it("has no PATH instead of an empty one, which would be the folder of the repository", () =>
    assert.ok(!("PATH" in programEnvironment({ PATH: ".:" }, "/h", { fetches: false }))));
  it("lets git fetch only from the network, if fetching is allowed", () => {
    const given = programEnvironment(environment, "/h", { fetches: true });
    assert.equal(given["GIT_ALLOW_PROTOCOL"], "http:https:ssh");
    assert.equal(given["HTTPS_PROXY"], "http://proxy");
  });
});
