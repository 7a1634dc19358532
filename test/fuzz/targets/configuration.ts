// Any bytes, as the functionConfig of a ResourceList whose items are fine.
import { decoded, stampTwice } from "../checks.ts";

const LIST = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: env, annotations: {reloader.stakater.com/match: "true"}}
  data: {A: "1", B: "2"}
- apiVersion: v1
  kind: Secret
  metadata: {name: login}
  stringData: {password: planted-by-the-fuzzer}
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, labels: {app: web}, annotations: {configmap.reloader.stakater.com/reload: "e.*"}}
  spec:
    template:
      spec:
        containers:
        - name: web
          envFrom: [{configMapRef: {name: env}}, {secretRef: {name: login}}]
functionConfig:
`;

/** Throws where the function does what it never may. */
export function fuzz(bytes: Buffer): void {
  const text = decoded(bytes);
  if (text !== undefined) stampTwice(`${LIST}${text.replace(/^/gmu, "  ")}\n`);
}
