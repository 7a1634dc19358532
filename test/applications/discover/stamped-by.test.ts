// How an application is stamped: what the repository shows, what rollstamp.yaml sets, and which takes precedence.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findApplications } from "../../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { declaredStampedBy, stampedByOf } from "../../../src/applications/discover/stamped-by.ts";
import { writtenApplications } from "../../../src/applications/discover/written.ts";
import { RollstampError } from "../../../src/base/errors.ts";
import { hasStamps } from "../../../src/base/stamp-keys.ts";
import type { StampedBy } from "../../../src/reports/plan/planned-application.ts";
import { treeOf } from "./tree-of.ts";

type Files = Readonly<Record<string, string>>;

const ofKind = (kind: string): string => `apiVersion: rollstamp.dev/v1alpha1\nkind: ${kind}\nmetadata: {name: stamp}\n`;

/** A ConfigMap with which kustomize runs our image. */
const configMapOf = (data: string, image = "ghcr.io/rollstamp/rollstamp:v1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: stamp\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: ${image}}\ndata: {${data}}\n`;

const kustomized = (files: Files): Files => ({ "app/kustomization.yaml": "transformers: [stamp.yaml]\n", ...files });

const application = (source: string): Files => ({
  "argo.yaml": `apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\nspec: {source: {repoURL: https://git.example/x.git, path: app, ${source}}}\n`,
  "app/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
});

const FLUX: Files = {
  "flux.yaml":
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: web, namespace: flux-system}\nspec: {path: ./app, components: [../stamped], sourceRef: {kind: GitRepository, name: flux-system}}\n",
};

const kpt = (pipeline: string): Files => ({
  "app/Kptfile": `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: app}\npipeline: ${pipeline}\n`,
  "app/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
});

const helmfile = (text: string): Files => ({
  "app/Chart.yaml": "apiVersion: v2\nname: app\n",
  "deploy/helmfile.yaml": text,
});

/** The files of a repository with one application in `app`, and what they show. */
const SHOWN: readonly (readonly [what: string, files: Files, shown: StampedBy | undefined])[] = [
  ["a transformer in a file", kustomized({ "app/stamp.yaml": ofKind("ConfigHash") }), "Transformer"],
  [
    "an inline transformer",
    { "app/kustomization.yaml": `transformers:\n- |\n  ${ofKind("ConfigHash").replaceAll("\n", "\n  ")}\n` },
    "Transformer",
  ],
  [
    "a transformer in a folder",
    {
      "app/kustomization.yaml": "transformers: [../stamp]\n",
      "stamp/kustomization.yaml": "resources: [config.yaml]\n",
      "stamp/config.yaml": ofKind("ConfigHash"),
    },
    "Transformer",
  ],
  [
    "a transformer of a base",
    {
      "app/kustomization.yaml": "resources: [../base]\n",
      "base/kustomization.yaml": "transformers: [stamp.yaml]\n",
      "base/stamp.yaml": ofKind("ConfigHash"),
    },
    "Transformer",
  ],
  [
    "a transformer of a component of a Flux Kustomization",
    {
      ...FLUX,
      "app/kustomization.yaml": "resources: []\n",
      "stamped/kustomization.yaml": "kind: Component\ntransformers: [stamp.yaml]\n",
      "stamped/stamp.yaml": ofKind("ConfigHash"),
    },
    "Transformer",
  ],
  [
    "a transformer below a folder that Flux generates a kustomization for",
    {
      ...FLUX,
      "app/part/kustomization.yaml": "transformers: [stamp.yaml]\n",
      "app/part/stamp.yaml": ofKind("ConfigHash"),
    },
    "Transformer",
  ],
  [
    "our image with the default function",
    kustomized({ "app/stamp.yaml": configMapOf("layout: Combined") }),
    "Transformer",
  ],
  ["our image with another function", kustomized({ "app/stamp.yaml": configMapOf("function: Restart") }), undefined],
  ["another image", kustomized({ "app/stamp.yaml": configMapOf("", "example.com/other:v1") }), undefined],
  ["Restart as a transformer", kustomized({ "app/stamp.yaml": ofKind("Restart") }), undefined],
  ["RolloutLint as a transformer", kustomized({ "app/stamp.yaml": ofKind("RolloutLint") }), undefined],
  [
    "ConfigHash as a resource",
    { "app/kustomization.yaml": "resources: [stamp.yaml]\n", "app/stamp.yaml": ofKind("ConfigHash") },
    undefined,
  ],
  ["a mutator of a Kptfile", kpt("{mutators: [{image: ghcr.io/rollstamp/rollstamp:v1}]}"), "Transformer"],
  ["a program as a mutator", kpt("{mutators: [{exec: ./bin/rollstamp fn}]}"), "Transformer"],
  [
    "a mutator with a configuration",
    { ...kpt("{mutators: [{exec: rollstamp, configPath: stamp.yaml}]}"), "app/stamp.yaml": ofKind("ConfigHash") },
    "Transformer",
  ],
  [
    "a mutator with the configuration of Restart",
    { ...kpt("{mutators: [{exec: rollstamp, configPath: stamp.yaml}]}"), "app/stamp.yaml": ofKind("Restart") },
    undefined,
  ],
  [
    "a mutator with another function",
    kpt("{mutators: [{exec: rollstamp, configMap: {function: RolloutLint}}]}"),
    undefined,
  ],
  ["a validator of a Kptfile", kpt("{validators: [{exec: rollstamp}]}"), undefined],
  ["our plugin", application("plugin: {name: rollstamp}"), "Plugin"],
  ["our plugin with a version", application("plugin: {name: rollstamp-v0.1.0}"), "Plugin"],
  ["another plugin", application("plugin: {name: other}"), undefined],
  ["a plugin that Argo CD discovers", application("plugin: {env: []}"), undefined],
  [
    "the default of a helmfile",
    helmfile("helmDefaults: {postRenderer: rollstamp}\nreleases: [{name: a, chart: ../app}]\n"),
    "PostRenderer",
  ],
  [
    "a release of a helmfile",
    helmfile("releases: [{name: a, chart: ../app, postRenderer: /bin/rollstamp}]\n"),
    "PostRenderer",
  ],
  [
    "a release with another post-renderer",
    helmfile("helmDefaults: {postRenderer: rollstamp}\nreleases: [{name: a, chart: ../app, postRenderer: other}]\n"),
    undefined,
  ],
  ["nothing", { "app/kustomization.yaml": "resources: []\n" }, undefined],
];

describe("what the repository shows of how an application is stamped", () => {
  for (const [what, files, shown] of SHOWN)
    it(`${what}: ${shown ?? "nothing"}`, () => {
      const { applications } = findApplications(surveyed(treeOf(files)));
      const found = applications.filter(({ path }) => path === "app");
      assert.deepEqual(
        found.map(({ stampedBy }) => stampedBy),
        [shown],
      );
    });
});

const document = (spec: string): Files => ({
  "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: ${spec}\n`,
});

/** What sets how `app` is stamped, where the repository shows `Plugin` or nothing. */
const PRECEDENCE: readonly (readonly [
  spec: string,
  shows: StampedBy | undefined,
  option: StampedBy | undefined,
  contains: boolean,
  is: StampedBy,
])[] = [
  ["{stampedBy: Files, applications: [{path: app, stampedBy: PostRenderer}]}", "Plugin", "Nothing", true, "Nothing"],
  [
    "{stampedBy: Files, applications: [{path: app, stampedBy: PostRenderer}]}",
    "Plugin",
    undefined,
    true,
    "PostRenderer",
  ],
  [
    "{stampedBy: Files, applications: [{path: 'a*', stampedBy: PostRenderer}]}",
    undefined,
    undefined,
    true,
    "PostRenderer",
  ],
  [
    "{stampedBy: Files, applications: [{path: app, name: other, stampedBy: PostRenderer}]}",
    "Plugin",
    undefined,
    true,
    "Plugin",
  ],
  ["{stampedBy: Nothing}", "Plugin", undefined, true, "Plugin"],
  ["{stampedBy: Nothing}", undefined, undefined, true, "Nothing"],
  ["{stampedBy: PostRenderer}", undefined, undefined, false, "PostRenderer"],
  ["{}", undefined, undefined, true, "Files"],
  ["{}", undefined, undefined, false, "Nothing"],
];

describe("how an application is stamped", () => {
  for (const [spec, shows, option, contains, is] of PRECEDENCE)
    it(`${is} with ${spec}, ${[`${shows ?? "nothing"} shown`, option, contains && "stamps"].filter(Boolean).join(", ")}`, () => {
      const given = { option, written: writtenApplications({ tree: treeOf(document(spec)) }) };
      const row = { name: "web", path: "app" };
      const declared = declaredStampedBy(given, shows === undefined ? {} : { stampedBy: shows }, row);
      assert.equal(
        stampedByOf(declared, () => contains),
        is,
      );
    });

  it("by an entry that leaves an Application of Argo CD as it is, and else makes one", () => {
    const both = findApplications(
      surveyed(treeOf({ ...application(""), ...document("{applications: [{path: app, stampedBy: Plugin}]}") })),
    );
    assert.deepEqual(
      both.applications.filter(({ path }) => path === "app").map(({ name, foundBy }) => [name, foundBy]),
      [["web", "Application"]],
    );
    assert.deepEqual(both.notFound, []);
    const alone = findApplications(
      surveyed(
        treeOf({
          "app/web.yaml": "kind: ConfigMap\n",
          ...document("{applications: [{path: app, stampedBy: Plugin}]}"),
        }),
      ),
    );
    assert.deepEqual(
      alone.applications.map(({ name, foundBy }) => [name, foundBy]),
      [["app", "Applications"]],
    );
  });

  it("must be one of the known values", () => {
    for (const [spec, path] of [
      ["{stampedBy: plugin}", "spec.stampedBy"],
      ["{applications: [{path: app, stampedBy: PostRender}]}", "spec.applications[0].stampedBy"],
    ] as const)
      assert.throws(
        () => writtenApplications({ tree: treeOf(document(spec)) }),
        (error: unknown) =>
          error instanceof RollstampError &&
          error.code === "config" &&
          error.message.includes(path) &&
          error.message.includes("did you mean"),
      );
  });
});

describe("stamps in text", () => {
  for (const [text, is] of [
    ['      annotations:\n        configmap.rollstamp.dev/env: "h1-0"\n', true],
    ['{"secret.rollstamp.dev/env":"h1-0"}', true],
    ["annotations: {rollstamp.dev/config-hash: h1-0}", true],
    ["rollstamp.dev/waiting: configmap.rollstamp.dev/env=h1-0", true],
    ['rollstamp.dev/restartedAt: "2026-11-21T00:00:00Z"', false],
    ["rollstamp.dev/sources: configmap/env", false],
    ["see configmap.rollstamp.dev/ and rollstamp.dev/stamp", false],
  ] as const)
    it(`${JSON.stringify(text)}: ${is}`, () => {
      assert.equal(hasStamps(text), is);
    });
});
