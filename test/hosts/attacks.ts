// Attacks of a tenant of Argo CD on the plugin, through files and through parameters of the Application.
import type { Parameter } from "./cmp.ts";

/** What must be in no output, no argument and no environment: contents outside, the key, a variable of the sidecar. */
export const SENTINEL = "planted-0f3a9c";

export interface Attack {
  readonly what: string;
  /** Of the application's folder; `-> target` is a link, `pipe:` a named pipe. `OUTER` is the folder above. */
  readonly files: Readonly<Record<string, string>>;
  readonly subcommand?: "generate" | "parameters";
  readonly parameters?: readonly Parameter[];
  /** What the Application adds to the environment. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What the sidecar's owner has set. */
  readonly owner?: Readonly<Record<string, string>>;
  /** What the plugin says, where it is not to succeed. */
  readonly says?: RegExp | undefined;
}

const META = "apiVersion: v2\nname: x\nversion: 1.0.0\n";
const TEMPLATE = `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data:
  values: {{ .Values | toJson | quote }}
  files: {{ range $p, $b := .Files }}{{ $b | toString | b64enc }}{{ end }}x
`;
const CHART = { "Chart.yaml": META, "templates/a.yaml": TEMPLATE };
const chart = (more: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({ ...CHART, ...more });
const map = (name: string, entries: Readonly<Record<string, string>>): readonly Parameter[] => [{ name, map: entries }];
const text = (name: string, string: string): readonly Parameter[] => [{ name, string }];

const FILE_KEYS = [
  "a=OUTER/key,b",
  "a=file:///OUTER/key,b",
  "a=https://DIALLED/x,b",
  "a,b=OUTER/key,c",
  "x[0]=OUTER/key,b",
  "a\\",
];
// The last is Argo CD's own plugin server, which takes no such link.
const OUT = /this link leads out|outside the repository|leads out of the repository|illegal filepath in symlink/u;
const schema = (ref: object): string => JSON.stringify({ type: "object", ...ref });
/** A packed chart, of names that are written as they stand; `-> target` is a link. */
const packed = (files: Readonly<Record<string, string>>): string => `packed:${JSON.stringify(files)}`;
const SUB = { "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "sub/values.yaml": "a: 1\n" };
const MISSING = /dependencies that are not in its folder 'charts'/u;

/** Attacks by a chart. */
export const CHART_ATTACKS: readonly Attack[] = [
  { what: "it renders at all", files: chart({}) },
  ...FILE_KEYS.map((key) => ({
    what: `helm-file-parameters with the key ${key}`,
    files: chart({ own: "1" }),
    parameters: map("helm-file-parameters", { [key]: "own" }),
    says: /has the path/u,
  })),
  ...["a\\\\,b=OUTER/key", "a,b=OUTER/key", "a\\\\\\\\,b=OUTER/key"].map((name) => ({
    what: `helm-file-parameters with a file ${name}`,
    files: chart({ [name.replaceAll("OUTER/", "")]: "own", "a\\\\,b=": "own" }),
    parameters: map("helm-file-parameters", { k: name.replaceAll("OUTER/", "") }),
  })),
  ...["helm-parameters", "helm-string-parameters"].flatMap((name) =>
    ["a\\\\,b=OUTER/key", "x,@OUTER/key", "{a},b={c}"].map((value) => ({
      what: `${name} with the value ${value}`,
      files: chart({}),
      parameters: map(name, { k: value.replaceAll("OUTER/", "") }),
    })),
  ),
  ...[
    '{{ env "SIDECAR_TOKEN" }}',
    '{{ expandenv "$ROLLSTAMP_HMAC_KEY" }}',
    '{{ getHostByName "example.com" }}',
    "--post-renderer=OUTER/key",
    "-f=OUTER/key",
  ].map((name) => ({
    what: `the release's name ${name}`,
    files: chart({}),
    parameters: text("release-name", name),
    says: /the release name is invalid/u,
  })),
  ...["a,OUTER/key", '"OUTER/key"', "file:///OUTER/key", "../../key", "/../key", "-"].map((path) => ({
    what: `values-files ${path}`,
    files: chart({}),
    parameters: [{ name: "values-files", array: [path] }],
    says: /the plugin parameter 'values-files' names/u,
  })),
  ...["dependencies", "Dependencies", "DEPENDENCIES", "dependencie\u017f"].flatMap((key) =>
    ["file://../../other", "https://DIALLED/charts", "oci://DIALLED/x", "@stable", ""].map((repository) => ({
      what: `Chart.yaml with ${key} at ${repository}`,
      files: chart({
        "Chart.yaml": `${META}${key}: [{name: other, version: 1.0.0, repository: "${repository}"}]\n`,
      }),
      says: new RegExp(`${MISSING.source}|outside the repository`, "u"),
    })),
  ),
  ...["v1", "v2"].flatMap((version) =>
    ["file://../../other", "https://DIALLED/charts", "file:///OUTER/other"].map((repository) => ({
      what: `requirements.yaml of ${version} at ${repository}`,
      files: chart({
        "Chart.yaml": META.replace("v2", version),
        "requirements.yaml": `dependencies: [{name: other, version: 1.0.0, repository: "${repository}"}]\n`,
      }),
      says: new RegExp(`${MISSING.source}|outside the repository`, "u"),
    })),
  ),
  ...["file://../../other", "https://DIALLED/charts", "file://../other"].map((repository) => ({
    what: `Chart.lock at ${repository}`,
    files: chart({
      "Chart.yaml": `${META}dependencies: [{name: other, version: 1.0.0, repository: "https://a:${SENTINEL}@DIALLED"}]\n`,
      "Chart.lock": `dependencies: [{name: other, version: 1.0.0, repository: "${repository}"}]\ndigest: sha256:x\ngenerated: "2020-01-01T00:00:00Z"\n`,
    }),
    says: MISSING,
  })),
  ...[
    "charts/other",
    "charts/other/templates",
    "files",
    "values.yaml",
    "templates/b.yaml",
    ".helmignore",
    "crds/a.yaml",
  ].map((path) => ({
    what: `a link out: ${path}`,
    files: chart({ [path]: `-> ${path.startsWith("charts") || path === "files" ? "OUTER/other" : "OUTER/key"}` }),
    says: OUT,
  })),
  {
    what: "a link out in a chart beside it",
    files: chart({
      "Chart.yaml": `${META}dependencies: [{name: sub, version: 1.0.0, repository: "file://sub"}]\n`,
      "sub/Chart.yaml": SUB["sub/Chart.yaml"],
      "sub/files": "-> OUTER/other",
    }),
    says: OUT,
  },
  ...["file:///OUTER/key.json", "http://DIALLED/x", "../../../../../../../proc/self/environ", "OUTER/key.json"].flatMap(
    (ref) => [
      {
        what: `a schema with $ref ${ref}`,
        files: chart({ "values.schema.json": schema({ $ref: ref }) }),
        says: /refers to something outside/u,
      },
      {
        what: `a schema with $schema ${ref}`,
        files: chart({ "values.schema.json": schema({ $schema: ref }) }),
        says: /refers to something outside/u,
      },
      {
        what: `a subchart's schema with $ref ${ref}`,
        files: chart({
          "charts/sub/Chart.yaml": SUB["sub/Chart.yaml"],
          "charts/sub/values.yaml": "a: 1\n",
          "charts/sub/values.schema.json": schema({ allOf: [{ $ref: ref }] }),
        }),
        says: /refers to something outside/u,
      },
      {
        what: `a packed subchart's schema with $ref ${ref}`,
        files: chart({
          "charts/sub-1.0.0.tgz": packed({
            ...SUB,
            "sub/./values.schema.json": schema({ properties: { a: { $ref: ref } } }),
          }),
        }),
        says: /refers to something outside/u,
      },
    ],
  ),
  ...[
    "sub\\values.schema.json\\",
    "sub/x/../values.schema.json",
    "sub\\charts\\y\\.\\values.schema.json",
    "sub/charts/y/values.schema.json",
  ].map((name) => ({
    what: `a packed subchart with a schema named ${name}`,
    files: chart({
      "charts/sub-1.0.0.tgz": packed({
        ...SUB,
        "sub/charts/y/Chart.yaml": "apiVersion: v2\nname: y\nversion: 1.0.0\n",
        [name]: schema({ $ref: "file:///OUTER/key.json" }),
      }),
    }),
    says: /refers to something outside/u,
  })),
  ...["sub/../../key", "sub//values.schema.json", "Chart.yaml/x", "/values.yaml"].map((name) => ({
    what: `a packed subchart with a file named ${name}`,
    files: chart({ "charts/sub-1.0.0.tgz": packed({ ...SUB, [name]: "a: 1\n" }) }),
    says: name.startsWith("/") ? undefined : /outside its folder/u,
  })),
  ...["OUTER/key", "../../key", "/proc/self/environ"].map((target) => ({
    what: `a packed subchart with a link to ${target}`,
    files: chart({
      "charts/sub-1.0.0.tgz": packed({
        ...SUB,
        "sub/linked": `-> ${target}`,
        "sub/templates/a.yaml": '# {{ .Files.Get "linked" }}\n',
      }),
    }),
  })),
  ...[
    { $id: "file:///OUTER/key.json", $ref: "#" },
    {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "file:///OUTER/key.json",
      allOf: [{ $ref: "#/x" }],
      x: {},
    },
    { $id: "http://DIALLED/x", $defs: { a: { $anchor: "a" } }, allOf: [{ $ref: "#a" }] },
    { $defs: { a: { $id: "file:///OUTER/other/", $ref: "#/$defs/b", $defs: { b: {} } } }, $ref: "#/$defs/a" },
  ].map((given) => ({
    what: `a schema that calls itself ${JSON.stringify(given)}`,
    files: chart({ "values.schema.json": schema(given) }),
    // Some of these go around for ever to the library: nothing is read for them all the same.
    says: "$id" in given && given.$ref === "#" ? /helm template ended/u : undefined,
  })),
  {
    what: "a packed subchart is taken",
    files: chart({
      "charts/sub-1.0.0.tgz": packed({
        ...SUB,
        "sub/values.schema.json": schema({ $ref: "#/$defs/a", $defs: { a: {} } }),
      }),
    }),
  },
  {
    what: "a schema that is left out",
    files: chart({ "values.schema.json": schema({ $ref: "file:///OUTER/key.json" }) }),
    parameters: text("skip-schema-validation", "true"),
  },
  ...[
    text("release-namespace", "a\0b"),
    map("helm-parameters", { "a\0": "b" }),
    [{ name: "values-files", array: ["\0"] }],
    text("helm-values", "\0"),
  ].map((parameters) => ({
    what: `a NUL in ${parameters[0]?.name ?? ""}`,
    files: chart({}),
    parameters,
    says: /contains a NUL/u,
  })),
  ...[
    map("helm-parameters", { a: ",".repeat(70_000) }),
    map("helm-file-parameters", { ["{".repeat(66_000)]: "Chart.yaml" }),
    map("helm-string-parameters", { a: ",".repeat(66_000) }),
  ].map((parameters) => ({
    what: `128 KB in ${parameters[0]?.name ?? ""}`,
    files: chart({ "values.yaml": "own: a\n" }),
    parameters,
    says: /a program takes 131071 in one/u,
  })),
  ...["values.yaml", "templates/b.yaml", "own.yaml", "charts/sub/values.yaml"].map((path) => ({
    what: `a pipe in the place of ${path}`,
    files: chart({ "charts/sub/Chart.yaml": SUB["sub/Chart.yaml"], [path]: "pipe:" }),
    parameters: path === "own.yaml" ? [{ name: "values-files", array: ["own.yaml"] }] : [],
    says: /a pipe|which is not a file|illegal|unsupported|no such file|not be found|which does not exist/u,
  })),
  ...["/proc/self/environ", "/proc/1/environ", "/dev/stdin", "/proc/self/fd/0"].flatMap((target) => [
    { what: `values.yaml is a link to ${target}`, files: chart({ "values.yaml": `-> ${target}` }), says: OUT },
    {
      what: `a file parameter that is a link to ${target}`,
      files: chart({ own: `-> ${target}` }),
      parameters: map("helm-file-parameters", { a: "own" }),
      says: OUT,
    },
  ]),
  ...["/proc/self/environ", "../../../../../../../../proc/self/environ", "/../../../../../proc/1/environ"].map(
    (path) => ({
      what: `a file parameter ${path}`,
      files: chart({}),
      parameters: map("helm-file-parameters", { a: path }),
      says: /which does not exist|outside the repository/u,
    }),
  ),
  ...[
    { ARGOCD_ENV_HELM_FILE_PARAMETERS: "a=OUTER/key" },
    { ARGOCD_ENV_VALUES_FILES: "../../key" },
    { ARGOCD_ENV_HELM_FILE_PARAMETERS: "a=own=OUTER/key" },
    { ARGOCD_ENV_RELEASE_NAME: '{{ env "SIDECAR_TOKEN" }}' },
  ].map((environment) => ({
    what: `plugin.env with ${JSON.stringify(environment)}`,
    files: chart({}),
    environment,
    says: /which does not exist|outside the repository|the release name is invalid/u,
  })),
  ...["$SIDECAR_TOKEN", "${ROLLSTAMP_HMAC_KEY}", "$ROLLSTAMP_HMAC_KEY_FILE", "$ARGOCD_APP_PARAMETERS"].map((value) => ({
    what: `a parameter that asks for ${value}`,
    files: chart({}),
    parameters: map("helm-parameters", { a: value }),
  })),
  ...[
    [{ name: "values-files", array: [`https://me:${SENTINEL}@DIALLED/x`] }],
    [{ name: "values-files", array: [`https://DIALLED/x?private_token=${SENTINEL}`] }],
    map("helm-file-parameters", { a: `git::https://me:${SENTINEL}/x@DIALLED/x` }),
    text("rollstamp-config", `me:${SENTINEL}@git.example:x/y`),
  ].map((parameters) => ({
    what: `a URL with a password in ${parameters[0]?.name ?? ""}`,
    files: chart({}),
    parameters,
    says: /the plugin parameter '/u,
  })),
  ...["OUTER/key", "/proc/self/environ", "../other/values.yaml", "linked"].map((target) => ({
    what: `its parameters, with a values.yaml that is a link to ${target}`,
    files: chart({ "values.yaml": `-> ${target}`, linked: "-> OUTER/key" }),
    subcommand: "parameters" as const,
    says: /leads out|can't be read|illegal/u,
  })),
  {
    what: "its parameters, with a pipe",
    files: chart({ "values.yaml": "pipe:" }),
    subcommand: "parameters",
    says: /a pipe|can't be read|illegal/u,
  },
  ...["../sub", "a/../../x", "/sub"].map((name) => ({
    what: `a dependency of the repository with the name ${name}`,
    files: chart({
      "Chart.yaml": `${META}dependencies: [{name: "${name}", version: 1.0.0, repository: "file://sub"}]\n`,
      "sub/Chart.yaml": `apiVersion: v2\nname: "${name}"\nversion: 1.0.0\n`,
    }),
    says: /helm dependency build ended|helm template ended|are not in its folder/u,
  })),
  ...[
    '{{ .Files.Get "/etc/hostname" }}',
    '{{ .Files.Get "../../key" }}',
    '{{ (lookup "v1" "Secret" "" "").items }}',
  ].map((inner) => ({
    what: `a template with ${inner}`,
    files: chart({
      "templates/b.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {a: '${inner}'}\n`,
    }),
  })),
  ...[
    `{{ fail .Values.p }}`,
    `{{ int (required "x" .Values.p) | fail }}{{ atoi .Values.p }}`,
    `{{ .Values.p | fromJson | toJson | fail }}`,
  ].map((inner) => ({
    what: `words that quote a value: ${inner}`,
    files: chart({ "templates/b.yaml": inner }),
    parameters: text("helm-values", `p: ${SENTINEL}-value`),
    says: /helm template ended/u,
  })),
];

const CM = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
const kustomization = (
  body: string,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> => ({
  "kustomization.yaml": `${body}\n`,
  "cm.yaml": CM,
  ...more,
});
const FIELDS: readonly ((path: string) => string)[] = [
  (path) => `resources: ["${path}"]`,
  (path) => `Resources: ["${path}"]`,
  (path) => `re\u017fources: ["${path}"]`,
  (path) => `bases: ["${path}"]`,
  (path) => `components: ["${path}"]`,
  (path) => `resources: [cm.yaml]\ncrds: ["${path}"]`,
  (path) => `resources: [cm.yaml]\nconfigurations: ["${path}"]`,
  (path) => `resources: [cm.yaml]\nopenapi: {path: "${path}"}`,
  (path) => `resources: [cm.yaml]\npatches: [{path: "${path}"}]`,
  (path) => `resources: [cm.yaml]\npatches: [{Path: "${path}", target: {kind: ConfigMap}}]`,
  (path) => `resources: [cm.yaml]\npatchesStrategicMerge: ["${path}"]`,
  (path) =>
    `resources: [cm.yaml]\npatchesJson6902: [{path: "${path}", target: {version: v1, kind: ConfigMap, name: a}}]`,
  (path) => `resources: [cm.yaml]\nreplacements: [{path: "${path}"}]`,
  (path) => `configMapGenerator: [{name: g, files: ["${path}"]}]`,
  (path) => `configMapGenerator: [{name: g, files: ["k=${path}"]}]`,
  (path) => `secretGenerator: [{name: g, envs: ["${path}"]}]`,
  (path) => `secretGenerator: [{name: g, Env: "${path}"}]`,
  (path) => `resources: [cm.yaml]\ntransformers: ["${path}"]`,
  (path) => `generators: ["${path}"]`,
  (path) => `resources: [cm.yaml]\nvalidators: ["${path}"]`,
  (path) =>
    `generators:\n- |-\n  apiVersion: builtin\n  kind: ConfigMapGenerator\n  metadata: {name: g}\n  files: ["${path}"]`,
];
const WAYS = ["../../other", "../../key", "OUTER/key", "https://DIALLED/x", "git::https://DIALLED/a/b", "link"];

const UNRESTRICTED = { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" };
const WITH_HELM = { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--enable-helm --load-restrictor=LoadRestrictionsNone" };
const GENERATOR = (path: string, more = ""): string =>
  `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: g}\nname: g\nfiles: ["${path}"]\n${more}\n`;
const PLUGINS = { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--enable-alpha-plugins", KUSTOMIZE_PLUGIN_HOME: "/usr/lib" };
const FUNCTION = (how: string): string =>
  `apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      ${how}\n`;
const INFLATOR = (fields: string): string =>
  `apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\n${fields}\n`;
const INFLATED = { "charts/x/Chart.yaml": META, "charts/x/templates/a.yaml": TEMPLATE };

/** Attacks by `helmCharts`, where the owner has switched helm on. */
export const INFLATION_ATTACKS: readonly Attack[] = [
  { what: "it renders at all", files: kustomization("helmCharts: [{name: x}]", INFLATED), owner: WITH_HELM },
  ...["helmGlobals: {chartHome: ../..}", "helmGlobals: {chartHome: OUTER}", "helmGlobals: {CHARTHOME: ../../}"].map(
    (globals) => ({
      what: globals,
      files: kustomization(`${globals}\nhelmCharts: [{name: other}]`),
      owner: WITH_HELM,
      says: /outside the repository/u,
    }),
  ),
  ...["../../../other", "../x/../../../other", "OUTER/other"].map((name) => ({
    what: `a chart with the name ${name}`,
    files: kustomization(`helmCharts: [{name: "${name}"}]`, INFLATED),
    owner: WITH_HELM,
    says: /outside the repository|is not in 'charts'/u,
  })),
  ...["../../key.env", "OUTER/other/values.yaml", "link", "https://DIALLED/x", "a,OUTER/key"].flatMap((path) =>
    [`valuesFile: "${path}"`, `additionalValuesFiles: ["${path}"]`, `VALUESFILE: "${path}"`].map((field) => ({
      what: `a chart with ${field}`,
      files: kustomization(`helmCharts: [{name: x, ${field}}]`, { ...INFLATED, link: "-> OUTER/other/values.yaml" }),
      owner: WITH_HELM,
      says: /outside the repository|leads out|is not there|does not exist|illegal/u,
    })),
  ),
  ...["nameTemplate: '{{ env \"SIDECAR_TOKEN\" }}'", 'NameTemplate: "x"', "nameTempl\u0061te: x"].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: /which can read the sidecar's environment/u,
  })),
  ...[
    "releaseName: '{{ env \"SIDECAR_TOKEN\" }}'",
    "releaseName: --post-renderer=OUTER/key",
    "releaseName: -f=OUTER/key",
  ].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: /is not a valid release name/u,
  })),
  ...[
    "namespace: --post-renderer=OUTER/key",
    "kubeVersion: '--set-file=a=OUTER/key'",
    "apiVersions: [--values=OUTER/key]",
  ].map((field) => ({
    what: `a chart with ${field}`,
    files: kustomization(`helmCharts: [{name: x, ${field}}]`, INFLATED),
    owner: WITH_HELM,
    says: field.startsWith("kubeVersion") ? /helm template of the chart 'x' ended/u : undefined,
  })),
  ...["https://DIALLED/charts", "oci://DIALLED/x", "file:///OUTER"].map((repo) => ({
    what: `a chart of ${repo}`,
    files: kustomization(`helmCharts: [{name: other, repo: "${repo}", version: 1.0.0}]`),
    owner: WITH_HELM,
    says: /is not in 'charts\/other-1\.0\.0'/u,
  })),
  ...["values.yaml", "templates/b.yaml", "files"].map((path) => ({
    what: `a chart with a link out: ${path}`,
    files: kustomization("helmCharts: [{name: x}]", {
      ...INFLATED,
      [`charts/x/${path}`]: `-> OUTER/${path === "files" ? "other" : "key"}`,
    }),
    owner: WITH_HELM,
    says: OUT,
  })),
  ...["$ref", "$schema", "$dynamicRef"].map((key) => ({
    what: `a chart with a ${key}`,
    files: kustomization("helmCharts: [{name: x}]", {
      ...INFLATED,
      "charts/x/values.schema.json": schema({ [key]: "file:///OUTER/key.json" }),
    }),
    owner: WITH_HELM,
    says: /refers to something outside/u,
  })),
  ...[
    "helmChartInflationGenerator: [{chartName: x, helmBin: OUTER/key}]",
    "generators: [gen]",
    "transformers: [x.yaml]",
  ].map((field) => ({
    what: `kustomize's own helm: ${field}`,
    files: kustomization(`resources: [cm.yaml]\n${field}`, {
      ...INFLATED,
      "x.yaml": INFLATOR("name: x"),
      "gen/kustomization.yaml": "resources: [g.yaml]\n",
      "gen/g.yaml": INFLATOR("name: x\nadditionalValuesFiles: [OUTER/key]"),
    }),
    owner: WITH_HELM,
    says: /rollstamp does not render |kustomize build ended/u,
  })),
  ...["chartHome: ../..", "chartHome: OUTER", "valuesFile: OUTER/key", "additionalValuesFiles: [../../key]"].map(
    (field) => ({
      what: `a generator with ${field}`,
      files: kustomization("generators: [g.yaml]", { ...INFLATED, "g.yaml": INFLATOR(`name: x\n${field}`) }),
      owner: WITH_HELM,
      says: /outside the repository/u,
    }),
  ),
  {
    what: "a generator with another program",
    files: kustomization("generators: [g.yaml]", { ...INFLATED, "g.yaml": INFLATOR("name: x\nhelmBin: OUTER/run") }),
    owner: WITH_HELM,
  },
];

/** Attacks by a kustomization. */
export const KUSTOMIZATION_ATTACKS: readonly Attack[] = [
  { what: "it renders at all", files: kustomization("resources: [cm.yaml]") },
  ...FIELDS.flatMap((field) =>
    WAYS.map((way) => ({
      what: `${field(way)}`.replaceAll("\n", "; "),
      files: kustomization(field(way), { link: way === "link" ? "-> OUTER/key" : "" }),
      says: /outside the repository|leads out of the repository|and nothing is fetched|kustomize build ended/u,
    })),
  ),
  ...["github.com/a/b", "github.com/a/b//c?ref=--upload-pack=x", "git@127.0.0.1:a/b"].map((path) => ({
    what: `a folder with the name ${path}`,
    files: kustomization(`resources: ["${path.replace(/\?.*$/u, "")}"]`, {
      [`${path.replace(/\?.*$/u, "")}/kustomization.yaml`]: "resources: [x.yaml]\n",
      [`${path.replace(/\?.*$/u, "")}/x.yaml`]: CM,
    }),
  })),
  ...["configMapGenerator", "secretGenerator"].map((name) => ({
    what: `${name} with a variable of the sidecar`,
    files: kustomization(`${name}: [{name: g, envs: [own.env]}]`, {
      "own.env": "SIDECAR_TOKEN\nROLLSTAMP_HMAC_KEY\nROLLSTAMP_HMAC_KEY_FILE\n",
    }),
  })),
  ...[
    "helmCharts: [{name: x}]",
    "helmGlobals: {configHome: ../..}",
    "HelmCharts: []",
    "helmChartInflationGenerator: [{chartName: x, helmBin: /bin/sh}]",
  ].map((body) => ({
    what: body,
    files: kustomization(`resources: [cm.yaml]\n${body}`),
    says: /rollstamp does not render '/u,
  })),
  ...["exec: {path: ./run.sh}", "starlark: {path: run.star}", "container: {image: x}"].map((how) => ({
    what: `a function that is ${how}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
      "run.sh": "#!/bin/sh\ntouch OUTER/ran\n",
      "f.yaml": `apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      ${how}\n`,
    }),
    says: /lists the function 'X'/u,
  })),
  ...[
    "--enable-exec",
    "--enable-alpha-plugins --enable-exec=true",
    "--helm-command=./run.sh",
    "-e SIDECAR_TOKEN",
    "-o=x",
  ].map((options) => ({
    what: `the owner's options ${options}`,
    files: kustomization("resources: [cm.yaml]"),
    owner: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: options },
    says: /which the plugin doesn't pass on/u,
  })),
  ...FIELDS.slice(8).flatMap((field) =>
    ["../../other/cm.yaml", "OUTER/key"].map((way) => ({
      what: `without load restrictions: ${field(way)}`.replaceAll("\n", "; "),
      files: kustomization(field(way)),
      owner: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" },
      says: /outside the repository/u,
    })),
  ),
  ...["literals: [SECRETWORD]", "literals: ['=SECRETWORD']", "literals: [a, b SECRETWORD]"].map((body) => ({
    what: `words that quote a value: ${body}`,
    files: kustomization(`secretGenerator: [{name: g, ${body.replace("SECRETWORD", SENTINEL)}}]`, {
      "bad.env": `a b=${SENTINEL}\n`,
    }),
    says: /kustomize build ended/u,
  })),
  {
    what: "words that quote a patch",
    files: kustomization(
      `resources: [cm.yaml]\npatches:\n- patch: |-\n    kind: Secret\n    stringData: {a: ${SENTINEL}}\n    b: [`,
    ),
    says: /kustomize build ended/u,
  },
  ...[`https://me:${SENTINEL}@DIALLED/x`, `https://me:${SENTINEL}/x@DIALLED/x`, `me:${SENTINEL}@git.example:x/y`].map(
    (url) => ({
      what: `a URL with a password: ${url}`,
      files: kustomization(`resources: ["${url}"]`),
      says: /names '(?:https:\/\/)?…@[^']*', and nothing is fetched/u,
    }),
  ),
  ...[
    "{/../../../key.env",
    "a: /../../../key.env",
    "x\\n/../../../key.env",
    "{}/../../../other/cm.yaml",
    "[/../../../other/cm.yaml",
  ].flatMap((path) =>
    ["patchesStrategicMerge", "generators", "transformers"].map((field) => ({
      what: `text that is also a path: ${field} ${path}`,
      files: kustomization(`resources: [cm.yaml]\n${field}: ["${path}"]`),
      owner: UNRESTRICTED,
      says: /outside the repository|no path and has no kind|rollstamp: error: /u,
    })),
  ),
  ...[
    { "gen/kustomization.yaml": "resources: [g.yaml]\n", "gen/g.yaml": GENERATOR("OUTER/key") },
    {
      "gen/kustomization.yaml": `resources: [g.yaml]\npatches: [{target: {kind: ConfigMapGenerator}, patch: '[{"op": "add", "path": "/files", "value": ["OUTER/key"]}]'}]\n`,
      "gen/g.yaml": GENERATOR("cm.yaml"),
    },
    {
      "gen/kustomization.yaml": "resources: [g.yaml]\n",
      "gen/g.yaml": `apiVersion: v1\nkind: List\nitems:\n- ${GENERATOR("../../key").trim().replaceAll("\n", "\n  ")}\n`,
    },
    { "gen/kustomization.yaml": "resources: [g.yaml]\n", "gen/g.yaml": GENERATOR("cm.yaml", "envs: [../../key.env]") },
  ].map((files) => ({
    what: `a folder of generators: ${JSON.stringify(files)}`,
    files: kustomization("resources: [cm.yaml]\ngenerators: [gen]", files),
    owner: UNRESTRICTED,
    says: /kustomize build ended/u,
  })),
  ...["../../key", "OUTER/key", "link", "https://DIALLED/x"].map((path) => ({
    what: `a transformer's file that names ${path}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [t.yaml]", {
      "t.yaml": `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: t}\npath: "${path}"\n`,
      link: "-> OUTER/key",
    }),
    owner: UNRESTRICTED,
    says: /outside the repository|leads out|and nothing is fetched|illegal/u,
  })),
  ...[
    "image: alpine",
    "image: DIALLED/x\n        network: true",
    "image: x\n        mounts: [{type: bind, src: OUTER, dst: /x}]",
  ].map((how) => ({
    what: `with the owner's plugins, a function that is a container: ${how}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
      "f.yaml": FUNCTION(`container:\n        ${how}`),
    }),
    owner: PLUGINS,
    says: /kustomize build ended/u,
  })),
  ...["exec: {path: ./run.sh}", "exec: {path: OUTER/run.sh}", "starlark: {path: run.star}"].map((how) => ({
    what: `with the owner's plugins, a function that is ${how}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
      "run.sh": "#!/bin/sh\ntouch OUTER/ran\n",
      "f.yaml": FUNCTION(how),
    }),
    owner: PLUGINS,
    // kustomize leaves such a function out; a starlark one is an error.
    says: how.startsWith("exec") ? undefined : /kustomize build ended/u,
  })),
  ...[
    { kind: "../../../../../../../../../../bin/sh", apiVersion: "x/v1" },
    { kind: "sh", apiVersion: "../../../../../../../../../../bin" },
    { kind: "X", apiVersion: "../../../../../../proc/self/cwd/v1" },
    {
      kind: "XList",
      apiVersion: "x/v1",
      items: [{ kind: "../../../../../../../../../../bin/sh", apiVersion: "x/v1" }],
    },
    { kind: 1, apiVersion: "x/v1" },
  ].flatMap((named) => {
    const config = { ...named, metadata: { name: "x" }, argsOneLiner: "-c 'touch OUTER/ran'" };
    const run = "\ntouch OUTER/ran\n";
    return [
      {
        what: `with the owner's plugins, the program of a kind in a file: ${JSON.stringify(named)}`,
        files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
          "f.yaml": JSON.stringify({ ...config, run }),
        }),
        owner: PLUGINS,
        says: /must be names|have a kind|separate documents|not a valid directory/u,
      },
      {
        what: `with the owner's plugins, the program of a kind in inline text: ${JSON.stringify(named)}`,
        files: kustomization(`resources: [cm.yaml]\ntransformers:\n- |-\n  ${JSON.stringify({ ...config, run })}`),
        owner: PLUGINS,
        says: /must be names|have a kind|separate documents|not a valid directory/u,
      },
      {
        what: `with the owner's plugins, the program of a kind in a folder: ${JSON.stringify(named)}`,
        files: kustomization("resources: [cm.yaml]\ngenerators: [gen]", {
          "gen/kustomization.yaml": "resources: [f.yaml]\n",
          "gen/f.yaml": JSON.stringify({ ...config, run }),
        }),
        owner: PLUGINS,
        says: /a generator, transformer or validator must be a file/u,
      },
    ];
  }),
  ...[
    { kind: "../../../../../../../../../../bin/sh", apiVersion: "x/v1" },
    { kind: "sh", apiVersion: "../../../../../../../../../../bin" },
    { kind: "X", apiVersion: "x/v1" },
    { kind: "ConfigMap", apiVersion: "v1" },
  ].flatMap((named) => {
    const config = { ...named, metadata: { name: "x" }, argsOneLiner: "-c 'touch OUTER/ran'" };
    const run = "\ntouch OUTER/ran\n";
    const ours = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: ours}\n";
    return [
      {
        what: `beside rollstamp's own transformer, the program of a kind in a file: ${JSON.stringify(named)}`,
        files: kustomization("resources: [cm.yaml]\ntransformers: [ours.yaml, f.yaml]", {
          "ours.yaml": ours,
          "f.yaml": JSON.stringify({ ...config, run }),
        }),
        says: /must be names|lists the function/u,
      },
      {
        what: `beside rollstamp's own transformer, the program of a kind twice: ${JSON.stringify(named)}`,
        files: kustomization("resources: [cm.yaml]\ntransformers: [ours.yaml, f.yaml]", {
          "ours.yaml": ours,
          "f.yaml": `${JSON.stringify(config).slice(0, -1)}, "kind": "LabelTransformer", "apiVersion": "builtin"}`,
        }),
        says: undefined,
      },
      {
        what: `beside rollstamp's own transformer, the program of a kind in a folder: ${JSON.stringify(named)}`,
        files: kustomization("resources: [cm.yaml]\ntransformers: [ours.yaml]\ngenerators: [gen]", {
          "ours.yaml": ours,
          "gen/kustomization.yaml": "resources: [f.yaml]\n",
          "gen/f.yaml": JSON.stringify({ ...config, run }),
        }),
        says: /a generator, transformer or validator must be a file/u,
      },
    ];
  }),
  ...["argsOneLiner: touch OUTER/ran", "argsFromFile: OUTER/key", "argsFromFile: ../../key"].map((args) => ({
    what: `rollstamp's own transformer with arguments: ${args}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [ours.yaml]", {
      "ours.yaml": `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: {name: ours}\n${args}\n`,
    }),
    says: /kustomize build ended/u,
  })),
  ...["kustomize/plugin/x/v1/x/X", "plugin/x/v1/x/X", ".config/kustomize/plugin/x/v1/x/X"].map((path) => ({
    what: `with the owner's plugins, a plugin at ${path}`,
    files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
      [path]: "#!/bin/sh\ntouch OUTER/ran\n",
      "f.yaml": "apiVersion: x/v1\nkind: X\nmetadata: {name: x}\n",
    }),
    owner: PLUGINS,
    says: /kustomize build ended/u,
  })),
  ...[
    "https://git.example/a/b?ref=--upload-pack=touch%20OUTER/ran",
    "git@git.example:a/b?ref=-x",
    "https://git.example/a/b?timeout=1&version=%2d%2dupload-pack=x",
    "file:///OUTER/other?ref=main",
    "git::file:///OUTER/other",
    "ssh://-oProxyCommand=x/a/b",
  ].map((url) => ({
    what: `where the owner allows remote bases, ${url}`,
    files: kustomization(`resources: ["${url}"]`),
    owner: { ROLLSTAMP_ALLOW_REMOTE_BASES: "true" },
    says: /which is not a network address|git reads as an option/u,
  })),
  ...[
    { ARGOCD_ENV_ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--enable-helm" },
    { ARGOCD_ENV_ROLLSTAMP_ALLOW_REMOTE_BASES: "true" },
    { ARGOCD_ENV_ROLLSTAMP_SHOW_RENDERER_WORDS: "true" },
  ].map((environment) => ({
    what: `an Application that sets what is the owner's: ${Object.keys(environment).join("")}`,
    files: kustomization(
      `helmCharts: [{name: x}]\nresources: ["https://DIALLED/x"]\nsecretGenerator: [{name: g, literals: ["${SENTINEL}"]}]`,
    ),
    environment,
    says: /rollstamp does not render '|and nothing is fetched/u,
  })),
];
