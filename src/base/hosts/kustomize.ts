import { createHash } from "node:crypto";
import { CHARTS_FOLDER } from "./helm.ts";

// Names and formats of kustomize.

/** In kustomize's order (api/konfig/general.go, RecognizedKustomizationFileNames). */
export const KUSTOMIZATION_FILES = ["kustomization.yaml", "kustomization.yml", "Kustomization"] as const;

const NAMES: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

export function isKustomizationFile(name: string): boolean {
  return NAMES.has(name);
}

/**
 * The fields of a kustomization that name other kustomizations and files of manifests (kustomize/api,
 * types/kustomization.go).
 */
export const RESOURCE_FIELDS = ["resources", "bases", "components"] as const;

/** The fields with configurations of plugins: inline, files, or folders with a kustomization. */
export const PLUGIN_FIELDS = ["generators", "transformers", "validators"] as const;

/** An entry of `helmCharts`, as far as it says where the chart is. */
export interface NamedChart {
  readonly name: string;
  /** Its `chartHome`, or "": the folder that contains the charts, relative to the kustomization. */
  readonly home: string;
  readonly version: string;
  readonly repo: string;
}

/** The folder of an inflated chart, relative to the kustomization. */
export function inflatedFolder(chart: NamedChart): string {
  return `${inflatedHome(chart)}/${chart.name}`;
}

/** The folder that contains it (api/internal/builtins/HelmChartInflationGenerator.go, absChartHome). */
export function inflatedHome({ name, home, version, repo }: NamedChart): string {
  const folder = home === "" ? CHARTS_FOLDER : home;
  return version !== "" && repo !== "" ? `${folder}/${name}-${version}` : folder;
}

// Ten characters of kustomize's encoding: hexadecimal digits, with letters instead of vowels and similar characters
// (api/hasher/hasher.go).
const HASH_SUFFIX = /-[2456789bcdfghkmt]{10}$/u;

/** Whether a name ends like one with a hash of the content. */
export function hasHashSuffix(name: string): boolean {
  return HASH_SUFFIX.test(name);
}

/** The name without the hash of the content. */
export function withoutHashSuffix(name: string): string {
  return name.replace(HASH_SUFFIX, "");
}

const HASH_LENGTH = 10;

/** The name without its hash, if the hash is that of one of the texts; otherwise undefined. */
export function nameBeforeHash(name: string, texts: () => readonly string[]): string | undefined {
  if (!hasHashSuffix(name)) return undefined;
  const hash = name.slice(-HASH_LENGTH);
  return texts().some((text) => encodedHash(text) === hash) ? withoutHashSuffix(name) : undefined;
}

/** The replacements of five hexadecimal digits (api/hasher/hasher.go, encode). */
const LETTERS: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };

/** The hash of text as kustomize writes it in names. */
function encodedHash(text: string): string {
  const hex = createHash("sha256").update(text, "utf8").digest("hex").slice(0, HASH_LENGTH);
  return hex.replace(/[013ae]/gu, (digit) => LETTERS[digit] ?? digit);
}
