// Charts through the real Helms: the output differs only by stamps.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { stampOf } from "./expected-digest.ts";
import { assertOnlyStampsInserted } from "./inserted-lines.ts";
import { chart, elsewhere, HELMS, POST_RENDERER, prepare, template, tryTemplate, type Helm } from "./helm.ts";
import {
  allStamps,
  contentOf,
  find,
  mapping,
  objectsOf as allDocuments,
  podTemplateOf,
  stampsOf,
  withoutStamps,
} from "./manifests.ts";
import { root, run, unlessFound, type Run } from "./programs.ts";
import { treeOf } from "./trees.ts";

const CONFIG = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
spec:
  checksums: Remove
  layout: Combined
`;

/** A post-renderer that changes nothing. */
const CAT = `apiVersion: v1
type: postrenderer/v1
name: cat
version: 0.1.0
runtime: subprocess
runtimeConfig:
  platformCommand:
    - command: cat
`;

for (const helm of HELMS) {
  describe(helm.name, { skip: unlessFound(helm.program) }, () => {
    before(() => {
      prepare(helm);
      if (helm.version === 4) prepare(helm, treeOf({ "plugin.yaml": CAT }).folder);
    });

    test("a chart with hooks, a sub-chart, CRDs, lookup, NOTES and empty templates", () => {
      const plain = template(helm, "shop", ["--include-crds"]);
      const stamped = template(helm, "shop", ["--include-crds", ...POST_RENDERER]);
      const objects = objectsOf(stamped);
      assert.deepEqual(withoutStamps(objects), withoutStamps(objectsOf(plain)));
      assert.deepEqual(
        sourcesOf(stamped),
        sourcesOf(untouched(helm, "shop", ["--include-crds"])),
        "the templates that Helm names",
      );
      assert.deepEqual(
        Object.fromEntries(Object.entries(allStamps(objects)).map(([name, stamps]) => [name, Object.keys(stamps)])),
        {
          "StatefulSet/shop-cache": ["configmap.rollstamp.dev/shop-cache"],
          "CronJob/shop-report": ["configmap.rollstamp.dev/shop-settings"],
          "Deployment/shop-web": [
            // Helm 3 keeps hooks to itself: nothing is known of their ConfigMaps.
            ...(helm.version === 4 ? ["configmap.rollstamp.dev/shop-hook-settings"] : []),
            "configmap.rollstamp.dev/shop-settings",
            "secret.rollstamp.dev/shop-credentials",
          ],
        },
      );
      assert.doesNotMatch(stamped, /postrenderer\.helm\.sh/);
    });

    test("only stamps differ", () => {
      assertOnlyStampsInserted(untouched(helm, "shop"), template(helm, "shop", POST_RENDERER), "shop");
    });

    test("a ConfigMap that is also a hook: the one of the release counts", () => {
      const objects = objectsOf(template(helm, "twice", POST_RENDERER));
      assert.deepEqual(withoutStamps(objects), withoutStamps(objectsOf(template(helm, "twice"))));
      const owned = objects.find(({ kind, metadata }) => kind === "ConfigMap" && !("annotations" in mapping(metadata)));
      assert.ok(owned);
      assert.deepEqual(allStamps(objects), {
        "Deployment/shop-web": { "configmap.rollstamp.dev/shop-settings": stampOf(contentOf(owned)) },
      });
    });

    test("only workloads that see a changed value get another stamp", () => {
      const stamps = allStamps(objectsOf(template(helm, "shop", POST_RENDERER)));
      const changed = allStamps(objectsOf(template(helm, "shop", [...POST_RENDERER, "--set", "cache.size=128mb"])));
      const different = Object.keys(stamps).filter(
        (name) => JSON.stringify(stamps[name]) !== JSON.stringify(changed[name]),
      );
      assert.deepEqual(different, ["StatefulSet/shop-cache"]);
    });

    test("configured by an argument, and by ROLLSTAMP_CONFIG", () => {
      const { folder } = treeOf({ "rollstamp.yaml": CONFIG });
      const config = join(folder, "rollstamp.yaml");
      const byArgument = template(helm, "shop", [...POST_RENDERER, ...argumentsOf("--config", config)]);
      const web = find(objectsOf(byArgument), "Deployment/shop-web");
      assert.deepEqual(Object.keys(stampsOf(web)), ["rollstamp.dev/config-hash"]);
      assert.equal(annotations(web)["checksum/config"], undefined);
      const byVariable = tryTemplate(helm, "shop", POST_RENDERER, { ROLLSTAMP_CONFIG: config });
      assert.equal(byVariable.stdout, byArgument);
    });

    test("a Secret with random values has the digest of this rendering", () => {
      const objects = objectsOf(template(helm, "random", POST_RENDERER));
      assert.deepEqual(stampsOf(find(objects, "Deployment/shop-database")), {
        "secret.rollstamp.dev/shop-database": stampOf(contentOf(find(objects, "Secret/shop-database"))),
      });
    });

    test("an error of a chart is Helm's own", () => {
      const failed = tryTemplate(helm, "failing", POST_RENDERER);
      assertFails(failed, [/no image is set/, /failing\/templates\/web\.yaml/]);
      assert.doesNotMatch(failed.stderr, /rollstamp/);
    });

    test("an empty rendering is refused", () => {
      assertFails(tryTemplate(helm, "nothing", POST_RENDERER), [/the input contains no Kubernetes object/]);
    });

    test("stray text is refused with its template", () => {
      // Both Helms read the documents themselves before they hand them on.
      assertFails(tryTemplate(helm, "stray", POST_RENDERER), [/stray\/templates\/hint\.yaml/]);
    });

    test("a missing source is an error if configured", () => {
      const { folder } = treeOf({ "rollstamp.yaml": `${CONFIG}  missing: Error\n` });
      const failed = tryTemplate(helm, "missing", POST_RENDERER, { ROLLSTAMP_CONFIG: join(folder, "rollstamp.yaml") });
      assertFails(failed, [
        /rollstamp: error: stdin:\d+:\d+ \(in missing\/templates\/web\.yaml\): /,
        /shop-settings.*\(RS001\)/,
        // What to do is on a line of its owned.
        /\(RS001\)\n +\w/,
      ]);
    });

    test("an invalid configuration and an invalid argument are reported", () => {
      const { folder } = treeOf({ "rollstamp.yaml": CONFIG.replace("layout", "layuot") });
      const config = join(folder, "rollstamp.yaml");
      assertFails(tryTemplate(helm, "shop", [...POST_RENDERER, ...argumentsOf("--config", config)]), [
        /layuot/,
        /rollstamp\.yaml:7/,
      ]);
      assertFails(tryTemplate(helm, "shop", [...POST_RENDERER, ...argumentsOf("--confg")]), [
        /unknown option '--confg'/,
      ]);
    });

    test("no value of a Secret is shown", () => {
      const { folder } = treeOf({ "rollstamp.yaml": `${CONFIG}  secrets: Keyed\n` });
      const failed = tryTemplate(helm, "shop", POST_RENDERER, { ROLLSTAMP_CONFIG: join(folder, "rollstamp.yaml") });
      assertFails(failed, [/ROLLSTAMP_HMAC_KEY/]);
      assert.doesNotMatch(failed.stderr, /correct horse/);
    });
  });
}

const helm3 = HELMS.find(({ version }) => version === 3);
if (helm3 !== undefined) {
  describe("Helm 3's post-renderer", { skip: unlessFound(helm3.program) }, () => {
    test("a script with a pipe is a post-renderer, and HELM_NAMESPACE names the namespace", () => {
      const { folder } = treeOf({
        "render.sh": "#!/bin/sh\ncat | rollstamp\n",
        "rollstamp.yaml": `${CONFIG}  missing: Error\n`,
      });
      const script = join(folder, "render.sh");
      chmodSync(script, 0o755);
      const failed = shell(helm3, commandOf(helm3, "missing", ["--post-renderer", script]), {
        HELM_NAMESPACE: "store",
        ROLLSTAMP_CONFIG: join(folder, "rollstamp.yaml"),
      });
      assertFails(failed, [/rollstamp: error: .* uses ConfigMap store\/shop-settings/u]);
    });
  });
}

const helm4 = HELMS.find(({ version }) => version === 4);
if (helm4 !== undefined) {
  describe("Helm 4's plugin", { skip: unlessFound(helm4.program) }, () => {
    test("a warning is in Helm's log, but not in the release", () => {
      const helm = elsewhere(helm4);
      prepare(helm);
      const { status, stdout, stderr } = tryTemplate(helm, "missing", POST_RENDERER);
      assert.equal(status, 0);
      assert.match(
        stderr,
        /hookTypes="rollstamp: warning: stdin:\d+:\d+ \(in missing\/templates\/web\.yaml\): .*shop-settings/,
      );
      assert.doesNotMatch(stdout, /rollstamp: warning/);
      assert.deepEqual(objectsOf(stdout), objectsOf(template(helm, "missing")));
    });

    test("as a tarball it is complete", () => {
      const helm = elsewhere(helm4);
      const { folder } = treeOf({});
      const script = join(root, "scripts", "helm-plugin.mjs");
      const pack = (): string => execFileSync(process.execPath, [script, folder], { encoding: "utf8" }).trim();
      const tarball = pack();
      const bytes = readFileSync(tarball);
      assert.deepEqual(readFileSync(pack()), bytes, "packed twice it has the same bytes");
      prepare(helm, tarball);
      const stamped = template(helm, "shop", POST_RENDERER);
      assert.equal(Object.keys(allStamps(objectsOf(stamped))).length, 3);
      const linked = elsewhere(helm4);
      prepare(linked);
      assert.equal(template(linked, "shop", POST_RENDERER), stamped);
    });
  });
}

/** Runs a line of the shell. */
function shell(helm: Helm, script: string, more: NodeJS.ProcessEnv = {}): Run {
  return run({ found: true, path: "/bin/sh" }, ["-c", script], { cwd: root, env: { ...helm.env, ...more } });
}

/** `helm template` with the post-renderer, for a shell. */
function commandOf(helm: Helm, name: string, options: readonly string[] = POST_RENDERER): string {
  assert.ok(helm.program.found);
  return [helm.program.path, "template", "shop", chart(name), ...options].map((word) => `'${word}'`).join(" ");
}

/** The rendering as it is without us: Helm 4 formats what it hands to a post-renderer, and drops mere comments. */
function untouched(helm: Helm, name: string, args: readonly string[] = []): string {
  return template(helm, name, helm.version === 3 ? args : [...args, "--post-renderer", "cat"]);
}

/** Arguments for the post-renderer; Helm splits at commas, and takes one at a time. */
function argumentsOf(...args: readonly string[]): readonly string[] {
  return args.flatMap((arg) => ["--post-renderer-args", arg]);
}

/** The objects of a rendering; a template may leave nothing but a comment. */
function objectsOf(text: string): ReturnType<typeof allDocuments> {
  const documents = text.split(/^---$/mu).filter((document) => /^[^#\s]/mu.test(document));
  return allDocuments(documents.join("---"));
}

function sourcesOf(text: string): readonly string[] {
  return text.split("\n").filter((line) => line.startsWith("# Source: "));
}

function annotations(workload: ReturnType<typeof find>): Readonly<Record<string, unknown>> {
  return mapping(mapping(mapping(podTemplateOf(workload))["metadata"])["annotations"]);
}

function assertFails({ status, stdout, stderr }: Run, says: readonly RegExp[]): void {
  assert.notEqual(status, 0);
  assert.equal(stdout, "");
  for (const words of says) assert.match(stderr, words);
}
