import { get, getString, itemsOf, stringOf } from "../manifest/node.ts";
import type { YamlTree } from "../manifest/tree.ts";
import { podContainers, type Container } from "./containers.ts";
import type { Mount, PodTemplate, Reference } from "./types.ts";

// Programs that do nothing but watch mounted files and tell the process beside them. k8s-sidecar reads through the
// API: what it takes is no volume of the pod.
const RELOADERS =
  /(?:^|\/)(?:configmap-reload|prometheus-config-reloader|rules-configmap-reloader|configmap-reloader)(?:[:@]|$)/u;

/**
 * The known reloader that watches all that the pods see of a source, given its references, and tells the only process
 * that reads it. Nothing is looked up for a source that not several containers have by the same whole volume.
 */
export function reloaderOf(template: PodTemplate, references: readonly Reference[]): Container | undefined {
  const volumes: (readonly Mount[])[] = [];
  for (const { via, volume } of references) {
    // The kubelet brings up to date what is mounted as a volume: no environment, nothing with subPath.
    if ((via !== "volume" && via !== "projected") || volume === undefined) return undefined;
    const [first] = volume.mounts;
    if (first === undefined || volume.mounts.every(({ field }) => field === first.field)) return undefined;
    if (volume.mounts.some(({ subPath }) => subPath !== "")) return undefined;
    volumes.push(volume.mounts);
  }
  if (volumes.length === 0) return undefined;
  const containers = containersOf(template);
  const users = [...new Set(volumes.flat().map(({ field }) => field))].flatMap((field) => containers.get(field) ?? []);
  // What an init container has read stays as it is, unless it does at the start what a reloader does from then on.
  const [reader, ...others] = users.filter(({ isReloader }) => !isReloader);
  if (reader === undefined || reader.endsFirst || others.length > 0) return undefined;
  let watching = new Set(users.filter(({ isReloader, endsFirst }) => isReloader && !endsFirst));
  for (const mounts of volumes) {
    const watched = mounts.map(({ field, mountPath }) => ({ one: containers.get(field), mountPath }));
    watching = new Set(
      watched.flatMap(({ one, mountPath }) =>
        one !== undefined && watching.has(one) && watches(one, mountPath) ? [one] : [],
      ),
    );
  }
  return [...watching][0];
}

/** A container with what makes it a reloader. */
interface Read extends Container {
  readonly isReloader: boolean;
  /** An init container that is no sidecar (KEP-753: restartPolicy Always makes it one). */
  readonly endsFirst: boolean;
  /** The paths that a reloader's arguments name, and those above them. */
  readonly named: () => ReadonlySet<string>;
}

const known = new WeakMap<PodTemplate, ReadonlyMap<string, Read>>();

/** The containers by their fields: read once for all sources of a pod template. */
function containersOf(template: PodTemplate): ReadonlyMap<string, Read> {
  let found = known.get(template);
  if (found === undefined) {
    found = new Map(podContainers(template).map((one) => [one.field, read(template, one)]));
    known.set(template, found);
  }
  return found;
}

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

/** Whether a reloader is told to look there: it may mount a volume for its own certificates as well. */
function watches({ named }: Read, mountPath: string): boolean {
  return named().has(mountPath.length > 1 && mountPath.endsWith("/") ? mountPath.slice(0, -1) : mountPath);
}

// A path behind the sign that ends an option's name, or by itself: --config-file=/etc/web/web.conf.
const PATHS = /(?<![^\s=:,;"'])\/[^\s=:,;"']*/gu;

// No volume is mounted deeper: each path is looked through once for each of its steps.
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
