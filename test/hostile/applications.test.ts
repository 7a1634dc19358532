// A repository that means harm to `rollstamp apps`: all that it supplies is bounded, and nothing outside is read.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli, type CliResult } from "../support/cli.ts";
import { writeFiles, type Files } from "../support/folders.ts";

const BOMB = `a: &a [x,x,x,x,x,x,x,x,x]\n${"abcdefghi"
  .split("")
  .slice(1)
  .map((name, i) => `${name}: &${name} [${Array.from({ length: 9 }, () => `*${"abcdefghi"[i]}`).join(",")}]\n`)
  .join("")}resources: [*i]\n`;

function set(generators: string, more = ""): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: set}
spec:
  generators: ${generators}
  ${more}
  template: {metadata: {name: '{{a}}'}, spec: {source: {repoURL: x, path: a}}}
`;
}

/** The output of the command for some files, with links next to them. */
async function said(
  files: Files,
  links: Readonly<Record<string, string>> = {},
  ...options: string[]
): Promise<CliResult> {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-apps-"));
  try {
    mkdirSync(join(folder, "repo/.git"), { recursive: true });
    writeFileSync(join(folder, "secret.yaml"), "clusters: planted-outside\n- broken");
    writeFiles(join(folder, "repo"), { "a/kustomization.yaml": "", ...files });
    for (const [at, to] of Object.entries(links)) symlinkSync(to, join(folder, "repo", at));
    return await cli(["apps", "--verbose", ...options, join(folder, "repo")]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const many = (n: number): string => Array.from({ length: n }, (_, i) => `{a: x${i}}`).join(", ");
const elements = (n: number): string => `{list: {elements: [${many(n)}]}}`;

const ROWS: readonly { readonly what: string; readonly files: Files; readonly says: RegExp }[] = [
  {
    what: "a kustomization whose aliases grow",
    files: { "x/kustomization.yaml": BOMB },
    says: /error: Kustomization x\/kustomization\.yaml: .*aliases/u,
  },
  {
    what: "a generator's file whose aliases grow",
    files: { "set.yaml": set("[{git: {repoURL: x, files: [{path: 'c.json'}]}}]"), "c.json": BOMB },
    says: /error: ApplicationSet set in set\.yaml: c\.json: .*aliases/u,
  },
  {
    what: "a matrix that multiplies",
    files: {
      "set.yaml": set(`[{matrix: {generators: [${elements(2000)}, ${elements(2000).replaceAll("{a:", "{b:")}]}}]`),
    },
    says: /error: ApplicationSet set in set\.yaml: it generates more than 10000 Applications/u,
  },
  {
    what: "generators nested more deeply than Argo CD nests them",
    files: {
      "set.yaml": set(
        `[${"{matrix: {generators: [".repeat(50)}${elements(1)}, ${elements(1)}${`]}}, ${elements(1)}`.repeat(49)}]}}]`,
      ),
    },
    says: /error: ApplicationSet set in set\.yaml: its generators are nested more than twice/u,
  },
  {
    what: "a template that is nested too deeply",
    files: {
      "set.yaml": set(`[${elements(1)}]`, "goTemplate: true").replace(
        "'{{a}}'",
        `'${"{{ if . }}".repeat(1000)}${"{{ end }}".repeat(1000)}'`,
      ),
    },
    says: /ApplicationSet set in set\.yaml: its template is nested too deeply/u,
  },
  {
    what: "a range over a number that is large",
    files: {
      "set.yaml": set(`[${elements(1)}]`, "goTemplate: true").replace("'{{a}}'", `'{{ range 1000000000 }}{{ end }}'`),
    },
    says: /error: ApplicationSet set in set\.yaml: its template takes more than 100000 steps/u,
  },
  {
    what: "a template that is small in each of thousands of elements: steps",
    files: {
      "set.yaml": set(`[${elements(5000)}]`, "goTemplate: true").replace(
        "'{{a}}'",
        "'{{ range 9000 }}{{ $x := upper $.a }}{{ end }}{{ .a }}'",
      ),
    },
    says: /error: ApplicationSet set in set\.yaml: the templates of all ApplicationSets take more than 5000000 steps together$/mu,
  },
  {
    what: "a template that is small in each of thousands of elements: text",
    files: {
      "set.yaml": set(`[${elements(5000)}]`, "goTemplate: true").replace(
        "'{{a}}'",
        String.raw`"{{ range 60 }}{{ nindent 1000 \"x\\n\\n\\n\\n\\n\\n\\n\\n\" }}{{ end }}{{ .a }}"`,
      ),
    },
    says: /: the templates of all ApplicationSets produce more than 64 MiB of text together$/mu,
  },
  {
    what: "a value that a template repeats, in thousands of elements",
    files: {
      "set.yaml": set(
        `[{matrix: {generators: [{list: {elements: [{v: ${"v".repeat(5000)}}]}}, ${elements(3000)}]}}]`,
      ).replace("{{a}}", `{{a}}${"{{v}}".repeat(1000)}`),
    },
    says: /: the templates of all ApplicationSets produce more than 64 MiB of text together$/mu,
  },
  {
    what: "a template with thousands of fields, for thousands of elements",
    files: { "set.yaml": set(`[${elements(5000)}]`).replace("path: a", `path: a, info: [${"{b: c}, ".repeat(5000)}]`) },
    says: /: the templates of all ApplicationSets take more than 5000000 steps together$/mu,
  },
  {
    what: "a selector with thousands of values, for thousands of elements",
    files: {
      "set.yaml": set(
        `[{list: {elements: [${many(9000)}]}, selector: {matchExpressions: [{key: a, operator: NotIn, values: [${"b, ".repeat(9000)}]}]}}]`,
      ),
    },
    says: /: the templates of all ApplicationSets take more than 5000000 steps together$/mu,
  },
  {
    what: "elements that fail, in thousands",
    files: { "set.yaml": set(`[${elements(9000)}]`, "goTemplate: true").replace("{{a}}", "{{ nothing .a }}") },
    says: /not examined: ApplicationSet set in set\.yaml: its template uses the function nothing, which rollstamp does not support$/mu,
  },
  {
    what: "braces without an end, in thousands of elements",
    files: { "set.yaml": set(`[${elements(9000)}]`).replace("{{a}}", "{".repeat(50_000)) },
    says: /^error: ApplicationSet set in set\.yaml: it makes 9000 Applications of the name .{1,1000}: Argo CD takes none of them$/mu,
  },
  {
    what: "a template that does not end",
    files: {
      "set.yaml": set(elements(1).replace(/^/u, "[").replace(/$/u, "]"), "goTemplate: true").replace(
        "'{{a}}'",
        "'{{ range 10000 }}{{ range 10000 }}{{ nindent 1000 \"x\" }}{{ end }}{{ end }}'",
      ),
    },
    says: /error: ApplicationSet set in set\.yaml: its template (?:produces more than 1 MiB of text|takes more than)/u,
  },
  {
    what: "keys that are a prototype's",
    files: {
      "set.yaml": set("[{list: {elements: [{__proto__: {a: y}, constructor: z}]}}]", "goTemplate: true").replace(
        "{{a}}",
        "n-{{ .constructor }}-{{ .toString }}",
      ),
    },
    says: /^Kustomize +Argo CD ApplicationSet +Manual +n-z-<no value> +a$/mu,
  },
  {
    what: "patterns that are slow in other implementations",
    files: {
      "set.yaml": set(`[{git: {repoURL: x, directories: [{path: '${"*a".repeat(200)}b'}]}}]`),
      [`${"a".repeat(200)}/x.yaml`]: "a: 1\n",
      "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {ignore: ['${"**/*a".repeat(150)}']}\n`,
    },
    says: /^Kustomize +kustomization +(?:Orphan +)?a$/mu,
  },
  {
    what: "braces that multiply",
    files: {
      "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {ignore: ['${"{a,b}".repeat(60)}']}\n`,
    },
    says: /is not a valid pattern of paths/u,
  },
  {
    what: "kustomizations in a long chain, and in a cycle",
    files: Object.fromEntries(
      Array.from({ length: 1000 }, (_, i) => [`k/${i}/kustomization.yaml`, `resources: [../${(i + 1) % 1000}]\n`]),
    ),
    says: /error: Kustomization k\/0, k\/1,.*it is part of a cycle of kustomizations/u,
  },
  {
    what: "control characters in names",
    files: {
      "x.yaml":
        'apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: "\\e[31m::error"}\nspec: {source: {repoURL: x, path: a}}\n',
    },
    says: /^Kustomize +Argo CD Application +Manual +\\u001b\[31m::error +a$/mu,
  },
];

describe("rollstamp apps over a hostile repository", () => {
  for (const { what, files, says } of ROWS) {
    it(`ends with a message: ${what}`, async () => {
      const { stdout, stderr } = await said(files);
      assert.match(stdout + stderr, says);
    });
  }

  it("reads nothing outside", async () => {
    const outside = { "x/kustomization.yaml": "../../secret.yaml", "rollstamp.yaml": "../secret.yaml" };
    const { stdout, stderr, status } = await said({ "x/a.yaml": "a: 1\n" }, outside);
    assert.doesNotMatch(stdout + stderr, /planted-outside/u);
    assert.equal(status, 2);
    const others = await said(
      { "set.yaml": set("[{git: {repoURL: x, files: [{path: 'c.json'}]}}]"), "y/Chart.yaml": "name: y\n" },
      { "c.json": "../secret.yaml", folder: "..", "y/requirements.yaml": "../../secret.yaml" },
    );
    assert.doesNotMatch(others.stdout + others.stderr, /planted-outside/u);
    assert.match(others.stdout, /LinkOut .*folder/u);
  });

  it("limits the Applications of all ApplicationSets together", async () => {
    const sets = Object.fromEntries(
      ["a", "b", "c"].map((name) => [
        `${name}.yaml`,
        set(`[${elements(4)}]`)
          .replace("name: set", `name: ${name}`)
          .replace("metadata: {name: ", `metadata: {name: ${name}-`),
      ]),
    );
    const { status, stdout } = await said({ "x/a.yaml": "a: 1\n", ...sets }, {}, "--max-applications", "8");
    assert.deepEqual([status, stdout.match(/generate more than 8 Applications/gu)?.length], [1, 1], stdout);
  });

  it("refuses a thousand patterns with braces over thousands of files, with the name of the limit", async () => {
    const patterns = Array.from({ length: 300 }, (_, i) => `'**/{a,b}*{a,b}*{a,b}*${i}'`).join(", ");
    const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`b/${"a".repeat(60)}${i}.yaml`, "a: 1\n"]));
    const { status, stderr } = await said(
      {
        ...files,
        "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {ignore: [${patterns}]}\n`,
      },
      {},
      "--max-comparisons",
      "1000000",
    );
    assert.equal(status, 2);
    assert.match(stderr, /patterns of 'ignore' in rollstamp\.yaml takes more than 1000000 steps\n.*--max-comparisons/u);
  });

  it("limits the applications that entries of rollstamp.yaml multiply", async () => {
    const folders = Object.fromEntries(Array.from({ length: 4 }, (_, i) => [`f${i}/a.yaml`, "a: 1\n"]));
    const entries = (n: number): string => Array.from({ length: n }, (_, i) => `{path: "f*", name: n${i}}`).join(", ");
    const config = (rows: string): Files => ({
      ...folders,
      "rollstamp.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: Applications\nspec: {applications: [${rows}]}\n`,
    });
    const over = await said(config(`${entries(8)}, {path: f0, name: last}`), {}, "--max-applications", "20");
    assert.equal(over.status, 1);
    assert.match(over.stdout, /more than 20 further applications of folders that have one; .*\(--max-applications\)/u);
    assert.doesNotMatch(over.stdout, /\b(?:n6|last)\b/u);
    assert.equal((await said(config(entries(6)), {}, "--max-applications", "20")).status, 0);
    for (const more of ["", ", stampedBy: Plugin"]) {
      const { status, stderr } = await said(config(`{path: "f*[0-9]"${more}}`), {}, "--max-comparisons", "8");
      assert.equal(status, 2);
      assert.match(stderr, /in rollstamp\.yaml takes more than 8 steps\n.*--max-comparisons/u);
    }
  });

  for (const generator of ["directories", "files"])
    it(`limits the steps of thousands of patterns of a git generator: ${generator}`, async () => {
      const patterns = Array.from({ length: 300 }, (_, i) => `{path: '*a*a*a*a${i}b'}`).join(", ");
      const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${"a".repeat(60)}${i}/x.json`, "{}"]));
      const { status, stdout } = await said(
        { ...files, "set.yaml": set(`[{git: {repoURL: x, ${generator}: [${patterns}]}}]`) },
        {},
        "--max-comparisons",
        "1000000",
      );
      assert.equal(status, 1);
      assert.match(
        stdout,
        /set\.yaml: comparing patterns of git generators with paths takes more than 1000000 steps$/mu,
      );
    });

  it("limits the steps of patterns in the directories of hundreds of Applications", async () => {
    const files = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`b/${"a".repeat(60)}${i}.yaml`, "a: 1\n"]));
    const application = (i: number): string =>
      `---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a${i}}\nspec: {source: {repoURL: x, path: b, directory: {exclude: '*a*a*a*a${i}b'}}}\n`;
    const { status, stdout } = await said(
      { ...files, "apps.yaml": Array.from({ length: 300 }, (_, i) => application(i)).join("") },
      {},
      "--max-comparisons",
      "1000000",
    );
    assert.equal(status, 1);
    assert.match(stdout, /include and exclude take too many comparisons with paths \(--max-comparisons\)/u);
  });

  it("reads Secrets with more values than a call may have arguments", async () => {
    const secret = (content: string): string =>
      `---\napiVersion: v1\nkind: Secret\nmetadata: {name: all, namespace: x}\nstringData: ${content}\n`;
    const flux = (kind: string, spec: string): string =>
      `apiVersion: ${kind === "HelmRelease" ? "helm" : "kustomize"}.toolkit.fluxcd.io/v2\nkind: ${kind}\nmetadata: {name: web, namespace: x}\nspec: ${spec}\n`;
    const names = Array.from({ length: 150_000 }, (_, i) => `a${i}: b`).join(", ");
    const files = {
      "variables.yaml": `${flux("Kustomization", "{path: ./a, postBuild: {substituteFrom: [{kind: Secret, name: all}]}}")}${secret(`{${names}}`)}`,
      "values.yaml": `${flux("HelmRelease", "{chart: {spec: {chart: ./c, sourceRef: {kind: GitRepository, name: x}}}, valuesFrom: [{kind: Secret, name: all}]}")}${secret(`{values.yaml: "a: [${"1,".repeat(150_000)}]"}`)}`,
      "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
    };
    for (const name of ["variables.yaml", "values.yaml"] as const) {
      const { status, stderr } = await said({ [name]: files[name], "c/Chart.yaml": files["c/Chart.yaml"] });
      assert.equal(status, 0, stderr);
    }
  });

  it("follows links inside", async () => {
    const { stdout } = await said({ "b/web.yaml": "a: 1\n" }, { "b/kustomization.yaml": "../a/kustomization.yaml" });
    assert.match(stdout, /^Kustomize +kustomization +(?:Orphan +)?a$/mu);
  });
});
