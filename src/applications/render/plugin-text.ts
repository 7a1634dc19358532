import type { PluginRender } from "../discover/application.ts";
import { argoVariables, withVariables } from "../discover/argo-variables.ts";
import { atLeast } from "../../findings/catalogue/finding.ts";
import { describeFinding } from "../../findings/catalogue/describe.ts";
import { RollstampError } from "../../base/errors.ts";
import type { ApplicationFolder } from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { generated } from "./plugin-generate.ts";
import { renderEnvironment } from "./render-environment.ts";

/** What our config-management plugin makes of an Application, stamps and all; of keyed digests plain ones. */
export async function pluginText(
  io: Io,
  plugin: PluginRender,
  application: ApplicationFolder,
  commit: string,
): Promise<string> {
  const environment = pluginEnvironment(io.environment, plugin, commit);
  const { findings, text } = await generated({ ...io, environment }, application, true);
  const wrong = findings.find((finding) => atLeast(finding, "error"));
  if (wrong === undefined) return text();
  const { id, message, remedy } = describeFinding(wrong);
  throw new RollstampError("input", `${message} (${id})`, { remedy });
}

/** What Argo CD gives a plugin (reposerver/repository, getPluginEnvs). */
function pluginEnvironment(
  own: Environment,
  { env, parameters, environment }: PluginRender,
  commit: string,
): Environment {
  const variables = argoVariables(environment, commit);
  return {
    ...renderEnvironment(own, ["--enable-helm"]),
    ...variables,
    ...Object.fromEntries(env.map(({ name, value }) => [`ARGOCD_ENV_${name}`, withVariables(value, variables)])),
    ARGOCD_APP_PARAMETERS: jsonText(parameters, 0),
  };
}
