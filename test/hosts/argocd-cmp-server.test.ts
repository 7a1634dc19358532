// Argo CD's plugin server in the plugin's image, called as the repo-server calls it.
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { parse } from "yaml";
import { ARGOCD, ask, manifestsOf, sidecarContainer, startServer, startSidecar, type PluginServer } from "./argocd.ts";
import { cmp, HELM, repository, sidecar, type Parameter } from "./cmp.ts";
import { fencesUnder, shownFile } from "../support/fences.ts";
import { builtImage, engine, runPodman } from "./images.ts";
import { STANDALONE } from "./kustomize.ts";
import { allStamps, arrayOf, find, mapping, objectsOf } from "./manifests.ts";
import { isAlive, root, succeed, unlessFound } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";

const missing = [engine, ARGOCD, STANDALONE, HELM].map(unlessFound).find((reason) => reason !== false) ?? false;

describe("Argo CD's plugin server in the plugin's image", { skip: missing }, () => {
  let image = "";
  let server: PluginServer;
  before(async () => {
    image = builtImage("argocd-cmp");
    server = await startSidecar(image);
  });
  after(() => server.stop());

  const tree = repository();

  for (const path of ["overlays/prod", "chart", "plain", "umbrella"]) {
    test(`generates ${path}: the same output as the command alone`, () => {
      const manifests = objectsOf(manifestsOf(ask(server, "generate", tree, path)));
      const direct = cmp("generate", path, { tree: repository() });
      assert.equal(direct.status, 0, direct.stderr);
      // The server sorts the keys of what it passes on.
      assert.deepEqual(sorted(manifests), sorted(objectsOf(direct.stdout)));
      if (path !== "umbrella") assert.notDeepEqual(allStamps(manifests), {});
    });
  }

  test("generates the documented Application", () => {
    for (const text of [
      shownFile(fencesUnder("docs/guides/argocd.md", "Use it"), "application.yaml"),
      readFileSync(join(root, "functions", "argocd-cmp", "application.yaml"), "utf8"),
    ]) {
      const source = mapping(mapping(mapping(parse(text))["spec"])["source"]);
      const plugin = mapping(source["plugin"]);
      assert.equal(plugin["name"], "rollstamp");
      const parameters = arrayOf(plugin["parameters"]).map((parameter) => mapping(parameter) as unknown as Parameter);
      const manifests = manifestsOf(ask(server, "generate", tree, String(source["path"]), { parameters }));
      const web = find(objectsOf(manifests), "Deployment/shop-web");
      assert.equal(mapping(web["spec"])["replicas"], 3);
      assert.equal(mapping(find(objectsOf(manifests), "ConfigMap/shop-config")["data"])["LOG_LEVEL"], "warn");
      assert.doesNotMatch(manifests, /checksum\/config/);
    }
  });

  const matches: readonly (readonly [string, boolean])[] = [
    ["overlays/prod", true],
    ["chart", true],
    ["plain", true],
    ["settings", false],
  ];
  for (const [path, matched] of matches) {
    test(`discovers ${path}: ${matched}`, () => {
      const asked = ask(server, "match", tree, path).body ?? {};
      assert.deepEqual(
        { is: asked["isSupported"] ?? false, on: asked["isDiscoveryEnabled"] },
        { is: matched, on: true },
      );
      // Without a plugin section in the Application: nobody is taken over.
      const unasked =
        ask(server, "match", tree, path, { environment: { ARGOCD_APP_PARAMETERS: undefined } }).body ?? {};
      assert.equal(unasked["isSupported"] ?? false, false);
    });
  }

  test("announces the parameters of a chart, and the general parameters", () => {
    const { body, error } = ask(server, "parameters", tree, "chart");
    const names = arrayOf(mapping(body ?? { error })["parameterAnnouncements"]).map((entry) => mapping(entry)["name"]);
    for (const name of ["rollstamp-options", "rollstamp-config", "values-files", "replicaCount", "image"])
      assert.ok(names.includes(name), name);
    assert.equal(new Set(names).size, names.length, "none twice");
  });

  test("reports a failure in one line", () => {
    const broken = repository({ "chart/templates/web.yaml": '{{ fail "no image" }}\n' });
    const { body, error } = ask(server, "generate", broken, "chart");
    assert.equal(body, undefined);
    assert.match(
      error,
      /`rollstamp cmp generate --max-input-size 16Mi` failed exit status 2: rollstamp: error: helm template ended with status 1: execution error at \(shop\/templates\/web\.yaml:1:3\): no image\n$/,
    );
  });

  test("the sidecar uses the image with the tested versions", () => {
    const config = mapping(parse(runPodman(["image", "inspect", "--format", "{{json .Config}}", image]).stdout));
    assert.equal(config["User"], "999:999");
    assert.deepEqual(config["Entrypoint"], sidecarContainer()["command"]);
    const plugin = runPodman([
      "run",
      "--rm",
      "--network",
      "none",
      "--entrypoint",
      "node",
      image,
      "-p",
      "require('fs').readFileSync('/home/argocd/cmp-server/config/plugin.yaml','utf8')",
    ]);
    assert.equal(plugin.stdout.trim(), readFileSync(join(root, "functions/argocd-cmp/plugin.yaml"), "utf8").trim());
  });
});

describe("Argo CD's plugin server at its time limit", { skip: missing }, () => {
  test("a build that hangs ends with its request, and leaves nothing", async () => {
    const bin = sidecar([]);
    const pid = join(temporaryFolder(), "pid");
    writeFileSync(
      join(bin, "kustomize"),
      `#!/bin/sh\ntrap '' TERM\necho $$ > '${pid}'\nwhile true; do /bin/sleep 0.1; done\n`,
    );
    chmodSync(join(bin, "kustomize"), 0o755);
    const server = await startServer(bin);
    try {
      const { body, error } = ask(server, "generate", repository(), "overlays/prod", { timeout: "8s" });
      assert.equal(body, undefined);
      // Argo CD 3.1 kills the command itself at once; its group gets TERM, and KILL after five seconds. Its client's own
      // time may be up first.
      assert.match(
        error,
        /`rollstamp cmp generate --max-input-size 16Mi` failed signal: (?:killed|terminated)|DeadlineExceeded/,
      );
      assert.ok(existsSync(pid), "the build had begun");
      const renderer = Number(readFileSync(pid, "utf8"));
      for (let tries = 0; tries < 400 && isAlive(renderer); tries += 1) await wait(20);
      assert.equal(isAlive(renderer), false);
    } finally {
      await server.stop();
    }
  });
});

describe("Argo CD's installation", { skip: unlessFound(STANDALONE) }, () => {
  test("the documented kustomization adds the sidecar, and changes nothing else", () => {
    const shown = shownFile(fencesUnder("docs/guides/argocd.md", "Install it"), "kustomization.yaml")
      .replace(/https:\/\/github\.com\/argoproj\/argo-cd\/manifests\/cluster-install\?ref=\S+/, "install")
      .replace(/https:\/\/github\.com\/rollstamp\/rollstamp\/\/functions\/argocd-cmp\?ref=\S+/, "component");
    const files = (folder: string, names: readonly string[], as: string): Record<string, string> =>
      Object.fromEntries(names.map((name) => [join(as, name), readFileSync(join(root, folder, name), "utf8")]));
    const tree = treeOf({
      "kustomization.yaml": shown,
      ...files("fixtures/hosts/argocd-install", ["kustomization.yaml", "repo-server.yaml"], "install"),
      ...files("functions/argocd-cmp", ["kustomization.yaml", "repo-server.yaml"], "component"),
    });
    const patched = podOf(succeed(STANDALONE, ["build", "."], { cwd: tree.folder, env: process.env }));
    const without = podOf(succeed(STANDALONE, ["build", "install"], { cwd: tree.folder, env: process.env }));
    const [added, ...own] = arrayOf(patched["containers"]);
    assert.deepEqual(added, sidecarContainer());
    assert.deepEqual(own, without["containers"]);
    const volumes = arrayOf(patched["volumes"]).map(mapping);
    assert.deepEqual(
      volumes.filter(({ name }) => name !== "rollstamp-tmp"),
      without["volumes"],
    );
    const names = volumes.map(({ name }) => name);
    for (const { name } of arrayOf(mapping(added)["volumeMounts"]).map(mapping))
      assert.ok(names.includes(name), `no volume ${String(name)}`);
  });
});

function podOf(rendering: string): ReturnType<typeof mapping> {
  const deployment = objectsOf(rendering).find(({ kind }) => kind === "Deployment");
  return mapping(mapping(mapping(deployment?.["spec"])["template"])["spec"]);
}

function sorted(objects: readonly object[]): readonly string[] {
  return objects
    .map((object) =>
      JSON.stringify(object, (_, value: unknown) =>
        isRecord(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
      ),
    )
    .sort();
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
