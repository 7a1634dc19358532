import { testRules } from "./rule-cases.ts";

// RS024: what of a HelmRelease or an Application makes other objects, and what doesn't.

const release = (spec: string, more = ""): string =>
  `\n---\n{apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: web, namespace: shop${more}}, spec: {interval: 1h, ${spec}}}`;
const application = (spec: string): string =>
  `\n---\n{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: web, namespace: argocd}, spec: {project: default, ${spec}}}`;
const source = (kind: string, spec: string): string =>
  `\n---\n{apiVersion: source.toolkit.fluxcd.io/v1, kind: ${kind}, metadata: {name: charts, namespace: flux-system}, spec: {${spec}}}`;
const values = (name: string, text: string): string =>
  `\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: shop}, data: {values.yaml: "${text}"}}`;

const set = (v: string): string =>
  `\n---\n{apiVersion: argoproj.io/v1alpha1, kind: ApplicationSet, metadata: {name: web, namespace: argocd}, spec: {generators: [{list: {elements: [{v: "${v}"}]}}]}}`;
const kustomization = (path: string): string =>
  `\n---\n{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: web, namespace: flux-system}, spec: {path: ${path}}}`;

const CHART =
  "chart: {spec: {chart: web, version: 1.0.0, sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}}}";
const REF = "chartRef: {kind: OCIRepository, name: charts, namespace: flux-system}";
const FROM = "valuesFrom: [{kind: ConfigMap, name: web-values}]";

testRules({
  RS024: [
    {
      what: "each value that differs, by its path and without what it is",
      text: release(`${CHART}, values: {image: {tag: new-value}, list: [{a: 2}], added: x}`),
      options: { base: release(`${CHART}, values: {image: {tag: old-value}, list: [{a: 1}], gone: x}`) },
      finds: [
        "3: notRendered: object HelmRelease shop/web, change changed, changed [spec.values.image.tag, spec.values.list[0].a, spec.values.added, spec.values.gone]",
      ],
    },
    {
      what: "values that come, and a list of another length",
      text:
        release(`${CHART}, values: {list: [1, 2]}`) + application("source: {chart: web, helm: {valuesObject: {a: 1}}}"),
      options: { base: release(`${CHART}, values: {list: [1]}`) + application("source: {chart: web}") },
      finds: [
        "3: notRendered: object HelmRelease shop/web, change changed, changed [spec.values.list]",
        "5: notRendered: object Application argocd/web, change changed, changed [spec.source.helm]",
      ],
    },
    {
      what: "another version of the chart",
      text: release(CHART.replace("1.0.0", "1.0.1")),
      options: { base: release(CHART) },
      finds: ["3: notRendered: object HelmRelease shop/web, change changed, changed [spec.chart.spec.version]"],
    },
    {
      what: "another version where the chart comes from",
      text: source("OCIRepository", "url: 'oci://r/web', ref: {tag: '2'}") + release(REF),
      options: { base: source("OCIRepository", "url: 'oci://r/web', ref: {tag: '1'}") + release(REF) },
      finds: [
        "5: notRendered: object HelmRelease shop/web, change changed, changed [OCIRepository charts: spec.ref.tag]",
      ],
    },
    {
      what: "another content of what values come from",
      text: values("web-values", "a: 2") + release(`${CHART}, ${FROM}`),
      options: { base: values("web-values", "a: 1") + release(`${CHART}, ${FROM}`) },
      finds: ["5: notRendered: object HelmRelease shop/web, change changed, changed [ConfigMap web-values]"],
    },
    {
      what: "another revision of one of several sources",
      text: application("sources: [{chart: a}, {chart: b, targetRevision: '2'}]"),
      options: { base: application("sources: [{chart: a}, {chart: b, targetRevision: '1'}]") },
      finds: [
        "3: notRendered: object Application argocd/web, change changed, changed [spec.sources[1].targetRevision]",
      ],
    },
    {
      what: "another source that nothing in the input uses",
      text: source("OCIRepository", "url: 'oci://r/web', ref: {tag: '2'}"),
      options: { base: source("OCIRepository", "url: 'oci://r/web', ref: {tag: '1'}") },
      finds: ["3: source: object OCIRepository flux-system/charts, changed [spec.ref.tag]"],
    },
    {
      what: "what generates Applications, and what Flux builds",
      text: set("2") + kustomization("./b"),
      options: { base: set("1") + kustomization("./a") },
      finds: [
        "3: notRendered: object ApplicationSet argocd/web, change changed, changed [spec.generators[0].list.elements[0].v]",
        "5: notRendered: object Kustomization flux-system/web, change changed, changed [spec.path]",
      ],
    },
    {
      what: "not values in another order or spelling",
      text: release(`${CHART}, values: {a: 1, b: 'x'}`),
      options: { base: release(`${CHART}, values: {b: x, a: 0x1}`) },
    },
    {
      what: "not how often it is looked at, nor what is beside it",
      text:
        release(CHART).replace("1h", "5m") + source("HelmRepository", "url: u, interval: 1h") + values("other", "2"),
      options: { base: release(CHART) + source("HelmRepository", "url: u, interval: 2h") + values("other", "1") },
    },
    { what: "not one that comes", text: release(CHART), options: { base: values("other", "1") } },
    {
      what: "of several that files call alike only what differs",
      text: ["1", "3", "2"].map((a) => release(`${CHART}, values: {a: ${a}}`)).join(""),
      options: { base: ["0", "1", "2"].map((a) => release(`${CHART}, values: {a: ${a}}`)).join("") },
      finds: ["5: notRendered: object HelmRelease shop/web, change changed, changed [spec.values.a]"],
    },
    { what: "not without a base", text: release(CHART) },
    {
      what: "not one that ignores it",
      text: release(`${CHART}, values: {a: 2}`, ", annotations: {ignore.rollstamp.dev/RS024: planned elsewhere}"),
      options: { base: release(`${CHART}, values: {a: 1}`) },
    },
  ],
});
