// The usual example for Reloader: two equal Deployments mount one ConfigMap, and one of them is opted in. A changed value changes exactly
// that pod template.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { build, declareFunction, KUSTOMIZE_HOSTS, type KustomizeHost } from "./kustomize.ts";
import { find, identityOf, objectsOf, podTemplateOf, type Mapping } from "./manifests.ts";
import { unlessFound } from "./programs.ts";
import { treeOf } from "./trees.ts";
import { rollstamp } from "./wiring.ts";

const STAMP = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
spec:
  selection: Annotated
  compat: [Reloader]
`;

function deployment(name: string, annotations: string): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
${annotations}spec:
  replicas: 1
  selector:
    matchLabels: {app: ${name}}
  template:
    metadata:
      labels: {app: ${name}}
    spec:
      containers:
      - name: app
        image: registry.example/app:1
        volumeMounts:
        - name: config
          mountPath: /etc/config
      volumes:
      - name: config
        configMap: {name: config}
`;
}

function render(host: KustomizeHost, value: string): readonly Mapping[] {
  const tree = treeOf({
    "kustomization.yaml": "resources: [config.yaml, with.yaml, without.yaml]\ntransformers: [stamp.yaml]\n",
    "stamp.yaml": STAMP,
    "config.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: config\ndata:\n  config.yaml: "value: ${value}"\n`,
    "with.yaml": deployment("with-reloader", '  annotations:\n    reloader.stakater.com/auto: "true"\n'),
    "without.yaml": deployment("without-reloader", ""),
  });
  declareFunction(tree, host);
  return objectsOf(build(host, tree, rollstamp));
}

for (const host of KUSTOMIZE_HOSTS) {
  describe(`${host.name}: two Deployments, one opted in`, { skip: unlessFound(host.program) }, () => {
    test("a changed value changes exactly one pod template", () => {
      const before = render(host, "A");
      const after = render(host, "B");
      const changed = before.filter((object) => {
        const other = find(after, identityOf(object));
        return JSON.stringify(object) !== JSON.stringify(other);
      });
      assert.deepEqual(changed.map(identityOf).sort(), ["ConfigMap/config", "Deployment/with-reloader"]);

      const template = podTemplateOf(find(before, "Deployment/with-reloader"));
      const otherTemplate = podTemplateOf(find(after, "Deployment/with-reloader"));
      assert.notDeepEqual(template?.["metadata"], otherTemplate?.["metadata"]);
      assert.deepEqual(template?.["spec"], otherTemplate?.["spec"]);
      assert.equal(JSON.stringify(find(after, "Deployment/without-reloader")).includes("rollstamp"), false);
    });
  });
}
