import { posix } from "node:path";
import { CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import { textOf } from "../../platform/ports/files.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { Snapshot } from "../../platform/ports/snapshot.ts";
import type { SideStamps } from "../../reports/plan/side.ts";
import type { ComparedAs } from "../../reports/plan/plan-report.ts";
import type { StampedBy } from "../../reports/plan/planned-application.ts";
import { readConfigHash, type ConfigHashSpec } from "../../stamping/function/config-hash.ts";
import { readTree } from "../../yaml/read/tree.ts";
import type { FunctionConfig } from "../../stamping/function/config.ts";
import type { Application, PluginRender } from "../discover/application.ts";
import { pathFrom } from "../discover/paths.ts";
import { ownPluginOf } from "../discover/stamped-by.ts";
import { configFor, configsIn } from "../inputs/config-file.ts";
import { pluginEnvironment } from "../render/plugin.ts";
import { withParameters } from "../render/plugin-config.ts";
import { readParameters, textParameter } from "../tools/parameters.ts";

/** What stamps an application on its way to the cluster, with the configuration of its revision. */
const ON_THE_WAY: ReadonlySet<StampedBy> = new Set(["Transformer", "Plugin", "PostRenderer"]);

/**
 * The stamps of a side of an application. A transformer or plugin that the repository shows has run in the rendering, so its
 * stamps stand there like those in files; only a package is read as it is committed, before its functions run. If `Nothing` is
 * declared instead, nothing runs it on the way to the cluster.
 */
export function stampsOf(
  as: ComparedAs,
  stampedBy: StampedBy,
  { stampedBy: shown, render }: Pick<Application, "stampedBy" | "render">,
): SideStamps {
  if (as === "stamped") return "AsIfStamped";
  if (stampedBy === "Nothing" && shown !== undefined) return "None";
  const hasRun = stampedBy === shown && render.by !== "kpt" && (shown === "Transformer" || shown === "Plugin");
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

/** A configuration that the user names counts for all applications and revisions. */
export function isConfigGiven(
  { environment }: Pick<Io, "environment">,
  { config }: { readonly config?: string },
): boolean {
  return config !== undefined || (environment[CONFIG_VARIABLE] ?? "") !== "";
}

/** The configuration by which an application of a revision gets its stamps; undefined if the revision has none. */
export type ConfigAt = (
  application: Pick<Application, "path" | "transformer" | "render">,
  stamps: SideStamps,
) => ConfigHashSpec | undefined;

/**
 * Finds the configurations of a revision: that of a transformer or plugin, which has run in the rendering, or the
 * rollstamp.yaml of what stamps on the way. Throws a RollstampError.
 */
export function configsOf(
  { functions, environment }: Pick<Io, "functions" | "environment">,
  snapshot: Snapshot,
): ConfigAt {
  const specs = new Map<string, ConfigHashSpec | undefined>();
  const configsOfText = (text: string, name: string): readonly FunctionConfig[] =>
    configsIn(functions, readTree(text, `${snapshot.name}:${name}`, snapshot.limits));
  const specOf = (text: string, name: string): ConfigHashSpec | undefined => {
    if (!specs.has(text)) {
      const found = configsOfText(text, name).find(({ fn }) => fn.kind === "ConfigHash");
      specs.set(text, found === undefined ? undefined : readConfigHash(found.config));
    }
    return specs.get(text);
  };
  const ofPlugin = (plugin: PluginRender): ConfigHashSpec => {
    const variables = pluginEnvironment(environment, plugin, snapshot.commit);
    const given = readParameters(variables);
    const named = textParameter(given, "rollstamp-config");
    const file = named === undefined ? configFileOf(snapshot, plugin.folder) : pathNamed(plugin.folder, named);
    const found = file === undefined ? [] : configsOfText(textOf(snapshot.read(file)), file);
    const picked = configFor(functions, found, "ConfigHash");
    return readConfigHash(withParameters(picked, given, variables["ARGOCD_APP_NAMESPACE"]).config);
  };
  return ({ path, transformer, render }, stamps) => {
    const isInKptfile = render.by === "kpt" && transformer !== undefined;
    if (stamps !== "ByFunction" || isInKptfile) {
      const plugin = ownPluginOf(render);
      if (plugin !== undefined) return ofPlugin(plugin);
      return transformer === undefined ? undefined : specOf(jsonText(transformer), path);
    }
    const file = configFileOf(snapshot, path);
    return file === undefined ? undefined : specOf(textOf(snapshot.read(file)), file);
  };
}

/** The configuration of an application's own transformer or plugin; undefined if it has none. */
export function ownSpecs(
  io: Io,
  snapshot: Snapshot,
  options: { readonly config?: string },
): (application: Application) => ConfigHashSpec | undefined {
  const configAt = configsOf(io, snapshot);
  return (application) => {
    const ownSpec = isConfigGiven(io, options) ? undefined : configAt(application, "Standing");
    if (ownSpec?.secrets !== "Keyed") return ownSpec;
    // A package is as it is committed: only whoever has the key can say whether its stamps are right.
    return application.render.by === "kpt" ? undefined : withPlainDigests(ownSpec);
  };
}

/** A path that a parameter of the plugin names: from the folder of the application, or with a slash from the root. */
function pathNamed(folder: string, named: string): string | undefined {
  return named.startsWith("/") ? pathFrom(".", named.slice(1)) : pathFrom(folder, named);
}

/** The configuration for a folder of a revision: its rollstamp.yaml, or the defaults. Throws a RollstampError. */
export function configIn(io: Pick<Io, "functions" | "environment">, snapshot: Snapshot, path: string): ConfigHashSpec {
  const folder = { path, render: { by: "files", folder: path, files: [] } } as const;
  return withPlainDigests(configsOf(io, snapshot)(folder, "ByFunction") ?? readConfigHash({}));
}

/** Keyed digests of a rendering are plain ones: only the host has the key. */
export function withPlainDigests(spec: ConfigHashSpec): ConfigHashSpec {
  return spec.secrets === "Keyed" ? { ...spec, secrets: "Digest" } : spec;
}
