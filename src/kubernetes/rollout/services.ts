import { kindKey } from "../../base/identity.ts";
import { once, onceFor } from "../../base/grouped.ts";
import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { labelsOf, type Item } from "../../yaml/read/items.ts";
import { entriesOf, get, getPath, getString, isTrue, itemsOf, stringOf } from "../../yaml/read/node.ts";
import { matchPath } from "../workloads/paths.ts";
import { labelsAsSelector, selectorAt } from "../workloads/pod-labels.ts";
import { indexSelectors, type FindSelecting } from "./selectors.ts";

export interface SelectingService {
  readonly item: Item;
  /** It sends requests also to pods that are not ready. */
  readonly publishesUnready: boolean;
  /** All its ports are only scraped, and no route leads to it. */
  readonly isForMetrics: boolean;
}

/** Indexes the Services that select pods. */
export function indexServices(items: readonly Item[], defaultNamespace: string): FindSelecting<SelectingService> {
  const scraped = scrapedPorts(items);
  const routed = once(() => routedServices(items, defaultNamespace));
  const isRouted = (item: Item): boolean => routed().has(`${item.namespace || defaultNamespace}/${item.name}`);
  return indexSelectors(
    items.flatMap((item) => {
      const selector = serviceSelector(item);
      if (selector === undefined) return [];
      const publishing = getPath(item.tree, item.node, ["spec", "publishNotReadyAddresses"]);
      const value = {
        item,
        publishesUnready: isTrue(item.tree, publishing),
        isForMetrics: isForMetrics(item, scraped) && !isRouted(item),
      };
      return [{ namespace: item.namespace || defaultNamespace, selector, value }];
    }),
    items[0]?.tree.limits,
  );
}

/** The selector of a Service's pods; undefined for other objects, and for a Service that selects no pods itself. */
export function serviceSelector(item: Item): LabelSelector | undefined {
  if (item.kind !== "Service" || item.group !== "") return undefined;
  const spec = getPath(item.tree, item.node, ["spec"]);
  const selector = labelsAsSelector(item.tree, get(item.tree, spec, "selector"));
  return selector.length === 0 || getString(item.tree, spec, "type") === "ExternalName" ? undefined : selector;
}

/** The Services that send requests to pods when they become ready. */
export function whenReady(found: readonly SelectingService[]): Item[] {
  // Readiness does not matter to a Service that publishes unready pods.
  return found.filter((one) => !one.publishesUnready && !one.isForMetrics).map(({ item }) => item);
}

const ROUTES: readonly string[] = ["spec.rules.*.backendRefs.*"];

/** Where routes name Services, by group and kind: networking/v1 in k8s.io/api, apis/v1 in gateway-api. */
export const SERVICE_PATHS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ["networking.k8s.io/Ingress", ["spec.defaultBackend.service", "spec.rules.*.http.paths.*.backend.service"]],
  ...["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"].map(
    (kind) => [`gateway.networking.k8s.io/${kind}`, ROUTES] as const,
  ),
]);

/** The Services that routes send requests to, also if a monitor scrapes the same port: `namespace/name`. */
function routedServices(items: readonly Item[], defaultNamespace: string): ReadonlySet<string> {
  return new Set(
    items.flatMap((item) =>
      (SERVICE_PATHS.get(kindKey(item)) ?? []).flatMap((path) =>
        matchPath(item.tree, item.node, path).map(({ node }) => {
          const namespace = getString(item.tree, node, "namespace") ?? item.namespace;
          return `${namespace || defaultNamespace}/${getString(item.tree, node, "name") ?? ""}`;
        }),
      ),
    ),
  );
}

/** Whether something scrapes a port of a Service. */
type Scraped = (item: Item) => (port: string) => boolean;

// Names of ports that only a scraper uses.
const METRICS = /metrics|prom|monitor|telemetry/u;

/** Whether only a scraper uses a port of this name. */
export function isScrapedPort(name: string): boolean {
  return METRICS.test(name);
}

/** Whether a Service has only scraped ports: a scraper tries again after an error. */
function isForMetrics(item: Item, scraped: Scraped): boolean {
  const { tree } = item;
  const ports = itemsOf(tree, getPath(tree, item.node, ["spec", "ports"])).map(
    (port) => getString(tree, port, "name") ?? "",
  );
  if (ports.length === 0) return false;
  if (ports.every(isScrapedPort)) return true;
  const isScraped = scraped(item);
  return ports.every((name) => isScrapedPort(name) || isScraped(name));
}

// More than any Service has: otherwise each Service would be compared with each monitor if all have one label.
const MOST_MONITORS = 50;

/** The ports of a Service that ServiceMonitors of the input scrape. */
function scrapedPorts(items: readonly Item[]): Scraped {
  const byLabel = new Map<string, Item[]>();
  for (const monitor of items) {
    if (monitor.group !== "monitoring.coreos.com" || monitor.kind !== "ServiceMonitor") continue;
    const labels = getPath(monitor.tree, monitor.node, ["spec", "selector", "matchLabels"]);
    // Indexed by one label, so that a monitor is compared only with Services that have it.
    const [first] = entriesOf(monitor.tree, labels);
    if (first === undefined) continue;
    const key = `${first.key}=${stringOf(monitor.tree, first.valueNode) ?? ""}`;
    const known = byLabel.get(key);
    if (known === undefined) byLabel.set(key, [monitor]);
    else if (known.length < MOST_MONITORS) known.push(monitor);
  }
  const portsOf = onceFor(({ tree, node }: Item): ReadonlySet<string> => {
    const endpoints = itemsOf(tree, getPath(tree, node, ["spec", "endpoints"]));
    return new Set(endpoints.flatMap((one) => getString(tree, one, "port") ?? []));
  });
  return (item) => {
    const labels = labelsOf(item);
    const monitors = [...labels]
      .flatMap(([key, value]) => byLabel.get(`${key}=${value}`) ?? [])
      .slice(0, MOST_MONITORS);
    const scraping = monitors.filter(({ tree, node }) => {
      const selector = selectorAt(tree, getPath(tree, node, ["spec", "selector"]));
      return selector !== undefined && matchesSelector(selector, labels);
    });
    return (name) => scraping.some((monitor) => portsOf(monitor).has(name));
  };
}
