import { readFileSync, writeFileSync } from "node:fs";
import type { Json } from "../../../src/yaml/read/node.ts";
import { inRoot } from "../../support/paths.ts";

/** An apply as a real control plane has made it. */
export interface RecordedApply {
  /** The live object: its spec, and the metadata that records who set which field. */
  readonly live: Json;
  readonly next: Json;
  /** The spec before the server's defaults: written with them it is what applying made. */
  readonly gives: Json;
}

export type RecordedApplies = Readonly<Record<string, RecordedApply>>;

const FILE = inRoot("test", "reports", "plan", "applies.json");

/** The applies that test/e2e/apply.test.ts has recorded, by mode and step. */
export function readApplies(): RecordedApplies {
  return JSON.parse(readFileSync(FILE, "utf8")) as RecordedApplies;
}

/** Records them: a line each. */
export function writeApplies(applies: RecordedApplies): void {
  const lines = Object.entries(applies).map(([name, apply]) => `${JSON.stringify(name)}: ${JSON.stringify(apply)}`);
  writeFileSync(FILE, `{\n${lines.join(",\n")}\n}\n`);
}
