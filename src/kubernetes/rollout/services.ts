import { matchesSelector, type LabelSelector } from "../../base/selector.ts";
import { labelsOf, type Item } from "../../yaml/read/items.ts";
import { entriesOf, get, getPath, getString, isTrue, itemsOf, stringOf } from "../../yaml/read/node.ts";
import { labelsAsSelector, selectorAt } from "../workloads/pod-labels.ts";
import { indexSelectors, type FindSelecting } from "./selectors.ts";

/** A Service that selects pods. */
export interface SelectingService {
  readonly item: Item;
  /** It sends requests also to pods that are not ready. */
  readonly publishesUnready: boolean;
  /** All its ports are only scraped. */
  readonly isForMetrics: boolean;
}

/** Indexes the Services that select pods. */
export function indexServices(items: readonly Item[], defaultNamespace: string): FindSelecting<SelectingService> {
  const scraped = scrapedPorts(items);
  return indexSelectors(
    items.flatMap((item) => {
      const selector = serviceSelector(item);
      if (selector === undefined) return [];
      const publishing = getPath(item.tree, item.node, ["spec", "publishNotReadyAddresses"]);
      const value = {
        item,
        publishesUnready: isTrue(item.tree, publishing),
        isForMetrics: isForMetrics(item, scraped),
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
  const ports = new Map<Item, ReadonlySet<string>>();
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

  function portsOf(monitor: Item): ReadonlySet<string> {
    const { tree, node } = monitor;
    let found = ports.get(monitor);
    if (found === undefined) {
      const endpoints = itemsOf(tree, getPath(tree, node, ["spec", "endpoints"]));
      ports.set(monitor, (found = new Set(endpoints.flatMap((one) => getString(tree, one, "port") ?? []))));
    }
    return found;
  }
}
