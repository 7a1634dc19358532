// A manifest that is put together from pieces of YAML's styles, as the bytes choose: most of them can be
// read, so that the edits are what is tried.
import { stampTwice } from "../checks.ts";

const PIECES: readonly string[] = [
  "metadata:\n",
  "metadata: {}\n",
  "metadata: {annotations: {a: b}}\n",
  "metadata:\n  annotations:\n",
  "metadata:\n  annotations: {}\n",
  "metadata:\n  annotations: null # none\n",
  "metadata: # first\n  # second\n  annotations:\n    a: b # third\n",
  'metadata:\n  annotations:\n    configmap.rollstamp.dev/env: "h1-0000000000000000000000000000000000000000"\n',
  "metadata:\n  annotations: &shared\n    a: b\n",
  "metadata:\n  annotations:\n    <<: {c: d}\n    a: b\n",
  "metadata:\n  ? annotations\n  : a: b\n",
  "metadata:\n  annotations: {\n    a: b, # first\n    c: d\n  }\n",
  "metadata:\n  annotations: !!map\n    a: |\n      text\n    b: >-\n      folded\n",
  '"metadata": {"annotations": {"a": "b"}}\n',
  "metadata:\n  labels: {app: web}\n  annotations:\n    'a': 'b'\n",
];
const REFERENCES: readonly string[] = [
  "envFrom: [{configMapRef: {name: env}}]\n",
  "envFrom:\n- configMapRef:\n    name: env\n",
  "env:\n- name: A\n  valueFrom: {configMapKeyRef: {name: env, key: A}}\n",
  "env: []\n",
];
const BREAKS: readonly string[] = ["\n", "\r\n"];
const INDENTS: readonly string[] = ["  ", "    ", " "];

/** Throws where the function does what it never may. */
export function fuzz(bytes: Buffer): void {
  let offset = 0;
  const pick = <T>(from: readonly T[], otherwise: T): T => from[(bytes[offset++] ?? 0) % from.length] ?? otherwise;
  const value = pick(["1", "two words", "émoji 🙂", "a: b", "- x", "# no comment"], "1");
  const documents: string[] = [
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata:\n  A: ${JSON.stringify(value)}\n`,
  ];
  for (let count = 1 + ((bytes[offset++] ?? 0) % 3); count > 0; count--) {
    const indent = pick(INDENTS, "  ");
    const inPod = (text: string): string => text.replace(/^(?=.)/gmu, indent.repeat(2));
    const container = pick(REFERENCES, "").replace(/^(?=.)/gmu, indent.repeat(4));
    const pod = `${indent.repeat(2)}spec:\n${indent.repeat(3)}containers:\n${indent.repeat(3)}-${" ".repeat(indent.length)}name: web\n${container.replace(/^ /gmu, " ")}`;
    const metadata = inPod(pick(PIECES, ""));
    const template = pick([metadata + pod, pod + metadata, pod], pod);
    documents.push(
      `# a workload\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n${indent}name: web-${documents.length}\nspec:\n${indent}template:\n${template}`,
    );
  }
  const text = documents.join(pick(["---\n", "--- # next\n", "...\n---\n"], "---\n"));
  const eol = pick(BREAKS, "\n");
  const mark = pick(["", "\uFEFF"], "");
  stampTwice(mark + (eol === "\n" ? text : text.replaceAll("\n", eol)).slice(0, text.length * 2));
}
