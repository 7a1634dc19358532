import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { cli } from "../support/cli.ts";
import { inFolder } from "../support/folders.ts";
import { run } from "../support/run.ts";
import { runEveryCommand, runStatus } from "./every-command.ts";

// Names that every JavaScript object has: as keys, names, kinds and fields they are names like any other.

const NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "hasOwnProperty",
  "valueOf",
  "__defineGetter__",
] as const;

const prototypeKeys = Reflect.ownKeys(Object.prototype).length;

/** Nothing has been added to what all objects share. */
function isClean(): void {
  assert.equal(Reflect.ownKeys(Object.prototype).length, prototypeKeys);
  assert.equal(Reflect.get({}, "polluted"), undefined);
}

const map = (value: string): string => `{${NAMES.map((name) => `${name}: ${value}`).join(", ")}}`;

function manifests(content: string): string {
  return NAMES.flatMap((name) => [
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: ${name}, labels: ${map("x")}, annotations: ${map("x")}}\ndata: ${map(content)}\n`,
    `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: ${name}}\nstringData: ${map(content)}\n`,
    `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}, namespace: ${name}, labels: ${map("x")}, annotations: ${map("x")}}
spec: {strategy: {type: ${name}, ${name}: {polluted: yes}}, template: {metadata: {labels: ${map("x")}, annotations: ${map(content)}}, spec: {${name}: {polluted: yes}, containers: [{name: ${name}, image: "${name}:1", ${name}: ${content}, resources: {limits: ${map("1")}}, env: [{name: ${name}, valueFrom: {configMapKeyRef: {name: ${name}, key: ${name}}}}], envFrom: [{secretRef: {name: ${name}}}, {configMapRef: {name: absent-${name}}}]}], volumes: [{name: ${name}, configMap: {name: ${name}, items: [{key: ${name}, path: ${name}}]}}]}}}\n`,
    `apiVersion: apps/v1\nkind: ${name}\nmetadata: {name: kind-${name}}\nspec: {template: {spec: {containers: [{name: a, image: "a:1", envFrom: [{configMapRef: {name: ${name}}}], args: [${content}]}]}}}\n`,
    `apiVersion: argoproj.io/v1alpha1\nkind: ${name}\nmetadata: {name: argo-${name}}\nspec: {source: {path: x}}\n`,
    `apiVersion: ${name}/v1\nkind: ${name}\nmetadata: {name: group-${name}}\n`,
    `apiVersion: ${name}\nkind: HorizontalPodAutoscaler\nmetadata: {name: hpa-${name}}\nspec: {scaleTargetRef: {kind: ${name}, name: ${name}}}\n`,
  ]).join("---\n");
}

const CONFIG = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
spec:
  compat: [Reloader, Wave]
  workloads: [${NAMES.map((kind) => `{group: apps, kind: ${kind}, podTemplate: spec.template}`).join(", ")}]
`;

describe("names of properties that every object has", () => {
  it("are names like any other in every command", async () => {
    const outcomes = await runEveryCommand({
      base: { "all.yaml": manifests("a"), "rollstamp.yaml": CONFIG },
      head: { "all.yaml": manifests("b"), "rollstamp.yaml": CONFIG },
      target: "deployment/constructor",
    });
    outcomes.push(...(await runStatus(manifests("a"))));
    for (const { name, stderr, status } of outcomes) {
      assert.doesNotMatch(stderr, /internal error/u, name);
      assert.ok(
        status === 0 || status === 1 || /^(?:init|explain|restart) /u.test(name),
        `${name}: ${status} ${stderr}`,
      );
    }
    isClean();
  });

  it("are reported when added or removed, without a value on the other side", () => {
    const without = manifests("a").replaceAll(/\{__proto__: (?:x|a|1), [^{}]*\}/gu, "{}");
    assert.ok(without.includes("labels: {}") && without.includes("limits: {}"));
    return inFolder({ "with/all.yaml": manifests("a"), "without/all.yaml": without }, async (folder) => {
      const pathIn = (side: string): string => `${folder}/${side}`;
      for (const [from, to, absent] of [
        ["without", "with", "from"],
        ["with", "without", "to"],
      ] as const) {
        const text = await cli(["plan", pathIn(from), pathIn(to)]);
        // Plans of what the API server refuses, as a strategy of that name, end with 1.
        assert.deepEqual([text.status, text.stderr], [1, ""]);
        assert.match(text.stdout, /limits\.constructor/u);
        const json = (await cli(["plan", "-o", "json", pathIn(from), pathIn(to)])).stdout;
        // The causes name the paths too, without values.
        const stdout = json.slice(json.indexOf('"workloads": ['));
        for (const name of NAMES) {
          const path = new RegExp(
            `\\{[^{}]*"path": "spec\\.containers\\[name=${name}\\]\\.resources\\.limits\\.${name}"[^{}]*\\}`,
            "u",
          );
          const shown = JSON.parse(path.exec(stdout)?.[0] ?? "null") as Record<string, unknown> | null;
          assert.ok(shown !== null, name);
          assert.equal(shown[absent], null, name);
        }
      }
    });
  });

  it("are each counted as keys", () => {
    const source = (changed: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {${NAMES.map((name) => `${name}: ${name === changed ? "b" : "a"}`).join(", ")}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {template: {spec: {containers: [{name: a, envFrom: [{configMapRef: {name: env}}]}]}}}\n`;
    const stampOf = (text: string): string => /h1-[0-9a-f]{40}/u.exec(run(text).text)?.[0] ?? "none";
    const stamps = new Set([...NAMES, "none of them"].map((name) => stampOf(source(name))));
    assert.equal(stamps.size, NAMES.length + 1);
  });

  it("can be sources and workloads", () => {
    const { text, status } = run(manifests("a"), CONFIG);
    assert.equal(status, 0);
    const stamps = parseAllDocuments(text).flatMap((document) => {
      const { kind, metadata, spec } = document.toJS() as {
        kind: string;
        metadata: { name: string };
        spec?: { template?: { metadata?: { annotations?: Record<string, string> } } };
      };
      return kind === "Deployment"
        ? Object.keys(spec?.template?.metadata?.annotations ?? {})
            .filter((key) => key.includes("rollstamp.dev/"))
            .map((key) => `${metadata.name} ${key}`)
        : [];
    });
    assert.deepEqual(
      stamps.sort(),
      NAMES.flatMap((name) => [
        `${name} configmap.rollstamp.dev/${name}`,
        `${name} secret.rollstamp.dev/${name}`,
      ]).sort(),
    );
  });

  for (const name of NAMES) {
    for (const [what, config] of [
      ["field", `spec: {${name}: {polluted: yes}}`],
      ["value", `spec: {layout: ${name}}`],
      ["rule", `kind: RolloutLint\nspec: {rules: {${name}: error}}`],
      ["item", `spec: {compat: [${name}]}`],
      ["workload's field", `spec: {workloads: [{kind: X, ${name}: spec.template}]}`],
    ] as const) {
      it(`are unknown in a configuration: ${name} as a ${what}`, () => {
        const kind = config.startsWith("kind:") ? "" : "kind: ConfigHash\n";
        const { status, messages } = run(manifests("a"), `apiVersion: rollstamp.dev/v1alpha1\n${kind}${config}\n`);
        assert.equal(status, 2, messages);
        assert.ok(messages.includes(name), messages);
        isClean();
      });
    }
    it(`are unknown in a ConfigMap as configuration: ${name}`, () => {
      for (const data of [`{${name}: x}`, `{rules: "${name}=error", function: RolloutLint}`, `{function: ${name}}`]) {
        const { status, messages } = run(manifests("a"), `apiVersion: v1\nkind: ConfigMap\ndata: ${data}\n`);
        assert.equal(status, 2, `${data}: ${messages}`);
      }
      isClean();
    });
    it(`are unknown on the command line and to Argo CD's plugin: ${name}`, async () => {
      for (const args of [
        ["completion", name],
        [name],
        ["lint", "-o", name],
        ["lint", "--rule", `${name}=off`, "."],
        ["init", name],
      ]) {
        const { status, stderr } = await cli(args);
        assert.equal(status, 2, args.join(" "));
        assert.doesNotMatch(stderr, /internal error/u, args.join(" "));
      }
      const environment = { ARGOCD_APP_PARAMETERS: `[{"name":"${name}","map":{"${name}":"x"}}]` };
      const { status, stderr } = await cli(["cmp", "generate"], { environment });
      assert.deepEqual([status, /unknown/u.test(stderr)], [2, true], stderr);
      isClean();
    });
  }
});
