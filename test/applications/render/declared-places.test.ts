import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { declaredPlaces } from "../../../src/applications/render/declared-places.ts";
import { configMap, deployment } from "../../support/manifests.ts";
import { treeOf } from "../discover/tree-of.ts";

type Files = Readonly<Record<string, string>>;

const kustomization = (fields: object): string => JSON.stringify(fields);
const BASE: Files = {
  "base/kustomization.yaml":
    "resources: [web.yaml]\nconfigMapGenerator:\n- name: env\n  literals: [A=1]\n- literals: [B=1]\n  name: more\n",
  "base/web.yaml": `${configMap("plain", "a")}---\n${deployment("web", "env")}`,
};
/** The line of the Deployment. */
const LINE = configMap("plain", "a").split("\n").length + 1;

/** The place of an object of the application in a folder, as `file:line`. */
function placeIn(
  files: Files,
  { app = "app", kind = "Deployment", name = "web", namespace = "" }: Readonly<Record<string, string>>,
): string | undefined {
  const repository = surveyed(treeOf(files));
  const application = findApplications(repository).applications.find(({ path }) => path === app);
  assert.ok(application?.render.by === "kustomize");
  const place = declaredPlaces(repository, application.render)({ kind, name, namespace });
  return place === undefined ? undefined : `${place.file}:${place.line}`;
}

const flux = (spec: object): string =>
  JSON.stringify({
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name: "app", namespace: "flux-system" },
    spec: { path: "./app", sourceRef: { kind: "GitRepository", name: "flux-system" }, ...spec },
  });

describe("where an object of a kustomization is declared", () => {
  const over = (fields: object): Files => ({ ...BASE, "app/kustomization.yaml": kustomization(fields) });
  const onBase = { resources: ["../base"] };
  const rows: readonly (readonly [string, Files, Readonly<Record<string, string>>, string | undefined])[] = [
    ["in a file of its base", over(onBase), {}, `base/web.yaml:${LINE}`],
    [
      "with the names that kustomize makes",
      over({ ...onBase, namePrefix: "a-", nameSuffix: "-z" }),
      { name: "a-web-z" },
      `base/web.yaml:${LINE}`,
    ],
    [
      "in an entry of a generator",
      over(onBase),
      { kind: "ConfigMap", name: "more-6tdk2dkmcb" },
      "base/kustomization.yaml:5",
    ],
    ["in an entry without a hash", over(onBase), { kind: "ConfigMap", name: "env" }, "base/kustomization.yaml:3"],
    [
      "in the base, and not where a generator or a patch changes it",
      {
        ...over({
          ...onBase,
          patches: [{ path: "patch.yaml" }],
          configMapGenerator: [{ name: "env", behavior: "merge", literals: ["C=1"] }],
        }),
        "app/patch.yaml": deployment("web", "env"),
      },
      { kind: "ConfigMap", name: "env-6tdk2dkmcb" },
      "base/kustomization.yaml:3",
    ],
    [
      "with the prefix of a component",
      {
        ...over({ ...onBase, components: ["../c"] }),
        "c/kustomization.yaml": kustomization({ kind: "Component", namePrefix: "c-" }),
      },
      { name: "c-web" },
      `base/web.yaml:${LINE}`,
    ],
    [
      "in one of two namespaces",
      {
        ...over({ resources: ["../base", "two"] }),
        "app/two/kustomization.yaml": kustomization({ namespace: "two", resources: ["web.yaml"] }),
        "app/two/web.yaml": deployment("web", "env"),
      },
      { namespace: "two" },
      "app/two/web.yaml:1",
    ],
    [
      "nowhere if two files may declare it",
      { ...over({ resources: ["../base", "web.yaml"] }), "app/web.yaml": deployment("web", "env") },
      {},
      undefined,
    ],
    ["nowhere if only the rendering has it", over(onBase), { name: "other" }, undefined],
    [
      "below a folder without a kustomization, with the prefix of Flux",
      {
        "clusters/app.yaml": flux({ namePrefix: "f-" }),
        "app/deep/web.yaml": deployment("web", "env"),
        "app/inner/kustomization.yaml": kustomization({ resources: ["x.yaml"] }),
        "app/inner/x.yaml": deployment("x", "env"),
      },
      { name: "f-web" },
      "app/deep/web.yaml:1",
    ],
  ];
  for (const [what, files, object, expected] of rows) it(what, () => assert.equal(placeIn(files, object), expected));
});
