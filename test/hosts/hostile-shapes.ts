// Shapes of hostile input, each with its effect on a careless program.

/** A shape of input. `n` grows it; its length grows in step, so that time should as well. */
export interface Shape {
  /** What stands on its standard input; nothing where it reads files. */
  readonly text?: (n: number) => string;
  /** A functionConfig for the stream: its kind and spec. */
  readonly config?: string | ((n: number) => string);
  /** The command, in a folder of `files`; without one the function. */
  readonly args?: readonly string[] | ((n: number) => readonly string[]);
  readonly files?: (n: number) => Readonly<Record<string, string>>;
  /** As large as it takes for a growth faster than the input's to show. */
  readonly n: number;
  /** The exit status; default 0. */
  readonly status?: 0 | 1 | 2;
  readonly says?: RegExp;
}

const repeat = (n: number, part: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => part(i)).join("");
const configMap = (name: string, data: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n${data}`;
const ENV = configMap("env", "  a: b\n");
const CONTAINER = "      - name: a\n        image: x:1\n        envFrom: [{configMapRef: {name: env}}]\n";
const deployment = (name: string, containers = CONTAINER, annotations = ""): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: ${name}\n${annotations === "" ? "" : `  annotations: {${annotations}}\n`}spec:\n  template:\n    spec:\n      containers:\n${containers}`;
const references = (n: number): string =>
  `      - name: a\n        image: x:1\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: c${i}}\n`)}`;
const sources = (n: number): string => repeat(n, (i) => `${configMap(`c${i}`, "  a: b\n")}---\n`);
const object = (more: string): string => `apiVersion: v1\nkind: X\nmetadata: {name: x}\n${more}`;
const json = (items: readonly object[]): string => JSON.stringify({ apiVersion: "v1", kind: "List", items });
const jsonDeployment = (i: number): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: `w${i}` },
  spec: { template: { spec: { containers: [{ name: "a", envFrom: [{ configMapRef: { name: "env" } }] }] } } },
});
const jsonEnv = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "env" }, data: { a: "b" } };
const stale = (i: number): string => `"configmap.rollstamp.dev/c${i}": "h1-${"0".repeat(40)}"`;
const list = (n: number, item: (i: number) => string): string => Array.from({ length: n }, (_, i) => item(i)).join(",");

const TOO_DEEP = /nests deeper than 500 levels/u;
const TOO_MANY = /aliases and merge keys expand to too many values/u;

export const SHAPES: Readonly<Record<string, Shape>> = {
  "a billion laughs": {
    n: 10_000,
    text: (n) => object(`a0: &a0 [x]\n${repeat(n, (i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`)}`),
    status: 2,
    says: TOO_MANY,
  },
  "containers and their references, all aliases": {
    n: 20_000,
    text: (n) =>
      deployment(
        "w",
        `      - &c\n        name: a\n        envFrom: [&e {configMapRef: {name: env}}${",*e".repeat(n)}]\n${"      - *c\n".repeat(n)}`,
      ),
    status: 2,
    says: TOO_MANY,
  },
  "a configured path through aliases": {
    n: 5_000,
    config: "ConfigHash\nspec: {workloads: [{group: x.io, kind: W, podTemplate: 'spec.*.*.*.*.*.*.*.*.*.*'}]}",
    text: (n) =>
      `apiVersion: x.io/v1\nkind: W\nmetadata: {name: w}\nspec:\n  a0: &a0 {x: {spec: {}}}\n${repeat(n, (i) => `  a${i + 1}: &a${i + 1} {${list(9, (k) => `k${k}: *a${i}`)}}\n`)}`,
    status: 2,
    says: TOO_MANY,
  },
  "a chain of merge keys": {
    n: 20_000,
    text: (n) => object(`m0: &m0 {a: b}\n${repeat(n, (i) => `m${i + 1}: &m${i + 1} {<<: *m${i}}\n`)}`),
    status: 2,
    says: TOO_DEEP,
  },
  "aliases that are used once": {
    n: 10_000,
    text: (n) =>
      `${ENV}---\napiVersion: v1\nkind: List\nl: &l {app: x}\nitems:\n${repeat(n, (i) => `- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: w${i}, labels: &m${i} {a: b}}\n  spec: {selector: {matchLabels: *m${i}}, template: {metadata: {labels: *l}, spec: {containers: [{name: a, envFrom: [{configMapRef: {name: env}}]}]}}}\n`)}`,
  },
  anchors: {
    n: 50_000,
    text: (n) =>
      `${configMap(
        "env",
        repeat(n, (i) => `  k${i}: &a${i} v\n`),
      )}---\n${deployment("w")}`,
  },
  "nested brackets": {
    n: 200_000,
    text: (n) => object(`x: ${"[".repeat(n)}${"]".repeat(n)}\n`),
    status: 2,
    says: TOO_DEEP,
  },
  "nested brackets that are not closed": { n: 200_000, text: (n) => "{".repeat(n), status: 2, says: TOO_DEEP },
  "nested dashes": { n: 200_000, text: (n) => object(`x:\n  ${"- ".repeat(n)}\n`), status: 2, says: TOO_DEEP },
  documents: { n: 50_000, text: (n) => repeat(n, (i) => `---\n${object("").replace("name: x", `name: x${i}`)}`) },
  "empty documents": { n: 300_000, text: (n) => `${"---\n".repeat(n)}${ENV}`, status: 0 },
  workloads: { n: 10_000, text: (n) => ENV + repeat(n, (i) => `---\n${deployment(`w${i}`)}`) },
  "workloads without their source": {
    n: 10_000,
    text: (n) => repeat(n, (i) => `---\n${deployment(`w${i}`)}`),
    says: /RS001/u,
  },
  "workloads of a chart without their source": {
    n: 10_000,
    text: (n) => repeat(n, (i) => `---\n# Source: chart/templates/x.yaml\n${deployment(`w${i}`)}`),
    says: /chart\/templates\/x\.yaml/u,
  },
  "workloads in one line of JSON": {
    n: 10_000,
    text: (n) => json([jsonEnv, ...Array.from({ length: n }, (_, i) => jsonDeployment(i))]),
  },
  "workloads in one line of JSON, without their source": {
    n: 10_000,
    text: (n) => json(Array.from({ length: n }, (_, i) => jsonDeployment(i))),
    says: /RS001/u,
  },
  "references of one workload": { n: 20_000, text: (n) => sources(n) + deployment("w", references(n)) },
  "references of one workload, one stamp": {
    n: 20_000,
    config: "ConfigHash\nspec: {layout: Combined}",
    text: (n) => sources(n) + deployment("w", references(n)),
  },
  containers: {
    n: 20_000,
    text: (n) =>
      `${ENV}---\n${deployment(
        "w",
        repeat(n, (i) => CONTAINER.replace("name: a", `name: a${i}`)),
      )}`,
  },
  "keys of one source": {
    n: 20_000,
    text: (n) =>
      `${configMap(
        "env",
        repeat(n, (i) => `  k${i}: v\n`),
      )}---\n${deployment("w", `      - name: a\n        env:\n${repeat(n, (i) => `        - {name: E${i}, valueFrom: {configMapKeyRef: {name: env, key: k${i}}}}\n`)}`)}`,
  },
  "keys that a source has not": {
    n: 20_000,
    text: (n) =>
      `${ENV}---\n${deployment("w", `      - name: a\n        env:\n${repeat(n, (i) => `        - {name: E${i}, valueFrom: {configMapKeyRef: {name: env, key: k${i}}}}\n`)}`)}`,
    says: /RS002/u,
  },
  "stale stamps": {
    n: 20_000,
    text: (n) =>
      `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: w}\nspec:\n  template:\n    metadata:\n      annotations:\n${repeat(n, (i) => `        ${stale(i)}\n`)}    spec: {containers: []}\n`,
  },
  "stale stamps in one line": {
    n: 20_000,
    text: (n) =>
      `{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: {template: {metadata: {annotations: {a: b, ${list(n, stale)}}}, spec: {containers: []}}}}\n`,
  },
  "empty items": {
    n: 200_000,
    text: (n) => `${ENV}---\n${deployment("w", `${CONTAINER}        args:\n${"        -\n".repeat(n)}`)}`,
  },
  "items without values": {
    n: 50_000,
    text: (n) => `${ENV}---\n${deployment("w", `${CONTAINER}        args: [${"{a: },".repeat(n)}]\n`)}`,
  },
  "closing brackets where YAML has none": {
    n: 10_000,
    text: (n) =>
      `${ENV}---\n${deployment(
        "w",
        repeat(n, (i) => `      - name: a${i}\n        args: [\n          a\n        ]\n`),
      )}`,
  },
  "a name": {
    n: 500_000,
    text: (n) =>
      `${configMap("n".repeat(n), "  a: b\n")}---\n${deployment("w", CONTAINER.replace("env}", `${"n".repeat(n)}}`))}`,
    status: 2,
    says: /a name of \d+ characters is longer than 1000/u,
  },
  "a key": { n: 500_000, text: (n) => `${configMap("env", `  ? ${"k".repeat(n)}\n  : b\n`)}---\n${deployment("w")}` },
  "a value": { n: 5_000_000, text: (n) => `${configMap("env", `  k: "${"v".repeat(n)}"\n`)}---\n${deployment("w")}` },
  "a value of escapes": {
    n: 1_000_000,
    text: (n) => `${configMap("env", `  k: "${"\\n".repeat(n)}"\n`)}---\n${deployment("w")}`,
  },
  "a value of folded lines": {
    n: 200_000,
    text: (n) => `${configMap("env", `  k: >\n${"    a b c\n\n".repeat(n)}`)}---\n${deployment("w")}`,
  },
  "a value of plain lines": {
    n: 200_000,
    text: (n) => `${configMap("env", `  k: a\n${"    b c\n".repeat(n)}`)}---\n${deployment("w")}`,
  },
  "a value of quoted lines": {
    n: 200_000,
    text: (n) => `${configMap("env", `  k: "a\n${"    b c\n".repeat(n)}    "\n`)}---\n${deployment("w")}`,
  },
  "base64 in lines": {
    n: 50_000,
    text: (n) =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: env}\ndata:\n  k: |\n${`    ${"QUJD".repeat(16)}\n`.repeat(n)}---\n${deployment("w")}`,
    says: /RS001/u,
  },
  "spaces behind a value": {
    n: 2_000_000,
    text: (n) => `${configMap("env", `  k: "a"${" ".repeat(n)}\n`)}---\n${deployment("w")}`,
  },
  "spaces before a bracket": {
    n: 2_000_000,
    text: (n) =>
      `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "w"}, "spec": {"template": {"metadata": {"annotations": {"a": "b"${" ".repeat(n)}}}, "spec": {"containers": [{"name": "a", "envFrom": [{"configMapRef": {"name": "env"}}]}]}}}}\n---\n${ENV}`,
  },
  comments: { n: 500_000, text: (n) => `${configMap("env", `  k: a\n${"# x\n".repeat(n)}`)}---\n${deployment("w")}` },
  "blank lines": {
    n: 1_000_000,
    text: (n) => `${configMap("env", `  k: a\n${"\n".repeat(n)}`)}---\n${deployment("w")}`,
  },
  "an anchor's name": {
    n: 500_000,
    text: (n) => `${configMap("env", `  a: &${"x".repeat(n)} v\n  b: *${"x".repeat(n)}\n`)}---\n${deployment("w")}`,
  },
  "names that are excluded": {
    n: 20_000,
    text: (n) =>
      sources(n) + deployment("w", references(n), `rollstamp.dev/exclude: "${list(n, (i) => `configmap/x${i}`)}"`),
  },
  "a pattern against names": {
    n: 1000,
    text: (n) =>
      repeat(
        n,
        (i) =>
          `---\n${deployment(`w${i}`, CONTAINER.replace("env}", `${"a".repeat(900)}}`), `rollstamp.dev/exclude: "configmap/*${"a".repeat(800)}b"`)}`,
      ),
    says: /which is not in the input/u,
  },
  "names that are added": {
    n: 20_000,
    text: (n) =>
      sources(n) + deployment("w", references(n), `rollstamp.dev/sources: "${list(n, (i) => `configmap/c${i}`)}"`),
  },
  "regular expressions": {
    n: 10_000,
    config: "ConfigHash\nspec: {compat: [Reloader]}",
    text: (n) =>
      sources(n) +
      deployment("w", CONTAINER, `configmap.reloader.stakater.com/reload: "${list(n, (i) => `x${i}.*y`)}"`),
    says: /more than 1000 regular expressions/u,
  },
  "a regular expression": {
    n: 1_000_000,
    config: "ConfigHash\nspec: {compat: [Reloader]}",
    text: (n) => deployment("w", CONTAINER, `configmap.reloader.stakater.com/reload: "${"(a*)*".repeat(n / 5)}b"`),
    says: /more than 1000 characters/u,
  },
  "the worst expression that may be, against names": {
    n: 2_000,
    config: "ConfigHash\nspec: {compat: [Reloader]}",
    text: (n) =>
      repeat(n, (i) => `${configMap(`${"a".repeat(240)}${i}`, "  a: b\n")}---\n`) +
      deployment("w", CONTAINER, `configmap.reloader.stakater.com/reload: "${"(a*)*".repeat(199)}b"`),
    says: /RS001/u,
  },
  "a repetition of repetitions": {
    n: 1,
    config: "ConfigHash\nspec: {compat: [Reloader]}",
    text: () =>
      deployment("w", CONTAINER, `configmap.reloader.stakater.com/reload: "${"((((a{30}){30}){30}){30}){30}"}"`),
    says: /invalid repeat count/u,
  },
  "a selector": {
    n: 1_000_000,
    config: (n) => `ConfigHash\nspec: {selector: "a${" ".repeat(n)}x"}`,
    text: () => deployment("w"),
    status: 2,
    says: /not a label selector/u,
  },
  "a reason of spaces": {
    n: 500_000,
    config: "RolloutLint",
    text: (n) => deployment("w", CONTAINER, `ignore.rollstamp.dev/RS001: "${" ".repeat(n)}x"`),
  },
  "the apiVersion of a template that is borrowed": {
    n: 500_000,
    text: (n) =>
      `apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: w}\nspec: {workloadRef: {apiVersion: "${"a".repeat(n)}/b", kind: Deployment, name: x}}\n`,
    says: /RS001/u,
  },
  "templates that are borrowed": {
    n: 5_000,
    text: (n) =>
      ENV +
      repeat(
        n,
        (i) =>
          `---\napiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: r${i}}\nspec: {workloadRef: {apiVersion: apps/v1, kind: Deployment, name: w${i}}}\n---\n${deployment(`w${i}`)}`,
      ),
  },
  "declared sources of one name": {
    n: 10_000,
    text: (n) =>
      repeat(
        n,
        (i) =>
          `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: e${i}}\nspec: {secretStoreRef: {name: s}, target: {name: same}, data: [{secretKey: a, remoteRef: {key: b}}]}\n---\n`,
      ) + deployment("w"),
    says: /RS001/u,
  },
  autoscalers: {
    n: 5_000,
    config: "RolloutLint",
    text: (n) =>
      repeat(
        n,
        (i) =>
          `${deployment(`w${i}`, "      - {name: a, image: 'a:1'}\n")}---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: h${i}}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: w${i}}, maxReplicas: 3}\n---\n`,
      ),
  },
  "sources that nothing uses": { n: 20_000, config: "RolloutLint", text: sources },
  "what no reader takes, at its end": {
    n: 10_000,
    text: (n) => `${repeat(n, (i) => `---\n${deployment(`w${i}`)}`)}\n  bad: [\n`,
    status: 2,
    says: /not valid YAML/u,
  },
};
