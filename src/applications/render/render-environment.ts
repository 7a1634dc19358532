import { BUILD_OPTIONS_VARIABLE } from "../tools/build-options.ts";
import { onceFor } from "../../base/once-for.ts";
import type { Environment } from "../../platform/ports/environment.ts";

/** The environment without what Argo CD tells its plugins: an application has that of its own, or none. */
export function renderEnvironment(environment: Environment, options: readonly string[]): Environment {
  const kept = withoutHosts(environment);
  const own = kept[BUILD_OPTIONS_VARIABLE] ?? "";
  return Object.assign({}, kept, { [BUILD_OPTIONS_VARIABLE]: [own, ...options].join(" ").trim() });
}

/** Once for all that are rendered: each look at what the process has asks the system. */
const withoutHosts: (environment: Environment) => Environment = onceFor((environment: Environment) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !/^(?:ARGOCD_|PARAM_)/u.test(name))),
);
