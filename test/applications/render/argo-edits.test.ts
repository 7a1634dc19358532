import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ArgoKustomize } from "../../../src/applications/discover/application.ts";
import type { Json } from "../../../src/yaml/read/node.ts";
import { withArgoEdits } from "../../../src/applications/render/argo-edits.ts";

const NOTHING: ArgoKustomize = {
  images: [],
  replicas: [],
  components: [],
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
  environment: { name: "web", namespace: "", project: "", path: "", repoUrl: "", targetRevision: "" },
};

const edited = (kustomization: Json, argo: Partial<ArgoKustomize>): Json =>
  withArgoEdits(
    kustomization,
    { ...NOTHING, ...argo },
    {
      exists: (path) => path === "there",
      variables: { ARGOCD_APP_NAME: "web" },
    },
  );

// test/hosts/argocd-kustomize.test.ts compares all of this with the code of Argo CD.
describe("the edits of an Application in a kustomization", () => {
  const rows: readonly (readonly [string, Json, Partial<ArgoKustomize>, Json])[] = [
    ["nothing", { namePrefix: "a" }, {}, { namePrefix: "a" }],
    ["a prefix, in whatever letter case it stands", { NamePrefix: "a" }, { namePrefix: "b" }, { namePrefix: "b" }],
    [
      "images by name, keeping the requested parts",
      { images: [{ name: "b", newTag: "1" }], imageTags: [{ name: "a", newTag: "2" }] },
      { images: ["b=c:*", "r:5/d@sha256:0", "e:$ARGOCD_APP_NAME"] },
      {
        images: [
          { name: "a", newTag: "2" },
          { name: "b", newName: "c", newTag: "1" },
          { name: "e", newTag: "web" },
          { name: "r:5/d", digest: "sha256:0" },
        ],
      },
    ],
    [
      "labels without selectors in an entry with the same settings",
      { labels: [{ pairs: { a: "1" }, includeSelectors: true }, { pairs: { b: "1" } }] },
      { commonLabels: { c: "$$1" }, labelWithoutSelector: true },
      { labels: [{ pairs: { a: "1" }, includeSelectors: true }, { pairs: { b: "1", c: "$1" } }] },
    ],
    [
      "annotations without substitution by default",
      null,
      { commonAnnotations: { a: "$ARGOCD_APP_NAME" } },
      { commonAnnotations: { a: "$ARGOCD_APP_NAME" } },
    ],
    [
      "only existing components",
      { components: ["there"] },
      { components: ["there", "gone"], ignoreMissingComponents: true },
      { components: ["there"] },
    ],
  ];
  for (const [what, kustomization, argo, expected] of rows)
    it(`add ${what}`, () => assert.deepEqual(edited(kustomization, argo), expected));

  it("fail if kustomize rejects them", () => {
    const refused: readonly (readonly [Json, Partial<ArgoKustomize>])[] = [
      [{}, { images: ["web"] }],
      [{}, { images: ["--enable-exec"] }],
      [{}, { replicas: [{ name: "web", count: "many" }] }],
      [{ commonLabels: { a: "1" } }, { commonLabels: { a: "2" } }],
      [{}, { commonLabels: { a: "2" }, labelIncludeTemplates: true }],
      [null, { patches: [{ path: "x" }] }],
      [{}, { components: ["x/t*"] }],
    ];
    for (const [kustomization, argo] of refused)
      assert.throws(() => edited(kustomization, argo), { name: "RollstampError" });
  });
});
