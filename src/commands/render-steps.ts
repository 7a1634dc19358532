import { BUILD_OPTIONS_VARIABLE } from "../cmp/build-options.ts";
import { formatPlace, RollstampError } from "../ground/errors.ts";
import type { Environment } from "../io/environment.ts";
import type { Io } from "../io/io.ts";
import { holdsNothing, readManifests, type Manifests } from "../manifest/items.ts";
import { readTree } from "../manifest/tree.ts";
import type { Step } from "../rendering/step.ts";
import { join } from "node:path";

/** Runs kustomize and helm over the files below a folder, as `cmp` does it; gives what they print. */
export async function renderedText(io: Io, steps: readonly Step[], root: string): Promise<string> {
  const texts: string[] = [];
  for (const step of steps) {
    const application = { folder: join(root, step.folder), root, limits: io.context.limits };
    const printed =
      step.by === "helm"
        ? await io.applications.renderChart(
            { application, given: step.given, environment: environmentOf(io.environment, "") },
            [],
          )
        : await io.applications.renderKustomization({
            application,
            given: new Map(),
            environment: environmentOf(io.environment, step.options),
          });
    texts.push(printed.text);
  }
  return texts.length === 1 ? (texts[0] ?? "") : texts.map((text) => `---\n${text}`).join("\n");
}

/** The environment without what Argo CD tells its plugins: an application has that of its own, or none. */
function environmentOf(environment: Environment, options: string): Environment {
  const kept = Object.entries(environment).filter(([name]) => !/^(?:ARGOCD_|PARAM_)/u.test(name));
  const own = environment[BUILD_OPTIONS_VARIABLE] ?? "";
  return { ...Object.fromEntries(kept), [BUILD_OPTIONS_VARIABLE]: `${own} ${options}`.trim() };
}

/** The manifests of a rendering; undefined where it holds none. Throws a RollstampError for what are none. */
export function renderingOf(io: Io, text: string, shown: string): Manifests | undefined {
  const tree = readTree(text, shown, io.context.limits);
  if (holdsNothing(tree)) return undefined;
  const manifests = readManifests(tree);
  if (manifests.form === "stream") return manifests;
  throw new RollstampError("input", "it printed a ResourceList, and no manifests", { place: { file: shown } });
}

/** An error in one text, with what to do. */
export function errorWords({ place, message, remedy }: RollstampError): string {
  const head = place === undefined ? message : `${formatPlace(place)}: ${message}`;
  if (remedy === undefined) return head;
  return `${head}${/[.?!]$/u.test(head) ? "" : "."} ${remedy}`;
}
