import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mayRenderGitOps } from "../../../src/applications/discover/objects.ts";

describe("text that may render to objects of Argo CD or Flux", () => {
  const set = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\n";
  const rollout = "apiVersion: argoproj.io/v1alpha1\nkind: Rollout\nmetadata: {name: '{{ .Release.Name }}'}\n";
  const MAY: readonly string[] = [
    set,
    `${rollout}---\n${set}`,
    set.replaceAll("\n", "\r\n"),
    "apiVersion: argoproj.io/v1alpha1\nkind: {{ .Values.kind }}\n",
    "apiVersion: argoproj.io/v1alpha1\nmetadata: {name: web}\nkind: Application\n",
    "{apiVersion: argoproj.io/v1alpha1, kind: Application}\n",
    "kind: Kustomization\napiVersion: kustomize.toolkit.fluxcd.io/{{ .Values.version }}\n",
    // The kind of the next object.
    "kind: Application\napiVersion: argoproj.io/v1alpha1\n---\nkind: Rollout\n",
  ];
  const NOT: readonly string[] = [
    rollout,
    rollout.replaceAll("\n", "\r\n"),
    `  - ${rollout.replace("\n", "\n    ")}`,
    "metadata: {annotations: {argocd.argoproj.io/hook: PreSync}, name: '{{ .Release.Name }}'}\n",
    "apiVersion: v1\nkind: Application\n",
  ];
  for (const text of MAY) it(JSON.stringify(text), () => assert.ok(mayRenderGitOps(text)));
  for (const text of NOT) it(`not ${JSON.stringify(text)}`, () => assert.ok(!mayRenderGitOps(text)));
});
