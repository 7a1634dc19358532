import type { Revisions } from "../../platform/ports/snapshot.ts";
import type { Application } from "../discover/application.ts";
import { closuresIn } from "../render/affected.ts";
import type { Root } from "../render/closure.ts";
import type { StampedSide } from "./stamped-sides.ts";

// Under reconcileStrategy ChartVersion, Flux packs the chart of a GitRepository again only if the version in its
// Chart.yaml changes (source-controller, docs/spec/v1/helmcharts.md). Changed templates and values files wait for that.

interface Sides {
  readonly base: StampedSide | undefined;
  readonly head: StampedSide | undefined;
}

/** A HelmRelease that is held back until its chart has another version. */
export interface ChartHeld {
  readonly held: "ChartVersion";
  /** The release of the head with the chart of the base, if the release changes too: this is applied. */
  readonly applied?: StampedSide;
}

/** Whether the chart of a release changes without its version. */
export async function heldByChartVersion({ base, head }: Sides, revisions: Revisions): Promise<ChartHeld | undefined> {
  if (base === undefined || head === undefined || base.key === head.key) return undefined;
  const roots = chartRoots(base.application, head.application);
  if (roots === undefined) return undefined;
  const digestIn = async (side: "base" | "head", from: readonly Root[]): Promise<string> =>
    (await closuresIn(revisions[side], [head.application], () => from))[0]?.closure.digest ?? "";
  if ((await digestIn("base", roots)) === (await digestIn("head", roots))) return undefined;
  if (releaseOf(base) === releaseOf(head)) return { held: "ChartVersion" };
  const [closed] = await closuresIn(revisions.base, [head.application], () => head.renderable.roots);
  if (closed === undefined) return { held: "ChartVersion" };
  const { closure } = closed;
  // The key of the head covers its values, the digest the chart of the base.
  const key = `${head.key} ${closure.digest}`;
  return { held: "ChartVersion", applied: { ...head, closure, key, renderKey: key, snapshot: revisions.base } };
}

/** What Flux packs, if it is the same chart with the same version. */
function chartRoots(before: Application, after: Application): readonly Root[] | undefined {
  if (before.chartVersion === undefined || before.chartVersion !== after.chartVersion) return undefined;
  if (before.release?.chart !== after.release?.chart) return undefined;
  const [from, to] = [packedOf(before), packedOf(after)];
  // A changed list of values files makes Flux pack the chart again.
  return from === undefined || JSON.stringify(from) !== JSON.stringify(to) ? undefined : from;
}

function packedOf({ render }: Application): readonly Root[] | undefined {
  if (render.by !== "helm" || render.chart.in !== "repository") return undefined;
  const files = render.values.flatMap((values) => (values.from === "file" ? [values.path] : []));
  return [
    { is: "chart", folder: render.chart.folder },
    { is: "files", paths: files },
  ];
}

/** Everything of a release but its chart and values files, with the values that it takes from objects. */
function releaseOf({ application: { render, namespace }, renderable }: StampedSide): string {
  return JSON.stringify([render, namespace, renderable.is === "steps" ? renderable.steps : []], (_, value: unknown) =>
    value instanceof Map ? [...value] : value,
  );
}
