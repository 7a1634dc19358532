import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { FluxBuild } from "../../../src/applications/discover/application.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import type { DataObject } from "../../../src/applications/render/data-objects.ts";
import { fluxEdits } from "../../../src/applications/render/flux-kustomization.ts";
import { fluxObjects, type FluxObjects } from "../../../src/applications/render/flux-objects.ts";
import { fluxSteps } from "../../../src/applications/render/renderable.ts";
import { placeholderOf } from "../../../src/applications/render/unknown-values.ts";
import { variableOf, variablesOf } from "../../../src/applications/render/flux-variables.ts";

const BUILD: FluxBuild = {
  namespace: "flux-system",
  commonLabels: {},
  commonAnnotations: {},
  patches: [],
  images: [],
  components: [],
  ignoreMissingComponents: false,
  ignored: [],
  substitution: undefined,
};

const from = (
  name: string,
  optional = false,
  kind = "ConfigMap",
): { kind: string; name: string; optional: boolean } => ({
  kind,
  name,
  optional,
});

const MAPS: Readonly<Record<string, DataObject>> = {
  a: {
    data: new Map([
      ["X", { is: "text", text: "a" }],
      ["Y", { is: "text", text: "line\nline" }],
    ]),
    files: ["a.yaml"],
  },
  b: { data: new Map([["X", { is: "text", text: "b" }]]), files: ["b.yaml"] },
  sops: {
    data: new Map([["S", { is: "unknown", placeholder: "unknown-1", because: "it is encrypted" }]]),
    files: ["s.yaml"],
  },
  secret: {
    data: new Map([
      ["P", { is: "text", text: "hunter2" }],
      ["N", { is: "text", text: "3" }],
      ["L", { is: "text", text: "9876543210123" }],
      ["F", { is: "text", text: "true" }],
    ]),
    files: ["secret.yaml"],
  },
  wrong: { data: new Map([["a-b", { is: "text", text: "" }]]), files: [] },
  made: {
    data: new Map(),
    other: () => ({ is: "unknown", placeholder: "unknown-2", because: "it is made in the cluster" }),
    files: ["m.yaml"],
  },
};

function variables(
  names: readonly ReturnType<typeof from>[],
  substitute: Readonly<Record<string, string>> = {},
): ReturnType<typeof variablesOf> {
  return variablesOf({ ...BUILD, substitution: { substitute, substituteFrom: names, always: false } }, ({ name }) =>
    Object.hasOwn(MAPS, name) ? MAPS[name] : undefined,
  );
}

describe("variables of a Kustomization", () => {
  it("of a Secret in clear can be compared with guesses only without a key", () => {
    const found = (text: string, key?: Uint8Array): string | undefined => {
      const substitution = { substitute: {}, substituteFrom: [from("s", false, "Secret")], always: false };
      const data = new Map([["PIN", { is: "text", text } as const]]);
      const keyed = variablesOf({ ...BUILD, substitution }, () => ({ data, files: [] }), key);
      assert.ok(typeof keyed !== "string");
      return keyed.variables.known["PIN"];
    };
    const [key, other] = [Buffer.from("a"), Buffer.from("b")];
    assert.equal(found("123-456"), placeholderOf("123-456"));
    assert.match(found("123-456", key) ?? "", /^unknown[0-9a-f]{13}$/u);
    const all = [found("123-456"), found("123-456", key), found("123-456", other), found("123-457", key)];
    assert.equal(new Set(all).size, all.length);
    assert.equal(found("123-456", key), found("123-456", key));
  });

  it("come from each source in order, then from the Kustomization, without line breaks", () => {
    const found = variables([from("a"), from("b")], { Z: "own\n", Y: "own" });
    assert.ok(typeof found !== "string");
    assert.deepEqual(found.variables, { known: { X: "b", Y: "own", Z: "own" }, others: undefined, always: false });
    assert.deepEqual(found.files, ["a.yaml", "b.yaml"]);
    assert.deepEqual(found.unknownValues, []);
  });

  it("are reported if they are unknown", () => {
    const found = variables([from("sops"), from("made"), from("gone"), from("gone-too", true)]);
    assert.ok(typeof found !== "string");
    assert.deepEqual(
      found.unknownValues.map(({ object, file, because }) => `${object} in ${file}: ${because}`),
      [
        "ConfigMap flux-system/sops in s.yaml: it is encrypted: a placeholder replaces 1 of its 1 values",
        "ConfigMap flux-system/made in m.yaml: it is made in the cluster: a placeholder replaces each variable without another value or default",
        "ConfigMap flux-system/gone in : it is in no file here: a placeholder replaces each variable without another value or default",
      ],
    );
    assert.deepEqual(variableOf(found.variables, "S"), { value: "unknown-1", isGuess: false });
    const { value, isGuess } = variableOf(found.variables, "NONE");
    assert.match(value, /^unknown[0-9a-f]{13}$/u);
    assert.equal(isGuess, true);
  });

  it("of a Secret are replaced by placeholders, except for short numbers and flags", () => {
    const found = variables([from("secret", false, "Secret")]);
    assert.ok(typeof found !== "string");
    const { P = "", N, L = "", F } = found.variables.known;
    assert.match(P, /^unknown[0-9a-f]{13}$/u);
    assert.match(L, /^unknown[0-9a-f]{13}$/u);
    assert.deepEqual([N, F], ["3", "true"]);
    // Plans hide them wherever they are repeated.
    assert.deepEqual([...found.secrets].sort(), ["3", "true"]);
    assert.deepEqual(
      found.unknownValues.map(({ because }) => because),
      ["it is the value of a Secret: a placeholder replaces 2 of its 4 values"],
    );
  });

  it("have valid names, and sources of two kinds", () => {
    assert.equal(variables([from("wrong")]), "'a-b' is not a valid name of a variable");
    assert.equal(variables([], { "": "x" }), "'' is not a valid name of a variable");
    assert.equal(variables([from("a", false, "Pod")]), "substituteFrom names a Pod");
  });

  it("make an application depend on their files", () => {
    const substitution = { substitute: {}, substituteFrom: [from("a")], always: false };
    assert.deepEqual(fluxSteps("app", { ...BUILD, substitution }, () => MAPS["a"]).roots, [
      { is: "generated", folder: "app" },
      { is: "files", paths: ["a.yaml"] },
    ]);
    const wrong = fluxSteps("app", { ...BUILD, substitution }, () => MAPS["wrong"]);
    assert.equal(wrong.is === "unable" ? wrong.because : wrong.is, "'a-b' is not a valid name of a variable");
  });
});

const NONE: FluxObjects = { variables: undefined, labels: {}, annotations: {} };
const withKnown = (known: Readonly<Record<string, string>>): FluxObjects => ({
  ...NONE,
  variables: { known, others: undefined, always: true },
});

const map = (value: string, more = ""): string =>
  `apiVersion: v1\ndata:\n  a: ${value}\nkind: ConfigMap\nmetadata:\n  name: m${more}\n`;

function made(printed: string, objects: FluxObjects): string {
  try {
    return fluxObjects(printed, objects, DEFAULT_LIMITS);
  } catch (cause) {
    if (cause instanceof RollstampError) return `! ${cause.message}`;
    throw cause;
  }
}

describe("the objects that Flux applies", () => {
  const json = (a: Json, metadata: Json = { name: "m" }): string =>
    `${JSON.stringify({ apiVersion: "v1", data: { a }, kind: "ConfigMap", metadata })}\n`;
  const rows: readonly (readonly [string, string, FluxObjects, string])[] = [
    ["stay as they are without postBuild", map("${X}"), NONE, map("${X}")],
    [
      "are unchanged without variables",
      map("${X}"),
      { ...NONE, variables: { known: {}, others: undefined, always: false } },
      map("${X}"),
    ],
    ["are read again behind it, as YAML 1.1", map("${X}"), withKnown({ X: "y" }), json(true)],
    ["keep what is in quotes", map(`"${"${X}"}: b"`), withKnown({ X: "010" }), json("010: b")],
    [
      "may contain octal numbers and null",
      `${map("${X}")}---\n${map("${Y}", "2")}`,
      withKnown({ X: "010" }),
      `${json(8)}---\n${json(null, { name: "m2" })}`,
    ],
    [
      "are removed if they have no name",
      `${map("a", "${X}")}---\n${map("a").replace("name: m", "name: ${X}")}`,
      withKnown({ X: "" }),
      json("a"),
    ],
    [
      "are unchanged if substitution is disabled",
      map("${X}", "\n  labels:\n    kustomize.toolkit.fluxcd.io/substitute: disabled"),
      withKnown({ X: "y" }),
      map("${X}", "\n  labels:\n    kustomize.toolkit.fluxcd.io/substitute: disabled"),
    ],
    [
      "get labels and annotations",
      map("a"),
      { ...NONE, labels: { l: "1" }, annotations: { n: "${X}" } },
      json("a", { name: "m", labels: { l: "1" }, annotations: { n: "${X}" } }),
    ],
    [
      "fail if a variable can't be parsed",
      map("${X-d}"),
      withKnown({}),
      "! variables in ConfigMap m can't be substituted: a closing brace is missing",
    ],
    [
      "fail if they are not valid YAML after substitution, without revealing a value",
      map("${X}"),
      withKnown({ X: "secret: [" }),
      "! ConfigMap m can't be read after substitution: this is not valid YAML",
    ],
    ["fail where they are no object", map("${X}").replace("data:", "${Y}:"), withKnown({ Y: "", X: "a" }), "! "],
    [
      "fail if two become one",
      `${map("a", "${X}")}---\n${map("b")}`,
      withKnown({}),
      "! two objects are the same after substitution: ConfigMap m",
    ],
    [
      "fail if a number is not valid JSON",
      map("${X}"),
      withKnown({ X: ".inf" }),
      "! ConfigMap m can't be read after substitution",
    ],
  ];
  for (const [what, printed, objects, expected] of rows)
    it(what, () => {
      const text = made(printed, objects);
      if (expected.startsWith("!")) assert.ok(text.startsWith(expected) && !text.includes("secret"), text);
      else assert.equal(text, expected);
    });

  it("name the variables without a value if they can't be read", () =>
    assert.throws(() => fluxObjects(map("web:${TAG} ${X}"), withKnown({ TAG: "", X: ": b" }), DEFAULT_LIMITS), {
      remedy: "Without a value: TAG.",
    }));

  const LONG = { A: "a".repeat(40_000) };
  for (const [what, text] of [
    ["by being repeated", "${A}".repeat(500)],
    ["in replacements", "${A//a/${A}}"],
    ["in nested replacements", "${A//a/${A//a/${A//a/${A}}}}"],
  ] as const)
    it(`fail if variables make too much text ${what}`, () =>
      assert.equal(made(map(text), withKnown(LONG)), "! the variables of Flux make more than 4 MiB of text"));

  it("are unchanged by substitution if they contain no dollar sign", () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        const printed = map(
          JSON.stringify(value.replaceAll("$", "")).replaceAll("\u2028", "").replaceAll("\u2029", ""),
        );
        assert.equal(made(printed, withKnown({ X: "y" })), printed);
      }),
    );
  });
});

describe("the kustomizations that Flux builds", () => {
  const edited = (given: Json, build: Partial<FluxBuild>): Json =>
    fluxEdits({ ...BUILD, ...build }).edit(given, (path) => path !== "none");
  const rows: readonly (readonly [string, Json, Partial<FluxBuild>, Json])[] = [
    ["say where they come from if they have no resources", null, {}, { buildMetadata: ["originAnnotations"] }],
    [
      "have the prefix, suffix and namespace of the Kustomization",
      { resources: ["a"], NamePrefix: "own-", namespace: "own" },
      { namePrefix: "p-", nameSuffix: "-s", targetNamespace: "t" },
      { resources: ["a"], namespace: "t", namePrefix: "p-", nameSuffix: "-s" },
    ],
    [
      "have additional patches and components at the end",
      { resources: ["a"], patches: [{ path: "p" }], components: ["own"] },
      {
        patches: [{ patch: "x", target: { kind: "Deployment", name: "web" } }],
        components: ["c", "none"],
        ignoreMissingComponents: true,
      },
      {
        resources: ["a"],
        patches: [{ path: "p" }, { patch: "x", target: { kind: "Deployment", name: "web" } }],
        components: ["own", "c"],
      },
    ],
    [
      "have images, merged by name",
      { resources: ["a"], images: [{ name: "x", newName: "own", digest: "d" }, { name: "y" }] },
      {
        images: [
          { name: "x", newTag: "2" },
          { name: "z", newName: "n" },
        ],
      },
      {
        resources: ["a"],
        images: [{ name: "x", newName: "own", newTag: "2" }, { name: "y" }, { name: "z", newName: "n" }],
      },
    ],
  ];
  for (const [what, given, build, expected] of rows)
    it(what, () => {
      assert.deepEqual(edited(given, build), expected);
    });

  it("are generated for a folder without one", () => {
    const { generate, edit } = fluxEdits(BUILD);
    const kind = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" };
    assert.deepEqual(generate(["./a.yaml", "./b"]), { ...kind, resources: ["./a.yaml", "./b"] });
    assert.deepEqual(
      edit(generate([]), () => true),
      {
        ...kind,
        namespace: "_placeholder",
      },
    );
  });

  it("reject remote components", () => {
    for (const path of ["https://example.com/x", "/etc", "git@example.com:x", "github.com/a/b"])
      assert.throws(() => edited({ resources: ["a"] }, { components: [path] }), /not a local path/u);
  });
});
