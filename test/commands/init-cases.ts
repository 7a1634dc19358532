import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/base/version.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { type Files } from "../support/folders.ts";
import { deployment } from "../support/manifests.ts";

// What `rollstamp init` writes, for each host.

export const APPLICATION_TEMPLATE: string =
  "{{- range .Values.applications }}\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: {{ .name }}}\n{{- end }}\n";

export const GIT: Files = { ".git/HEAD": "" };
export const PLAIN: Files = { ...GIT, "web.yaml": deployment("web", "settings") };

export interface Case {
  readonly name: string;
  readonly host: string;
  readonly files: Files;
  readonly args?: readonly string[];
  /** The folder that is given. */
  readonly folder?: string;
  /** The files afterwards that differ. */
  readonly after: Files;
}

export const TRANSFORMER: string = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
  annotations:
    config.kubernetes.io/function: |
      exec:
        path: rollstamp
spec: {}
`;

export const HOOK: string = `  - repo: local
    hooks:
      - id: rollstamp
        name: stamp rollouts
        entry: rollstamp stamp .
        language: node
        additional_dependencies:
          - rollstamp@${VERSION}
        pass_filenames: false
        files: \\.(ya?ml|json)$
`;

export const JOB: string = `rollstamp:
  image: node:22
  # Merge trains run the pipelines of merge requests.
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  before_script:
    - npm install --global --no-audit --no-fund rollstamp@${VERSION}
  # One script: pipefail needs bash, and all checks run before the job fails.
  script:
    - |
      set -o pipefail
      rollstamp stamp --check .
`;

export const CASES: readonly Case[] = [
  {
    name: "a new list in the style of the other lists, with comments kept",
    host: "kustomize",
    files: { "kustomization.yaml": "# Production.\nresources:\n- ../base # the base\n\npatches:\n- path: 'p.yaml'\n" },
    after: {
      "kustomization.yaml":
        "# Production.\nresources:\n- ../base # the base\n\npatches:\n- path: 'p.yaml'\ntransformers:\n- stamp.yaml\n",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "the end of a list that is there",
    host: "kustomize",
    files: {
      "kustomization.yml":
        "transformers:\n    - a.yaml   # first\n    # and then\n    - |-\n      apiVersion: x/v1\n      kind: Y\n\nresources: [b.yaml]",
    },
    after: {
      "kustomization.yml":
        "transformers:\n    - a.yaml   # first\n    # and then\n    - |-\n      apiVersion: x/v1\n      kind: Y\n    - stamp.yaml\n\nresources: [b.yaml]",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "the end of a flow list, CRLF",
    host: "kustomize",
    files: { Kustomization: "transformers: [a.yaml]\r\nresources: [b.yaml]\r\n" },
    after: {
      Kustomization: "transformers: [a.yaml, stamp.yaml]\r\nresources: [b.yaml]\r\n",
      "stamp.yaml": TRANSFORMER,
    },
  },
  {
    name: "a list that is empty, without a line end",
    host: "kustomize",
    files: { "kustomization.yaml": "transformers: []" },
    after: { "kustomization.yaml": "transformers:\n  - stamp.yaml", "stamp.yaml": TRANSFORMER },
  },
  {
    name: "another file name if stamp.yaml is something else; a container",
    host: "kustomize",
    args: ["--image", "example.com/rollstamp:1"],
    files: { "kustomization.yaml": "resources:\n- a.yaml\n", "stamp.yaml": "kind: ConfigMap\n" },
    after: {
      "kustomization.yaml": "resources:\n- a.yaml\ntransformers:\n- config-hash.yaml\n",
      "config-hash.yaml": TRANSFORMER.replace(
        "exec:\n        path: rollstamp",
        "container:\n        image: example.com/rollstamp:1",
      ),
    },
  },
  {
    name: "a plugin without an annotation",
    host: "kustomize",
    args: ["--plugin"],
    files: { "kustomization.yaml": "resources: [a.yaml]\n" },
    after: {
      "kustomization.yaml": "resources: [a.yaml]\ntransformers:\n  - stamp.yaml\n",
      "stamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec: {}\n",
    },
  },
  {
    name: "a new pipeline",
    host: "kpt",
    files: { Kptfile: "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web # the shop\n" },
    after: {
      Kptfile:
        "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web # the shop\npipeline:\n  mutators:\n    - exec: rollstamp\n",
    },
  },
  {
    name: "the end of the mutators",
    host: "kpt",
    args: ["--image", "example.com/rollstamp:1"],
    files: {
      Kptfile:
        "kind: Kptfile\npipeline:\n    mutators:\n        - image: a:1\n          configMap:\n            k: v\n    validators:\n        - image: b:1\n",
    },
    after: {
      Kptfile:
        "kind: Kptfile\npipeline:\n    mutators:\n        - image: a:1\n          configMap:\n            k: v\n        - image: example.com/rollstamp:1\n    validators:\n        - image: b:1\n",
    },
  },
  {
    name: "mutators beside validators",
    host: "kpt",
    files: { Kptfile: "kind: Kptfile\npipeline: {validators: [{image: b}]}\n" },
    after: { Kptfile: "kind: Kptfile\npipeline: {validators: [{image: b}], mutators: [{exec: rollstamp}]}\n" },
  },
  {
    name: "Applications in any file, each in its style; other sources are unchanged",
    host: "argocd",
    files: {
      "apps/a.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    repoURL: https://example.com # here\n    path: a\n---\n{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: b}, spec: {source: {path: b}}}\n",
      "set.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      source: {path: x}\n",
      "chart.yaml":
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: c}\nspec: {source: {chart: web}}\n",
      "values.yaml": "a: {{ b }}\n",
    },
    after: {
      "apps/a.yaml":
        'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec:\n  source:\n    plugin:\n      name: "rollstamp"\n    repoURL: https://example.com # here\n    path: a\n---\n{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: b}, spec: {source: {plugin: {name: "rollstamp"}, path: b}}}\n',
      "set.yaml":
        'apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: s}\nspec:\n  template:\n    spec:\n      source: {plugin: {name: "rollstamp"}, path: x}\n',
    },
  },
  {
    name: "a new file at the root of the repository",
    host: "pre-commit",
    folder: "deep/er",
    files: { ...PLAIN, "deep/er/x": "" },
    after: { ".pre-commit-config.yaml": `repos:\n${HOOK}` },
  },
  {
    name: "the end of the repos, indented as they are",
    host: "pre-commit",
    files: {
      ...PLAIN,
      ".pre-commit-config.yaml":
        "# hooks\nrepos:\n-   repo: https://example.com/hooks\n    rev: v1\n    hooks:\n    -   id: a\n",
    },
    after: {
      ".pre-commit-config.yaml": `# hooks
repos:
-   repo: https://example.com/hooks
    rev: v1
    hooks:
    -   id: a
${HOOK.replace(/^ {2}/gmu, "")}`,
    },
  },
  {
    name: "the existing defaults of a helmfile",
    host: "helm",
    files: {
      "helmfile.yaml": "helmDefaults:\n    wait: true # for pods\nreleases:\n    - name: web\n      chart: ./web\n",
    },
    after: {
      "helmfile.yaml":
        "helmDefaults:\n    wait: true # for pods\n    postRenderer: rollstamp\nreleases:\n    - name: web\n      chart: ./web\n",
    },
  },
  {
    name: "a helmfile without defaults",
    host: "helm",
    files: { "helmfile.yaml": "releases:\n- name: web\n  chart: ./web\n" },
    after: {
      "helmfile.yaml": "releases:\n- name: web\n  chart: ./web\nhelmDefaults:\n  postRenderer: rollstamp\n",
    },
  },
  {
    name: "a chart's configuration",
    host: "helm",
    files: { "Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n" },
    after: {
      "rollstamp.yaml":
        "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata:\n  name: stamp\nspec:\n  # The chart's own checksums and labels may contain its version: without these lines each new version restarts everything.\n  checksums: Remove\n  versionLabels: Remove\n",
    },
  },
  { name: "a new file for a job", host: "gitlab", files: PLAIN, after: { ".gitlab-ci.yml": JOB } },
  {
    name: "a job after the others, in an existing stage",
    host: "gitlab",
    files: {
      ...PLAIN,
      ".gitlab-ci.yml": "stages: [verify, ship] # two\n\nbuild:\n  stage: verify\n  script:\n    - make\n",
    },
    after: {
      ".gitlab-ci.yml": `stages: [verify, ship] # two\n\nbuild:\n  stage: verify\n  script:\n    - make\n\n${JOB.replace("rollstamp:\n", "rollstamp:\n  stage: verify\n")}`,
    },
  },
];

/** The files below a folder that differ from what they were. */
export function changed(folder: string, before: Files, paths: readonly string[]): Files {
  const found: Record<string, string> = {};
  for (const path of new Set([...Object.keys(before), ...paths])) {
    const file = join(folder, path);
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    if (text !== before[path]) found[path] = text;
  }
  return found;
}

export async function init(
  folder: string,
  { host, folder: given = ".", args = [] }: Pick<Case, "host" | "folder" | "args">,
  more: readonly string[] = ["--write"],
): Promise<CliResult> {
  return cli(["init", host, join(folder, given), ...args, ...more]);
}
