// A build without what is not fetched gives what kustomize builds from the files without it, and without the patches for it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { describe, it } from "node:test";
import { renderKustomization } from "../../src/node/render-kustomization.ts";
import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { writeFiles } from "../support/folders.ts";
import { installed, unlessFound } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const KUSTOMIZE = installed("kustomize.sh");
const REMOTE = "https://git.example/base.yaml";

const object = (kind: string, more: string): string => `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: a\n${more}`;
const OBJECTS = [
  object("ConfigMap", "data: {A: '1', OCTAL: 1}\n"),
  object("ConfigMap", "  namespace: other\ndata: {A: '1'}\n"),
  object("Secret", "stringData: {A: '1'}\n"),
  object("PersistentVolume", "  namespace: b\nspec: {storageClassName: one}\n"),
  object("Service", "spec: {ports: [{port: 80, name: web}, {port: 81, name: metrics}]}\n"),
].join("---\n");

const CONFIG = object("ConfigMap", "data: {A: '2', OCTAL: 015, DATE: 2024-01-01, YES: yes}\n");
const ELSEWHERE = CONFIG.replace("  name: a", "  name: of-the-remote-base");

/** Patches of local objects: in files, with several documents, inline, and of the forms that kustomize has. */
const CASES: Readonly<Record<string, { readonly fields: object; readonly files?: Readonly<Record<string, string>> }>> =
  {
    "a file": { fields: { patches: [{ path: "p.yaml" }] }, files: { "p.yaml": CONFIG } },
    text: { fields: { patches: [{ patch: CONFIG }] } },
    "several documents": {
      fields: { patches: [{ path: "p.yaml" }] },
      files: { "p.yaml": `# two\n${CONFIG}---\n${object("Secret", "$patch: delete\n")}---\n` },
    },
    "a field of its own": { fields: { patchesStrategicMerge: ["p.yaml"] }, files: { "p.yaml": CONFIG } },
    "a cluster-scoped object with a namespace": {
      fields: { patches: [{ patch: object("PersistentVolume", "  namespace: b\nspec: {storageClassName: two}\n") }] },
    },
    "another namespace": { fields: { patches: [{ patch: CONFIG.replace("name: a", "name: a\n  namespace: other") }] } },
    "a list": {
      fields: {
        patches: [{ patch: object("Service", "spec: {ports: [{port: 81, $patch: delete}, {port: 82, name: new}]}\n") }],
      },
    },
    JSON: {
      fields: {
        patches: [{ target: { kind: "ConfigMap" }, patch: '[{"op": "replace", "path": "/data/A", "value": "3"}]' }],
        patchesJson6902: [
          {
            target: { version: "v1", kind: "Secret", name: "a" },
            patch: '[{"op": "remove", "path": "/stringData/A"}]',
          },
        ],
      },
    },
    "a prefix": { fields: { namePrefix: "pre-", patches: [{ patch: CONFIG }] } },
  };

describe("a build without what is not fetched", { skip: unlessFound(KUSTOMIZE) }, () => {
  const program = KUSTOMIZE.found ? KUSTOMIZE.path : "";
  const environment = { PATH: `${dirname(program)}:${process.env["PATH"] ?? ""}` };
  const rendered = async (fields: object, files: Readonly<Record<string, string>>): Promise<string> => {
    const folder = temporaryFolder();
    writeFiles(folder, { ...files, "objects.yaml": OBJECTS, "kustomization.yaml": JSON.stringify(fields) });
    const application = { folder, root: folder, limits: DEFAULT_LIMITS };
    const { text } = await renderKustomization({ application, given: new Map(), environment, leavesOut: true });
    return text;
  };

  for (const [name, { fields, files = {} }] of Object.entries(CASES)) {
    it(name, async () => {
      const folder = temporaryFolder();
      const local = { ...fields, resources: ["objects.yaml"] };
      writeFiles(folder, { ...files, "objects.yaml": OBJECTS, "kustomization.yaml": JSON.stringify(local) });
      const expected = execFileSync(program, ["build", "."], { cwd: folder, encoding: "utf8", stdio: "pipe" });
      const remote = { ...fields, resources: ["objects.yaml", REMOTE] };
      assert.equal(await rendered(remote, files), expected);
      const more = {
        ...remote,
        patches: [...("patches" in fields ? [fields.patches].flat() : []), { patch: ELSEWHERE }],
      };
      assert.equal(await rendered(more, files), expected);
    });
  }
});
