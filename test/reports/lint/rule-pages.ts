import { readFileSync } from "node:fs";
import { readManifests, type Manifests } from "../../../src/yaml/read/items.ts";
import { inRoot } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

/** A page of docs/rules: what the tests need of it. */
export interface RulePage {
  readonly title: string;
  readonly severity: string;
  readonly text: string;
  /** The fenced examples by the word behind `yaml`: bad, good, base, again. */
  readonly examples: ReadonlyMap<string, string>;
}

/** Reads the page of a rule. */
export function rulePage(id: string): RulePage {
  const text = readFileSync(inRoot("docs", "rules", `${id}.md`), "utf8");
  const examples = new Map(
    [...text.matchAll(/^```yaml (\w+)\n(.*?)^```$/gmsu)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
  return {
    title: /^# (.*)$/mu.exec(text)?.[1] ?? "",
    severity: /^Severity: (\w+)$/mu.exec(text)?.[1] ?? "",
    text,
    examples,
  };
}

/** Reads the text as the manifests of one file. */
export function manifestsOf(text: string, file = "example.yaml"): Manifests {
  return readManifests(readTree(text, file));
}
