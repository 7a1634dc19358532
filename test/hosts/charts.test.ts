// scripts/charts.mjs over charts that are made here, each in a style that hosts print in their own way, and over
// programs that do wrong, which it has to tell; then over the charts of scripts/most-used-charts.yaml, in the clones that
// scripts/chart-clones.mjs has fetched or in folders of clones that ROLLSTAMP_CHARTS=FOLDER:FOLDER names. What came of
// those stands in docs/charts.md.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { GO_READERS } from "./go-readers.ts";
import { HELMS } from "./helm.ts";
import { kpt } from "./kpt.ts";
import { command, isAlive, root, run, unlessFound, type Run } from "./programs.ts";
import { temporaryFolder, treeOf } from "./trees.ts";

const LIST = join(root, "scripts", "most-used-charts.yaml");
const CHARTS = process.env["ROLLSTAMP_CHARTS"];
/** How many of the list have to go through at least: some charts ask for what is not there. */
const LEAST = 100;
const HOSTS = ["Helm 3", "Helm 4", "kpt"];
const HOUR = 3_600_000;

interface Row {
  readonly name: string;
  readonly result: {
    readonly left?: string;
    readonly values?: readonly string[];
    readonly verdicts?: Readonly<Record<string, { readonly stamps?: number; readonly wrong?: string }>>;
  };
}

function charts(folders: readonly string[], ...args: readonly string[]): Run {
  const script = join(root, "scripts", "charts.mjs");
  const node = { found: true, path: process.execPath } as const;
  return run(node, [script, ...args, ...folders], { cwd: root, env: process.env, timeout: 6 * HOUR });
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

/** kyaml, which Helm 4 and kpt print by, closes these quotes at column 0, as in the rules of kube-prometheus-stack. */
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

/** A chart's files, and how many stamps it gets. */
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
  // Another Secret at each rendering.
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
  // Its values don't render it, those of its tests do; its dependency is a chart of another clone.
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

/** Two folders of clones: the styles, and a chart that can't be rendered. */
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

/** A program that has rollstamp's output pass through another one. */
function spoilt(by: string): string {
  const path = join(temporaryFolder(), "spoilt");
  writeFileSync(path, `#!/bin/sh\n"${process.execPath}" "${command}" "$@" | ${by}\n`);
  chmodSync(path, 0o755);
  return path;
}

const missing = [GO_READERS, kpt, ...HELMS.map(({ program }) => program)].map(unlessFound).find((why) => why !== false);

describe("charts through Helm 3, Helm 4 and kpt", { skip: missing ?? false, concurrency: 2 }, () => {
  test("each style gets its stamps, and nothing else", () => {
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

    // The styles are what they are called.
    for (const host of ["Helm4", "kpt"])
      assert.match(readFileSync(join(kept, "quotes", host, "with.yaml"), "utf8"), /^'$/mu, host);
    assert.match(readFileSync(join(kept, "annotations", "Helm4", "with.yaml"), "utf8"), /annotations: \{.*h1-/u);
  });

  test("a list gives order and values, names packages, and tells what is not there", () => {
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

  test("a signal leaves nothing behind", async () => {
    const folder = temporaryFolder();
    const own = temporaryFolder();
    const helm = join(own, "helm");
    const started = join(own, "started");
    // Other tests of this file hold up this process meanwhile: it is at work until it is ended.
    writeFileSync(helm, `#!/bin/sh\necho $$ > '${started}.new'\nmv '${started}.new' '${started}'\nexec sleep 600\n`);
    chmodSync(helm, 0o755);
    const args = [join(root, "scripts", "charts.mjs"), "--helm3", helm, ...clones(["quotes"])];
    const child = spawn(process.execPath, args, { stdio: "ignore", env: { ...process.env, TMPDIR: folder } });
    const closed = once(child, "close");
    while (child.exitCode === null && !existsSync(started)) await setTimeout(20);
    assert.notDeepEqual(readdirSync(folder), []);
    child.kill("SIGTERM");
    assert.deepEqual(await closed, [143, null]);
    assert.deepEqual(readdirSync(folder), []);
    const pid = Number(readFileSync(started, "utf8"));
    // Whoever takes on the orphan waits for it a moment later.
    for (let tries = 0; tries < 250 && isAlive(pid); tries += 1) await setTimeout(20);
    assert.ok(!isAlive(pid));
  });

  for (const { what, by, says } of [
    {
      what: "a parent that holds no stamp",
      by: String.raw`sed 's/^\( *\)containers:$/\1other:\n&/'`,
      says: /differs at line \d+: other:/u,
    },
    {
      what: "annotations that hold no stamp",
      by: String.raw`sed 's/^\( *\)containers:$/\1annotations:\n&/'`,
      says: /differs at line/u,
    },
    {
      what: "a stamp at another place than in annotations",
      by: String.raw`sed '/annotations:$/{N;s/annotations:\(\n.*rollstamp\)/metadata:\1/}'`,
      says: /reads other values/u,
    },
    { what: "another value", by: "sed 's/groups:/group:/'", says: /differs at line \d+: .*group:/u },
    { what: "a line that is gone", by: "sed '/image: web/d'", says: /differs at line/u },
    {
      what: "another digest at each run",
      by: `sed "s/h1-[0-9a-f]\\{8\\}/h1-$(printf %08x $$)/"`,
      says: /second run|own output/u,
    },
    { what: "nothing", by: "cat > /dev/null", says: /fails|differs|gone/u },
  ]) {
    test(`${what} is told`, () => {
      const result = charts(clones(["quotes"]), "--json", "--program", spoilt(by));
      const verdicts = rowsOf(result).find(({ name }) => name === "quotes")?.result.verdicts ?? {};
      for (const host of HOSTS) assert.match(verdicts[host]?.wrong ?? JSON.stringify(verdicts), says, host);
      assert.equal(result.status, 1, result.stderr);
    });
  }

  const { clones: folders, skip } = publicClones();
  test("the most used public ones", { skip, timeout: 6 * HOUR }, (context) => {
    const rows = rowsOf(charts(folders, "--json", "--list", LIST));
    const wrong = rows.flatMap(({ name, result }) =>
      Object.entries(result.verdicts ?? {}).flatMap(([host, each]) =>
        each.wrong === undefined ? [] : [`${name} in ${host}: ${each.wrong}`],
      ),
    );
    const tried = rows.filter(({ result }) => result.left === undefined);
    context.diagnostic(`${tried.length} charts, ${rows.length - tried.length} left out`);
    assert.deepEqual(wrong, []);
    const through = tried.filter(({ result }) => HOSTS.every((host) => result.verdicts?.[host]?.stamps !== undefined));
    assert.ok(through.length >= LEAST, `${through.length} charts went through, and ${LEAST} had to`);
    assert.ok(through.some(({ name }) => name === "kube-prometheus-stack"));
  });
});

/** Folders of clones; where there are none, why the test is skipped. Nothing is fetched here. */
function publicClones(): { readonly clones: readonly string[]; readonly skip: string | false } {
  if (CHARTS !== undefined) return { clones: CHARTS.split(delimiter), skip: false };
  if (process.env["ROLLSTAMP_LONG"] !== "1") return { clones: [], skip: "half an hour: ROLLSTAMP_LONG=1 runs it" };
  const script = join(root, "scripts", "chart-clones.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, "--where"], { encoding: "utf8" });
  return status === 0 ? { clones: [stdout.trim()], skip: false } : { clones: [], skip: stderr.trim() };
}
