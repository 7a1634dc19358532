import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tagsOf } from "../../../src/findings/catalogue/describe.ts";
import { stringOf } from "../../../src/yaml/read/node.ts";
import type { ConfigHashSpec } from "../../../src/stamping/function/config-hash.ts";
import { compileExpression } from "../../../src/stamping/policy/expressions.ts";
import { formatValue } from "../../../src/base/names.ts";
import { analysed, decided, source, USES_ENV, workload } from "./decided.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";

// What Reloader's and Wave's annotations bring, beyond who watches what: section 5 of the contract.

const RELOADER = "reloader.stakater.com";
const RELOAD = `configmap.${RELOADER}/reload`;
const WAVE = "wave.pusher.com";
const ON = `${WAVE}/update-on-config-change`;
const asReloader: Partial<ConfigHashSpec> = { compat: ["Reloader"], selection: "Annotated" };
const asWave: Partial<ConfigHashSpec> = { compat: ["Wave"], selection: "Annotated" };
const NOT_IN = "not opted in (selection: Annotated)";

const env = source("ConfigMap", "env");

/** The annotations' values may be what the API server refuses. */
const odd = (annotations: Readonly<Record<string, unknown>>): object =>
  workload("web", annotations as Readonly<Record<string, string>>);

function problems(spec: Partial<ConfigHashSpec>, ...objects: object[]): unknown[][] {
  return analysed(objects, spec).findings.map(({ cause, params, field }) => [
    cause,
    "object" in params && typeof params.object === "object" ? `${params.object.kind} ${params.object.name}` : undefined,
    ...("text" in params ? [params.text] : []),
    ...("problem" in params ? [params.problem] : []),
    field,
  ]);
}

/** The sources that a workload's stamps are of, once for each reference that counts. */
function counted(objects: readonly object[], spec = asReloader, of = 0): string[] {
  const templates = analysed(objects, spec).decisions[of]?.templates ?? [];
  return templates.flatMap((template) =>
    template.counted.map(({ reference }) => `${reference.kind}/${reference.namespace}/${reference.name}`),
  );
}

describe("sources that an annotation of a peer names", () => {
  for (const [key, spec, optional] of [
    [RELOAD, asReloader, false],
    [`${WAVE}/extra-configmaps`, { ...asWave, selection: "All" }, true],
    ["rollstamp.dev/sources", {}, false],
  ] as const) {
    it(`by ${key} are references of the annotation`, () => {
      const text = key === "rollstamp.dev/sources" ? "configmap/more" : "more";
      const objects = [source("ConfigMap", "more"), workload("web", { [key]: text })];
      const decision = analysed(objects, spec).decisions[0];
      const found = decision?.templates[0]?.counted.find(({ reference }) => reference.name === "more")?.reference;
      assert.ok(found?.item !== undefined);
      assert.equal(stringOf(found.item.tree, found.node), text);
      const { keys, requiredKeys, via, containers, field } = found;
      assert.deepEqual(
        { keys, requiredKeys, via, containers, field, optional: found.optional },
        { keys: "*", requiredKeys: [], via: "extra", containers: [], field: `metadata.annotations[${key}]`, optional },
      );
    });
  }
});

describe("Reloader's lists", () => {
  const named = (text: string, ...more: object[]): string[] =>
    counted([
      ...["app-a", "app-b", "other"].map((name) => source("ConfigMap", name)),
      ...more,
      workload("web", { [RELOAD]: text }),
    ]);
  for (const [text, ...names] of [
    ["other", "other"],
    ["app-.*", "app-a", "app-b"],
    ["app-a,app-.*", "app-a", "app-b"],
    ["app-.*,app-.*|other", "app-a", "app-b", "other"],
    ["gone", "gone"],
    ["gone-.*"],
    ["app.a", "app-a"],
    [".*", "env", "app-a", "app-b", "other"],
  ] as const) {
    it(`'${text}' names each source once`, () =>
      assert.deepEqual(
        named(text),
        names.map((name) => `ConfigMap/default/${name}`),
      ));
  }
  it("say by which entry a source counts", () => {
    const list = (text: string): unknown => decided([env, workload("web", { [RELOAD]: text })], asReloader);
    assert.deepEqual(list("e.*,env"), [["touched, selected: opted in", `+ ConfigMap/env: named by ${RELOAD}: e.*`]]);
    assert.deepEqual(list("x,env"), [
      [
        "touched, selected: opted in",
        `+ ConfigMap/env: named by ${RELOAD}: env`,
        `+ ConfigMap/x: named by ${RELOAD}: x`,
      ],
    ]);
  });
  it("say that a source was searched for and found", () =>
    assert.deepEqual(
      decided(
        [
          source("ConfigMap", "env", { [`${RELOADER}/match`]: "true" }),
          workload("web", { [`${RELOADER}/search`]: "true" }),
        ],
        asReloader,
      ),
      [["touched, selected: opted in", `+ ConfigMap/env: found by ${RELOADER}/search and ${RELOADER}/match`]],
    ));
  it("name sources of one type and of the workload's namespace", () => {
    const elsewhere = { ...env, metadata: { name: "env", namespace: "other" } };
    assert.deepEqual(
      decided(
        [env, elsewhere, source("Secret", "env"), workload("web", { [`secret.${RELOADER}/reload`]: "env" })],
        asReloader,
      ),
      [
        [
          "touched, selected: opted in",
          `+ Secret/env: named by secret.${RELOADER}/reload: env`,
          `- ConfigMap/env: ${NOT_IN}`,
        ],
      ],
    );
    const both = workload("web", { [RELOAD]: "more", [`${WAVE}/extra-configmaps`]: "other/more" });
    assert.deepEqual(counted([source("ConfigMap", "more"), both], { ...asReloader, compat: ["Reloader", "Wave"] }), [
      "ConfigMap/default/more",
    ]);
  });
  it("are looked for in each workload's namespace, though they are equal", () => {
    const inNamespace = (namespace: string): object[] => [
      { ...env, metadata: { name: `app-${namespace}`, namespace } },
      { ...workload("web"), metadata: { name: "web", namespace, annotations: { [RELOAD]: "app-.*" } } },
    ];
    const objects = [...inNamespace("one"), ...inNamespace("two")];
    assert.deepEqual(counted(objects, asReloader, 0), ["ConfigMap/one/app-one"]);
    assert.deepEqual(counted(objects, asReloader, 1), ["ConfigMap/two/app-two"]);
  });
  it("find Secrets that are made in every namespace", () => {
    const everywhere = {
      apiVersion: "external-secrets.io/v1",
      kind: "ClusterExternalSecret",
      metadata: { name: "shared" },
      spec: { externalSecretName: "shared", externalSecretSpec: { target: { name: "shared" }, data: [] } },
    };
    assert.deepEqual(counted([everywhere, workload("web", { [`secret.${RELOADER}/reload`]: "sha.*" })]), [
      "Secret/default/shared",
    ]);
  });
  it("mean a source by the name before and after kustomize", () => {
    const renamed = source("ConfigMap", "pre-env", {
      "internal.config.kubernetes.io/previousNames": "env",
      "internal.config.kubernetes.io/previousNamespaces": "default",
      "internal.config.kubernetes.io/previousKinds": "ConfigMap",
    });
    for (const name of ["env", "pre-env"]) {
      assert.deepEqual(counted([renamed, workload("web", { [RELOAD]: name })]), ["ConfigMap/default/env"], name);
      const excludes = { [`${RELOADER}/auto`]: "true", [`configmaps.exclude.${RELOADER}/reload`]: name };
      assert.deepEqual(counted([renamed, workload("web", excludes)]), [], `${name} is excluded`);
    }
  });
  it("keep the stamps of sources that they may mean and that are not in the input", () => {
    const annotations = {
      "configmap.rollstamp.dev/app-gone": "h1-0",
      "configmap.rollstamp.dev/unrelated": "h1-0",
      note: "x",
    };
    const web = {
      ...workload("web", { [RELOAD]: "app-.*" }),
      spec: { template: { metadata: { annotations }, spec: USES_ENV } },
    };
    const { desired, findings } = analysed([env, web], asReloader);
    assert.deepEqual([...(desired[0]?.kept ?? [])], ["configmap.rollstamp.dev/app-gone", "rollstamp.dev/config-hash"]);
    assert.deepEqual(findings, []);
    const all: Partial<ConfigHashSpec> = { ...asReloader, selection: "All" };
    assert.deepEqual(counted([env, web], all), ["ConfigMap/default/env", "ConfigMap/default/app-gone"]);
  });
  it("name nothing where there is nothing", () => {
    assert.deepEqual(counted([workload("web", { [RELOAD]: ".*" })]), ["ConfigMap/default/env"]);
    assert.deepEqual(decided([workload("web", { [`${RELOADER}/search`]: "true" })], asReloader), [
      [`touched, not selected: ${NOT_IN}`, `- ConfigMap/env: ${NOT_IN}`],
    ]);
  });
  it("may hold a thousand expressions in all, and names without an end", () => {
    const many = (count: number, tail: string): string =>
      Array.from({ length: count }, (_, i) => `a${i}${tail}`).join(",");
    const problemsOf = (text: string): unknown => problems(asReloader, env, workload("web", { [RELOAD]: text }));
    assert.deepEqual(problemsOf(many(1000, ".*")), []);
    assert.deepEqual(problemsOf(`${many(1000, ".*")},env`), []);
    assert.deepEqual(problemsOf(many(1001, ".*")), [
      [
        "expression",
        "Deployment web",
        "a1000.*",
        "the input has more than 1000 regular expressions",
        `metadata.annotations[${RELOAD}]`,
      ],
    ]);
    const names = [workload("one", { [RELOAD]: many(1100, "") }), workload("two", { [RELOAD]: "en.*" })];
    assert.deepEqual(counted([env, ...names], asReloader, 1), ["ConfigMap/default/env"]);
  });
  it("count an expression once, however many workloads have it", () => {
    const same = Array.from({ length: 1001 }, (_, i) => workload(`web-${i}`, { [RELOAD]: "other.*" }));
    assert.deepEqual(counted([env, ...same, workload("last", { [RELOAD]: "en.*" })], asReloader, 1001), [
      "ConfigMap/default/env",
    ]);
  });
});

describe("what Reloader does not take", () => {
  for (const key of [RELOAD, `configmaps.exclude.${RELOADER}/reload`, `${RELOADER}/auto`, `${RELOADER}/search`]) {
    it(`reports ${key} once`, () =>
      assert.deepEqual(problems(asReloader, env, odd({ [key]: 3 })), [
        ["notString", "Deployment web", `metadata.annotations[${key}]`],
      ]));
  }
  for (const key of ["ignore", "match"]) {
    const sourceWith = (value: unknown): object =>
      source("ConfigMap", "env", { [`${RELOADER}/${key}`]: value as string });
    const searching = workload("web", { [`${RELOADER}/search`]: "true" });
    it(`reports '${key}' of a source, never with its value`, () =>
      assert.deepEqual(problems(asReloader, sourceWith("maybe"), searching), [
        ["notBooleanOnSource", "ConfigMap env", `metadata.annotations[${RELOADER}/${key}]`],
      ]));
    for (const value of ["", "true", "false", "0", "F", 3]) {
      it(`does not report '${key}: ${JSON.stringify(value)}'`, () =>
        assert.deepEqual(problems(asReloader, sourceWith(value), searching), []));
    }
    it(`does not report '${key}' for workloads without Reloader annotations`, () =>
      assert.deepEqual(problems(asReloader, sourceWith("maybe"), workload("web", { "example.com/auto": "true" })), []));
  }
  it("reports an annotation that a declared source sets on its object", () => {
    const external = {
      apiVersion: "external-secrets.io/v1",
      kind: "ExternalSecret",
      metadata: { name: "login" },
      spec: { target: { template: { metadata: { annotations: { [`${RELOADER}/ignore`]: "maybe" } } } }, data: [] },
    };
    const web = {
      ...workload("web", { [`${RELOADER}/auto`]: "true" }),
      spec: { template: { spec: { containers: [{ name: "app", envFrom: [{ secretRef: { name: "login" } }] }] } } },
    };
    const [problem = []] = problems(asReloader, external, web);
    assert.deepEqual(problem.slice(0, 2), ["notBooleanOnSource", "ExternalSecret login"]);
  });
});

describe("Wave", () => {
  const vault = {
    apiVersion: "secrets-store.csi.x-k8s.io/v1",
    kind: "SecretProviderClass",
    metadata: { name: "vault" },
    spec: { provider: "vault", parameters: {} },
  };
  const csi = {
    name: "v",
    csi: { driver: "secrets-store.csi.k8s.io", volumeAttributes: { secretProviderClass: "vault" } },
  };
  it("watches ConfigMaps and Secrets, nothing else", () => {
    const web = { ...workload("web", { [ON]: "true" }), spec: { template: { spec: { ...USES_ENV, volumes: [csi] } } } };
    assert.deepEqual(decided([env, vault, web], asWave), [
      ["touched, selected: opted in", `+ ConfigMap/env: opted in by ${ON}`, `- SecretProviderClass/vault: ${NOT_IN}`],
    ]);
  });
  it("can exclude a workload", () =>
    assert.deepEqual(decided([env, workload("web", { [ON]: "false" })], { compat: ["Wave"] }), [
      ["touched, selected: selection: All", `- ConfigMap/env: opted out by ${ON}`],
    ]));
  it("takes names, with a namespace or without, and warns of what is neither", () => {
    const key = `${WAVE}/extra-configmaps`;
    const web = workload("web", { [ON]: "true", [key]: "more, other/more ,/a,b/, c/d/e,," });
    const names = ["default/env", "default/more", "other/more"].map((name) => `ConfigMap/${name}`);
    assert.deepEqual(counted([env, source("ConfigMap", "more"), web], asWave), names);
    assert.deepEqual(
      problems(asWave, env, web),
      ["/a", "b/", "c/d/e"].map((part) => ["entry", "Deployment web", part, `metadata.annotations[${key}]`]),
    );
  });
  it("has nothing to say where nothing is written", () => {
    assert.deepEqual(counted([env, workload("web")], { ...asWave, selection: "All" }), ["ConfigMap/default/env"]);
    assert.deepEqual(problems(asWave, env, workload("web", { [ON]: "" })), []);
  });
  it("takes no value but a string", () =>
    assert.deepEqual(problems(asWave, env, odd({ [ON]: true })), [
      ["notString", "Deployment web", `metadata.annotations[${ON}]`],
    ]));
});

describe("a workload with several pod templates", () => {
  it("is opted in by one of them", () => {
    const groups = {
      apiVersion: "example.com/v1",
      kind: "Groups",
      metadata: { name: "groups", annotations: { [`${RELOADER}/auto`]: "true" } },
      spec: { groups: [{ template: { spec: USES_ENV } }, { template: { spec: {} } }] },
    };
    const templates = [
      {
        annotations: "spec.groups.*.template.metadata.annotations",
        anchor: "spec.groups.*.template",
        podSpec: "spec.groups.*.template.spec",
      },
    ];
    const kind = { group: "example.com", kind: "Groups", templates, rollsBy: "template" } as const;
    assert.deepEqual(decided([env, groups], { ...asReloader, workloads: [kind] }), [
      ["touched, selected: opted in", `+ ConfigMap/env: opted in by ${RELOADER}/auto`],
    ]);
  });
});

describe("what goes into the Secret that an ExternalSecret's template makes", () => {
  const external = (configMap: object): object => ({
    apiVersion: "external-secrets.io/v1",
    kind: "ExternalSecret",
    metadata: { name: "login" },
    spec: { target: { template: { templateFrom: [{ configMap }] } }, data: [] },
  });
  const web = {
    ...workload("web"),
    spec: { template: { spec: { containers: [{ name: "app", envFrom: [{ secretRef: { name: "login" } }] }] } } },
  };
  const missing = (configMap: object): unknown =>
    analysed([env, external(configMap), web])
      .findings.filter(({ id }) => id === "RS002")
      .map(tagsOf);
  it("needs the keys that the template names", () => {
    assert.deepEqual(missing({ name: "env", items: [{ key: "a" }, { key: "b" }] }), [
      { source: "ConfigMap/default/env", key: "b" },
    ]);
    assert.deepEqual(missing({ name: "env" }), []);
  });
});

describe("an expression", () => {
  const problemOf = (text: string): string | undefined => {
    const compiled = compileExpression(text, DEFAULT_LIMITS.expression);
    return "problem" in compiled ? compiled.problem : undefined;
  };
  it("has an end to its length", () => {
    const { expression } = DEFAULT_LIMITS;
    assert.equal(problemOf(`${"a".repeat(expression - 1)}*`), undefined);
    assert.equal(problemOf(`${"a".repeat(expression)}*`), `it has more than ${expression} characters`);
  });
  it("that is a name matches only that, but for its dots", () => {
    const matching = (text: string, ...names: string[]): string[] => {
      const compiled = compileExpression(text, DEFAULT_LIMITS.expression);
      assert.ok("matches" in compiled && compiled.isName);
      return names.filter((name) => compiled.matches(name));
    };
    assert.deepEqual(matching("app", "app", "apq", "bpp", "aqp", "ap", "appp", ""), ["app"]);
    assert.deepEqual(matching("a.p", "a.p", "a-p", "axp", "axq", "bxp", "ap"), ["a.p", "a-p", "axp"]);
  });
});

describe("a value in a message", () => {
  it("is cut behind 60 characters", () => {
    assert.equal(formatValue("x".repeat(60)), `'${"x".repeat(60)}'`);
    assert.equal(formatValue("x".repeat(61)), `'${"x".repeat(60)}…'`);
  });
});
