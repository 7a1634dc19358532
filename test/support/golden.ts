// The fixtures whose stamps are recorded for ever, and other ways to write the same content down.
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { parseAllDocuments, stringify, type ToStringOptions } from "yaml";
import { inRoot } from "./paths.ts";

export interface Golden {
  readonly path: string;
  readonly text: string;
  /** The text of its functionConfig. */
  readonly config: string | undefined;
  /** The stamps that come of it, as `fixtures/hash-v1/golden-stamps.json` has them. */
  readonly stamps: readonly string[];
}

const KEY = /^(?:[a-z]+\.)?rollstamp\.dev\//u;
const VALUE = /^[hk]1-[0-9a-f]{40}$/u;

/** The sorted stamps in manifests, found by an independent parser. */
export function stampsIn(text: string): string[] {
  return stampsOf(contentOf(text)).sort();
}

function stampsOf(data: unknown): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, item] of Object.entries(value)) {
      if (KEY.test(key) && typeof item === "string" && VALUE.test(item)) found.push(`${key}=${item}`);
      else walk(item);
    }
  };
  walk(data);
  return found;
}

/**
 * The same in a stream that `SPELLINGS` has made, which only our stamps were written into: documents without any are
 * left out, and JSON has to be JSON.
 */
export function stampsInSpelled(text: string, isJson: boolean): string[] {
  return text
    .replace(/^\uFEFF/u, "")
    .split(/^---\r?\n/mu)
    .filter((document) => document.includes("rollstamp.dev/"))
    .flatMap((document) => stampsOf(isJson ? JSON.parse(document) : contentOf(document)))
    .sort();
}

/** Of readers that part in what they read: no other spelling is one of the same content to all. */
const ODD = "fixtures/config-hash/reading/";

/** Every fixture with recorded stamps, and its result. */
export function goldenFixtures(): readonly Golden[] {
  const recorded = JSON.parse(readFileSync(inRoot("fixtures/hash-v1/golden-stamps.json"), "utf8")) as Record<
    string,
    { readonly stamps: readonly string[] }
  >;
  const ordinary = Object.entries(recorded).filter(([path]) => !path.startsWith(ODD));
  return ordinary.map(([path, { stamps }]) => {
    const config = inRoot(dirname(path), "config.yaml");
    const all = stampsIn(
      readFileSync(inRoot(dirname(path), path.endsWith(".json") ? "output.json" : "output.yaml"), "utf8"),
    );
    // The record has those that stand in double quotes: all that rollstamp has written.
    const missing = stamps.filter((stamp) => !all.includes(stamp));
    if (missing.length > 0) throw new Error(`${path}: ${missing.join(", ")} is recorded and not in the output`);
    return {
      path,
      text: readFileSync(inRoot(path), "utf8"),
      config: existsSync(config) ? readFileSync(config, "utf8") : undefined,
      stamps: all,
    };
  });
}

type Spelling = (documents: readonly unknown[]) => string;

function printed(options: ToStringOptions & { readonly indent?: number }): Spelling {
  return (documents) =>
    documents
      .map((document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0, ...options }))
      .join("---\n");
}

/** Every mapping with its keys the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, item]) => [key, reversed(item)]),
  );
}

const printedBlock = printed({});
const blocks = new WeakMap<readonly unknown[], string>();

/** Several spellings begin with it. */
const block: Spelling = (documents) => {
  const text = blocks.get(documents) ?? printedBlock(documents);
  blocks.set(documents, text);
  return text;
};

/** Ways to write one content: YAML's styles, JSON, line ends, a byte order mark, another order of keys. */
export const SPELLINGS: Readonly<Record<string, Spelling>> = {
  "block style": block,
  "block style, four columns": printed({ indent: 4, indentSeq: false }),
  "flow style": printed({ collectionStyle: "flow" }),
  "double quotes": printed({ defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "QUOTE_DOUBLE" }),
  "single quotes": printed({ defaultStringType: "QUOTE_SINGLE", defaultKeyType: "QUOTE_SINGLE" }),
  "literal blocks": printed({ defaultStringType: "BLOCK_LITERAL", defaultKeyType: "PLAIN" }),
  "folded blocks": printed({ defaultStringType: "BLOCK_FOLDED", defaultKeyType: "PLAIN" }),
  JSON: (documents) => documents.map((document) => `${JSON.stringify(document)}\n`).join("---\n"),
  "JSON in lines": (documents) => documents.map((document) => `${JSON.stringify(document, null, 2)}\n`).join("---\n"),
  "CR LF": (documents) => block(documents).replaceAll("\n", "\r\n"),
  "JSON in lines with CR LF": (documents) =>
    documents.map((document) => `${JSON.stringify(document, null, 2).replaceAll("\n", "\r\n")}\r\n`).join("---\r\n"),
  "a byte order mark": (documents) => `\uFEFF${block(documents)}`,
  "keys the other way round": (documents) => block(documents.map(reversed)),
};

/** The values of a document, read by an independent parser. */
export function contentOf(text: string): unknown[] {
  return parseAllDocuments(text.replace(/^\uFEFF/u, ""), { merge: true })
    .map((document): unknown => document.toJS())
    .filter((document) => document !== null);
}
