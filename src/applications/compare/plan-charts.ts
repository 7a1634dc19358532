import { join } from "node:path";
import { CHART_FILE, isReleaseName, ownReleaseName, NAMESPACE_VARIABLE } from "../../base/hosts/helm.ts";
import { RollstampError } from "../../base/errors.ts";
import type { GivenValue } from "../../platform/ports/applications.ts";
import { getString } from "../../yaml/read/node.ts";
import { NONE, readTree } from "../../yaml/read/tree.ts";
import { waitingFor } from "../inputs/progress.ts";
import { joinSides, type PlanSide, type PlanSides, refuseEmpty, renderedSide, type SideReader } from "./plan-sides.ts";

/** Renders copies of two charts with the same values. */
export async function readCharts(reader: SideReader, charts: readonly string[]): Promise<PlanSides> {
  const { io, options } = reader;
  if (options.release !== undefined && !isReleaseName(options.release))
    throw new RollstampError("usage", `--release ${options.release} is not a valid name of a release`, {
      remedy: "It can have up to 53 lowercase letters, digits, hyphens and dots.",
    });
  const values = (options.values ?? []).map((path) => io.readNamed(path, io.context.limits));
  const [basePath = "", headPath = ""] = charts;
  const progress = waitingFor(io, `rendering ${basePath} and ${headPath}`);
  try {
    const base = await rendered(reader, basePath, values);
    const head = await rendered(reader, headPath, values);
    refuseEmpty(options, { side: base, name: basePath }, { side: head, name: headPath });
    return joinSides(base, head);
  } finally {
    progress.end();
  }
}

async function rendered({ io, options }: SideReader, path: string, valuesTexts: readonly string[]): Promise<PlanSide> {
  const { limits } = io.context;
  let isOpen = false;
  try {
    return await io.applications.withChart(path, limits, async (application) => {
      isOpen = true;
      const text = io.applications.applicationText(application, CHART_FILE);
      const tree = readTree(text, CHART_FILE, limits);
      const name = getString(tree, tree.documents[0] ?? NONE, "name") ?? "";
      const release = options.release ?? ownReleaseName(name);
      const given = new Map<string, GivenValue>([
        ["release-name", { string: release }],
        ["release-namespace", { string: options.namespace ?? io.environment[NAMESPACE_VARIABLE] ?? "" }],
        ["kube-version", { string: options.kubeVersion ?? "" }],
        // An upgrade runs no tests.
        ["skip-tests", { string: "true" }],
        ["skip-schema-validation", { string: String(options.skipSchemaValidation === true) }],
      ]);
      const toRender = { application, given, environment: io.environment, valuesTexts };
      const printed = await io.applications.renderChart(toRender, []);
      return renderedSide(printed.text, `the rendering of ${path}`, io, options);
    });
  } catch (cause) {
    // Places in files of a chart are relative to its folder.
    throw isOpen && cause instanceof RollstampError ? inChart(cause, path) : cause;
  }
}

// The message of Helm about the kubeVersion of a chart (pkg/action/action.go).
const OTHER_KUBERNETES = /incompatible with Kubernetes v/u;
const SAY_KUBERNETES = "Give the version of the cluster, such as --kube-version 1.34.0.";

function inChart({ code, message, place, remedy: known }: RollstampError, path: string): RollstampError {
  // oxlint-disable-next-line messages/unread -- these are Helm's words, which has no code for it
  const remedy = known ?? (OTHER_KUBERNETES.test(message) ? SAY_KUBERNETES : undefined);
  if (place?.file.startsWith("the rendering of ") === true) return new RollstampError(code, message, { place, remedy });
  return place === undefined
    ? new RollstampError(code, `${path}: ${message}`, { remedy })
    : new RollstampError(code, message, { place: { ...place, file: join(path, place.file) }, remedy });
}
