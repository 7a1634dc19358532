// Compares rollstamp's expansion of ApplicationSets with Argo CD's own code (scripts/hosts/argocd-sets).
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { folderSnapshot } from "../../src/node/folder-snapshot.ts";
import { expanded } from "../../src/applications/discover/application-sets.ts";
import { surveyed } from "../../src/applications/discover/repository.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { isMapping } from "../../src/yaml/read/json.ts";
import { toJson, type Json } from "../../src/yaml/read/node.ts";
import { inFolder } from "../support/folders.ts";
import { kubectlJson } from "../../src/yaml/read/kubectl-view.ts";
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
  "conf/other.yaml": "name: other\na: {b: 0x10, n: 1e3, t: yes}\nbig: 1_000_000\n",
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

// Each is a whole template, or a list of them: of what is in DATA.
const DATA = String.raw`
name: a-b.C
n: 1234567
small: 0.00001
float: 1.5
huge: 1e21
whole: 7
yes: true
none: null
empty: ""
list: [x, y, {z: 1}, 2.5, true, null, []]
texts: [b, a, c]
map: {b10: 1, b9: two, A: [1, {c: d, e: [f, [g]]}], nested: {deep: {x: "yes", "on": "1"}}, text: "a\nb\n", empty: {}, "null": ""}
words: ["yes", "no", "1", "1.0", "0x1F", "1_000", "~", "null", "", " a", "a ", "a: b", "a #b", "#a", "a#b", "a:b", "- a", "-a", "2001-01-01", "2001-01-01T00:00:00Z", "2001-1-1x", "1:20", "=", "a\nb", "a\n\n", "\n", "a \nb", "\ta", "a\tb", "'a'", "\"a\"", "a'b: c", "a\\b", "\u00e9", "\U0001F600", "---", "--- a", "...", "%a", "@a", "{a", "[a", "a,b", "?a", "? a", "!a", "*a", "&a", "|", ">", ":", "a:", "-", ".5", "+1", "1e3", ".inf", "0o7", "08", "010", "a\r", "<a&b>"]
yaml: "a: yes\nb: 1\nc: [0x10, 1e3, ~]\n"
dashes: ${"ab-".repeat(30)}
key: ${"k".repeat(130)}
key2: ${"l".repeat(131)}
spaces: "${"long text ".repeat(40)}"
colons: "${"it: long ".repeat(40)}"
quotes: "${"x".repeat(90)}  ${"it's: long ".repeat(12)}"
tabs: "\t${"tabs  and  ".repeat(20)}"
`;
const EXPRESSIONS: readonly string[] = [
  "{{ .n }} {{ .small }} {{ .float }} {{ .huge }} {{ .whole }} {{ .list }} {{ .map }} {{ .none }} {{ .missing }}",
  "{{ 1234567 }} {{ 1e6 }} {{ 1.0 }} {{ 0x10 }} {{ 1_000_000 }} {{ 010 }} {{ -5 }} {{ 'a' }} {{ 1e3 }} {{ 12345678901234567 }}",
  "{{ add 999999 1 }} {{ add1 .n }} {{ sub .n 1 }} {{ mul .n 2 }} {{ div 7 2 }} {{ mod 7 4 }} {{ max 1 .n }} {{ min 1 2 }}",
  '{{ int .n }} {{ int64 .n }} {{ .n | int | add 1 }} {{ int "0x10" }} {{ int "1.00" }} {{ int "x" }} {{ int "1.5" }}',
  "{{ len .texts }}{{ index .texts 1 }}",
  "{{ eq .whole 7 }}",
  "{{ eq (int .whole) 7 }}{{ eq .whole 7.0 }}{{ lt 1 2 }}{{ gt .whole 1.5 }}",
  "{{ trunc .whole .name }}",
  "{{ trunc 3 .name }}{{ trunc -1 .name }}",
  "{{ index .texts .whole }}",
  "{{ print 1 2 }}|{{ print 1 `a` 2 3 }}|{{ print .whole .yes }}",
  "{{ printf `%d %s %v %q %t %05d %5s|%-5s|%%` 7 .name .n .name .yes 42 `ab` `cd` }}",
  "{{ range 3 }}{{ . }},{{ end }}{{ range $i := 2 }}{{ $i }}{{ end }}{{ range $i, $v := .texts }}{{ add $i 1 }}{{ $v }}{{ end }}",
  "{{ range $i, $v := 2 }}{{ end }}",
  "{{ range .whole }}{{ end }}",
  "{{ toJson 5 }}{{ toJson .n }}{{ list 1 2.5 `a` | toJson }}{{ toJson .map }}{{ toJson `<a&b>` }}{{ toRawJson `<a&b>` }}",
  "{{ toPrettyJson .map }}",
  '{{ (fromJson `{"a": [1, 2]}`).a }}{{ fromJson `{` }}',
  "{{ mustFromJson `{` }}",
  "{{ has 1 (list 1 2) }}{{ has 1.0 (list 1 2) }}{{ has `a` .texts }}",
  "{{ join `,` (list 1 `a` .n) }}{{ default 5 0 }}",
  "{{ (fromYaml .yaml).a }}{{ (fromYaml .yaml).c }}{{ fromYaml `` }}{{ fromYamlArray `[1, yes, 010]` }}",
  "{{ fromYaml `[1]` }}",
  "{{ fromYaml `a: b: c` }}",
  "{{ fromYamlArray `a: 1` }}",
  // Mappings.
  "{{ omit .map `text` `b10` `none` | toJson }}{{ pick .map `b9` `none` | toJson }}{{ keys (dict `k` 1) }}",
  "{{ omit .texts `a` }}",
  // Names.
  "{{ slugify .name }}|{{ slugify 3 .name }}|{{ slugify 3 false .name }}|{{ slugify 3 true .name }}|{{ slugify `Feature/ABC_d--e é..f` }}|{{ slugify 23 `a-very-long-name-of-a-branch-that-goes-on` }}|{{ slugify 5 `abcdefghij` }}|{{ slugify .dashes }}|{{ slugify 0 false `ab` }}|{{ slugify 0 `ab` }}",
  "{{ slugify 3 1 .name }}",
  "{{ slugify .whole .name }}",
  // Break and continue.
  "{{ range .texts }}{{ if eq . `a` }}{{ continue }}{{ end }}{{ . }}{{ else }}none{{ end }}{{ range .texts }}{{ if eq . `a` }}{{ break }}{{ end }}{{ . }}{{ end }}",
  "{{ range .texts }}{{ range $.texts }}{{ if eq . `a` }}{{ break }}{{ end }}{{ . }}{{ end }};{{ with . }}{{ continue }}{{ end }}x{{ end }}",
  "{{ range list }}{{ else }}{{ break }}{{ end }}",
  "{{ break }}",
];
// Their results are compared as YAML: rollstamp may quote a string in another way.
const YAML_EXPRESSIONS: readonly string[] = [
  "{{ toYaml .map }}",
  "{{ toYaml .words }}",
  "{{ range .words }}{{ toYaml . }}\n---\n{{ end }}",
  "{{ range .words }}{{ toYaml (dict `k` .) }}\n---\n{{ toYaml (dict . `v`) }}\n---\n{{ toYaml (dict `k` (list . (dict `l` .))) }}\n---\n{{ end }}",
  "{{ toYaml .list }}\n---\n{{ toYaml .n }}\n---\n{{ toYaml .huge }}\n---\n{{ toYaml .small }}\n---\n{{ toYaml 5 }}\n---\n{{ toYaml .missing }}\n---\n{{ toYaml .yes }}\n---\n{{ toYaml (list) }}\n---\n{{ toYaml (dict) }}",
  "{{ toYaml .map | nindent 4 }}",
  "{{ toYaml (list (list (list 1 2) 3) (dict `a` (dict `b` (list 1))) (list) (dict)) }}",
  "{{ toYaml (dict .key `v` `a` 1) }}",
  "{{ toYaml (dict .key (dict `a` (list 1 (dict `b` 1)) `c` 2) .key2 (list 1 2)) }}",
  "{{ toYaml .spaces }}\n---\n{{ toYaml (dict `k` .colons) }}",
  "{{ toYaml (dict `k` (list .quotes .tabs)) }}",
  "{{ toYaml (dict `k` (dict `l` (trim .spaces)) `m` (printf `%s\\nb` (trim .spaces))) }}",
  "{{ toYaml (dict `a1` 1 `a10` 1 `a2` 1 `a01` 1 `a_b` 1 `aB` 1 `a-b` 1 `B` 1 `1` 1 `` 1 `a.b` 1 `a/b` 1) }}",
];
// As a list's elements read as YAML: 1.1 there.
const YAML_ELEMENTS =
  '- {name: v, flag: yes, off: off, octal: 010, hex: 0x1F, sexagesimal: 1:20, date: 2001-01-01, big: 1_000_000, tilde: ~, on: y, float: 1e3, text: "yes"}';

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
  const tree = readTree(DATA, "data");
  const element = toJson(tree, tree.documents[0] ?? -1);
  const expression = (text: string, generator: Json): Json => ({
    metadata: { name: "set" },
    spec: {
      goTemplate: true,
      generators: [generator],
      template: { metadata: { name: "x" }, spec: { project: text, source: { repoURL: "r" }, destination: {} } },
    },
  });
  for (const text of [...EXPRESSIONS, ...YAML_EXPRESSIONS])
    made.push({ what: text, set: expression(text, { list: { elements: [element] } }) });
  made.push({ what: "elementsYaml", set: expression("{{ toJson . }}", { list: { elementsYaml: YAML_ELEMENTS } }) });
  return made;
}

/** The part of an Application that is compared: its metadata, and its spec without empty values. */
function essence(application: Json, isYaml: boolean): Json {
  const { metadata, spec } = isMapping(application) ? application : {};
  const { name, labels, annotations } = isMapping(metadata) ? metadata : {};
  const project = isYaml && isMapping(spec) ? spec["project"] : undefined;
  const written = typeof project === "string" ? documentsOf(project) : (spec ?? null);
  return pruned({ name: name ?? "", labels: labels ?? null, annotations: annotations ?? null, spec: written });
}

function documentsOf(text: string): Json {
  const tree = readTree(text, "project");
  return tree.documents.map((root) => kubectlJson(tree, root));
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

function inOrder(all: readonly Json[], isYaml: boolean): string[] {
  return all.map((application) => JSON.stringify(essence(application, isYaml))).sort();
}

describe("ApplicationSets, as Argo CD expands them", { skip: unlessFound(ARGOCD_SETS) }, () => {
  it("generate the same Applications, and fail in the same cases", async () => {
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
      const repository = surveyed(folderSnapshot(folder, DEFAULT_LIMITS));
      const differences: string[] = [];
      let applications = 0;
      for (const [i, { what, set }] of all.entries()) {
        const theirs = JSON.parse(answers[i] ?? "") as { applications: Json[] | null; error?: string };
        const { spec } = isMapping(set) ? set : {};
        const ours = expanded({ name: "set", file: "set.yaml", spec: isMapping(spec) ? spec : {} }, repository);
        const unknown = ours.problems.find(({ is }) => is === "unknown");
        const isYaml = YAML_EXPRESSIONS.includes(what);
        const [a, b] = [inOrder(theirs.applications ?? [], isYaml), inOrder(ours.applications, isYaml)];
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
