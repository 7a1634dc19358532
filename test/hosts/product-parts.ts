// Parts for inputs of two dimensions.

export const repeat = (n: number, part: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => part(i)).join("");
export const list = (n: number, part: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => part(i)).join(",");

export const object = (apiVersion: string, kind: string, metadata: string, rest: string): string =>
  `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {${metadata}}\n${rest}`;
export const configMap = (name: string, data: string, metadata = ""): string =>
  object("v1", "ConfigMap", `name: ${name}${metadata}`, `data:\n${data}`);
export const keys = (n: number, value: string): string => repeat(n, (i) => `  k${i}: ${value}\n`);
export const sources = (n: number, value = "b"): string => repeat(n, (i) => configMap(`c${i}`, `  a: ${value}\n`));
/** A Deployment; `pod` is its pod spec, six spaces in. */
export const deployment = (name: string, pod: string, metadata = "", template = ""): string =>
  object(
    "apps/v1",
    "Deployment",
    `name: ${name}${metadata}`,
    `spec:\n  template:\n${template === "" ? "" : `    metadata: {${template}}\n`}    spec:\n${pod}`,
  );
export const ENV_FROM = "      containers: [{name: a, image: 'x:1', envFrom: [{configMapRef: {name: env}}]}]\n";
export const envFrom = (n: number): string =>
  `      containers:\n      - name: a\n        image: x:1\n        envFrom:\n${repeat(n, (i) => `        - configMapRef: {name: c${i}}\n`)}`;
export const workloads = (n: number, pod: string = ENV_FROM): string => repeat(n, (i) => deployment(`w${i}`, pod));

export const RELOADER = "ConfigHash\nspec: {compat: [Reloader]}";
export const PLAN = (output: string, ...more: string[]): string[] => [
  "plan",
  "base.yaml",
  "head.yaml",
  "-o",
  output,
  ...more,
];
