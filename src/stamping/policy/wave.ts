import { trimmedParts } from "../../base/words.ts";
import { WAVE_DOMAIN, WAVE_OPT_IN } from "../../base/hosts/peers.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import type { ReferencedKind } from "../../base/referenced-kinds.ts";
import type { Reference, Workload } from "../../kubernetes/workloads/types.ts";
import { annotationAt, fieldOf, ownAnnotations, textIn, type PeerAnnotations } from "./peer-annotations.ts";
import type { AskPeer } from "./types.ts";

// Wave's annotations: getChildNamesByType and hasRequiredAnnotation in its pkg/core.

/** The annotations that name more sources. Wave supports no other kinds. */
const EXTRAS: readonly { readonly key: string; readonly kind: ReferencedKind }[] = [
  { key: `${WAVE_DOMAIN}/extra-configmaps`, kind: "ConfigMap" },
  { key: `${WAVE_DOMAIN}/extra-secrets`, kind: "Secret" },
];

/** Wave's rules. */
export function wave(): AskPeer {
  return (marked, workload) => {
    const annotations = ownAnnotations(marked, WAVE_DOMAIN);
    const optIn = textIn(annotations, WAVE_OPT_IN);
    const isOn = optIn === "true";
    const named = EXTRAS.flatMap(({ key, kind }) => extras(annotations, key, kind, workload));
    return {
      excludes: () => undefined,
      optsIn: ({ kind }) =>
        isOn && EXTRAS.some((row) => row.kind === kind) ? `opted in by ${WAVE_OPT_IN}` : undefined,
      optsOut: () => (optIn === "false" ? `opted out by ${WAVE_OPT_IN}` : undefined),
      extras: named,
      findings: [...flagFindings(annotations), ...EXTRAS.flatMap(({ key }) => listFindings(annotations, key))],
    };
  };
}

/** Reads a list of `name` and `namespace/name`. Wave requires none of them to exist. */
function extras(own: PeerAnnotations, key: string, kind: ReferencedKind, workload: Workload): Reference[] {
  const node = own.entries.get(key)?.node ?? own.item.node;
  return parts(own, key)
    .filter(isTaken)
    .map((part) => {
      const slash = part.indexOf("/");
      return {
        kind,
        namespace: slash < 0 ? workload.namespace : part.slice(0, slash),
        name: part.slice(slash + 1),
        keys: "*",
        requiredKeys: [],
        via: "extra",
        optional: true,
        containers: [],
        field: fieldOf(own, key),
        node,
        item: own.item,
      };
    });
}

function parts(own: PeerAnnotations, key: string): string[] {
  return trimmedParts(textIn(own, key) ?? "");
}

function isTaken(part: string): boolean {
  return /^[^/]+(?:\/[^/]+)?$/u.test(part);
}

function flagFindings(own: PeerAnnotations): Finding[] {
  const entry = own.entries.get(WAVE_OPT_IN);
  if (entry === undefined || entry.text === "true" || entry.text === "false" || entry.text === "") return [];
  const { named, location } = annotationAt(own, WAVE_OPT_IN);
  if (entry.text === undefined) return [{ id: "wave-annotation", cause: "notString", params: named, ...location }];
  return [{ id: "wave-annotation", cause: "notBoolean", params: { ...named, value: entry.text }, ...location }];
}

function listFindings(own: PeerAnnotations, key: string): Finding[] {
  const { named, location } = annotationAt(own, key);
  return parts(own, key)
    .filter((part) => !isTaken(part))
    .map((text) => ({ id: "wave-annotation", cause: "entry", params: { ...named, text }, ...location }));
}
