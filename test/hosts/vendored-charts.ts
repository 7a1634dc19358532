// Copies app-template into repositories whose HelmReleases fetch it, so that they are rendered without a network.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments, type Document } from "yaml";
import type { Files } from "../support/folders.ts";
import { filesOf, textAt } from "./by-hand-parts.ts";
import type { Json } from "../../src/yaml/read/node.ts";

/** Where the charts are, among the checkouts. */
const CHARTS = "bjw-s-labs+helm-charts";
const PARTS = [
  ["charts/other/app-template", "."],
  ["charts/library/common", "charts/common"],
] as const;

/** The chart in a folder, without what isn't rendered and without the Kubernetes that it asks for. */
function chartIn(folder: string, checkouts: string): Files {
  const source = join(checkouts, CHARTS);
  return Object.fromEntries(
    PARTS.flatMap(([from, to]) =>
      filesOf(source).flatMap((file): [string, string][] => {
        const inside = file.startsWith(`${from}/`) ? file.slice(from.length + 1) : "";
        if (!/^(?:Chart\.yaml|values\.yaml|templates\/.*)$/u.test(inside)) return [];
        const text = readFileSync(join(source, file), "utf8").replace(/^kubeVersion: .*\n/mu, "");
        return [[join(folder, to, inside), text]];
      }),
    ),
  );
}

/** What is written into a repository so that its releases take the chart from a folder of it; nothing where none would. */
export function vendored(root: string, checkouts: string, folder: string, source: string): Files {
  if (!existsSync(join(checkouts, CHARTS))) return {};
  const files = filesOf(root).filter((file) => /\.ya?ml$/u.test(file));
  const texts = files
    .map((file) => [file, readFileSync(join(root, file), "utf8")] as const)
    .filter(([, text]) => /^kind: (?:OCIRepository|HelmRelease)\s*$/mu.test(text));
  const documents = texts.map(([file, text]) => [file, parseAllDocuments(text)] as const);
  const isOfIt = (one: Json): boolean =>
    textAt(one, "kind") === "OCIRepository" && textAt(one, "spec", "url").endsWith("/app-template");
  const named = new Set(
    documents
      .flatMap(([, all]) => all.map((one): Json => one.toJS()).filter(isOfIt))
      .map((one) => textAt(one, "metadata", "name")),
  );
  const changed: Record<string, string> = {};
  for (const [file, all] of documents) {
    const releases = all.filter((one) => takesIt(one, named));
    for (const release of releases) {
      release.deleteIn(["spec", "chartRef"]);
      release.setIn(
        ["spec", "chart"],
        release.createNode({
          spec: { chart: `./${folder}`, sourceRef: { kind: "GitRepository", name: source, namespace: "flux-system" } },
        }),
      );
    }
    if (releases.length > 0) changed[file] = all.map((one) => String(one)).join("");
  }
  return Object.keys(changed).length === 0 ? {} : { ...changed, ...chartIn(folder, checkouts) };
}

function takesIt(document: Document, named: ReadonlySet<string>): boolean {
  if (document.errors.length > 0) return false;
  const object: Json = document.toJS();
  if (textAt(object, "kind") !== "HelmRelease") return false;
  const reference = textAt(object, "spec", "chartRef", "name");
  return reference === "" ? textAt(object, "spec", "chart", "spec", "chart") === "app-template" : named.has(reference);
}
