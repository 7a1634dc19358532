// Pod templates of charts with two dimensions that grow together.
import type { Shape } from "./hostile-shapes.ts";
import { configMap, deployment, ENV_FROM, list, object, repeat, sources } from "./product-parts.ts";

const TOO_MANY_STEPS = /comparing .* takes more than/u;
const REMOVE = "ConfigHash\nspec: {checksums: Remove, versionLabels: Remove}";
const SUM = "a".repeat(64);

const FORMS = ["config", "conf", "map", "settings", "files", "yaml", "hash"];
/** A name of words that say nothing but a form: any checksum may be over it. */
const formName = (i: number): string =>
  Array.from({ length: 6 }, (_, digit) => FORMS[Math.floor(i / FORMS.length ** digit) % FORMS.length]).join("-");
const formSources = (n: number): string => repeat(n, (i) => configMap(formName(i), "  a: b\n"));
const checksums = (n: number, prefix = "c"): string =>
  `annotations: {${list(n, (i) => `checksum/${prefix}${i}: ${SUM}`)}}`;
const ONE = `annotations: {checksum/config: ${SUM}}`;

/** What multiplies two dimensions of what charts write, by what the two are. */
export const CHART_PRODUCTS: Readonly<Record<string, Shape>> = {
  "checksums × sources that any may be over": {
    n: 5_000,
    status: 2,
    config: REMOVE,
    text: (n) => formSources(n) + deployment("w", ENV_FROM, "", checksums(n)),
    says: TOO_MANY_STEPS,
  },
  "workloads with a checksum × sources that any may be over": {
    n: 5_000,
    status: 2,
    config: REMOVE,
    text: (n) => formSources(n) + repeat(n, (i) => deployment(`w${i}`, ENV_FROM, "", ONE)),
    says: TOO_MANY_STEPS,
  },
  "checksums × sources that they fit, one each": {
    n: 4_000,
    config: REMOVE,
    text: (n) => sources(n) + deployment("w", ENV_FROM, "", checksums(n)),
    says: /keeps 'checksum\/c0', .* and \d+ more, which seem to cover/u,
  },
  "checksums × sources that arguments name": {
    n: 5_000,
    status: 2,
    config: REMOVE,
    text: (n) =>
      sources(n) +
      deployment(
        "w",
        `      containers: [{name: a, args: [${list(n, (i) => `--with=c${i}`)}]}]\n`,
        "",
        checksums(n, "z"),
      ),
    says: TOO_MANY_STEPS,
  },
  "workloads × selectors by a label with a version": {
    n: 3_000,
    config: REMOVE,
    text: (n) =>
      repeat(n, (i) =>
        object("v1", "Service", `name: s${i}`, `spec: {selector: {app: w${i}, helm.sh/chart: web-${i}}}\n`),
      ) +
      repeat(n, (i) =>
        deployment(`w${i}`, ENV_FROM, "", `labels: {app: w${i}, helm.sh/chart: web-${i}, chart: web-${i}}`),
      ),
    says: /RS001/u,
  },
  "workloads × policies that name a label": {
    n: 3_000,
    config: REMOVE,
    text: (n) =>
      repeat(n, (i) =>
        object("kyverno.io/v1", "ClusterPolicy", `name: p${i}`, `spec: {rules: [{validate: {message: m${i}}}]}\n`),
      ) + repeat(n, (i) => deployment(`w${i}`, ENV_FROM, "", `labels: {app: w${i}, chart: web-${i}}`)),
    says: /RS001/u,
  },
};
