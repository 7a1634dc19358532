// Compares the edits of Applications to kustomizations with Argo CD's own code (scripts/hosts/argocd-sets).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { folderSnapshot } from "../../src/node/folder-snapshot.ts";
import type { KustomizeRender } from "../../src/applications/discover/application.ts";
import { argoVariables } from "../../src/applications/discover/argo-variables.ts";
import { findApplications } from "../../src/applications/discover/find-applications.ts";
import { surveyed } from "../../src/applications/discover/repository.ts";
import { RollstampError } from "../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { isMapping } from "../../src/yaml/read/json.ts";
import { toJson, type Json } from "../../src/yaml/read/node.ts";
import { withArgoEdits } from "../../src/applications/render/argo-edits.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { readTree } from "../support/trees.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const ARGOCD = installed("argocd-sets.sh");
const KUSTOMIZE = installed("kustomize.sh");

const COMMIT = "0123456789abcdef0123456789abcdef01234567";
const CASES = 150;

const FILES: Files = {
  "app/web.yaml": deployment("web", "env").replace("app:1", "web:1"),
  "app/api.yaml": deployment("api", "env").replace("app:1", "registry.example:5000/team/api:1"),
  "app/own.yaml": configMap("own", "a"),
  "app/patch.yaml": "- op: add\n  path: /metadata/annotations\n  value: {patched: file}\n",
  "app/parts/kustomization.yaml":
    "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\ncommonAnnotations: {part: one}\n",
  "more/kustomization.yaml":
    "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [../more/extra.yaml]\n",
  "more/extra.yaml": configMap("extra", "a"),
};

/** What kustomizations have of their own: each field of Argo CD's meets one that is there. */
const KUSTOMIZATIONS = [
  "resources: [web.yaml, api.yaml, own.yaml]\nconfigMapGenerator: [{name: env, literals: [a=1]}]\n",
  "resources: [web.yaml, api.yaml]\nnamePrefix: own-\nnameSuffix: -own\nnamespace: own\n",
  "resources: [web.yaml, api.yaml]\nimages:\n- {name: web, newTag: '9'}\n- {name: web, newName: again}\n- {name: other, newName: x}\nreplicas: [{name: web, count: 2}, {name: none, count: 1}]\n",
  "resources: [web.yaml, api.yaml]\nimages:\n- {name: web, newName: renamed, newTag: '1', tagSuffix: -x}\nimageTags: [{name: registry.example:5000/team/api, newTag: old}]\n",
  "Resources: [web.yaml]\nNamePrefix: Own-\ncommonLabels: {app: own, x: z}\ncommonAnnotations: {note: own}\n",
  "resources: [web.yaml, api.yaml]\nlabels:\n- {pairs: {app: own}, includeSelectors: true}\n- {pairs: {tier: own}}\n- {pairs: {zone: own}, includeTemplates: true}\n",
  "resources: [web.yaml]\npatches:\n- path: patch.yaml\n  target: {kind: Deployment}\ncomponents: [parts]\n",
  "",
] as const;

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
/** Mostly what is taken: of many edits one that is refused hides all others. */
const mostly = <T>(taken: readonly T[], refused: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constantFrom(...taken), weight: 24 }, { arbitrary: fc.constantFrom(...refused), weight: 1 });
const KEYS = ["app", "tier", "zone", "note", "x:y", "a.example/b"];
const VALUES = [
  "v",
  "$ARGOCD_APP_NAME-x",
  "${ARGOCD_APP_NAMESPACE}",
  "a$$b$",
  '"q"',
  "${none}c$1",
  "a:b,c",
  "",
  "1",
  "${",
  "a${}b$-",
];
const pairs = fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES), { minKeys: 1, maxKeys: 3 });
const IMAGES = [
  "web:2",
  "web=registry.example/web:$ARGOCD_APP_REVISION_SHORT",
  "web=*:3",
  "web=renamed:*",
  "web@sha256:24a0c4b4a4c0eb97a1aabb8e29f18e917d05abfe1b7a7c07857230879ce7d3d3",
  "registry.example:5000/team/api:2",
  "registry.example:5000/team/api=x/y@sha256:0000000000000000000000000000000000000000000000000000000000000000",
];
const NO_IMAGES = ["web", "=x", "-x=y"];
const edits: fc.Arbitrary<Json> = fc
  .record({
    namePrefix: optional(fc.constantFrom("p-", "-q", "")),
    nameSuffix: optional(fc.constantFrom("-s", "")),
    namespace: optional(fc.constantFrom("argo", "")),
    images: optional(fc.array(mostly(IMAGES, NO_IMAGES), { maxLength: 3 })),
    replicas: optional(
      fc.array(
        fc.record({
          name: mostly(["web", "api"], ["x=y"]),
          count: mostly<string | number>([3, "4", 0], ["x"]),
        }),
        { maxLength: 2 },
      ),
    ),
    components: optional(fc.array(mostly(["parts", "./parts", "../more"], ["../none", "none"]), { maxLength: 2 })),
    ignoreMissingComponents: optional(fc.boolean()),
    patches: optional(
      fc.array(
        mostly<Json>(
          [
            { path: "patch.yaml", target: { kind: "Deployment", name: "web" } },
            { patch: "- op: replace\n  path: /spec/replicas\n  value: 7\n", target: { kind: "Deployment" } },
            { patch: "kind: Deployment\napiVersion: apps/v1\nmetadata:\n  name: web\n  labels: {merged: 'yes'}\n" },
          ],
          [{ path: "none.yaml" }],
        ),
        { maxLength: 2 },
      ),
    ),
    commonLabels: optional(pairs),
    forceCommonLabels: mostly([true], [false]),
    labelWithoutSelector: fc.boolean(),
    labelIncludeTemplates: optional(fc.boolean()),
    commonAnnotations: optional(pairs),
    forceCommonAnnotations: mostly([true], [false]),
    commonAnnotationsEnvsubst: optional(fc.boolean()),
  })
  .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Json);

interface Case {
  readonly kustomization: string;
  readonly kustomize: Json;
  /** Whether the Application has it, or the file beside the kustomization. */
  readonly inFile: boolean;
}

const CASE: fc.Arbitrary<Case> = fc.record({
  kustomization: fc.constantFrom(...KUSTOMIZATIONS),
  kustomize: edits,
  inFile: fc.boolean(),
});

function filesOf({ kustomization, kustomize, inFile }: Case): Files {
  const source = { repoURL: "https://example.com/shop", path: "app", ...(inFile ? {} : { kustomize }) };
  return {
    ...FILES,
    "app/kustomization.yaml": kustomization,
    ...(inFile ? { "app/.argocd-source.yaml": JSON.stringify({ path: "elsewhere", kustomize }) } : {}),
    "argocd.yaml": JSON.stringify({
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: { name: "shop", namespace: "argocd" },
      spec: { project: "default", source, destination: { name: "in-cluster", namespace: "prod" } },
    }),
  };
}

function renderOf(folder: string): KustomizeRender {
  const { applications } = findApplications(surveyed(folderSnapshot(folder, DEFAULT_LIMITS)));
  const render = applications.find(({ foundBy }) => foundBy === "Application")?.render;
  assert.ok(render?.by === "kustomize");
  return render;
}

type Answer = { readonly objects: readonly string[] } | { readonly error: string };

async function ours(folder: string, path: string): Promise<Answer> {
  const { argo } = renderOf(folder);
  assert.ok(argo !== undefined);
  const variables = argoVariables(argo.environment, COMMIT);
  try {
    const { text } = await renderKustomization({
      application: { folder: join(folder, "app"), root: folder, limits: DEFAULT_LIMITS },
      given: new Map(),
      environment: { PATH: path, ...variables },
      edit: (kustomization, exists) => withArgoEdits(kustomization, argo, { exists, variables }),
    });
    const tree = readTree(text, "ours");
    return { objects: tree.documents.map((document) => shown(toJson(tree, document))).sort() };
  } catch (cause) {
    if (cause instanceof RollstampError) return { error: cause.message };
    throw cause;
  }
}

function shown(value: Json): string {
  return JSON.stringify(inKeyOrder(value));
}

function inKeyOrder(value: Json): Json {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isMapping(value)) return value;
  const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, one]) => [key, inKeyOrder(one)]));
}

describe(
  "kustomizations that Applications edit, as Argo CD builds them",
  { skip: unlessFound(ARGOCD) || unlessFound(KUSTOMIZE) },
  () => {
    it("give the same objects, and fail in the same cases", async () => {
      assert.ok(ARGOCD.found && KUSTOMIZE.found);
      const path = [dirname(KUSTOMIZE.path), process.env["PATH"] ?? ""].join(delimiter);
      const all = fc.sample(CASE, { seed: 18, numRuns: CASES }).map((one) => {
        const [folder, theirs] = [temporaryFolder(), temporaryFolder()];
        writeFiles(folder, filesOf(one));
        writeFiles(theirs, filesOf(one));
        return { ...one, folder, theirs };
      });
      const input = all.map(({ theirs, kustomize, folder }) => {
        const argo = renderOf(folder).argo;
        assert.ok(argo !== undefined);
        const variables = argoVariables(argo.environment, COMMIT);
        return `${JSON.stringify({ root: theirs, path: join(theirs, "app"), kustomize, variables })}\n`;
      });
      const { stdout, status, stderr } = spawnSync(ARGOCD.path, ["kustomize", KUSTOMIZE.path], {
        input: input.join(""),
        env: { PATH: path, HOME: temporaryFolder(), ARGOCD_LOG_LEVEL: "panic" },
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      assert.equal(status, 0, stderr);
      const answers = stdout.trim().split("\n");
      assert.equal(answers.length, all.length);
      const differences: string[] = [];
      let failing = 0;
      for (const [i, { folder, kustomization, kustomize }] of all.entries()) {
        const theirs = JSON.parse(answers[i] ?? "") as { objects: Json[] | null; error?: string };
        const answer = await ours(folder, path);
        const what = `${kustomization}${JSON.stringify(kustomize)}`;
        if (theirs.error !== undefined) failing += 1;
        if ((theirs.error === undefined) !== "objects" in answer)
          differences.push(
            `${what}\n  theirs ${theirs.error?.split("\n")[0] ?? "-"}\n  ours ${"error" in answer ? answer.error : "-"}`,
          );
        else if ("objects" in answer) {
          const expected = (theirs.objects ?? []).map(shown).sort();
          if (expected.join("\n") !== answer.objects.join("\n"))
            differences.push(`${what}\n  theirs ${expected.join("\n    ")}\n  ours   ${answer.objects.join("\n    ")}`);
        }
      }
      assert.ok(failing < CASES / 2, `${failing} fail`);
      assert.deepEqual(differences, []);
    });
  },
);
