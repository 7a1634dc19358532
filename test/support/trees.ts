import { DEFAULT_LIMITS } from "../../src/base/limits.ts";
import { readTree as readWithin, type YamlTree } from "../../src/yaml/read/tree.ts";

/** Parses a document with the default limits. */
export function readTree(text: string, file: string): YamlTree {
  return readWithin(text, file, DEFAULT_LIMITS);
}
