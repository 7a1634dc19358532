import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HelmRender, ValuesSource } from "../../../src/applications/discover/application.ts";
import type { DataLookup, DataValue } from "../../../src/applications/render/data-objects.ts";
import { postRenders } from "../../../src/applications/render/post-renderers.ts";
import { renderableOf } from "../../../src/applications/render/renderable.ts";
import { placeholderOf, withoutSops } from "../../../src/applications/render/unknown-values.ts";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import type { HelmStep, Renderable } from "../../../src/applications/render/step.ts";

const FLUX = { name: "web", namespace: "apps", replacesDefaults: false, commonLabels: {}, commonAnnotations: {} };

const release = (values: readonly ValuesSource[], more: Partial<HelmRender> = {}): HelmRender => ({
  by: "helm",
  chart: { in: "repository", folder: "charts/web" },
  releaseName: "web",
  values,
  parameters: [],
  fileParameters: [],
  skipCrds: false,
  skipTests: false,
  skipSchemaValidation: false,
  apiVersions: [],
  postRenderers: [],
  flux: FLUX,
  ...more,
});

const from = (name: string, more: Partial<Extract<ValuesSource, { from: "object" }>> = {}): ValuesSource => ({
  from: "object",
  kind: "Secret",
  name,
  key: "values.yaml",
  literal: false,
  optional: false,
  ...more,
});

const UNKNOWN: DataValue = { is: "unknown", placeholder: "unknown-1", because: "it is encrypted" };
const SOPS: DataValue = {
  is: "text",
  text: 'a: ENC[1]\nb: {c: ["ENC[2]", d, 1], e: "ENC[1]"}\nsops: {mac: "ENC[3]", lastmodified: "2026-01-01T00:00:00Z"}\n',
};
const DATA: DataLookup = ({ kind, namespace, name }) => {
  if (kind !== "Secret" || namespace !== "apps") return undefined;
  const text = { is: "text", text: "a: 1\n" } as const;
  if (name === "known") return { data: new Map([["values.yaml", text]]), files: ["known.yaml"] };
  if (name === "sops") return { data: new Map([["values.yaml", SOPS]]), files: ["kustomization.yaml", "sops.yaml"] };
  return name === "sealed" ? { data: new Map([["values.yaml", UNKNOWN]]), files: ["sealed.yaml"] } : undefined;
};

const made = (render: HelmRender): Renderable => renderableOf({ render }, DATA);

function step(render: HelmRender): HelmStep {
  const renderable = made(render);
  const [only] = renderable.is === "steps" ? renderable.steps : [];
  assert.ok(only?.by === "helm", renderable.is === "unable" ? renderable.because : "");
  return only;
}

describe("a HelmRelease", () => {
  it("passes values of objects to helm, which merges them, and depends on their files", () => {
    const render = release([from("known"), { from: "values", values: { b: 2 } }]);
    assert.deepEqual(step(render).values, [
      { is: "text", text: "a: 1\n" },
      { is: "text", text: '{"b":2}' },
    ]);
    assert.deepEqual(made(render).roots, [
      { is: "chart", folder: "charts/web" },
      { is: "files", paths: ["known.yaml"] },
    ]);
  });

  it("uses placeholders for encrypted values in a values file, and reports them", () => {
    const render = release([from("sops")]);
    const [one, two] = [placeholderOf("ENC[1]"), placeholderOf("ENC[2]")];
    assert.deepEqual(step(render).values, [
      { is: "text", text: JSON.stringify({ a: one, b: { c: [two, "d", 1], e: one } }) },
    ]);
    const renderable = made(render);
    const because = "it is encrypted with SOPS: a placeholder replaces 3 of the values of values.yaml";
    assert.deepEqual(renderable.is === "steps" ? renderable.unknownValues : [], [
      { object: "Secret apps/sops", file: "sops.yaml", because },
    ]);
    assert.equal(withoutSops("a: ENC[1]\nsops: none\n", DEFAULT_LIMITS), undefined);
    assert.equal(withoutSops("a: b\nsops: {mac: c}\n", DEFAULT_LIMITS), undefined);
    assert.equal(withoutSops("a: ENC[1]\nsops: {mac: c}\n- d", DEFAULT_LIMITS), undefined);
  });

  it("says why values are unknown, and skips optional values", () => {
    const rows: readonly (readonly [ValuesSource, unknown])[] = [
      [from("absent"), { is: "data", name: "Secret apps/absent" }],
      [from("known", { key: "other" }), "its values come from the Secret known, which has no other"],
      [from("sealed"), { is: "data", name: "Secret apps/sealed", problem: "it is encrypted" }],
      [from("known", { kind: "Pod" }), "Flux takes no values from a Pod"],
      [
        { from: "address", address: "https://a:b@x/v.yaml", optional: false },
        { is: "values", name: "https://…@x/v.yaml" },
      ],
    ];
    for (const [source, because] of rows) {
      const renderable = made(release([source]));
      const [first] = renderable.is === "steps" ? renderable.steps : [];
      assert.deepEqual(
        renderable.is === "unable" ? renderable.because : first?.by === "outside" ? first.part : undefined,
        because,
      );
    }
    assert.deepEqual(step(release([from("absent", { optional: true })])).values, []);
  });

  it("has a placeholder for an unknown value at a path", () => {
    const render = release([from("sealed", { targetPath: "db.pass" })]);
    assert.deepEqual(step(render).values, [{ is: "text", text: '{"db":{"pass":"unknown-1"}}' }]);
  });

  it("excludes the CRDs of its chart from post-rendering", () => {
    const postRenderers = [{ kustomize: { images: [{ name: "app", newTag: "2" }] } }];
    assert.deepEqual(step(release([], { postRenderers })).given.get("skip-crds"), { string: "true" });
    assert.equal(step(release([])).given.has("skip-crds"), false);
  });
});

describe("postRenderers", () => {
  it("use only the fields that helm-controller uses, none of which reads a file", () => {
    const kustomize = {
      patches: [{ patch: "x", path: "../secret", target: { kind: "Deployment", path: "y" }, options: {} }],
      images: [{ name: "a", newTag: "1", other: "z" }],
      patchesStrategicMerge: [{ kind: "Deployment" }],
      resources: ["../other"],
      generators: ["x"],
    };
    const [only, ...others] = postRenders([{ kustomize }, { other: {} }], { labels: {}, annotations: {} });
    assert.deepEqual(others, []);
    assert.deepEqual(
      [...(only ?? [])].map(([name, text]) => [name, JSON.parse(text)]),
      [
        [
          "kustomization.yaml",
          {
            resources: ["rendered.yaml"],
            patches: [{ patch: "x", target: { kind: "Deployment" } }, { patch: '{"kind":"Deployment"}' }],
            images: [{ name: "a", newTag: "1" }],
          },
        ],
      ],
    );
  });
});
