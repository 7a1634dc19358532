// A build with an empty schema, for which kustomize does not read its own, gives what kustomize builds from the files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const KUSTOMIZE = installed("kustomize.sh");
const MARK = "# with an empty schema\n";

const release = (values: object): string =>
  JSON.stringify({
    apiVersion: "helm.toolkit.fluxcd.io/v2",
    kind: "HelmRelease",
    metadata: { name: "r", finalizers: ["a", "b"] },
    spec: { install: { crds: "Skip" }, values },
  });
const containers = (image: string): object => ({ template: { spec: { containers: [{ name: "c", image }] } } });
const deployment = (image: string): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "d" },
  spec: containers(image),
});
const helm = { group: "helm.toolkit.fluxcd.io", kind: "HelmRelease" };
const patchOf = (spec: object, target: object = helm): object => ({
  target,
  patch: `${JSON.stringify({ ...head("_"), spec }, null, 1)}\n`,
});
const head = (name: string): object => ({
  apiVersion: "helm.toolkit.fluxcd.io/v2",
  kind: "HelmRelease",
  metadata: { name, finalizers: ["c"] },
});
const upgrade = patchOf({ upgrade: { crds: "Create" }, valuesFrom: [{ kind: "Secret", name: "s" }] });

const RESOURCES: Files = {
  "r.yaml": release({ a: { list: [{ name: "x" }] } }),
  "d.yaml": JSON.stringify(deployment("one")),
  "others.yaml": [
    "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: c}, rules: []}",
    "{apiVersion: v1, kind: Namespace, metadata: {name: n}}",
    "{apiVersion: example.com/v1, kind: Cluster, metadata: {name: k}}",
    "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: d}}}",
    "",
  ].join("\n---\n"),
};

/** A kustomization, more files, and whether the schema is empty. */
const CASES: Readonly<Record<string, readonly [fields: object, isEmpty: boolean, more?: Files]>> = {
  "no patch": [{}, false],
  "a patch of a custom kind": [{ patches: [upgrade] }, true],
  "the kind of Flux alone": [{ patches: [patchOf({ suspend: true }, { kind: "HelmRelease" })] }, true],
  "a patch that names its object": [
    { patchesStrategicMerge: [`${JSON.stringify({ ...head("r"), spec: { suspend: true } }, null, 1)}\n`] },
    true,
  ],
  "a patch in a file": [
    { patches: [{ path: "p.yaml", target: helm }] },
    true,
    { "p.yaml": JSON.stringify({ ...head("_"), spec: { suspend: true } }) },
  ],
  "a JSON patch besides": [
    {
      patches: [
        upgrade,
        {
          target: { kind: "Deployment" },
          patch: '[{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "two"}]',
        },
      ],
    },
    true,
  ],
  "a patch of a Deployment": [
    {
      patches: [upgrade, { patch: `${JSON.stringify(deployment("two"), null, 1)}\n`, target: { kind: "Deployment" } }],
    },
    false,
  ],
  "a Deployment in the patch": [
    {
      patches: [
        {
          target: { kind: "Deployment" },
          patch: `${JSON.stringify({ ...head("_"), spec: containers("two") }, null, 1)}\n`,
        },
      ],
    },
    false,
  ],
  "any kind": [{ patches: [patchOf(containers("two"), { kind: ".*" })] }, false],
  "a group that matches apps": [{ patches: [patchOf(containers("two"), { group: "a.ps" })] }, false],
  "a group that matches autoscaling": [{ patches: [patchOf(containers("two"), { group: "auto.caling" })] }, false],
  "a base that patches": [
    { patches: [upgrade], resources: ["base"] },
    false,
    {
      "base/kustomization.yaml": JSON.stringify({ resources: ["d.yaml"], patchesStrategicMerge: ["p.yaml"] }),
      "base/d.yaml": JSON.stringify(deployment("one")),
      "base/p.yaml": JSON.stringify(deployment("two")),
    },
  ],
  "a base with a transformer": [
    { patches: [upgrade], resources: ["base"] },
    false,
    {
      "base/kustomization.yaml": JSON.stringify({ resources: ["d.yaml"], transformers: ["t.yaml"] }),
      "base/d.yaml": JSON.stringify(deployment("one")),
      "base/t.yaml": JSON.stringify({
        apiVersion: "builtin",
        kind: "PatchStrategicMergeTransformer",
        metadata: { name: "t" },
        patches: JSON.stringify(deployment("two")),
      }),
    },
  ],
  "a component with a schema": [
    { patches: [upgrade], components: ["component"] },
    false,
    {
      "component/kustomization.yaml": JSON.stringify({
        apiVersion: "kustomize.config.k8s.io/v1alpha1",
        kind: "Component",
        openapi: { path: "schema.json" },
      }),
      "component/schema.json": JSON.stringify({
        definitions: {
          v2: {
            "x-kubernetes-group-version-kind": [
              { group: "helm.toolkit.fluxcd.io", version: "v2", kind: "HelmRelease" },
            ],
          },
        },
      }),
    },
  ],
  // kustomize merges the list by names, because it knows the kind.
  "a Deployment in values": [
    { patches: [patchOf({ values: { raw: { spec: containers("two") } } })] },
    false,
    {
      "r.yaml": release({
        raw: { ...deployment("one"), spec: { template: { spec: { containers: [{ name: "other" }] } } } },
      }),
    },
  ],
  "a reference in values": [
    { patches: [patchOf({ values: { ref: { name: "e" } } })] },
    true,
    { "r.yaml": release({ ref: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } }) },
  ],
  "a comment with a schema": [
    { patches: [patchOf({ values: { list: [{ name: "b" }] } })] },
    false,
    {
      "r.yaml": `${JSON.stringify(head("r")).slice(0, -1)}, "spec": {"values": {"list": # {"$ref": "#/definitions/io.k8s.api.core.v1.PodSpec/properties/containers"}\n [{"name": "a"}]}}}\n`,
    },
  ],
};

describe("a build with an empty schema", { skip: unlessFound(KUSTOMIZE) }, () => {
  const program = KUSTOMIZE.found ? KUSTOMIZE.path : "";
  const programs = temporaryFolder();
  writeFileSync(
    join(programs, "kustomize"),
    `#!/bin/sh\n[ -f rollstamp-schema.json ] && echo '${MARK.trim()}'\nexec '${program}' "$@"\n`,
    { mode: 0o700 },
  );
  const environment = { PATH: `${programs}:${dirname(program)}:${process.env["PATH"] ?? ""}` };
  for (const [name, [fields, isEmpty, more = {}]] of Object.entries(CASES)) {
    it(name, async () => {
      const folder = temporaryFolder();
      const resources = Object.keys(RESOURCES);
      const bases = "resources" in fields && Array.isArray(fields.resources) ? fields.resources : [];
      const all = bases.length > 0 ? [...resources.filter((path) => path !== "d.yaml"), ...bases] : resources;
      const content = JSON.stringify({ namespace: "ns", ...fields, resources: all });
      writeFiles(folder, { ...RESOURCES, ...more, "kustomization.yaml": content });
      const application = { folder, root: folder, limits: DEFAULT_LIMITS };
      const { text } = await renderKustomization({ application, given: new Map(), environment });
      const built = execFileSync(program, ["build", "."], { cwd: folder, encoding: "utf8" });
      assert.equal(text, `${isEmpty ? MARK : ""}${built}`);
    });
  }

  it("is repeated with the schema of kustomize if it fails", async () => {
    const folder = temporaryFolder();
    const old = temporaryFolder();
    writeFileSync(
      join(old, "kustomize"),
      `#!/bin/sh\n[ -f rollstamp-schema.json ] && exit 1\nexec '${program}' "$@"\n`,
      { mode: 0o700 },
    );
    writeFiles(folder, {
      ...RESOURCES,
      "kustomization.yaml": JSON.stringify({ resources: Object.keys(RESOURCES), patches: [upgrade] }),
    });
    const application = { folder, root: folder, limits: DEFAULT_LIMITS };
    const { text } = await renderKustomization({
      application,
      given: new Map(),
      environment: { PATH: `${old}:${environment.PATH}` },
    });
    assert.match(text, /crds: Create\n/u);
  });
});
