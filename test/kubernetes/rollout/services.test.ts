import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { indexServices, whenReady } from "../../../src/kubernetes/rollout/services.ts";
import { itemsOf, object } from "./input.ts";

// The Services that send requests to a pod as soon as it is ready: a missing probe affects these.

const service = (spec: string, metadata = "name: web"): string => object("Service", spec, metadata);
const SELECTS = "selector: {app: web}";
const ports = (...names: readonly string[]): string =>
  `${SELECTS}, ports: [${names.map((name) => (name === "" ? "{port: 80}" : `{name: ${name}, port: 80}`)).join(", ")}]`;
const monitor = (spec: string, apiVersion = "monitoring.coreos.com/v1", kind = "ServiceMonitor"): string =>
  object(kind, spec, "name: m", apiVersion);
const route = (backend: string): string =>
  object(
    "HTTPRoute",
    `rules: [{backendRefs: [{${backend}}]}]`,
    "name: web, namespace: other",
    "gateway.networking.k8s.io/v1",
  );
const LABELLED = "name: web, labels: {app: web, part: b}";
const SCRAPES = "selector: {matchLabels: {app: web}}, endpoints: [{port: http}, {port: other}]";

/** The names of the Services that send requests to pods with `app: web` and `tier: x` of a namespace. */
const serving = (objects: readonly string[], namespace = "default"): string =>
  whenReady(
    indexServices(itemsOf(...objects), "default")(
      namespace,
      new Map([
        ["app", "web"],
        ["tier", "x"],
      ]),
    ),
  )
    .map(({ name }) => name)
    .join(", ");

describe("a Service that sends requests to a pod", () => {
  const ROWS: Readonly<Record<string, readonly [readonly string[], string]>> = {
    "by one of its labels": [[service(SELECTS)], "web"],
    "by all of its labels": [[service("selector: {app: web, tier: x}")], "web"],
    "not by other labels": [[service("selector: {app: db}"), service("selector: {app: web, tier: y}")], ""],
    "not without a selector": [[service("type: ClusterIP"), service("selector: {}")], ""],
    "not one of another group": [[object("Service", SELECTS, "name: web", "serving.knative.dev/v1")], ""],
    "not another kind": [[object("Ingress", SELECTS)], ""],
    "several, in the order of the input": [
      [service(SELECTS, "name: b"), service("selector: {tier: x}", "name: a"), service(SELECTS, "name: c")],
      "b, a, c",
    ],
    "not one of another namespace": [[service(SELECTS, "name: web, namespace: other")], ""],
    "one that takes pods only when they are ready": [[service(`${SELECTS}, publishNotReadyAddresses: false`)], "web"],
    "not one that takes them before": [[service(`${SELECTS}, publishNotReadyAddresses: true`)], ""],
    "one of a type": [[service(`${SELECTS}, type: LoadBalancer`)], "web"],
    "not one that is a name": [[service(`${SELECTS}, type: ExternalName`)], ""],

    "one of a port": [[service(ports("http"))], "web"],
    "one of a port without a name": [[service(ports(""))], "web"],
    "one of no ports": [[service(`${SELECTS}, ports: []`)], "web"],
    "not one of metrics": [[service(ports("metrics"))], ""],
    "not by any of the words for metrics": [
      [service(ports("http-metrics", "prometheus", "monitoring", "telemetry-grpc"))],
      "",
    ],
    "one of metrics and more": [[service(ports("metrics", "http"))], "web"],

    "not one whose only port is scraped": [[service(ports("http"), LABELLED), monitor(SCRAPES)], ""],
    "not one whose ports are all scraped or of metrics": [
      [service(ports("http", "metrics", "other"), LABELLED), monitor(SCRAPES)],
      "",
    ],
    "one that is scraped at the port to which an Ingress leads": [
      [
        service(ports("http"), LABELLED),
        monitor(SCRAPES),
        object("Ingress", "defaultBackend: {service: {name: web}}", "name: web", "networking.k8s.io/v1"),
      ],
      "web",
    ],
    "one that is scraped at the port to which a route of another namespace leads": [
      [service(ports("http"), LABELLED), monitor(SCRAPES), route("name: web, namespace: default")],
      "web",
    ],
    "not one that is scraped beside a route to another one": [
      [service(ports("http"), LABELLED), monitor(SCRAPES), route("name: web"), route("name: api, namespace: default")],
      "",
    ],
    "one of which another port is not scraped": [[service(ports("http", "api"), LABELLED), monitor(SCRAPES)], "web"],
    "one whose port without a name nobody scrapes": [[service(ports(""), LABELLED), monitor(SCRAPES)], "web"],
    "not one that two monitors scrape together": [
      [
        service(ports("http", "api"), LABELLED),
        monitor(SCRAPES),
        monitor("selector: {matchLabels: {app: web}}, endpoints: [{port: api}]"),
      ],
      "",
    ],
    "not one that a monitor finds by its other label": [
      [service(ports("http"), LABELLED), monitor("selector: {matchLabels: {part: b}}, endpoints: [{port: http}]")],
      "",
    ],
    "one without the label that a monitor asks for": [[service(ports("http")), monitor(SCRAPES)], "web"],
    "one with another value of it": [[service(ports("http"), "name: web, labels: {app: db}"), monitor(SCRAPES)], "web"],
    "one with only the first label that a monitor asks for": [
      [
        service(ports("http"), LABELLED),
        monitor("selector: {matchLabels: {app: web, more: c}}, endpoints: [{port: http}]"),
      ],
      "web",
    ],
    "one that a monitor's expression leaves out": [
      [
        service(ports("http"), LABELLED),
        monitor(
          "selector: {matchLabels: {app: web}, matchExpressions: [{key: part, operator: DoesNotExist}]}, endpoints: [{port: http}]",
        ),
      ],
      "web",
    ],
    "one of a monitor that the API server refuses": [
      [
        service(ports("http"), LABELLED),
        monitor(
          "selector: {matchLabels: {app: web}, matchExpressions: [{key: part, operator: Near}]}, endpoints: [{port: http}]",
        ),
      ],
      "web",
    ],
    "one of a monitor that asks for no label": [
      [service(ports("http"), LABELLED), monitor("selector: {}, endpoints: [{port: http}]")],
      "web",
    ],
    "one of a monitor without endpoints": [
      [service(ports("http"), LABELLED), monitor("selector: {matchLabels: {app: web}}")],
      "web",
    ],
    "one of what is no monitor": [
      [
        service(ports("http"), LABELLED),
        monitor(SCRAPES, "example.com/v1"),
        monitor(SCRAPES, "monitoring.coreos.com/v1", "PodMonitor"),
      ],
      "web",
    ],
  };
  for (const [what, [objects, expected]] of Object.entries(ROWS))
    it(`${what}: ${expected || "none"}`, () => assert.equal(serving(objects), expected));

  it("has the namespace of its manifest or the default", () => {
    const objects = [service(SELECTS, "name: a"), service(SELECTS, "name: b, namespace: other")];
    assert.equal(serving(objects), "a");
    assert.equal(serving(objects, "other"), "b");
  });
  it("is absent without input", () => assert.deepEqual(indexServices([], "default")("default", new Map()), []));
  it("is compared with at most fifty monitors of one label", () => {
    // The monitor that scrapes the port is the last: the fifty-first is not compared.
    const idle = "selector: {matchLabels: {app: web}}, endpoints: [{port: idle}]";
    const among = (count: number): string =>
      serving([
        service(ports("http"), LABELLED),
        ...Array.from({ length: count - 1 }, () => monitor(idle)),
        monitor(SCRAPES),
      ]);
    assert.deepEqual([among(50), among(51)], ["", "web"]);
  });
  it("is compared with at most fifty monitors of all its labels", () => {
    const many = (label: string, last: string): string[] => [
      ...Array.from({ length: 25 }, () => monitor(`selector: {matchLabels: {${label}}}, endpoints: [{port: idle}]`)),
      monitor(`selector: {matchLabels: {${label}}}, endpoints: [{port: ${last}}]`),
    ];
    const asked = (first: string, second: string): string =>
      serving([service(ports("http"), LABELLED), ...many("app: web", first), ...many("part: b", second)]);
    assert.deepEqual([asked("http", "idle"), asked("idle", "http")], ["", "web"]);
  });
});
