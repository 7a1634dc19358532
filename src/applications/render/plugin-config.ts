import { CONFIG_FILE, CONFIG_VARIABLE } from "../../base/keys.ts";
import type { ApplicationFolder, GivenParameters } from "../../platform/ports/applications.ts";
import { mapParameter, textParameter } from "../tools/parameters.ts";
import { configFromTexts, type FunctionConfig } from "../../stamping/function/config.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import { validateConfig } from "../../stamping/function/validate.ts";
import { RollstampError } from "../../base/errors.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { Io } from "../../platform/ports/io.ts";
import { readConfigs } from "../inputs/config-file.ts";

export interface PluginConfig {
  readonly picked: FunctionConfig;
  /** The real path of the configuration file, which is not a manifest of the application. */
  readonly file: string | undefined;
}

/**
 * The configuration of an application: the file that its parameter names, else the one in ROLLSTAMP_CONFIG, else the nearest
 * rollstamp.yaml of the repository. The parameter rollstamp-options overrides its fields. The default namespace is the one of
 * the Application, because Argo CD applies objects without a namespace there.
 */
export function pluginConfig(io: Io, application: ApplicationFolder, given: GivenParameters): PluginConfig {
  const file = configFile(io, application, given);
  const configs = readConfigs(io, [], file);
  const picked = configs.forKind("ConfigHash");
  const nearest = io.applications.nearestFile(application, CONFIG_FILE);
  return {
    picked: withParameters(picked, given, io.environment["ARGOCD_APP_NAMESPACE"]),
    file: configs.file ?? (nearest === undefined ? undefined : io.files.realPath(nearest)),
  };
}

/** A configuration with what the parameters of an Application and its namespace override. */
export function withParameters(picked: FunctionConfig, given: GivenParameters, namespace: string = ""): FunctionConfig {
  const options = mapParameter(given, "rollstamp-options");
  return inNamespace(options.length === 0 ? picked : withOptions(picked, Object.fromEntries(options)), namespace);
}

function configFile(io: Io, application: ApplicationFolder, given: GivenParameters): string | undefined {
  const named = textParameter(given, "rollstamp-config");
  if (named !== undefined) {
    const file = io.applications.repositoryFile(application, named, "rollstamp-config");
    if (file !== undefined) return file;
    throw new RollstampError(
      "usage",
      `the plugin parameter 'rollstamp-config' names '${named}', which does not exist`,
      {
        remedy: "It is a path from the application's folder, or from the repository's root with a leading slash.",
      },
    );
  }
  // readConfigs finds the file that ROLLSTAMP_CONFIG names.
  return (io.environment[CONFIG_VARIABLE] ?? "") === ""
    ? io.applications.nearestFile(application, CONFIG_FILE)
    : undefined;
}

function withOptions({ fn, config }: FunctionConfig, options: { readonly [key: string]: Json }): FunctionConfig {
  const given = configFromTexts(fn, options);
  try {
    validateConfig(given, fn.validator, fn.schema);
  } catch (cause) {
    if (!(cause instanceof RollstampError)) throw cause;
    throw new RollstampError("config", `in the plugin parameter 'rollstamp-options': ${cause.message}`, {
      remedy: cause.remedy,
    });
  }
  return { fn, config: withFields(config, fieldsOf(fieldsOf(given)["spec"])), source: undefined };
}

/** Sets the default namespace, unless the configuration sets one. */
function inNamespace(picked: FunctionConfig, defaultNamespace: string): FunctionConfig {
  const configured = fieldsOf(fieldsOf(picked.config)["spec"])["defaultNamespace"];
  if (defaultNamespace === "" || configured !== undefined) return picked;
  return { ...picked, config: withFields(picked.config, { defaultNamespace }) };
}

function withFields(config: Json, fields: { readonly [key: string]: Json | undefined }): Json {
  return asJson({ ...fieldsOf(config), spec: asJson({ ...fieldsOf(fieldsOf(config)["spec"]), ...fields }) });
}

function asJson(fields: { readonly [key: string]: Json | undefined }): Json {
  const present = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries(present);
}
