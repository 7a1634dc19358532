import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { planned } from "../../reports/plan/planned.ts";

const made = (kind: string, spec: string, pod = "", labels = "{app: web}"): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web}, spec: {${spec}, template: {metadata: {labels: ${labels}}, spec: {containers: [{name: app, image: a${pod}}]}}}}\n`;

const SELECTOR = "selector: {matchLabels: {app: web}}";
const MOUNT = ", volumeMounts: [{name: data, mountPath: /data}]";

describe("what the API server rejects in and around a pod template", () => {
  const rows: readonly (readonly [what: string, object: string, path: string | undefined])[] = [
    ["other labels than the selector", made("Deployment", SELECTOR, "", "{app: api}"), "spec.template.metadata.labels"],
    ["no labels", made("StatefulSet", SELECTOR, "", "{}"), undefined],
    ["more labels than the selector", made("DaemonSet", SELECTOR, "", "{app: web, a: b}"), undefined],
    ["no selector, as in a patch", made("Deployment", "paused: false", "", "{a: b}"), undefined],
    ["quoted replicas", made("Deployment", `replicas: "2", ${SELECTOR}`), "spec.replicas"],
    ["replicas that are replaced later", made("Deployment", `replicas: "${"${N}"}", ${SELECTOR}`), undefined],
    [
      "a mount without a volume",
      made("Deployment", SELECTOR, MOUNT),
      "spec.template.spec.containers[0].volumeMounts[0].name",
    ],
    [
      "a mount without a claim",
      made("StatefulSet", SELECTOR, MOUNT),
      "spec.template.spec.containers[0].volumeMounts[0].name",
    ],
    [
      "a mount of a volume claim",
      made("StatefulSet", `${SELECTOR}, volumeClaimTemplates: [{metadata: {name: data}}]`, MOUNT),
      undefined,
    ],
    ["a mount of a volume", made("Deployment", SELECTOR, `${MOUNT}}], volumes: [{name: data`), undefined],
  ];
  for (const [what, object, path] of rows) {
    it(what, () => {
      const paths = planned("", object).workloads.map(({ action, reasons }) => [
        action,
        ...reasons.flatMap((reason) => (reason.type === "Invalid" ? [reason.path] : [])),
      ]);
      assert.deepEqual(paths, [path === undefined ? ["Create"] : ["Fail", path]]);
    });
  }
});
