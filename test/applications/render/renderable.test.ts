import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HelmRender, Render } from "../../../src/applications/discover/application.ts";
import { renderableOf } from "../../../src/applications/render/renderable.ts";

const NO_DATA = (): undefined => undefined;

const ENVIRONMENT = { name: "web", namespace: "shop", project: "default", path: ".", repoUrl: "", targetRevision: "" };

const chart = (more: Partial<HelmRender> = {}): HelmRender => ({
  by: "helm",
  chart: { in: "repository", folder: "charts/web" },
  releaseName: "web",
  values: [{ from: "file", path: "values/prod.yaml", optional: false }],
  parameters: [],
  fileParameters: [],
  skipCrds: false,
  skipTests: false,
  skipSchemaValidation: false,
  apiVersions: [],
  postRenderers: [],
  ...more,
});

describe("how an application is rendered", () => {
  it("is a run of helm with its values in order, from the root of the repository", () => {
    const values = [...chart().values, { from: "values", values: { level: "debug" } }] as const;
    const made = renderableOf({ render: chart({ values }), namespace: "shop" }, NO_DATA);
    assert.equal(made.is, "steps");
    const [step] = made.is === "steps" ? made.steps : [];
    assert.ok(step?.by === "helm");
    assert.deepEqual(Object.fromEntries(step.given), {
      "release-name": { string: "web" },
      "release-namespace": { string: "shop" },
    });
    assert.deepEqual(step.values, [
      { is: "file", in: "repository", path: "values/prod.yaml", optional: false },
      { is: "text", text: '{"level":"debug"}' },
    ]);
    assert.deepEqual(made.roots, [
      { is: "chart", folder: "charts/web" },
      { is: "files", paths: ["values/prod.yaml"] },
    ]);
  });

  it("is unknown if it can't be rendered or is outside of the repository, but changes of its files are still detected", () => {
    const plugin: Render = { by: "plugin", folder: "app", name: "", parameters: [], env: [], environment: ENVIRONMENT };
    const remote = chart({
      chart: { in: "git", repository: "https://git.example/charts", path: "web", revision: "main" },
    });
    const rows: readonly (readonly [Render, unknown, (readonly string[])?])[] = [
      [plugin, [{ is: "folder", folder: "app" }]],
      [remote, [{ is: "files", paths: ["values/prod.yaml"] }], ["outside"]],
      [
        { by: "sources", sources: [{ by: "kustomize", folder: "base" }, remote] },
        [
          { is: "kustomization", folder: "base" },
          { is: "files", paths: ["values/prod.yaml"] },
        ],
        ["kustomize", "outside"],
      ],
    ];
    for (const [render, roots, steps] of rows) {
      const made = renderableOf({ render }, NO_DATA);
      assert.deepEqual(made.is === "steps" ? made.steps.map(({ by }) => by) : undefined, steps, render.by);
      assert.deepEqual(made.roots, roots, render.by);
    }
  });

  it("reads the components that Argo CD or Flux add", () => {
    const argo = {
      images: [],
      replicas: [],
      components: ["../parts"],
      ignoreMissingComponents: false,
      patches: [],
      commonLabels: {},
      forceCommonLabels: false,
      labelWithoutSelector: false,
      labelIncludeTemplates: false,
      commonAnnotations: {},
      forceCommonAnnotations: false,
      commonAnnotationsEnvsubst: false,
      apiVersions: [],
      environment: ENVIRONMENT,
    };
    assert.deepEqual(renderableOf({ render: { by: "kustomize", folder: "apps/web", argo } }, NO_DATA).roots, [
      { is: "kustomization", folder: "apps/web" },
      { is: "kustomization", folder: "apps/parts" },
    ]);
    const flux = {
      name: "web",
      namespace: "flux-system",
      commonLabels: {},
      commonAnnotations: {},
      patches: [],
      images: [],
      components: ["../parts"],
      ignored: [],
      ignoreMissingComponents: false,
      substitution: undefined,
    };
    assert.deepEqual(renderableOf({ render: { by: "kustomize", folder: "apps/web", flux } }, NO_DATA).roots, [
      { is: "generated", folder: "apps/web" },
      { is: "kustomization", folder: "apps/parts" },
    ]);
  });

  it("is one run after another for several sources", () => {
    const files = { by: "files", folder: "plain", files: ["plain/a.yaml"] } as const;
    const made = renderableOf(
      { render: { by: "sources", sources: [{ by: "kustomize", folder: "base" }, files, chart()] } },
      NO_DATA,
    );
    assert.deepEqual(
      made.is === "steps"
        ? made.steps.map((step) => [
            step.by,
            step.by === "files" ? step.files : step.by === "helm" ? step.chart : "folder" in step ? step.folder : "",
          ])
        : undefined,
      [
        ["kustomize", "base"],
        ["files", ["plain/a.yaml"]],
        ["helm", { in: "repository", folder: "charts/web" }],
      ],
    );
  });
});
