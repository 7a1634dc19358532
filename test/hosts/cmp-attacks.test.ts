// What a tenant of Argo CD may try with the plugin: his folder, and the parameters of its Application. kustomize
// and helm are wrapped: their arguments, their environment, and (where strace is) each path and address.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { writeTar } from "../../src/cmp/tar-archive.ts";
import { environmentOf, HELM, sidecar, type Parameter } from "./cmp.ts";
import { STANDALONE } from "./kustomize.ts";
import { installed, onPath, unlessFound, type Program } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const HELM4 = installed("helm4.sh");
const STRACE = onPath("strace");
/** What must be in no output, no argument and no environment: contents outside, the key, a variable of the sidecar. */
const SENTINEL = "planted-0f3a9c";

interface Attack {
  readonly what: string;
  /** `-> target` is a link. */
  readonly files: Readonly<Record<string, string>>;
  readonly parameters?: readonly Parameter[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What the plugin says, where it is not to succeed. */
  readonly says?: RegExp;
}

interface Seen {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Arguments and environments of the programs that ran. */
  readonly called: string;
  readonly traced: string;
}

function attack(program: Program, { files, parameters = [], environment = {} }: Attack): Seen {
  const outer = realpathSync(temporaryFolder());
  const inside = join(outer, "in");
  const temporary = join(outer, "tmp");
  mkdirSync(temporary);
  const write = (path: string, text: string): void => {
    const at = join(outer, path);
    mkdirSync(dirname(at), { recursive: true });
    if (text.startsWith("-> ")) symlinkSync(text.slice(3).replaceAll("OUTER", outer), at);
    else
      writeFileSync(
        at,
        text.startsWith("base64:") ? Buffer.from(text.slice(7), "base64") : text.replaceAll("OUTER", outer),
      );
  };
  write("key", SENTINEL);
  write("key.json", JSON.stringify({ const: SENTINEL }));
  write("other/kustomization.yaml", "resources: [cm.yaml]\n");
  write("other/cm.yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: ${SENTINEL}}\n`);
  write("other/Chart.yaml", "apiVersion: v2\nname: other\nversion: 1.0.0\n");
  write("other/templates/cm.yaml", `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: ${SENTINEL}}\n`);
  for (const [path, text] of Object.entries(files)) write(join("in/app", path), text);
  const bin = sidecar([]);
  const record = join(outer, "called");
  const trace = join(outer, "trace");
  if (program.found) {
    const strace = STRACE.found ? `${STRACE.path} -f -qq -s 400 -e trace=file,network -o ${trace}.$$ ` : "";
    const wrapper = join(bin, program.path.endsWith("kustomize") ? "kustomize" : "helm");
    writeFileSync(
      wrapper,
      `#!/bin/sh\nprintf '%s\\n' "$@" >> ${record}\n/usr/bin/env >> ${record}\nexec ${strace}${program.path} "$@"\n`,
    );
    chmodSync(wrapper, 0o755);
  }
  const replaced: unknown = JSON.parse(JSON.stringify(parameters).replaceAll("OUTER", outer));
  const { status, stdout, stderr, error } = spawnSync("rollstamp", ["cmp", "generate"], {
    cwd: join(inside, "app"),
    env: {
      ...environmentOf("app", { bin }),
      ARGOCD_APP_PARAMETERS: JSON.stringify(replaced),
      TMPDIR: temporary,
      ROLLSTAMP_HMAC_KEY: SENTINEL,
      ROLLSTAMP_HMAC_KEY_FILE: join(outer, "key"),
      SIDECAR_TOKEN: SENTINEL,
      ...environment,
    },
    encoding: "utf8",
    timeout: 60_000,
  });
  if (error) throw error;
  assert.deepEqual(readdirSync(temporary), [], "nothing stays behind");
  const called = existsSync(record) ? readFileSync(record, "utf8") : "";
  const traced = readdirSync(outer)
    .filter((name) => name.startsWith("trace."))
    .map((name) => readFileSync(join(outer, name), "utf8"))
    .join("");
  assertNothingOutside(
    program.found ? traced.replaceAll(`"${program.path}"`, '"the program itself"') : traced,
    outer,
    temporary,
  );
  return { status, stdout, stderr, called, traced };
}

function assertNothingOutside(traced: string, outer: string, temporary: string): void {
  for (const line of traced.split("\n")) {
    assert.doesNotMatch(line, /connect\(.*AF_INET|sendto\(.*AF_INET/u, "nothing is dialled");
    const [, path = ""] = /\bopen(?:at2?)?\((?:AT_FDCWD, )?"([^"]*)"/u.exec(line) ?? [];
    assert.ok(!path.startsWith(outer) || path.startsWith(`${temporary}/`), `opened outside of the copy: ${line}`);
    assert.doesNotMatch(path, /^\/proc\/(?!self\/(?:maps|cgroup|mountinfo|exe|auxv)|sys\/|stat$)/u, line);
    assert.doesNotMatch(path, /\.\.(?:\/\.\.){6}|^\/(?:root|home|var\/run\/secrets)\//u, line);
  }
}

function run(programs: readonly Program[], attacks: readonly Attack[]): void {
  for (const program of programs) {
    const skip = unlessFound(program);
    for (const tried of attacks) {
      test(`${program.found ? program.path.split("/").slice(-2).join("/") : "none"}: ${tried.what}`, { skip }, () => {
        const { status, stdout, stderr, called } = attack(program, tried);
        assert.ok(![stdout, stderr, called].join("\n").includes(SENTINEL), `${stderr}\n${called}`);
        assert.doesNotMatch(called, /ROLLSTAMP_|SIDECAR_TOKEN|ARGOCD_APP_PARAMETERS/u);
        if (tried.says === undefined) assert.equal(status, 0, stderr);
        else {
          assert.equal(status, 2, stdout);
          assert.equal(stdout, "");
          assert.match(stderr, tried.says);
          assert.doesNotMatch(stderr, /internal error/u);
        }
      });
    }
  }
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
  "a=https://127.0.0.1:1/x,b",
  "a,b=OUTER/key,c",
  "x[0]=OUTER/key,b",
  "a\\",
];
const OUT = /this link leads out|outside the repository|leads out of the repository/u;
const schema = (ref: object): string => JSON.stringify({ type: "object", ...ref });
const packed = (files: Readonly<Record<string, string>>): string =>
  `base64:${gzipSync(writeTar(Object.entries(files).map(([name, body]) => ({ name, bytes: Buffer.from(body) })))).toString("base64")}`;
const SUB = { "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n", "sub/values.yaml": "a: 1\n" };
const MISSING = /dependencies that are not in its folder 'charts'/u;

describe("a chart of a tenant", () => {
  run(
    [HELM, HELM4],
    [
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
        says: /release's name is none/u,
      })),
      ...["a,OUTER/key", '"OUTER/key"', "file:///OUTER/key", "../../key", "/../key", "-"].map((path) => ({
        what: `values-files ${path}`,
        files: chart({}),
        parameters: [{ name: "values-files", array: [path] }],
        says: /the plugin parameter 'values-files' names/u,
      })),
      ...["dependencies", "Dependencies", "DEPENDENCIES", "dependencie\u017f"].flatMap((key) =>
        ["file://../../other", "https://127.0.0.1:1/charts", "oci://127.0.0.1:1/x", "@stable", ""].map(
          (repository) => ({
            what: `Chart.yaml with ${key} at ${repository}`,
            files: chart({
              "Chart.yaml": `${META}${key}: [{name: other, version: 1.0.0, repository: "${repository}"}]\n`,
            }),
            says: new RegExp(`${MISSING.source}|outside the repository`, "u"),
          }),
        ),
      ),
      ...["v1", "v2"].flatMap((version) =>
        ["file://../../other", "https://127.0.0.1:1/charts", "file:///OUTER/other"].map((repository) => ({
          what: `requirements.yaml of ${version} at ${repository}`,
          files: chart({
            "Chart.yaml": META.replace("v2", version),
            "requirements.yaml": `dependencies: [{name: other, version: 1.0.0, repository: "${repository}"}]\n`,
          }),
          says: new RegExp(`${MISSING.source}|outside the repository`, "u"),
        })),
      ),
      ...["file://../../other", "https://127.0.0.1:1/charts", "file://../other"].map((repository) => ({
        what: `Chart.lock at ${repository}`,
        files: chart({
          "Chart.yaml": `${META}dependencies: [{name: other, version: 1.0.0, repository: "https://a:${SENTINEL}@127.0.0.1:1"}]\n`,
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
      ...[
        "file:///OUTER/key.json",
        "http://127.0.0.1:1/x",
        "../../../../../../../proc/self/environ",
        "OUTER/key.json",
      ].flatMap((ref) => [
        {
          what: `a schema with $ref ${ref}`,
          files: chart({ "values.schema.json": schema({ $ref: ref }) }),
          says: /leads out of it/u,
        },
        {
          what: `a schema with $schema ${ref}`,
          files: chart({ "values.schema.json": schema({ $schema: ref }) }),
          says: /leads out of it/u,
        },
        {
          what: `a subchart's schema with $ref ${ref}`,
          files: chart({
            "charts/sub/Chart.yaml": SUB["sub/Chart.yaml"],
            "charts/sub/values.yaml": "a: 1\n",
            "charts/sub/values.schema.json": schema({ allOf: [{ $ref: ref }] }),
          }),
          says: /leads out of it/u,
        },
        {
          what: `a packed subchart's schema with $ref ${ref}`,
          files: chart({
            "charts/sub-1.0.0.tgz": packed({
              ...SUB,
              "sub/./values.schema.json": schema({ properties: { a: { $ref: ref } } }),
            }),
          }),
          says: /leads out of it/u,
        },
      ]),
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
      ...["a\0b", "\0", "x".repeat(64)].slice(0, 2).map((string) => ({
        what: `a NUL ${JSON.stringify(string)}`,
        files: chart({}),
        parameters: text("release-namespace", string),
        says: /holds a NUL/u,
      })),
      {
        what: "a value of 128 KB as an argument",
        files: chart({}),
        parameters: map("helm-parameters", { a: ",".repeat(100_000) }),
        says: /a program takes 131071 in one/u,
      },
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
    ],
  );
});

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
const WAYS = ["../../other", "../../key", "OUTER/key", "https://127.0.0.1:1/x", "git::https://127.0.0.1:1/a/b", "link"];

describe("a kustomization of a tenant", () => {
  run(
    [STANDALONE],
    [
      { what: "it renders at all", files: kustomization("resources: [cm.yaml]") },
      ...FIELDS.flatMap((field) =>
        WAYS.map((way) => ({
          what: `${field(way)}`.replaceAll("\n", "; "),
          files: kustomization(field(way), { link: way === "link" ? "-> OUTER/key" : "" }),
          says: /outside the repository|leads out of the repository|and the plugin is offline|kustomize build ended/u,
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
        says: /the plugin renders no '/u,
      })),
      ...["exec: {path: ./run.sh}", "starlark: {path: run.star}", "container: {image: x}"].map((how) => ({
        what: `a function that is ${how}`,
        files: kustomization("resources: [cm.yaml]\ntransformers: [f.yaml]", {
          "run.sh": "#!/bin/sh\ntouch OUTER/ran\n",
          "f.yaml": `apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      ${how}\n`,
        }),
        says: /kustomize build ended/u,
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
        environment: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: options },
        says: /by which a repository's own programs would run/u,
      })),
      ...FIELDS.slice(8).flatMap((field) =>
        ["../../other/cm.yaml", "OUTER/key"].map((way) => ({
          what: `without load restrictions: ${field(way)}`.replaceAll("\n", "; "),
          files: kustomization(field(way)),
          environment: { ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--load-restrictor LoadRestrictionsNone" },
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
      {
        what: "a URL with a password",
        files: kustomization(`resources: ["https://me:${SENTINEL}@127.0.0.1:1/x"]`),
        says: /'https:\/\/…@127\.0\.0\.1:1\/x', and the plugin is offline/u,
      },
    ],
  );
});
