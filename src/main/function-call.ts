import type { Io } from "../platform/ports/io.ts";

/** A call of the function that needs no command line to be read. */
export interface FunctionCall {
  /** The file of a configuration, where the caller brings one. */
  readonly configFile: string | undefined;
}

/** What of the world tells how the function is called. */
type World = Pick<Io, "environment" | "stdinIsTerminal">;

/** The call that arguments make, if it is one of the function as hosts call it; undefined for any other. */
export function functionCall(args: readonly string[], world: World): FunctionCall | undefined {
  const pluginConfig = legacyPluginConfig(args, world);
  if (pluginConfig !== undefined) return { configFile: pluginConfig };
  if (args.length === 0 && !world.stdinIsTerminal) return { configFile: undefined };
  return args.length === 1 && args[0] === "fn" ? { configFile: undefined } : undefined;
}

/**
 * kustomize calls a legacy exec plugin with a temporary file that holds its configuration; the
 * manifests come as a plain stream (kustomize api/internal/plugins/execplugin).
 */
function legacyPluginConfig(args: readonly string[], { environment }: World): string | undefined {
  if (environment["KUSTOMIZE_PLUGIN_CONFIG_ROOT"] === undefined) return undefined;
  // A command that is run from within a plugin inherits the variable: only a path is a config file.
  return args[0]?.includes("/") === true ? args[0] : undefined;
}
