import { eachMapping, keysOf } from "../../yaml/read/each-mapping.ts";
import type { Item } from "../../yaml/read/items.ts";
import { entriesOf, itemsOf, kindOf, resolve, stringOf } from "../../yaml/read/node.ts";
import { NONE, scalarText } from "../../yaml/read/tree.ts";

// Admission policies. A policy that requires a label rejects pods without it: the API server accepts the workload, but
// no new pod starts.

/** The groups whose objects are policies or templates of policies. */
const POLICY_GROUPS =
  /^(?:kyverno\.io|policies\.kyverno\.io|admissionregistration\.k8s\.io|constraints\.gatekeeper\.sh|templates\.gatekeeper\.sh|policies\.kubewarden\.io)$/u;

/** The rules are in the spec: a policy's own labels and annotations do not count. */
const OWN = new Set(["apiVersion", "kind", "metadata", "status"]);

export function isPolicy({ group }: Item): boolean {
  return POLICY_GROUPS.test(group);
}

/** Which of some labels a policy names: as keys of a pattern, in lists, in CEL, JMESPath and Rego. */
export function labelsOfPolicy({ tree, node }: Item, labels: ReadonlySet<string>): Set<string> {
  const named = new Set<string>();
  const read = (value: number): void => {
    const text = value === NONE ? undefined : stringOf(tree, value);
    if (text === undefined) return;
    for (const label of labels) if (names(text, label)) named.add(label);
  };
  const readValue = (key: string, value: number): void => {
    // Texts for people are not rules.
    if (MESSAGES.has(key)) return;
    if (kindOf(tree, value) === "sequence") for (const each of itemsOf(tree, value)) read(each);
    else read(value);
  };
  for (const { key: field, valueNode } of entriesOf(tree, node)) {
    if (OWN.has(field)) continue;
    eachMapping(tree, valueNode, [], (mapping) => {
      for (const keyNode of keysOf(tree, mapping)) {
        const key = scalarText(tree, resolve(tree, keyNode));
        const plain = key.replace(ANCHOR, "$1");
        if (labels.has(plain)) named.add(plain);
        readValue(key, tree.next[keyNode] ?? NONE);
      }
    });
  }
  return named;
}

const MESSAGES = new Set(["message", "messageExpression", "description", "title"]);

// Kyverno's anchors around a key of a pattern: `=(key)`, `+(key)`, `X(key)`, `<(key)`, `^(key)`, `(key)`.
const ANCHOR = /^[=+X<^]?\((.*)\)$/u;

/**
 * Whether a string is the key of a label, or an expression with it. A bare word must be in quotes or follow `labels.`.
 */
function names(text: string, label: string): boolean {
  if (text === label) return true;
  if (label.includes("/")) return text.includes(label);
  return [`'${label}'`, `"${label}"`, `labels.${label}`].some((form) => text.includes(form));
}
