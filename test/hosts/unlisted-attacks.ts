// More attacks of a tenant of Argo CD on the plugin: `.git`, unusual names and archives, obsolete fields of kustomize, plain folders.
import { SENTINEL, type Attack } from "./attacks.ts";
import type { Parameter } from "./cmp.ts";

const META = "apiVersion: v2\nname: x\nversion: 1.0.0\n";
const CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
type Files = Readonly<Record<string, string>>;
const chart = (more: Files = {}): Files => ({ "Chart.yaml": META, "templates/a.yaml": CM, ...more });
const kustomization = (body: string, more: Files = {}): Files => ({
  "kustomization.yaml": `${body}\n`,
  "cm.yaml": CM,
  ...more,
});
const map = (name: string, entries: Files): readonly Parameter[] => [{ name, map: entries }];
const text = (name: string, string: string): readonly Parameter[] => [{ name, string }];
const packed = (files: Files): string => `packed:${JSON.stringify(files)}`;
const SUB = { "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "sub/values.yaml": "a: 1\n" };
const ALL_FILES = `${CM}data: {a: '{{ range $p, $b := .Files }}{{ $b | toString | b64enc }}{{ end }}'}\n`;

const OUT = /this link leads out|outside the repository|leads out of the repository|illegal filepath in symlink/u;
const UNRESTRICTED = { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" };
const WITH_HELM = { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--enable-helm --load-restrictor=LoadRestrictionsNone" };

/** What git keeps for itself in the repository that was sent: addresses with passwords, other branches. */
const GIT = {
  "../.git/config": `[remote "origin"]\n\turl = https://me:${SENTINEL}@git.example/a\n`,
  "../.git/HEAD": "ref: refs/heads/main\n",
  "../.git/x.yaml": `${CM}data: {a: ${SENTINEL}}\n`,
  "../.git/kustomization.yaml": "resources: [x.yaml]\n",
};
const GITS = /inside .git|outside the repository|leads out/u;

const gitOf = (attack: Omit<Attack, "says">): Attack => ({ ...attack, files: { ...GIT, ...attack.files }, says: GITS });

/** Attacks on what git keeps. */
const GIT_ATTACKS: readonly Attack[] = [
  ...["/.git/config", "../.git/config", "linked", "folder/config"].flatMap((path) => [
    gitOf({
      what: `values-files ${path} of git's`,
      files: chart({ linked: "-> ../.git/config", folder: "-> ../.git" }),
      parameters: [{ name: "values-files", array: [path] }],
    }),
    gitOf({
      what: `a file parameter ${path} of git's`,
      files: chart({ folder: "-> ../.git" }),
      parameters: map("helm-file-parameters", { a: path === "linked" ? "folder/HEAD" : path }),
    }),
  ]),
  ...["files", "templates/b", "charts/sub/files", ".helmignore"].map((path) =>
    gitOf({
      what: `a chart's link to git's: ${path}`,
      files: chart({
        ...(path.startsWith("charts") ? { "charts/sub/Chart.yaml": SUB["sub/Chart.yaml"] } : {}),
        [path]:
          path === ".helmignore"
            ? "-> ../.git/config"
            : `-> ${path === "files" ? "" : "../".repeat(path.split("/").length - 1)}../.git`,
        "templates/all.yaml": ALL_FILES,
      }),
    }),
  ),
  ...["../.git/config", "k=../.git/config", "linked", "folder/config"].map((path) =>
    gitOf({
      what: `a generator's file ${path} of git's`,
      files: kustomization(`configMapGenerator: [{name: g, files: ["${path}"]}]`, {
        linked: "-> ../.git/config",
        folder: "-> ../.git",
      }),
      owner: UNRESTRICTED,
    }),
  ),
  ...["../.git", "../.git/x.yaml", "folder", "folder/x.yaml"].map((path) =>
    gitOf({
      what: `a resource ${path} of git's`,
      files: kustomization(`resources: ["${path}"]`, { folder: "-> ../.git" }),
    }),
  ),
  ...["x.yaml", "y.yaml"].map((path) =>
    gitOf({
      what: `a manifest that is a link to git's: ${path}`,
      files: { "cm.yaml": CM, [path]: "-> ../.git/x.yaml" },
    }),
  ),
  ...["/.git/config", "../.git/x.yaml", "linked"].map((path) =>
    gitOf({
      what: `a configuration ${path} of git's`,
      files: { "cm.yaml": CM, linked: "-> ../.git/config" },
      parameters: text("rollstamp-config", path),
    }),
  ),
];

const schema = (body: string): Files =>
  chart({ "values.schema.json": body.replaceAll("KEY", "file:///OUTER/key.json") });
const WAY_OUT = /leads out of it|refers to something outside|JSON/u;

/** Attacks by a chart. */
const CHART_ATTACKS: readonly Attack[] = [
  ...[
    '{"\\u0024ref": "KEY"}',
    '{"$ref": "#", "$ref": "KEY"}',
    '\uFEFF{"$ref": "KEY"}',
    '{"allOf": [{"not": {"if": {"$dynamicRef": "KEY"}}}]}',
    '{"$recursiveRef": "KEY"}',
    '{"properties": {"__proto__": {"$ref": "KEY"}}}',
    '{"$schema": "https://DIALLED/schema"}',
    '{"$defs": {"a": {"$schema": "KEY"}}, "$ref": "#/$defs/a"}',
    '{"$ref": "KEY"} // a comment',
    '{"$ref": "KEY"',
    '[{"$ref": "KEY"}]',
  ].map((body) => ({ what: `a schema ${body}`, files: schema(body), says: WAY_OUT })),
  ...[
    '{"$Ref": "KEY"}',
    '{"ref": "KEY"}',
    '{"$vocabulary": {"KEY": true}}',
    '{"$comment": "KEY", "format": "uri"}',
    '{"$schema": null}',
  ].map((body) => ({
    what: `what is no reference of a schema: ${body}`,
    files: schema(body),
    says: body.includes("null") ? /helm template ended|leads out of it|refers to something outside/u : undefined,
  })),
  ...["latin1:templates/b\u00ff.yaml", "latin1:files/\u00e9\u00ff", "latin1:charts/\u00ff/Chart.yaml"].map((path) => ({
    what: `a name that is no UTF-8: ${JSON.stringify(path)}`,
    files: chart({ [path]: CM }),
    says: /a name that is no UTF-8|illegal|invalid|utf-?8/iu,
  })),
  ...[1, 2, 3].map((depth) => ({
    what: `packed charts that come to more than an application may have, ${depth} deep`,
    files: chart(
      Object.fromEntries(
        [0, 1, 2, 3].map((i) => [
          `charts/sub${i}-1.0.0.tgz`,
          packed({ ...SUB, [`${"sub/charts/y/".repeat(depth - 1)}sub/zeros`]: "zeros:90000000" }),
        ]),
      ),
    ),
    says: /is larger than/u,
  })),
  ...["sub/f", "sub/templates/f", "sub/charts/y/f"].map((name) => ({
    what: `packed charts of very many files: ${name}`,
    files: chart(
      Object.fromEntries([0, 1].map((i) => [`charts/sub${i}-1.0.0.tgz`, packed({ ...SUB, [name]: "many:60000" })])),
    ),
    says: /more than 100000 files/u,
  })),
  ...[3, 10, 16].map((depth) => ({
    what: `a path of ${depth} long names`,
    files: chart({ [`files/${Array.from({ length: depth }, () => "y".repeat(250)).join("/")}/f`]: "a" }),
    // With the folder of the copy before it the last one is longer than a path may be.
    says: depth === 16 ? /can't be written \(ENAMETOOLONG\)|name too long/u : undefined,
  })),
  ...[
    "name: ../../x",
    "name: x\nversion: ../../1",
    "name: x\nversion: 1.0.0\ntype: ../library",
    "name: &a x\n<<: {dependencies: [{name: other, repository: 'file:///OUTER/other'}]}",
  ].map((body) => ({
    what: `a Chart.yaml with ${body}`,
    files: {
      ...chart(),
      "Chart.yaml": `apiVersion: v2\n${body}\n${body.includes("version") ? "" : "version: 1.0.0\n"}`,
    },
    says: /helm template ended|dependencies that are not in its folder|outside the repository/u,
  })),
  ...["../../other", "../x", "/OUTER/other"].map((alias) => ({
    what: `a dependency with the alias ${alias}`,
    files: chart({
      "Chart.yaml": `${META}dependencies: [{name: sub, version: 1.0.0, alias: "${alias}", repository: "file://sub", import-values: ["${alias}"]}]\n`,
      "sub/Chart.yaml": SUB["sub/Chart.yaml"],
      "sub/values.yaml": "a: 1\n",
    }),
    says: /helm template ended|helm dependency build ended/u,
  })),
  ...["sub", "sub/templates/a.yaml", "sub/charts/other", "sub/values.yaml", "sub/Chart.yaml"].map((path) => ({
    what: `a chart beside it with a link out: ${path}`,
    files: chart({
      "Chart.yaml": `${META}dependencies: [{name: sub, version: 1.0.0, repository: "file://sub"}]\n`,
      ...(path === "sub" || path === "sub/Chart.yaml" ? {} : { "sub/Chart.yaml": SUB["sub/Chart.yaml"] }),
      [path]: `-> OUTER/other${{ "sub/templates/a.yaml": "/cm.yaml", "sub/values.yaml": "/values.yaml", "sub/Chart.yaml": "/Chart.yaml" }[path] ?? ""}`,
    }),
    says: OUT,
  })),
  ...["Chart.lock", "requirements.lock", "Chart.LOCK"].flatMap((name) =>
    ["file:///OUTER/other", "https://DIALLED/x", "oci://DIALLED/x"].map((repository) => ({
      what: `dependencies that only ${name} has, at ${repository}`,
      files: chart({
        [name]: `dependencies: [{name: other, version: 1.0.0, repository: "${repository}"}]\ndigest: sha256:x\ngenerated: "2020-01-01T00:00:00Z"\n`,
      }),
    })),
  ),
  ...["crds/a.yaml", "crds/below", "crds"].map((path) => ({
    what: `CRDs that are a link out: ${path}`,
    files: chart({ [path]: `-> OUTER/${path.endsWith("yaml") ? "other/cm.yaml" : "other"}` }),
    says: OUT,
  })),
  ...[
    '{{ getHostByName "DIALLED" }}',
    '{{ tpl (.Files.Get "t") . }}',
    '{{ range $p, $_ := .Files.Glob "{../,/}**" }}{{ $p }}{{ end }}',
    '{{ .Files.Lines "/proc/self/environ" }}',
    "{{ (.Files.AsSecrets) | quote }}",
    "{{ .Capabilities | toJson | b64enc }}",
  ].map((inner) => ({
    what: `a template with ${inner}`,
    files: chart({
      t: '{{ .Files.Get "../../key" }}{{ .Files.Get "OUTER/key" }}',
      "templates/b.yaml": `${CM.replace("name: a", "name: b")}data: {a: '${inner}'}\n`,
    }),
  })),
  ...['{{ env "SIDECAR_TOKEN" }}', '{{ expandenv "$HOME" }}', '{{ readFile "OUTER/key" }}'].map((inner) => ({
    what: `a template with a function that helm has not: ${inner}`,
    files: chart({ "templates/b.yaml": inner }),
    says: /helm template ended/u,
  })),
  ...[
    "a: !include OUTER/key",
    "a: !!binary L2tleQ==",
    "@OUTER/key",
    "<OUTER/key",
    "a: |\n  {{ env `SIDECAR_TOKEN` }}",
  ].map((values) => ({
    what: `values that are ${values}`,
    files: chart({}),
    parameters: text("helm-values", values),
    says: values.startsWith("a") ? undefined : /helm template ended/u,
  })),
  ...[
    ["kube-version", "v1.30.0 --post-renderer=OUTER/key"],
    ["kube-version", "@OUTER/key"],
    ["release-namespace", "../../key"],
  ].map(([name = "", value = ""]) => ({
    what: `${name} ${value}`,
    files: chart({}),
    parameters: text(name, value),
    says: value.startsWith("@") ? /helm template ended/u : undefined,
  })),
  ...[
    map("helm-parameters", Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a${i}[65535]`, "x"]))),
    map("helm-string-parameters", { [`a${"[65535]".repeat(500)}`]: "x" }),
    map("own", Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a${i}[65535]`, "x"]))),
    map("helm-file-parameters", { "a[65535]": "Chart.yaml", "b[65535]": "Chart.yaml" }),
  ].map((parameters, index) => ({
    what: `lists of very many items, ${index}`,
    files: chart({ "values.yaml": "own: {a: b}\n" }),
    parameters,
    says: /make lists of more than 10000 items/u,
  })),
  ...[
    "*.yaml",
    "values-{a,b}.yaml",
    "~/values.yaml",
    "$HOME/values.yaml",
    "${SIDECAR_TOKEN}",
    "..\\..\\key",
    "%2e%2e/%2e%2e/key",
    "values.yaml?x=file:///OUTER/key",
  ].map((path) => ({
    what: `values-files ${path}`,
    files: chart({ "values-a.yaml": "a: 1\n" }),
    parameters: [{ name: "values-files", array: [path] }],
    says: /which does not exist/u,
  })),
  ...["*", "!*", "../", "/", "[", "a".repeat(100_000), "**/x", "\\"].map((pattern) => ({
    what: `a .helmignore with ${pattern.slice(0, 20)}`,
    files: chart({ ".helmignore": `${pattern}\n` }),
    says: ["[", "**/x", "*", "\\", "a".repeat(100_000)].includes(pattern)
      ? /helm template ended|rollstamp: error/u
      : undefined,
  })),
];

/** Attacks by a kustomization. */
const KUSTOMIZATION_ATTACKS: readonly Attack[] = [
  ...["openapi: {path: s.json}", "crds: [s.json]", "configurations: [s.json]"].map((field) => ({
    what: `a schema of kustomize's with a $ref: ${field}`,
    files: kustomization(`resources: [cm.yaml]\n${field}`, {
      "s.json": JSON.stringify({
        definitions: { a: { $ref: "file:///OUTER/key.json" }, b: { $ref: "http://DIALLED/x" } },
        "x.v1.X": { Schema: { properties: { a: { $ref: "file:///OUTER/key.json" } } } },
      }),
    }),
    says: field.startsWith("configurations") ? /kustomize build ended/u : undefined,
  })),
  ...[
    "secretGenerator: [{name: g, commands: {a: 'cat OUTER/key; touch OUTER/ran'}}]",
    "configMapGenerator: [{name: g, kvSources: [{pluginType: Go, name: x, args: [OUTER/key]}]}]",
    "inventory: {type: ConfigMap, configMap: {name: OUTER/key}}",
    "vars: [{name: A, objref: {kind: ConfigMap, name: a, apiVersion: OUTER/key}}]",
    "configMapGenerator: [{name: g, files: ['a=b=OUTER/key']}]",
    "configMapGenerator: [{name: g, files: ['=OUTER/key']}]",
    "configMapGenerator: [{name: g, files: ['a=']}]",
    "configMapGenerator: [{name: g, files: ['-']}]",
    "resources: [[cm.yaml]]",
    "resources: {cm.yaml: OUTER/key}",
    "resources: [!!binary Li4vLi4vb3RoZXI=]",
    "resources: ['..\\..\\other']",
    "resources: ['..%2f..%2fother']",
    "resources: ['~/key', '$HOME/key', '${SIDECAR_TOKEN}']",
    "resources: [cm.yaml]\nresources: [OUTER/other]",
    "resources: [cm.yaml]\npatches: [{path: [OUTER/key]}]",
    "resources: [cm.yaml]\nopenapi: {version: ../../key}",
  ].map((body) => ({
    what: body.replaceAll("\n", "; "),
    files: kustomization(body),
    owner: UNRESTRICTED,
    says: /rollstamp: error: /u,
  })),
  ...[
    "configMapGenerator: [{name: g, literals: ['a=@OUTER/key', 'b=$(cat OUTER/key)']}]",
    "namePrefix: ../../",
    "resources: [cm.yaml]\nnamespace: $SIDECAR_TOKEN",
  ].map((body) => ({
    what: body.replaceAll("\n", "; "),
    files: kustomization(body.includes("resources") ? body : `${body}\nresources: [cm.yaml]`),
    says: body.startsWith("namePrefix") ? undefined : undefined,
  })),
  ...["kustomization.yaml", "kustomization.yml", "Kustomization"].flatMap((name) =>
    ["OUTER/other/kustomization.yaml", "../../other/kustomization.yaml", "/proc/self/environ"].map((target) => ({
      what: `${name} is a link to ${target}`,
      files: { "cm.yaml": CM, [name]: `-> ${target}` },
      says: OUT,
    })),
  ),
  ...["kustomization.yaml", "kustomization.yml", "Kustomization"].map((name) => ({
    what: `${name} is a link to nothing`,
    files: { "cm.yaml": CM, [name]: "-> nowhere.yaml" },
    says: /kustomize build ended/u,
  })),
  ...["base", "deep/base", "cm"].map((name) => ({
    what: `a base that is a link out: ${name}`,
    files: kustomization(`resources: ["${name}"]`, { [name]: "-> OUTER/other" }),
    says: OUT,
  })),
  ...["pipe:", "-> /dev/zero", "-> /dev/stdin"].map((file) => ({
    what: `a resource that is ${file}`,
    files: kustomization("resources: [x.yaml]", { "x.yaml": file }),
    says: /a pipe|a device|leads out|illegal/u,
  })),
  ...["resources: [.]", "resources: [../app]", "resources: [a]", "components: [./]"].map((body) => ({
    what: `a circle: ${body}`,
    files: kustomization(body, {
      "a/kustomization.yaml": "resources: [../b]\n",
      "b/kustomization.yaml": "resources: [../a]\n",
    }),
    says: /kustomize build ended/u,
  })),
];

/** Attacks by `helmCharts`, where the owner has switched helm on. */
const INFLATED = { "charts/x/Chart.yaml": META, "charts/x/templates/a.yaml": CM };
export const UNLISTED_INFLATION_ATTACKS: readonly Attack[] = [
  ...["..", "x/../..", "./.."].map((name) => ({
    what: `charts that are ${name}`,
    files: kustomization(
      `helmCharts: [{name: "${name}", releaseName: a, namespace: a}, {name: "${name}", releaseName: b, namespace: b}]`,
      { "Chart.yaml": META, "templates/b.yaml": CM.replace("name: a", "name: '{{ .Release.Name }}'") },
    ),
    owner: WITH_HELM,
  })),
  ...[
    "valuesFile: '-'",
    "additionalValuesFiles: ['-']",
    "additionalValuesFiles: ['*.yaml']",
    "valuesFile: '/dev/stdin'",
  ].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: /is not there|does not exist|outside the repository/u,
  })),
  ...["version: ../../..", "version: ../../../other", "version: /OUTER"].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: other, repo: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: /outside the repository|is not in 'charts/u,
  })),
  ...[
    "repo: 'https://me:SECRET@DIALLED/x'",
    "repo: 'oci://me:SECRET@DIALLED/x'",
    "repo: 'https://DIALLED/?token=SECRET'",
  ].map((field) => ({
    what: `a chart with a password in ${field}`,
    files: kustomization(`helmCharts: [{name: y, version: 1.0.0, ${field.replace("SECRET", SENTINEL)}}]`, INFLATED),
    owner: WITH_HELM,
    says: /is not in 'charts/u,
  })),
  ...[
    "helmGlobals: {configHome: OUTER}",
    "helmGlobals: {chartHome: '~'}",
    "helmGlobals: {chartHome: ./charts/../../../}",
  ].map((field) => ({
    what: field,
    files: kustomization(`${field}\nhelmCharts: [{name: x}]`, INFLATED),
    owner: WITH_HELM,
    says: field.includes("configHome") ? undefined : /outside the repository|is not in '/u,
  })),
  ...[
    "a: [",
    "values: {a: &a [x], b: [*a, *a]}",
    "valuesInline: [a]",
    "valuesMerge: OUTER/key",
    "includeCRDs: OUTER/key",
    "post-renderer: OUTER/key",
  ].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: /rollstamp: error: /u,
  })),
];

/** Attacks by a plain folder. */
export const PLAIN_ATTACKS: readonly Attack[] = [
  { what: "it renders at all", files: { "cm.yaml": CM } },
  ...["OUTER/other/cm.yaml", "../../other/cm.yaml", "/proc/self/environ", "/dev/zero"].map((target) => ({
    what: `a manifest that is a link to ${target}`,
    files: { "cm.yaml": CM, "x.yaml": `-> ${target}` },
    says: target === "/dev/zero" ? undefined : OUT,
  })),
  ...["OUTER/other", "../..", "/"].map((target) => ({
    what: `a folder below that is a link to ${target}`,
    files: { "cm.yaml": CM, below: `-> ${target}`, "x.yaml": `-> ${target}` },
    parameters: text("directory-recurse", "true"),
  })),
  ...["OUTER/key", "/proc/self/environ", "pipe"].map((target) => ({
    what: `a rollstamp.yaml that is ${target}`,
    files: { "cm.yaml": CM, "rollstamp.yaml": target === "pipe" ? "pipe:" : `-> ${target}` },
    says: target === "pipe" ? undefined : OUT,
  })),
  ...["../../key", "OUTER/key", "/../../key", "https://me:x@DIALLED/x"].map((path) => ({
    what: `a configuration at ${path}`,
    files: { "cm.yaml": CM },
    parameters: text("rollstamp-config", path),
    says: /the plugin parameter 'rollstamp-config' names/u,
  })),
  ...[{ hmacKey: "x" }, { secrets: "OUTER/key" }, { workloads: "{{ env }}" }].map((options) => ({
    what: `options ${JSON.stringify(options)}`,
    files: { "cm.yaml": CM },
    parameters: map("rollstamp-options", options),
    says: /rollstamp-options/u,
  })),
  ...["exec: {path: ./run.sh}", "container: {image: x}", "starlark: {path: x}"].map((how) => ({
    what: `a function in a manifest: ${how}`,
    files: {
      "cm.yaml": CM,
      "run.sh": "#!/bin/sh\ntouch OUTER/ran\n",
      "f.yaml": `apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      ${how}\n`,
    },
  })),
];

export const UNLISTED_CHART_ATTACKS: readonly Attack[] = [
  ...GIT_ATTACKS.filter(({ files }) => Object.hasOwn(files, "Chart.yaml")),
  ...CHART_ATTACKS,
];
export const UNLISTED_KUSTOMIZATION_ATTACKS: readonly Attack[] = [
  ...GIT_ATTACKS.filter(({ files }) => Object.hasOwn(files, "kustomization.yaml")),
  ...KUSTOMIZATION_ATTACKS,
];
export const UNLISTED_PLAIN_ATTACKS: readonly Attack[] = [
  ...GIT_ATTACKS.filter(
    ({ files }) => !Object.hasOwn(files, "kustomization.yaml") && !Object.hasOwn(files, "Chart.yaml"),
  ),
  ...PLAIN_ATTACKS,
];
