import { posix } from "node:path";
import { CONFIG_FILE } from "../../base/keys.ts";
import { textOf } from "../../platform/ports/files.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { SideStamps } from "../../reports/plan/side.ts";
import type { ComparedAs, StampedBy } from "../../reports/plan/plan-report.ts";
import { readConfigHash, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { Application } from "../discover/application.ts";
import { configsIn } from "../inputs/config-file.ts";

/** What stamps an application on its way to the cluster, with the configuration of its revision. */
const ON_THE_WAY: ReadonlySet<StampedBy> = new Set(["Transformer", "Plugin", "PostRenderer"]);

/**
 * The stamps of a side of an application. A transformer that the repository shows has run in the rendering, so its stamps
 * stand there like those in files. If `Nothing` is declared instead, nothing runs it on the way to the cluster.
 */
export function stampsOf(
  as: ComparedAs,
  stampedBy: StampedBy,
  { stampedBy: shown }: Pick<Application, "stampedBy">,
): SideStamps {
  if (as === "stamped") return "AsIfStamped";
  if (stampedBy === "Nothing" && shown !== undefined) return "None";
  const hasRun = stampedBy === "Transformer" && shown === "Transformer";
  return ON_THE_WAY.has(stampedBy) && !hasRun ? "ByFunction" : "Standing";
}

/** The rollstamp.yaml of a revision that is nearest to a folder; undefined if there is none. */
function configFileOf({ entries }: Pick<Snapshot, "entries">, folder: string): string | undefined {
  for (let around = folder; ; around = posix.dirname(around)) {
    const file = posix.join(around, CONFIG_FILE);
    if (entries.get(file)?.is === "file") return file;
    if (around === "." || around === "/") return undefined;
  }
}

/** The configuration by which an application of a revision gets its stamps; undefined if the revision has none. */
export type ConfigAt = (
  application: Pick<Application, "path" | "transformer">,
  stamps: SideStamps,
) => ConfigHashSpec | undefined;

/**
 * Finds the configurations of a revision: that of a transformer, which has run in the rendering, or the rollstamp.yaml of
 * what stamps on the way. Keyed digests are compared as plain ones: only the host has the key. Throws a RollstampError.
 */
export function configsOf({ functions }: Pick<Io, "functions">, snapshot: Snapshot): ConfigAt {
  const specs = new Map<string, ConfigHashSpec | undefined>();
  const specOf = (text: string, name: string): ConfigHashSpec | undefined => {
    if (!specs.has(text)) {
      const tree = readTree(text, `${snapshot.name}:${name}`, snapshot.limits);
      const found = configsIn(functions, tree).find(({ fn }) => fn.kind === "ConfigHash");
      specs.set(text, found === undefined ? undefined : withPlainDigests(readConfigHash(found.config)));
    }
    return specs.get(text);
  };
  return ({ path, transformer }, stamps) => {
    if (stamps !== "ByFunction") return transformer === undefined ? undefined : specOf(jsonText(transformer), path);
    const file = configFileOf(snapshot, path);
    return file === undefined ? undefined : specOf(textOf(snapshot.read(file)), file);
  };
}

function withPlainDigests(spec: ConfigHashSpec): ConfigHashSpec {
  return spec.secrets === "Keyed" ? { ...spec, secrets: "Digest" } : spec;
}
