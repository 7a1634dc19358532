// Compares builds of Kustomizations with Flux's own code (scripts/hosts/flux-builds).
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { describe, it } from "node:test";
import fc from "fast-check";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { folderSnapshot } from "../../src/node/folder-snapshot.ts";
import { findApplications } from "../../src/applications/discover/find-applications.ts";
import type { GitOpsObject } from "../../src/applications/discover/objects.ts";
import { foldersAround } from "../../src/applications/discover/paths.ts";
import { surveyed } from "../../src/applications/discover/repository.ts";
import { ignoredBy } from "../../src/applications/discover/source-ignore.ts";
import { RollstampError } from "../../src/base/errors.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { toJson, type Json } from "../../src/yaml/read/node.ts";
import { dataIn } from "../../src/applications/render/find-data.ts";
import { filledIn, templateOf, type Part } from "../../src/applications/render/flux-envsubst.ts";
import { fluxEdits } from "../../src/applications/render/flux-kustomization.ts";
import { fluxObjects } from "../../src/applications/render/flux-objects.ts";
import { fromGoText, goText } from "../../src/base/go-text.ts";
import { leftOut } from "../../src/applications/render/source-artifact.ts";
import { placeholderOf } from "../../src/applications/render/unknown-values.ts";
import { renderableOf } from "../../src/applications/render/renderable.ts";
import { writeFiles, type Files } from "../support/folders.ts";
import { readTree } from "../support/trees.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const FLUX = installed("flux-builds.sh");
const KUSTOMIZE = installed("kustomize.sh");

const SEED = Number(process.env["FC_SEED"] ?? 20_261_123);
const LONG = process.env["ROLLSTAMP_LONG"] === "1";

interface Answer {
  readonly text?: string;
  readonly files?: readonly string[];
  readonly objects?: Json[];
  readonly error?: string;
}

/** What Flux answers to each request. */
function asked(requests: readonly unknown[]): readonly Answer[] {
  assert.ok(FLUX.found);
  const input = requests.map((one) => `${JSON.stringify(one)}\n`).join("");
  const { stdout, status, stderr } = spawnSync(FLUX.path, [], { input, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(status, 0, stderr);
  const answers = stdout.trim().split("\n");
  assert.equal(answers.length, requests.length);
  return answers.map((line) => JSON.parse(line) as Answer);
}

const VARIABLES: Readonly<Record<string, string>> = {
  X: "hello",
  PATH: "/usr/local/bin",
  FILE: "a.tar.gz",
  U: "äÖ€😀x",
  UP: "HeLLo Wörld",
  N: "2",
  M: "-1",
  E: "",
  P: "*l",
  D: "$${X} ${X}",
  ä: "letter",
};

const PIECES = [
  ..."${}$:-=?+#%/,^*[]\\ \n.0123ab_-ä€",
  "${",
  "}",
  "$$",
  "${X",
  "${X}",
  "${U",
  "${N}",
  "${P}",
  ":-",
  ":=",
  ":",
  "//",
  "##",
  "%%",
  "^^",
  ",,",
  "/#",
  "/%",

  "${X:",
  "${U:1",
  "${PATH##",
  "${FILE%",
  "${X/",
  "${X//l/",
  "${UP,,",
  "${#",
  "[a-l]",
  "*",
  "?",
  "\\/",
  "l",
  "hello",
  "\u00df",
  ...Object.keys(VARIABLES),
];

/** What is mostly well formed: random pieces alone hardly ever are. */
const TEMPLATE: fc.Arbitrary<string> = fc.letrec<{ template: string; expression: string; word: string }>((tie) => ({
  word: fc
    .array(
      fc.oneof(
        { arbitrary: fc.constantFrom(...PIECES.filter((one) => !/[}{/]/u.test(one))), weight: 6 },
        { arbitrary: tie("expression"), weight: 1 },
      ),
      { maxLength: 4 },
    )
    .map((all) => all.join("")),
  expression: fc.oneof(
    fc.constantFrom(...Object.keys(VARIABLES)).map((name) => `\${${name}}`),
    fc
      .tuple(
        fc.constantFrom(...Object.keys(VARIABLES), "NONE"),
        fc.constantFrom(":-", ":=", "=", ":?", ":+", "#", "##", "%", "%%", ":"),
        tie("word"),
      )
      .map(([name, operator, word]) => `\${${name}${operator}${word}}`),
    fc
      .tuple(
        fc.constantFrom(...Object.keys(VARIABLES)),
        fc.constantFrom("/", "//", "/#", "/%"),
        tie("word"),
        tie("word"),
      )
      .map(([name, operator, old, by]) => `\${${name}${operator}${old}/${by}}`),
    fc
      .tuple(fc.constantFrom(...Object.keys(VARIABLES)), fc.constantFrom(",", ",,", "^", "^^", ",^"))
      .map(([name, operator]) => `\${${name}${operator}}`),
    fc
      .tuple(fc.constantFrom("X", "U"), fc.integer({ min: -7, max: 7 }), fc.integer({ min: -7, max: 7 }))
      .map(([name, from, count]) => `\${${name}:${from}:${count}}`),
  ),
  template: fc
    .array(
      fc.oneof({ arbitrary: tie("expression"), weight: 3 }, { arbitrary: fc.constantFrom(...PIECES), weight: 1 }),
      { maxLength: 5 },
    )
    .map((all) => all.join("")),
})).template;

function ours(template: string): string | undefined {
  const parts = templateOf(goText(template));
  if (!isParts(parts)) return undefined;
  return fromGoText(
    filledIn(parts, (name) => ({ value: goText(VARIABLES[fromGoText(name)] ?? "") }), {
      spend: () => undefined,
      grow: () => undefined,
    }),
  );
}

function isParts(parts: ReturnType<typeof templateOf>): parts is readonly Part[] {
  return Array.isArray(parts);
}

describe("variables of Flux", { skip: unlessFound(FLUX) }, () => {
  it("give the same bytes, and fail in the same cases", () => {
    const wild = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((all) => all.join(""));
    const count = LONG ? 200_000 : 4000;
    const templates = [
      ...fc.sample(TEMPLATE, { seed: SEED, numRuns: count }),
      ...fc.sample(wild, { seed: SEED, numRuns: count }),
    ];
    const answers = asked(templates.map((template) => ({ template, variables: VARIABLES })));
    const differences: string[] = [];
    let filled = 0;
    for (const [i, template] of templates.entries()) {
      const { text, error } = answers[i] ?? {};
      const made = ours(template);
      if (error === undefined) filled += 1;
      if (error?.startsWith("panic") !== true && made !== (error === undefined ? text : undefined))
        differences.push(
          `${JSON.stringify(template)}: theirs ${JSON.stringify(text ?? error)}, ours ${JSON.stringify(made)}`,
        );
    }
    assert.ok(filled > count, String(filled));
    assert.deepEqual(differences.slice(0, 20), []);
  });
});

const NAMED = "${NAME:=web}";
/** What stands in objects: texts of every form that kustomize writes. */
const TEXTS = [
  "plain",
  "${X}",
  "a ${X} b",
  "${N}",
  "'${N}'",
  "${NONE}",
  "${NONE:=a\nb}",
  "line ${X}\nnext ${N}\n",
  "${X}: ${N}",
  "- ${X}",
  "# ${X}",
  "$${X} $X $$",
  "${Y}",
  "${X^^}/${N:0:1}",
  "ä ${U} \t \u0085 \u2028",
  "${O} ${O}",
  "${Q}",
  "${C}",
  "${L}",
  "true",
  "010",
  "",
  "${T}",
] as const;
const VALUES = [
  "x",
  "hello",
  "3",
  "010",
  "y",
  "true",
  "null",
  "~",
  "1.50",
  "1e3",
  "2001-01-01",
  "a: b",
  "a #b",
  "'q",
  '"q"',
  "[a]",
  "{a: b}",
  "a\nb",
  "-",
  "",
  " ",
  "*a",
  "0x1F",
  "ä€😀",
  "${X}",
  "@x",
  "%x",
  "a\rb",
  "12345678901234567890",
  ".inf",
  "1_000",
  "=",
  "<<",
  "!x",
] as const;

/** Mostly what is taken: of many texts one that is refused hides all others. */
const mostly = <T>(taken: readonly T[], refused: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constantFrom(...taken), weight: 40 }, { arbitrary: fc.constantFrom(...refused), weight: 1 });
const text = mostly<string>(TEXTS, ["${BAD", "${X-d}", "${X.Y}"]);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 2 });
const variables = fc.dictionary(
  fc.constantFrom("X", "N", "Y", "U", "O", "Q", "C", "L", "T", "NAME"),
  fc.constantFrom(...VALUES),
  { minKeys: 1, maxKeys: 8 },
);

const KUSTOMIZATIONS = [
  undefined,
  "resources: [web.yaml, settings.yaml]\n",
  "resources: [web.yaml, settings.yaml]\nnamePrefix: own-\nnameSuffix: -own\nnamespace: own\n",
  "resources: [web.yaml, ../above.yaml]\nimages:\n- {name: app, newTag: '9'}\n- {name: other, digest: 'sha256:aa'}\n",
  "components: [../part]\nconfigMapGenerator:\n- name: made\n  literals: ['a=${X}']\n",
  "resources: [web.yaml]\npatches:\n- target: {kind: Deployment}\n  patch: |\n    - {op: add, path: /metadata/labels, value: {patched: '${N}'}}\ncomponents: [../part]\n",
  "Resources: [web.yaml]\nlabels: [{pairs: {a: b}}]\n",
  "resources: [sub]\ngenerators: []\n",
  "",
] as const;

interface Case {
  readonly kustomization: string | undefined;
  readonly data: readonly string[];
  readonly replicas: string;
  readonly isDisabled: boolean;
  readonly spec: { readonly [key: string]: Json };
}

const spec: fc.Arbitrary<{ readonly [key: string]: Json }> = fc
  .record({
    targetNamespace: optional(fc.constantFrom("shop", "own")),
    namePrefix: optional(fc.constantFrom("p-", "${X}-")),
    nameSuffix: optional(fc.constantFrom("-s")),
    commonMetadata: optional(
      fc.constantFrom<Json>(
        { labels: { team: "a", app: "over" } },
        { annotations: { note: "${X}" } },
        { labels: { a: "b" }, annotations: { c: "d" } },
      ),
    ),
    patches: optional(
      fc.subarray<Json>([
        { patch: "- op: add\n  path: /metadata/annotations\n  value: {p: '${X}'}\n", target: { kind: "Deployment" } },
        { patch: "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels: {merged: 'yes'}\n" },
        {
          patch: "- op: replace\n  path: /data/k0\n  value: patched\n",
          target: { kind: "ConfigMap", name: "settings" },
        },
      ]),
    ),
    images: optional(
      fc.subarray<Json>([
        { name: "app", newName: "registry.example/app" },
        { name: "app", newTag: "7" },
        { name: "app", digest: "sha256:bb" },
        { name: "other", newTag: "8" },
        { name: "third", newName: "x", newTag: "1" },
      ]),
    ),
    components: optional(
      mostly<Json>(
        [["../part"], ["../more"], ["../part", "../more"]],
        [["none"], ["https://example.com/x"], ["/part"]],
      ),
    ),
    ignoreMissingComponents: optional(fc.boolean()),
    postBuild: fc.option(
      fc
        .record({
          substitute: optional(variables),
          substituteFrom: optional(
            fc.subarray<Json>([
              { kind: "ConfigMap", name: "vars" },
              { kind: "Secret", name: "vars" },
              { kind: "ConfigMap", name: "none", optional: true },
            ]),
          ),
          substituteStrategy: optional(fc.constantFrom("Always", "WithVariables")),
        })
        .map(defined),
      { nil: undefined, freq: 8 },
    ),
  })
  .map(defined);

function defined(record: Readonly<Record<string, Json | undefined>>): { [key: string]: Json } {
  return Object.fromEntries(Object.entries(record).flatMap(([key, one]) => (one === undefined ? [] : [[key, one]])));
}

const CASE: fc.Arbitrary<Case> = fc.record({
  kustomization: fc.constantFrom(...KUSTOMIZATIONS),
  data: fc.array(text, { minLength: 1, maxLength: 4 }),
  replicas: fc.constantFrom("3", "${N}", "${N:=2}"),
  isDisabled: fc.boolean(),
  spec,
});

const SECRET: Readonly<Record<string, string>> = { X: "from-secret", Q: "'q", U: "ä\n", N: "7" };

/** Objects of a cluster, as they also stand in the repository; of a Secret's texts what stands for them. */
const cluster = (valueOf: (text: string) => string): readonly Json[] => [
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "vars", namespace: "flux-system" },
    data: { X: "from-map", C: "a: b", T: "true" },
  },
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "vars", namespace: "flux-system" },
    data: Object.fromEntries(
      Object.entries(SECRET).map(([key, value]) => [key, Buffer.from(valueOf(value)).toString("base64")]),
    ),
  },
];
const CLUSTER = cluster((value) => (value === "7" ? value : placeholderOf(value)));

function filesOf({ kustomization, data, replicas, isDisabled, spec: given }: Case): Files {
  const labels = isDisabled ? { "kustomize.toolkit.fluxcd.io/substitute": "disabled" } : { app: "web" };
  const object = (value: Json): string => `${JSON.stringify(value)}\n`;
  const web = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: replicas === "3" ? 3 : replicas,
      template: {
        spec: {
          containers: [
            { name: "web", image: "app:1", args: [...data] },
            { name: "b", image: "other:1" },
          ],
        },
      },
    },
  };
  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", labels, annotations: { named: NAMED } },
    data: Object.fromEntries(data.map((one, i) => [`k${i}`, one])),
  };
  const component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";
  return {
    "app/web.yaml": object(web),
    "app/settings.yaml": `# a comment\n${object(settings)}`,
    ...(kustomization === undefined ? {} : { "app/kustomization.yaml": kustomization }),
    "part/kustomization.yaml": `${component}configMapGenerator: [{name: part, literals: [a=b]}]\n`,
    "app/sub/kustomization.yaml": "resources: [../../above.yaml]\nnameSuffix: -sub\n",
    "app/zoo/deep/z.yml": object({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "zoo" },
      data: { a: "${X}" },
    }),
    "app/notes.txt": "no manifest",
    "more/kustomization.yaml": `${component}commonAnnotations: {more: one}\n`,
    "above.yaml": object({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "above" }, data: { a: "${X}" } }),
    "flux/kustomization.yaml": "resources: [app.yaml, vars.yaml]\n",
    "flux/app.yaml": object(owner(given)),
    "flux/vars.yaml": cluster((value) => value)
      .map((one) => `---\n${object(one)}`)
      .join(""),
  };
}

function owner(given: { readonly [key: string]: Json }): Json {
  return {
    apiVersion: "kustomize.toolkit.fluxcd.io/v1",
    kind: "Kustomization",
    metadata: { name: "app", namespace: "flux-system" },
    spec: { path: "./app", sourceRef: { kind: "GitRepository", name: "flux-system" }, ...given },
  };
}

/** The objects that rollstamp makes of a folder; the problem where it can't. */
async function built(root: string): Promise<Json[] | { readonly problem: string }> {
  const repository = surveyed(folderSnapshot(root, DEFAULT_LIMITS));
  const application = findApplications(repository).applications.find(({ name }) => name === "app");
  assert.ok(application);
  const made = renderableOf(application, dataIn(repository));
  if (made.is !== "steps") return { problem: made.is === "unable" ? made.because : made.is };
  const [step] = made.steps;
  assert.ok(step?.by === "kustomize" && step.flux !== undefined && KUSTOMIZE.found);
  try {
    const { text: printed } = await renderKustomization({
      application: { folder: join(root, step.folder), root, limits: DEFAULT_LIMITS },
      given: new Map(),
      environment: {
        PATH: [dirname(KUSTOMIZE.path), process.env["PATH"] ?? ""].join(delimiter),
        ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: step.options.join(" "),
      },
      ...fluxEdits(step.flux.build),
    });
    const tree = readTree(fluxObjects(printed, step.flux.objects, DEFAULT_LIMITS), "built");
    return tree.documents.map((root_) => toJson(tree, root_)).filter((one) => one !== null);
  } catch (cause) {
    if (cause instanceof RollstampError) return { problem: cause.message };
    throw cause;
  }
}

const LINES = [
  "/*",
  "!/a",
  "!/a/",
  "a/",
  "a/b",
  "a/**",
  "**/b",
  "**/b/",
  "a/**/c.yaml",
  "*.yaml",
  "!*.yaml",
  "*.y?ml",
  "[a-b].yaml",
  "[!a]*",
  "[^a]*",
  "[]a]",
  "c.yaml  ",
  "c.yaml\\ ",
  "# c.yaml",
  "",
  "!",
  "/",
  "//a",
  "a//b",
  "**",
  "**/",
  "x**",
  "a/x**/b",
  ".github/",
  "!.github",
  ".git/",
  "!.gitignore",
  "b",
  "!b",
  "!/a/b/c.yaml",
  "ä*",
  "\\a",
  "[",
  "a/[",
  "c.yaml\r",
  "**/a/**/c.yaml",
];
const PATHS = [
  "a/b/c.yaml",
  "a/c.yaml",
  "a/b.yaml",
  "b/a/b/c.yml",
  "b/c.yaml",
  "c.yaml",
  "a.yaml",
  ".gitignore",
  ".github/w.yml",
  "a/x.png",
  "logo.png",
  "ä/ä.yaml",
  "x/.sops.yaml",
  "a/b/a/c.yaml",
  "c.yaml ",
  "[/a.yaml",
  "b/a.tar.gz",
];
const lines = fc.array(fc.constantFrom(...LINES), { maxLength: 5 }).map((all) => all.join("\n"));

describe("the artifact of a GitRepository", { skip: unlessFound(FLUX) }, () => {
  it("has the files that Flux's source-controller includes", () => {
    const cases = fc
      .sample(fc.record({ root: lines, below: lines, own: lines }), { seed: SEED, numRuns: LONG ? 5000 : 400 })
      .map(({ root, below, own }) => {
        const folder = temporaryFolder();
        const ignoreFiles: Files = {
          ...(root === "" ? {} : { ".sourceignore": root }),
          ...(below === "" ? {} : { "a/.sourceignore": below }),
        };
        const files: Files = { ...Object.fromEntries(PATHS.map((path) => [path, ""])), ...ignoreFiles };
        writeFiles(folder, files);
        return { folder, files: Object.keys(files), own };
      });
    const answers = asked(cases.map(({ folder, own }) => ({ root: folder, ignored: own })));
    for (const [i, { folder, files, own }] of cases.entries()) {
      const tree = folderSnapshot(folder, DEFAULT_LIMITS);
      // A worktree's own .gitignore, which is empty here, leaves nothing out.
      const isLeftOut = leftOut(ignoredBy(ignoring(own), tree), DEFAULT_LIMITS);
      const folders = [...new Set(files.flatMap((path) => foldersAround(path)))];
      const taken = [
        ...files.filter((path) => !isLeftOut(path, false)),
        ...folders.filter((path) => path === "." || !isLeftOut(path, true)).map((path) => `${path}/`),
      ].sort();
      assert.deepEqual(taken, [...(answers[i]?.files ?? [])].sort(), JSON.stringify([own, folder]));
    }
  });
});

function ignoring(own: string): GitOpsObject {
  const place = { file: "source.yaml", line: 1, name: "flux-system", namespace: "flux-system" };
  return { ...place, group: "source.toolkit.fluxcd.io", kind: "GitRepository", spec: { ignore: own } };
}

describe("Kustomizations of Flux", { skip: unlessFound(FLUX) || unlessFound(KUSTOMIZE) }, () => {
  it("give the same objects, and fail in the same cases", async () => {
    const cases = fc.sample(CASE, { seed: SEED, numRuns: LONG ? 3000 : 200 });
    const differences: string[] = [];
    let objects = 0;
    let failures = 0;
    const roots = cases.map((one) => {
      const root = temporaryFolder();
      writeFiles(root, filesOf(one));
      return root;
    });
    const made: Awaited<ReturnType<typeof built>>[] = [];
    for (const root of roots) made.push(await built(root));
    // Behind rollstamp's: Flux writes into the folders.
    const answers = asked(
      cases.map((one, i) => ({ root: roots[i], folder: "app", kustomization: owner(one.spec), objects: CLUSTER })),
    );
    for (const [i, one] of cases.entries()) {
      const theirs = answers[i];
      const mine = made[i] ?? [];
      const shown = JSON.stringify(one);
      if (theirs?.error !== undefined) failures += 1;
      objects += theirs?.objects?.length ?? 0;
      if (theirs?.error !== undefined || "problem" in mine) {
        const problem = "problem" in mine ? mine.problem : undefined;
        if ((theirs?.error === undefined) !== (problem === undefined))
          differences.push(`${shown}:\n  theirs ${theirs?.error ?? "-"}\n  ours   ${problem ?? "-"}`);
      } else if (JSON.stringify(sorted(theirs?.objects ?? [])) !== JSON.stringify(sorted(mine)))
        differences.push(
          `${shown}:\n  theirs ${JSON.stringify(sorted(theirs?.objects ?? []))}\n  ours   ${JSON.stringify(sorted(mine))}`,
        );
    }
    assert.deepEqual(differences.slice(0, 5), [], `${differences.length} of ${cases.length}`);
    assert.ok(objects > cases.length, String(objects));
    assert.ok(failures > 0 && failures < cases.length / 2, String(failures));
  });
});

/** With the keys of mappings in order; the order of objects and lists stays. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, one]) => [key, sorted(one)]),
  );
}
