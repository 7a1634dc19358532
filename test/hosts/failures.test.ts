// Errors in hosts: what users see, and that nothing is written or rendered.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { filesOf, kpt, kptFn, tryKptFn } from "./kpt.ts";
import { build, declareFunction, KUSTOMIZE_HOSTS, tryBuild } from "./kustomize.ts";
import { arrayOf, mapping, objectsOf } from "./manifests.ts";
import { unlessFound, type Run } from "./programs.ts";
import { temporaryFolder, treeOf, type Tree } from "./trees.ts";
import { WEB as WEB_WITH_ENV } from "./web.ts";
import { rollstamp } from "./wiring.ts";

// Neither may show up in what a host prints. The second is no base64.
const SECRET_TEXT = "hunter2-in-plain-text";
const SECRET_BROKEN = "aHVudGVyMi*broken*";

interface Failure {
  readonly what: string;
  readonly spec?: string;
  readonly manifests?: string;
  readonly says: readonly RegExp[];
}

const WEB = `${WEB_WITH_ENV}        - secretRef: {name: creds}\n`;
const ENV = `apiVersion: v1
kind: ConfigMap
metadata:
  name: env
data:
  A: "1"
`;
const CREDS = `apiVersion: v1
kind: Secret
metadata:
  name: creds
stringData:
  PASSWORD: ${SECRET_TEXT}
`;
const ALL = [WEB, ENV, CREDS].join("---\n");
const WITHOUT_ENV = [WEB, CREDS].join("---\n");

const FAILURES: readonly Failure[] = [
  {
    what: "a misspelt field of the configuration",
    spec: "{granularty: Object}",
    says: [/granularty/, /\bgranularity\b/],
  },
  {
    what: "a misspelt value of the configuration",
    spec: "{layout: Combine}",
    says: [/layout/, /\bCombine\b/, /\bCombined\b/],
  },
  {
    what: "a reference to nothing, where that is an error",
    spec: "{missing: Error}",
    manifests: WITHOUT_ENV,
    says: [/\benv\b/, /Deployment|web/],
  },
  {
    what: "a Secret that is not base64",
    manifests: ALL.replace(`stringData:\n  PASSWORD: ${SECRET_TEXT}`, `data:\n  PASSWORD: ${SECRET_BROKEN}`),
    says: [/\bcreds\b/, /base64/i, /PASSWORD/],
  },
  {
    what: "a number in a ConfigMap",
    manifests: ALL.replace('A: "1"', "A: 1"),
    says: [/\benv\b/, /\bA\b/],
  },
  {
    what: "an annotation with a value that it does not have",
    manifests: ALL.replace("  name: web\n", '  name: web\n  annotations: {rollstamp.dev/stamp: "maybe"}\n'),
    says: [/\bweb\b/, /rollstamp\.dev\/stamp/, /"?true"?/],
  },
  {
    what: "keyed digests without a key",
    spec: "{secrets: Keyed}",
    says: [/ROLLSTAMP_HMAC_KEY/],
  },
];

for (const host of KUSTOMIZE_HOSTS) {
  describe(`${host.name}: failures`, { skip: unlessFound(host.program) }, () => {
    for (const failure of FAILURES) {
      test(failure.what, () => {
        const { status, stdout, stderr } = tryBuild(host, kustomization(failure, host), rollstamp);
        assert.equal(status, 1);
        assert.equal(stdout, "", "a render that failed prints nothing that could be applied");
        assertSays(stderr, failure);
      });
    }

    test("a missing source is not an error by default", () => {
      const tree = kustomization({ manifests: WITHOUT_ENV }, host);
      assert.equal(objectsOf(build(host, tree, rollstamp)).length, 2);
    });
  });
}

describe("kpt: failures", { skip: unlessFound(kpt) }, () => {
  for (const failure of FAILURES) {
    for (const [verb, args] of Object.entries({
      render: ["render", "--allow-exec"],
      eval: ["eval", "--exec", "rollstamp", "--fn-config", "stamp.yaml"],
    })) {
      test(`${verb}: ${failure.what}`, () => {
        const tree = kptPackage(failure);
        const before = filesOf(tree);
        const outcome = tryKptFn(tree, args, rollstamp);
        assert.equal(outcome.status, 1);
        assertSays(printed(outcome), failure);
        assert.deepEqual(filesOf(tree), before, "no file is written");
      });
    }
  }

  test("a missing source is a warning with its rule and object", () => {
    const tree = kptPackage({ manifests: WITHOUT_ENV });
    const results = temporaryFolder();
    const outcome = tryKptFn(tree, ["render", "--allow-exec", "--results-dir", results], rollstamp);
    assert.equal(outcome.status, 0);
    assert.match(printed(outcome), /\[warning\].*Deployment.*web/s);
    const [list] = objectsOf(readFileSync(join(results, "results.yaml"), "utf8"));
    const [item] = arrayOf(mapping(list)["items"]).map(mapping);
    const [result, ...more] = arrayOf(item?.["results"]).map(mapping);
    assert.deepEqual(more, []);
    assert.equal(result?.["severity"], "warning");
    assert.equal(mapping(result?.["tags"])["rule"], "RS001");
    assert.match(String(result?.["message"]), /\benv\b/);
    assert.deepEqual(mapping(result?.["resourceRef"])["name"], "web");
  });

  test("an error is also in the results", () => {
    const tree = kptPackage({ manifests: WITHOUT_ENV, spec: "{missing: Error}" });
    assert.match(printed(tryKptFn(tree, ["render", "--allow-exec"], rollstamp)), /\[error\].*\benv\b/s);
  });

  test("one object in two files", () => {
    const tree = treeOf({ ...filesOf(kptPackage({})), "again.yaml": ENV });
    const before = filesOf(tree);
    const outcome = tryKptFn(tree, ["render", "--allow-exec"], rollstamp);
    assert.equal(outcome.status, 1);
    assert.match(printed(outcome), /ConfigMap env\b/);
    assert.deepEqual(filesOf(tree), before);
  });

  test("a package without anything to stamp does not change", () => {
    const tree = kptPackage({ manifests: ENV });
    const before = filesOf(tree);
    kptFn(tree, ["render", "--allow-exec"], rollstamp);
    assert.deepEqual(filesOf(tree), before);
  });
});

function assertSays(output: string, failure: Failure): void {
  for (const words of failure.says) assert.match(output, words);
  assert.ok(!output.includes(SECRET_TEXT) && !output.includes(SECRET_BROKEN), "the value of a Secret");
  assert.doesNotMatch(output, /\n\s+at .*\(.*:\d+:\d+\)/, "a stack trace is not a message");
}

function configuration(spec = "{}"): string {
  return `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
  annotations:
    config.kubernetes.io/local-config: "true"
spec: ${spec}
`;
}

function kustomization({ spec, manifests = ALL }: Partial<Failure>, host: (typeof KUSTOMIZE_HOSTS)[number]): Tree {
  const tree = treeOf({
    "kustomization.yaml": "resources: [app.yaml]\ntransformers: [stamp.yaml]\n",
    "app.yaml": manifests,
    "stamp.yaml": configuration(spec),
  });
  declareFunction(tree, host);
  return tree;
}

function kptPackage({ spec, manifests = ALL }: Partial<Failure>): Tree {
  return treeOf({
    Kptfile: `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: app
pipeline:
  mutators:
    - exec: rollstamp
      configPath: stamp.yaml
`,
    "app.yaml": manifests,
    "stamp.yaml": configuration(spec),
  });
}

function printed({ stdout, stderr }: Run): string {
  return stdout + stderr;
}
