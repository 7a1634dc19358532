// ApplicationSets as Argo CD's own code expands them (scripts/hosts/argocd-sets), and as rollstamp does.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { repositoryTree } from "../../src/adapters/repository-tree.ts";
import { expanded } from "../../src/applications/argo.ts";
import { surveyed } from "../../src/applications/repository.ts";
import { DEFAULT_LIMITS } from "../../src/ground/limits.ts";
import { isMapping } from "../../src/manifest/json-keys.ts";
import { toJson, type Json } from "../../src/manifest/node.ts";
import { inFolder } from "../support/folders.ts";
import { readTree } from "../support/trees.ts";
import { installed, unlessFound } from "./programs.ts";

const ARGOCD_SETS = installed("argocd-sets.sh");

const FILES = {
  "apps/web/kustomization.yaml": "",
  "apps/Data_Base/x/kustomization.yaml": "",
  "apps/.hidden/x.yaml": "",
  "conf/a/config.json":
    '{"a": {"b": "p", "n": 1.5, "t": true, "l": [1, {"x": "y"}], "e": {}}, "name": "one", "big": 1234567, "none": null}',
  "conf/b/config.json": '[{"a": {"b": "q"}, "name": "two"}, {"name": "three"}]',
  "conf/b/deep/config.json": "name: deep\n",
  "conf/empty.yaml": "",
  "conf/other.yaml": "name: other\n",
};

const LIST = (elements: string): string => `{list: {elements: [${elements}]}}`;
const DIRECTORIES = (more: string): string => `{git: {repoURL: r, revision: HEAD, directories: [${more}]}}`;
const GENERATORS: readonly string[] = [
  LIST("{name: a, url: u}, {name: b, values: {x: y}}"),
  LIST("{name: a, n: 1}"),
  LIST("{name: a, n: {m: [x, y]}, t: true}, {name: b}"),
  "{list: {elements: [{name: a}], elementsYaml: '[{name: v}, {name: z}]'}}",
  DIRECTORIES("{path: apps/*}"),
  DIRECTORIES("{path: 'apps/*'}, {path: apps/w*, exclude: true}"),
  DIRECTORIES("{path: '*/*/*'}, {path: 'co[mn]f'}"),
  DIRECTORIES("{path: '[a-'}"),
  DIRECTORIES("{path: apps/web}").replace("revision: HEAD", "pathParamPrefix: my"),
  DIRECTORIES("{path: 'apps/*'}").replace("revision: HEAD", "values: {v: '{{path.basename}}-{{.path.basename}}'}"),
  "{git: {repoURL: r, files: [{path: conf/**/config.json}]}}",
  "{git: {repoURL: r, files: [{path: 'conf/*.json'}]}}",
  "{git: {repoURL: r, files: [{path: conf}]}}",
  "{git: {repoURL: r, files: [{path: 'conf/*'}, {path: 'conf/b/*', exclude: true}]}}",
  "{git: {repoURL: r}}",
  `{matrix: {generators: [${DIRECTORIES("{path: apps/*}")}, ${LIST("{name: '{{path.basename}}-x'}, {name: '{{ .path.basename }}-y'}")}]}}`,
  `{matrix: {generators: [${LIST("{name: a}")}, ${LIST("{name: b}")}]}}`,
  `{matrix: {generators: [${LIST("{name: a}")}, ${LIST("{name: a, url: u}")}]}}`,
  `{matrix: {generators: [${LIST("{name: a}")}]}}`,
  `{matrix: {generators: [${LIST("{k: {x: 1, y: ''}, name: ''}")}, ${LIST("{k: {x: 2, z: 3}, name: n}")}]}}`,
  `{merge: {mergeKeys: [name], generators: [${LIST("{name: a, url: u, k: {x: '1'}}, {name: b}")}, ${LIST("{name: a, url: v, k: {y: '2'}}, {name: c}")}]}}`,
  `{merge: {mergeKeys: [url], generators: [${LIST("{name: a, url: u}, {name: b, url: u}")}, ${LIST("{name: a}")}]}}`,
  `{merge: {mergeKeys: [], generators: [${LIST("{name: a}")}, ${LIST("{name: a}")}]}}`,
  `{matrix: {generators: [{matrix: {generators: [${LIST("{name: a}")}, ${LIST("{url: u}")}]}}, ${LIST("{x: '1'}, {x: '2'}")}]}}`,
  `{list: {elements: [{name: a}, {name: b}]}, selector: {matchLabels: {name: b}}}`,
  `{list: {elements: [{name: a, url: u}, {name: b}]}, selector: {matchExpressions: [{key: url, operator: DoesNotExist}]}}`,
  "{list: {elements: [{name: a}], template: {metadata: {labels: {own: '{{name}}'}}, spec: {source: {path: mine}}}}}",
];

const FAST = `metadata: {name: 'n-{{name}}-{{path.basename}}', labels: {a: '{{values.x}}', 'k-{{name}}': 'k'}}
spec: {project: '{{p}}', source: {repoURL: r, path: '{{path}}/{{ path[1] }}/{{a.b}}-{{a.n}}-{{a.l.1.x}}-{{big}}-{{none}}', helm: {valuesObject: {x: '{{name}}', y: 1}}}, destination: {server: '{{url}}', namespace: '{{path.basenameNormalized}}{{my.path}}'}}`;
const GO_TEMPLATES: readonly string[] = [
  `metadata: {name: '{{ .name }}'}\nspec: {project: '{{ "p" }}', source: {repoURL: r, path: '{{ .path }}{{ .k }}'}, destination: {}}`,
  `metadata: {name: 'n{{ with .name }}-{{ . | upper | quote }}{{ else }}-none{{ end }}'}\nspec: {project: '{{ "p" }}', source: {repoURL: r, path: '{{ if and .n (not .url) }}x{{ else if .url }}{{ .url }}{{ end }}'}, destination: {name: '{{ range $k, $v := .n }}{{ $k }}={{ $v }};{{ end }}'}}`,
  `metadata: {name: '{{- default "d" .name | replace "a" "A" | trunc 5 -}}'}\nspec: {project: '{{ "p" }}', source: {repoURL: r, path: '{{ printf "%s/%v" .name .values }}{{ len (list 1 2) }}'}, destination: {name: '{{ join "-" (splitList "/" "a/b/c") }}{{ ternary "t" "f" (eq .name "a") }}{{ index (dict "k" "v") "k" }}'}}`,
  `metadata: {name: '{{ normalize "A_b.C-" }}{{ add 1 2 }}{{ hasPrefix "a" .name }}{{ .a }}'}\nspec: {project: '{{ "p" }}', source: {repoURL: r, path: '{{ .path.path }}|{{ .path.filename }}|{{ .path.segments }}|{{ .big }}'}, destination: {}}`,
];
const PATCH =
  "metadata: {annotations: {p: x}}\nspec: {project: other, destination: {namespace: patched, server: null}}\n";

interface Case {
  readonly what: string;
  readonly set: Json;
}

function cases(): Case[] {
  const made: Case[] = [];
  const add = (what: string, text: string): void => {
    const tree = readTree(text, "set");
    const [root = -1] = tree.documents;
    made.push({ what, set: toJson(tree, root) });
  };
  const spec = (generator: string, template: string, more: string): string =>
    `metadata: {name: set, namespace: argocd}\nspec:\n  ${more}\n  generators: [${generator}]\n  template:\n    ${template.replaceAll("\n", "\n    ")}\n`;
  for (const generator of GENERATORS) {
    add(`fast ${generator}`, spec(generator, FAST, "goTemplate: false"));
    add(`patched ${generator}`, spec(generator, FAST, `templatePatch: ${JSON.stringify(PATCH)}`));
    for (const [i, template] of GO_TEMPLATES.entries())
      for (const options of ["[]", "['missingkey=error']"])
        add(
          `go ${i} ${options} ${generator}`,
          spec(generator, template, `goTemplate: true\n  goTemplateOptions: ${options}`),
        );
  }
  return made;
}

/** What counts of an Application: what it is called, and its spec without what is empty. */
function essence(application: Json): Json {
  const { metadata, spec } = isMapping(application) ? application : {};
  const { name, labels, annotations } = isMapping(metadata) ? metadata : {};
  return pruned({ name: name ?? "", labels: labels ?? null, annotations: annotations ?? null, spec: spec ?? null });
}

function pruned(value: Json): Json {
  if (Array.isArray(value)) return value.map(pruned);
  if (!isMapping(value)) return value;
  const kept = Object.entries(value)
    .map(([key, one]): [string, Json] => [key, pruned(one)])
    .filter(([, one]) => one !== null && one !== "" && !(isMapping(one) && Object.keys(one).length === 0))
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(kept);
}

function inOrder(all: readonly Json[]): string[] {
  return all.map((one) => JSON.stringify(essence(one))).sort();
}

describe("ApplicationSets, as Argo CD expands them", { skip: unlessFound(ARGOCD_SETS) }, () => {
  it("make the same Applications, and fail where they fail", async () => {
    assert.ok(ARGOCD_SETS.found);
    const { path } = ARGOCD_SETS;
    await inFolder(FILES, (folder) => {
      execFileSync("git", ["-C", folder, "init", "-q"]);
      execFileSync("git", ["-C", folder, "add", "-A"]);
      const all = cases();
      const input = all.map(({ set }) => `${JSON.stringify(set)}\n`).join("");
      const { stdout, status } = spawnSync(path, [folder], { input, encoding: "utf8", maxBuffer: 1 << 28 });
      assert.equal(status, 0);
      const answers = stdout.trim().split("\n");
      assert.equal(answers.length, all.length);
      const repository = surveyed(repositoryTree(folder, DEFAULT_LIMITS));
      const differences: string[] = [];
      let applications = 0;
      for (const [i, { what, set }] of all.entries()) {
        const theirs = JSON.parse(answers[i] ?? "") as { applications: Json[] | null; error?: string };
        const { spec } = isMapping(set) ? set : {};
        const ours = expanded({ name: "set", spec: isMapping(spec) ? spec : {} }, repository);
        const unknown = ours.problems.find(({ is }) => is === "unknown");
        const [a, b] = [inOrder(theirs.applications ?? []), inOrder(ours.applications)];
        applications += a.length;
        if (unknown !== undefined && theirs.error === undefined) differences.push(`${what}: ${unknown.message}`);
        else if (JSON.stringify(a) !== JSON.stringify(b))
          differences.push(
            `${what}:\n  theirs ${a.join("\n         ")}\n  ours   ${b.join("\n         ")}\n  ${theirs.error ?? ""} ${ours.problems[0]?.message ?? ""}`,
          );
        else if ((theirs.error === undefined) !== (ours.problems.length === 0))
          differences.push(`${what}: theirs ${theirs.error ?? "-"}, ours ${ours.problems[0]?.message ?? "-"}`);
      }
      assert.ok(applications > 200, String(applications));
      assert.deepEqual(differences, []);
    });
  });
});
