// Charts in styles that Helm and kpt print in different ways, through research/charts.mjs: each gets its stamps and no
// other change. The script must also notice a program that changes more than stamps.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { GO_READERS } from "./go-readers.ts";
import { HELMS } from "./helm.ts";
import { kpt } from "./kpt.ts";
import { command, root, run, unlessFound, type Run } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";

const HOSTS = ["Helm 3", "Helm 4", "kpt"];

interface Row {
  readonly name: string;
  readonly result: {
    readonly left?: string;
    readonly values?: readonly string[];
    readonly verdicts?: Readonly<Record<string, { readonly stamps?: number; readonly wrong?: string }>>;
  };
}

function charts(folders: readonly string[], ...args: readonly string[]): Run {
  const script = join(root, "research", "charts.mjs");
  const node = { found: true, path: process.execPath } as const;
  return run(node, [script, ...args, ...folders], { cwd: root, env: process.env, timeout: 1_800_000 });
}

const rowsOf = ({ stdout, stderr }: Run): readonly Row[] => {
  assert.notEqual(stdout, "", stderr);
  return JSON.parse(stdout) as readonly Row[];
};

const metadata = (name: string, more = ""): string => `apiVersion: v2\nname: ${name}\nversion: 1.2.3\n${more}`;

const configMap = (data: string): string => `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
${data}`;

const deployment = (template: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector: {matchLabels: {app: web}}
  template:
${template}
    spec:
      containers:
        - name: app
          image: web:1
          envFrom:
            - configMapRef: {name: settings}
`;

const PLAIN = deployment("    metadata:\n      labels: {app: web}");
const SHORT_DATA = configMap("  a: one\n");

/** Helm 4 and kpt print with kyaml, which closes these quotes at column 0, as in the rules of kube-prometheus-stack. */
const QUOTES = configMap(`  rules.yaml: 'groups:

    - name: a

    '
  alone: '

    '
  double: "one
    two \\
    three\\n\\

    "
`);

/** The files of a chart, and its number of stamps. */
interface Style {
  readonly files: Readonly<Record<string, string>>;
  readonly stamps: number;
}

const STYLES: Readonly<Record<string, Style>> = {
  quotes: { files: { "templates/all.yaml": `${QUOTES}---\n${PLAIN}` }, stamps: 1 },
  dashboards: {
    files: {
      "board.json": `${JSON.stringify({ title: "é", expr: 'sum(rate(x{a="b"}[5m]))  ', rows: ["x".repeat(200)] }, undefined, 1)}\n\n`,
      "templates/board.yaml": configMap('  board.json: {{ .Files.Get "board.json" | quote }}\n'),
      "templates/block.yaml": `${configMap('  board.json: |-\n{{ .Files.Get "board.json" | indent 4 }}\n').replace("settings", "blocks")}`,
      "templates/web.yaml": `${PLAIN}            - configMapRef: {name: blocks}\n`,
    },
    stamps: 2,
  },
  annotations: {
    files: {
      "templates/settings.yaml": `{{/* Nothing of this is printed. */}}\n---\n# A comment\n${SHORT_DATA}`,
      "templates/empty.yaml": "{{- if false }}\n{{- end }}\n",
      "templates/web.yaml": [
        "    metadata:\n      annotations: {}\n      labels: {app: web}",
        "    metadata:\n      annotations:\n      labels: {app: web}",
        "    metadata:\n      annotations: null\n      labels: {app: web}",
        "    metadata:\n      annotations:\n        a: b # why\n      labels: {app: web}",
        "    metadata: {labels: {app: web}, annotations: {a: b}}",
      ]
        .map((template, i) => deployment(template).replace("name: web", `name: web-${i}`))
        .join("---\n"),
    },
    stamps: 5,
  },
  json: {
    files: {
      "templates/settings.yaml":
        '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"a":"one"}}\n',
      "templates/web.yaml": `{{ "${Buffer.from(PLAIN).toString("base64")}" | b64dec | fromYaml | toPrettyJson }}\n`,
    },
    stamps: 1,
  },
  // Another Secret in each rendering.
  random: {
    files: {
      "templates/all.yaml": `apiVersion: v1
kind: Secret
metadata:
  name: settings
stringData:
  password: {{ randAlphaNum 20 }}
---
${PLAIN.replace("configMapRef", "secretRef")}`,
    },
    stamps: 1,
  },
  // Only the values of its tests render it. Its dependency is a chart of another clone.
  dependent: {
    files: {
      "Chart.yaml": metadata(
        "dependent",
        "dependencies:\n  - name: quotes\n    version: 1.0.x\n    repository: https://charts.example.com\n",
      ),
      "ci/a-values.yaml": "other: 1\n",
      "ci/b-values.yaml": "needed: 1\n",
      "templates/needed.yaml": '{{ required "needed is required" .Values.needed }}\n'.replace(/^/u, "# "),
    },
    stamps: 1,
  },
};

const LACKING = {
  "Chart.yaml": metadata(
    "lacking",
    "dependencies:\n  - name: nowhere\n    version: 1.0.0\n    repository: https://x.example\n",
  ),
  "templates/all.yaml": SHORT_DATA,
};

/** Two folders of clones: one with the styles, one with a chart that cannot be rendered. */
function clones(names: readonly string[]): string[] {
  const files = names.flatMap((name) =>
    Object.entries({ "Chart.yaml": metadata(name), ...STYLES[name]?.files }).map(([path, text]): [string, string] => [
      `one+charts/${name}/${path}`,
      text,
    ]),
  );
  const others = Object.entries(LACKING).map(([path, text]): [string, string] => [`two+charts/lacking/${path}`, text]);
  return [treeOf(Object.fromEntries(files)).folder, treeOf(Object.fromEntries(others)).folder];
}

/** A program that pipes rollstamp's output through another program. */
function spoilt(by: string): string {
  const path = join(temporaryFolder(), "spoilt");
  writeFileSync(path, `#!/bin/sh\n"${process.execPath}" "${command}" "$@" | ${by}\n`);
  chmodSync(path, 0o755);
  return path;
}

const missing = [GO_READERS, kpt, ...HELMS.map(({ program }) => program)].map(unlessFound).find((why) => why !== false);

describe("charts through Helm 3, Helm 4 and kpt", { skip: missing ?? false, concurrency: 2 }, () => {
  test("each style gets its stamps and no other change", () => {
    const kept = temporaryFolder();
    const result = charts(clones(Object.keys(STYLES)), "--json", "--keep", kept);
    const rows = rowsOf(result);
    for (const [name, { stamps }] of Object.entries(STYLES)) {
      const row = rows.find((each) => each.name === name);
      const expected = Object.fromEntries(HOSTS.map((host) => [host, { stamps }]));
      assert.deepEqual(row?.result.verdicts, expected, name);
    }
    assert.deepEqual(rows.find(({ name }) => name === "dependent")?.result.values, ["ci/b-values.yaml"]);
    assert.match(rows.find(({ name }) => name === "lacking")?.result.left ?? "", /^without nowhere: /u);
    assert.equal(result.status, 0, result.stderr);

    // Helm and kpt really print these styles.
    for (const host of ["Helm4", "kpt"])
      assert.match(readFileSync(join(kept, "quotes", host, "with.yaml"), "utf8"), /^'$/mu, host);
    assert.match(readFileSync(join(kept, "annotations", "Helm4", "with.yaml"), "utf8"), /annotations: \{.*h1-/u);
  });

  test("a list sets the order and the values, names packages, and reports missing charts", () => {
    const off =
      "dependencies:\n  - {name: nowhere, version: 1.0.0, repository: https://x.example, condition: more.enabled}\n";
    const needs = '{{- $_ := required "needed is required" .Values.needed }}\n';
    const { folder } = treeOf({
      "one+charts/needs/Chart.yaml": metadata("needs", off),
      "one+charts/needs/templates/all.yaml": `${needs}${SHORT_DATA}---\n${PLAIN}`,
      "two+charts/packed/Chart.yaml": metadata("packed"),
      "two+charts/packed/templates/all.yaml": `${SHORT_DATA}---\n${PLAIN}`,
      "list.yaml": `charts:
  - {name: packed, count: 3, repository: two/charts, path: packed.tgz}
  - {name: needs, count: 2, repository: one/charts, path: needs, values: {needed: 1, more: {enabled: false}}}
  - {name: gone, count: 1, repository: one/charts, path: gone}
  - {name: closed, count: 0, left: its repository is closed}
`,
    });
    const clone = join(folder, "two+charts");
    assert.equal(spawnSync("tar", ["-czf", "packed.tgz", "packed"], { cwd: clone }).status, 0);
    const list = ["--list", join(folder, "list.yaml")];
    const rows = rowsOf(charts([folder], "--json", ...list));
    const verdicts = Object.fromEntries(HOSTS.map((host) => [host, { stamps: 1 }]));
    assert.deepEqual(
      rows.map(({ name, result }) => [name, result.values, result.verdicts]),
      [
        ["packed", [], verdicts],
        ["needs", ["values of the list"], verdicts],
      ],
    );
    const table = charts([folder], ...list).stdout;
    assert.match(table, /\| one\/charts: needs 1\.2\.3 \(values of the list\) \| 2 \| 1 stamp \|/u);
    assert.match(
      table,
      /\| gone \| 1 \| it is in none of the folders \|\n\| closed \| 0 \| its repository is closed \|/u,
    );
  });

  for (const { what, by, says } of [
    {
      what: "a parent without a stamp",
      by: String.raw`sed 's/^\( *\)containers:$/\1other:\n&/'`,
      says: /differs at line \d+: other:/u,
    },
    {
      what: "annotations without a stamp",
      by: String.raw`sed 's/^\( *\)containers:$/\1annotations:\n&/'`,
      says: /differs at line/u,
    },
    {
      what: "a stamp outside annotations",
      by: String.raw`sed '/annotations:$/{N;s/annotations:\(\n.*rollstamp\)/metadata:\1/}'`,
      says: /reads other values/u,
    },
    { what: "another value", by: "sed 's/groups:/group:/'", says: /differs at line \d+: .*group:/u },
    { what: "a removed line", by: "sed '/image: web/d'", says: /differs at line/u },
    {
      what: "another digest in each run",
      by: `sed "s/h1-[0-9a-f]\\{8\\}/h1-$(printf %08x $$)/"`,
      says: /second run|own output/u,
    },
    { what: "empty output", by: "cat > /dev/null", says: /fails|differs|gone/u },
  ]) {
    test(`${what} is reported`, () => {
      const result = charts(clones(["quotes"]), "--json", "--program", spoilt(by));
      const verdicts = rowsOf(result).find(({ name }) => name === "quotes")?.result.verdicts ?? {};
      for (const host of HOSTS) assert.match(verdicts[host]?.wrong ?? JSON.stringify(verdicts), says, host);
      assert.equal(result.status, 1, result.stderr);
    });
  }
});
