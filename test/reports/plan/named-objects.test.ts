import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "./planned.ts";

const object = (kind: string, body: string, apiVersion = "v1", metadata = "name: web"): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {${metadata}}, ${body}}\n`;
const stream = (...objects: readonly string[]): string => objects.join("---\n");
const deployment = (pods = ""): string =>
  object(
    "Deployment",
    `spec: {template: {metadata: {labels: {app: web}}, spec: {${pods}containers: [{name: app, image: "web:1"}]}}}`,
    "apps/v1",
  );

describe("an object that HEAD deletes and still names", () => {
  const secret = object("Secret", "data: {}", "v1", "name: key");
  const sealed = object("SealedSecret", "spec: {encryptedData: {}}", "bitnami.com/v1alpha1", "name: key");
  const certificate = object("Certificate", "spec: {secretName: key}", "cert-manager.io/v1", "name: key");
  const service = object("Service", "spec: {ports: [{name: http, port: 80}]}", "v1", "name: key");
  const pods = deployment("imagePullSecrets: [{name: key}], ");
  const account = object("ServiceAccount", "imagePullSecrets: [{name: key}]");
  const ingress = (spec: string, annotations = ""): string =>
    object("Ingress", `spec: {${spec}}`, "networking.k8s.io/v1", `name: web, annotations: {${annotations}}`);
  const tls = "tls: [{secretName: key}]";
  const path = "rules: [{http: {paths: [{backend: {service: {name: key, port: {number: 80}}}}]}}]";
  const route = (reference: string): string =>
    object("HTTPRoute", `spec: {rules: [{backendRefs: [{${reference}}]}]}`, "gateway.networking.k8s.io/v1");
  const gateway = object(
    "Gateway",
    "spec: {listeners: [{tls: {certificateRefs: [{name: key}]}}]}",
    "gateway.networking.k8s.io/v1",
  );
  const other = (user: string): string => user.replace("metadata: {", "metadata: {namespace: b, ");
  const CASES: readonly (readonly [what: string, gone: string, user: string, by: string | undefined])[] = [
    ["a Secret with which pods pull images", secret, pods, "Deployment"],
    ["a Secret with which a ServiceAccount pulls images", secret, account, "ServiceAccount"],
    ["what makes that Secret", sealed, account, "ServiceAccount"],
    ["a certificate", secret, ingress(tls), "Ingress"],
    ["a certificate of a Gateway", secret, gateway, "Gateway"],
    ["a certificate that cert-manager makes again", secret, ingress(tls, "cert-manager.io/issuer: a"), undefined],
    ["what makes a Secret that stays", certificate, ingress(tls), undefined],
    ["a Secret of another namespace", secret, other(account), undefined],
    ["a backend", service, ingress(path), "Ingress"],
    ["the default backend", service, ingress("defaultBackend: {service: {name: key}}"), "Ingress"],
    ["the backend of a route", service, route("name: key, port: 80"), "HTTPRoute"],
    ["the backend of a route elsewhere", service, other(route("name: key, namespace: default")), "HTTPRoute"],
    ["a backend without requests", service, route("name: key, weight: 0"), undefined],
    ["a backend of another kind", service, route("name: key, kind: Bucket, group: a.example"), undefined],
  ];
  for (const [what, gone, user, by] of CASES)
    it(what, () => {
      const others = user === pods ? [] : [deployment()];
      const { objects, verdict } = planned(stream(...others, user, gone), stream(...others, user));
      const isService = gone === service;
      assert.deepEqual(
        [objects.map(({ usedBy }) => usedBy?.map(({ kind }) => kind)), verdict?.level],
        [[by === undefined ? undefined : [by]], by !== undefined || isService ? "attention" : "ok"],
      );
      assert.equal(
        planned(stream(user, gone), "").objects.some(({ usedBy }) => usedBy !== undefined),
        false,
      );
    });
  it("is not lost if something else makes it", () => {
    assert.equal(planned(stream(pods, secret), stream(pods, sealed)).verdict?.level, "ok");
    assert.equal(planned(stream(pods, sealed), stream(pods, secret)).verdict?.level, "ok");
  });
});

describe("the port of a backend", () => {
  const service = (ports: string, spec = ""): string =>
    object("Service", `spec: {${spec}ports: [${ports}]}`, "v1", "name: key");
  const ingress = (port: string): string =>
    object(
      "Ingress",
      `spec: {rules: [{http: {paths: [{backend: {service: {name: key, port: {${port}}}}}]}}]}`,
      "networking.k8s.io/v1",
    );
  const route = (port: number): string =>
    object("HTTPRoute", `spec: {rules: [{backendRefs: [{name: key, port: ${port}}]}]}`, "gateway.networking.k8s.io/v1");
  const HTTP = "{name: http, port: 80}";
  const METRICS = "{name: metrics, port: 9090}";
  const WEB = "{name: web, port: 80}";
  const AT = "spec.rules[0].http.paths[0].backend.service";
  const CASES: readonly (readonly [what: string, base: string, head: string, lost: readonly unknown[]])[] = [
    [
      "has another name",
      stream(ingress("name: http"), service(HTTP)),
      stream(ingress("name: http"), service(WEB)),
      ["spec.ports"],
    ],
    [
      "has the same number",
      stream(ingress("number: 80"), service(HTTP)),
      stream(ingress("number: 80"), service(WEB)),
      [undefined],
    ],
    [
      "is one for metrics",
      stream(ingress("number: 9090"), service(`${HTTP}, ${METRICS}`)),
      stream(ingress("number: 9090"), service(HTTP)),
      ["spec.ports"],
    ],
    [
      "is that of a headless Service",
      stream(route(80), service(HTTP, "clusterIP: None, ")),
      stream(route(80), service("{port: 81}", "clusterIP: None, ")),
      ["spec.ports"],
    ],
    [
      "is another one in an Ingress",
      stream(ingress("number: 80"), service(HTTP)),
      stream(ingress("number: 8080"), service(HTTP)),
      [AT],
    ],
    [
      "is another one in a route",
      stream(route(80), service(HTTP)),
      stream(route(81), service(HTTP)),
      ["spec.rules[0].backendRefs[0]"],
    ],
    [
      "was missing already",
      stream(ingress("name: http"), service(WEB)),
      stream(ingress("name: http"), service(`${WEB}, {name: b, port: 81}`)),
      [undefined],
    ],
    ["is unknown here", ingress("number: 80"), ingress("number: 81"), [undefined]],
    [
      "is elsewhere",
      stream(ingress("number: 80"), service(HTTP)),
      stream(
        ingress("number: 80"),
        object("Service", "spec: {type: ExternalName, externalName: a.example}", "v1", "name: key"),
      ),
      ["spec.externalName"],
    ],
  ];
  for (const [what, base, head, lost] of CASES)
    it(what, () => {
      const { objects, verdict } = planned(stream(deployment(), base), stream(deployment(), head));
      assert.deepEqual(
        [objects.map(({ loses }) => loses), verdict?.level],
        [lost, lost[0] === undefined ? "ok" : "attention"],
      );
      // Of a Service, it names the route.
      const asking = objects.flatMap(({ usedBy = [] }) => usedBy.map(({ kind }) => kind));
      assert.deepEqual(asking, lost[0] === "spec.ports" ? [base.includes("Ingress") ? "Ingress" : "HTTPRoute"] : []);
    });
});

describe("another Service in a route", () => {
  const service = (name: string): string => object("Service", "spec: {ports: [{port: 80}]}", "v1", `name: ${name}`);
  const backend = (name: string): string =>
    `{path: /, pathType: Prefix, backend: {service: {name: ${name}, port: {number: 80}}}}`;
  const ingress = (...names: readonly string[]): string =>
    object("Ingress", `spec: {rules: [{http: {paths: [${names.map(backend).join(", ")}]}}]}`, "networking.k8s.io/v1");
  const route = (name: string, more = ""): string =>
    object(
      "HTTPRoute",
      `spec: {rules: [{backendRefs: [{name: ${name}, port: 80${more}}]}]}`,
      "gateway.networking.k8s.io/v1",
    );
  const key = service("key");
  const CASES: readonly (readonly [what: string, base: string, head: string, field: string | undefined])[] = [
    ["that is not there", ingress("key"), ingress("kye"), "spec.rules[0].http.paths[0].backend.service"],
    [
      "for one of two paths",
      ingress("key", "key"),
      ingress("key", "kye"),
      "spec.rules[0].http.paths[1].backend.service",
    ],
    ["in an HTTPRoute", route("key"), route("kye"), "spec.rules[0].backendRefs[0]"],
    ["that is there", ingress("key"), stream(ingress("two"), service("two")), undefined],
    ["that was missing in BASE, too", ingress("one"), ingress("two"), undefined],
    ["in a new rule before it", ingress("key"), ingress("new", "key"), undefined],
    ["that another application may have", ingress("key"), ingress("oauth2-proxy"), undefined],
    ["that BASE names too", ingress("key", "kye"), ingress("kye"), undefined],
    ["that is an annotation", ingress("key"), ingress("kye").replace("number: 80", "name: use-annotation"), undefined],
    ["of another namespace", route("key"), route("kye", ", namespace: other"), undefined],
    ["in a new Ingress", "", ingress("kye"), undefined],
  ];
  for (const [what, base, head, field] of CASES)
    it(what, () => {
      const { objects, verdict } = planned(stream(deployment(), key, base), stream(deployment(), key, head));
      assert.deepEqual(
        [objects.flatMap(({ loses }) => loses ?? []), verdict?.level],
        [field === undefined ? [] : [field], field === undefined ? "ok" : "attention"],
      );
    });
});
