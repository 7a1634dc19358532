import { createHash } from "node:crypto";
import { CHARTS_FOLDER } from "./helm.ts";

// Names and forms that kustomize has fixed.

/** Its own list, in its order: api/konfig/general.go, RecognizedKustomizationFileNames. */
export const KUSTOMIZATION_FILES = ["kustomization.yaml", "kustomization.yml", "Kustomization"] as const;

const NAMES: ReadonlySet<string> = new Set(KUSTOMIZATION_FILES);

/** True for the names of kustomization files. */
export function isKustomizationFile(name: string): boolean {
  return NAMES.has(name);
}

/** The fields of a kustomization that list others, and files of manifests (kustomize/api, types/kustomization.go). */
export const RESOURCE_FIELDS = ["resources", "bases", "components"] as const;

/** Those that list configurations of plugins: inline, files, or folders with a kustomization (there). */
export const PLUGIN_FIELDS = ["generators", "transformers", "validators"] as const;

/** The folder of a chart that a kustomization inflates, from its own; `home` is its `chartHome` ("" for none). */
export function inflatedFolder(chart: {
  readonly name: string;
  readonly home: string;
  readonly version: string;
  readonly repo: string;
}): string {
  return `${inflatedHome(chart)}/${chart.name}`;
}

/** The folder in which that is (api/internal/builtins/HelmChartInflationGenerator.go, absChartHome). */
export function inflatedHome({ name, home, version, repo }: Parameters<typeof inflatedFolder>[0]): string {
  const folder = home === "" ? CHARTS_FOLDER : home;
  return version !== "" && repo !== "" ? `${folder}/${name}-${version}` : folder;
}

// Ten of the digits that its encoding leaves: hexadecimal, with letters in the place of vowels and of
// what looks like them (api/hasher/hasher.go).
const HASH_SUFFIX = /-[2456789bcdfghkmt]{10}$/u;

/** True for a name that ends as one to which kustomize has added a hash of the content. */
export function hasHashSuffix(name: string): boolean {
  return HASH_SUFFIX.test(name);
}

/** The name that an object had before kustomize added the hash of its content. */
export function withoutHashSuffix(name: string): string {
  return name.replace(HASH_SUFFIX, "");
}

const HASH_LENGTH = 10;

/** The name before a hash, where that is the hash of one of the texts, as kustomize encodes it; else undefined. */
export function nameBeforeHash(name: string, texts: () => readonly string[]): string | undefined {
  if (!hasHashSuffix(name)) return undefined;
  const hash = name.slice(-HASH_LENGTH);
  return texts().some((text) => encodedHash(text) === hash) ? withoutHashSuffix(name) : undefined;
}

/** What stands for five of the hexadecimal digits (api/hasher/hasher.go, encode). */
const LETTERS: Readonly<Record<string, string>> = { "0": "g", "1": "h", "3": "k", a: "m", e: "t" };

/** The hash of a text as it stands in names. */
function encodedHash(text: string): string {
  const hex = createHash("sha256").update(text, "utf8").digest("hex").slice(0, HASH_LENGTH);
  return hex.replace(/[013ae]/gu, (digit) => LETTERS[digit] ?? digit);
}
