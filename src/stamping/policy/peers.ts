import type { ConfigHashSpec } from "../function/config-hash.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import type { PodTemplate, Reference, Workload } from "../../kubernetes/workloads/types.ts";
import { get } from "../../yaml/read/node.ts";
import { reloader } from "./reloader.ts";
import type { AskPeer, PeerVerdicts } from "./types.ts";
import { wave } from "./wave.ts";

export type PeerName = ConfigHashSpec["compat"][number];

interface Peer {
  /** Its rules for the sources of an input. Each keeps what it needs for one run. */
  readonly rulesFor: (sources: SourceIndex) => AskPeer;
  /** The kinds whose pods it replaces: getRolloutFuncs of Reloader's pkg (the last two need a flag), pkg/controller of Wave. */
  readonly kinds: readonly string[];
  readonly seesOnlyUpdates: boolean;
}

/** The peers whose annotations may count. */
const PEERS: { readonly [name in PeerName]: Peer } = {
  // reloadOnCreate and reloadOnDelete are off in its chart.
  Reloader: {
    rulesFor: reloader,
    kinds: ["Deployment", "StatefulSet", "DaemonSet", "Rollout", "DeploymentConfig"],
    seesOnlyUpdates: true,
  },
  // Its hash goes into the pod template as soon as a workload is opted in.
  Wave: { rulesFor: wave, kinds: ["Deployment", "StatefulSet", "DaemonSet"], seesOnlyUpdates: false },
};

const PEER_NAMES: readonly PeerName[] = ["Reloader", "Wave"];

/** Returns the rules of the configured peers for a pod template. */
export type AskPeers = (workload: Workload, template: PodTemplate) => readonly PeerVerdicts[];

/** The peers that a configuration names. */
export function peersOf(sources: SourceIndex, spec: ConfigHashSpec): AskPeers {
  const peers = spec.compat.map((name) => PEERS[name].rulesFor(sources));
  return (workload, template) =>
    peers.flatMap((ask) => [workload.item, ...workload.runBy].map((marked) => ask(marked, workload, template)));
}

/** The peers that replace the pods of a workload when a source changes, with the sources that each watches. */
export type Watches = ReadonlyMap<PeerName, readonly Source[]>;

/** Whether a peer restarts pods only when a source changes that exists, for the annotations that a workload has by then. */
export const seesOnlyUpdates = (name: PeerName): boolean => PEERS[name].seesOnlyUpdates;

/**
 * What the peers outside `compat` watch, if they run in the cluster: nothing here shows that they do.
 *
 * @param compat The peers whose annotations decide what we stamp, so that they need not run.
 */
export function watchesOf(sources: SourceIndex, compat: readonly PeerName[]): (workload: Workload) => Watches {
  const peers = peersBeside(sources, compat);
  return (workload) =>
    new Map(
      peers
        .filter(({ kinds }) => kinds.includes(workload.item.kind))
        .map(({ name, ask }) => [name, workload.templates.flatMap((template) => watched(ask, workload, template))]),
    );

  function watched(ask: AskPeer, workload: Workload, template: PodTemplate): Source[] {
    const verdicts = ask(workload.item, workload, template);
    return template.references.flatMap((reference) => {
      const source = sources.find(reference.kind, reference.namespace, reference.name, template.item);
      return source !== undefined && isWatched(verdicts, reference, source) ? [source] : [];
    });
  }
}

/** The peer that replaces the pods of a workload when a source changes that is not in the input. */
export function watcherOf(
  sources: SourceIndex,
  compat: readonly PeerName[],
): (workload: Workload, template: PodTemplate, references: readonly Reference[]) => PeerName | undefined {
  const peers = peersBeside(sources, compat);
  return (workload, template, references) => {
    const { item, kind } = workload;
    // Values have the annotations of the workload that the chart creates beside those of its pods.
    const marked =
      kind.holds === undefined ? item : { ...item, annotations: get(item.tree, template.base, "annotations") };
    return peers.find(({ kinds, ask }) => {
      if (kind.holds === undefined && !kinds.includes(item.kind)) return false;
      const verdicts = ask(marked, workload, template);
      return references.some((reference) => isWatched(verdicts, reference, undefined));
    })?.name;
  };
}

function peersBeside(
  sources: SourceIndex,
  compat: readonly PeerName[],
): { readonly name: PeerName; readonly kinds: readonly string[]; readonly ask: AskPeer }[] {
  return PEER_NAMES.filter((name) => !compat.includes(name)).map((name) => ({
    name,
    kinds: PEERS[name].kinds,
    ask: PEERS[name].rulesFor(sources),
  }));
}

/** A copy never changes. A peer that restarts the pods because of the source lets them keep the copy. */
function isWatched({ excludes, optsIn }: PeerVerdicts, reference: Reference, source: Source | undefined): boolean {
  return (
    reference.copy === undefined && excludes(reference, source) === undefined && optsIn(reference, source) !== undefined
  );
}
