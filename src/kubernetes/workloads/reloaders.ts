import { isFiles } from "./volumes.ts";
import { onceFor } from "../../base/grouped.ts";
import { get, getString, itemsOf, stringOf } from "../../yaml/read/node.ts";
import { labelsOf, type Item } from "../../yaml/read/items.ts";
import type { YamlTree } from "../../yaml/read/tree.ts";
import { podContainers, type Container } from "./containers.ts";
import type { PodTemplate, Reference, VolumeUse } from "./types.ts";

// Programs that only watch mounted files and notify the process next to them. k8s-sidecar is not one: it reads through
// the API, not from a volume of the pod.
const RELOADERS =
  /(?:^|\/)(?:configmap-reload|prometheus-config-reloader|rules-configmap-reloader|configmap-reloader)(?:[:@]|$)/u;

/**
 * The labels by which k8s-sidecar finds objects in the cluster, as the charts of Grafana and Loki set them. It applies their
 * changes without a restart.
 */
const SIDECAR_LABEL = /^(?:grafana_(?:dashboard|datasource|alert|plugin|notifier)|loki_rule)$/u;

/** Whether a sidecar reads an object because of its labels, and no pod by its name. */
export function isFoundByLabel(item: Item): boolean {
  return [...labelsOf(item).keys()].some((label) => SIDECAR_LABEL.test(label));
}

/**
 * The known reloader that watches everything the pods see of a source and notifies the only process that reads it. The
 * search starts only if several containers mount the source as the same whole volume.
 */
export function reloaderOf(template: PodTemplate, references: readonly Reference[]): Container | undefined {
  const volumes = new Set<VolumeUse>();
  for (const reference of references) {
    const { volume } = reference;
    if (!isFiles(reference) || volume === undefined) return undefined;
    if (volume.mounts.length < 2 || !isSharedWhole(volume)) return undefined;
    volumes.add(volume);
  }
  const watched = [...volumes].map((volume) => watchedVolume(template, volume));
  const readers = new Set(watched.flatMap(({ readers: some }) => some));
  const [reader] = readers;
  if (reader === undefined || reader.endsFirst || readers.size > 1) return undefined;
  const [last, ...others] = watched.toReversed();
  for (const container of last?.watchers ?? [])
    if (others.every(({ watchers }) => watchers.has(container))) return container;
  return undefined;
}

// A volume may have many sources, so its mounts are checked once.

/** Several containers mount it, each as a whole. */
const isSharedWhole = onceFor(({ mounts }: VolumeUse): boolean => {
  const isBySeveral = mounts.some(({ field }) => field !== mounts[0]?.field);
  return isBySeveral && mounts.every(({ subPath }) => subPath === "");
});

/** The containers that mount a volume. */
interface WatchedVolume {
  /** The containers that are not reloaders: the first two, because more than one is too many. */
  readonly readers: readonly Read[];
  /** The reloaders that watch it; no pod has more than a few. */
  readonly watchers: ReadonlySet<Read>;
}

const MOST_WATCHERS = 50;

const watchedVolumes = new WeakMap<VolumeUse, WatchedVolume>();

function watchedVolume(template: PodTemplate, volume: VolumeUse): WatchedVolume {
  let found = watchedVolumes.get(volume);
  if (found !== undefined) return found;
  const containers = containersOf(template);
  const readers = new Set<Read>();
  const watchers = new Set<Read>();
  for (const { field, mountPath } of volume.mounts) {
    const container = containers.get(field);
    if (container === undefined) continue;
    // An init container keeps what it has read, unless it only prepares what a reloader does later.
    if (!container.isReloader) {
      if (readers.size < 2) readers.add(container);
    } else if (!container.endsFirst && watchers.size < MOST_WATCHERS && watches(container, mountPath))
      watchers.add(container);
  }
  watchedVolumes.set(volume, (found = { readers: [...readers], watchers }));
  return found;
}

interface Read extends Container {
  readonly isReloader: boolean;
  /** An init container that is not a sidecar (KEP-753: restartPolicy Always makes it one). */
  readonly endsFirst: boolean;
  /** The paths in a reloader's arguments, and their parent folders. */
  readonly named: () => ReadonlySet<string>;
}

/** The containers by field, read once for all sources of a pod template. */
const containersOf = onceFor(
  (template: PodTemplate): ReadonlyMap<string, Read> =>
    new Map(podContainers(template).map((container) => [container.field, read(template, container)])),
);

function read({ item: { tree } }: PodTemplate, container: Container): Read {
  const { node, field } = container;
  let named: ReadonlySet<string> | undefined;
  return {
    ...container,
    isReloader: RELOADERS.test(getString(tree, node, "image") ?? ""),
    endsFirst: INIT_CONTAINER.test(field) && getString(tree, node, "restartPolicy") !== "Always",
    named: () => (named ??= namedPaths(tree, node)),
  };
}

const INIT_CONTAINER = /\.initContainers\[\d+\]$/u;

/** Whether a reloader watches a path: it may also mount a volume for its own certificates. */
function watches({ named }: Read, mountPath: string): boolean {
  return named().has(mountPath.length > 1 && mountPath.endsWith("/") ? mountPath.slice(0, -1) : mountPath);
}

// A path after the `=` of an option, or on its own: --config-file=/etc/web/web.conf.
const PATHS = /(?<![^\s=:,;"'])\/[^\s=:,;"']*/gu;

// No volume is mounted deeper. Each path is searched once per step.
const MOST_STEPS = 32;

function namedPaths(tree: YamlTree, container: number): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const list of ["command", "args"]) {
    for (const entry of itemsOf(tree, get(tree, container, list))) {
      for (const [path] of (stringOf(tree, entry) ?? "").matchAll(PATHS)) {
        let end = 0;
        for (let step = 0; step < MOST_STEPS && end !== -1; step++) {
          end = path.indexOf("/", end + 1);
          paths.add(end === -1 ? path : path.slice(0, end));
        }
      }
    }
  }
  return paths;
}
