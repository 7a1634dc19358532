import { DEFAULT_LIMITS } from "../../src/ground/limits.ts";
import { readTree as readWithin, type YamlTree } from "../../src/manifest/tree.ts";

/** Reads a text under the limits that hold by default. */
export function readTree(text: string, file: string): YamlTree {
  return readWithin(text, file, DEFAULT_LIMITS);
}
