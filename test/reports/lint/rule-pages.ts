import { readdirSync, readFileSync } from "node:fs";
import { readManifests, type Manifests } from "../../../src/yaml/read/items.ts";
import { inRoot } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

/** The page of the rules. */
export const RULES_PAGE = "docs/reference/rules.md";

/** The part of the page about a rule: what the tests need of it. */
export interface RulePage {
  readonly title: string;
  readonly severity: string;
  readonly text: string;
  /** The examples in fixtures/rules, by file: bad, good, base, again. */
  readonly examples: ReadonlyMap<string, string>;
}

/** Reads the part of the page about a rule, and its examples. */
export function rulePage(id: string): RulePage {
  const page = readFileSync(inRoot(RULES_PAGE), "utf8");
  const text = page.split(/^## /mu).find((part) => part.startsWith(`${id}\n`)) ?? "";
  const examples = new Map(
    readdirSync(inRoot("fixtures/rules", id)).map((file) => [
      file.replace(".yaml", ""),
      readFileSync(inRoot("fixtures/rules", id, file), "utf8"),
    ]),
  );
  const [, title = "", severity = ""] = /^\*\*(.*)\*\* \((\w+)\)$/mu.exec(text) ?? [];
  return { title, severity, text, examples };
}

/** Reads the text as the manifests of one file. */
export function manifestsOf(text: string, file = "example.yaml"): Manifests {
  return readManifests(readTree(text, file));
}
