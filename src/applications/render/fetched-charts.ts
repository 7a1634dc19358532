import { failureOf } from "../../base/alike.ts";
import { RollstampError } from "../../base/errors.ts";
import { chartKey, isFixedChart } from "../tools/helm-pull.ts";
import { FETCH_VARIABLE } from "../../base/outside.ts";
import type { ChartAddress, FetchChart } from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";

/** Fetches charts, each once in a run. */
export interface FetchedCharts {
  /** Undefined if fetching is not allowed. */
  readonly fetch: FetchChart | undefined;
}

/** Fetches charts if the user allows it. Charts with an exact version are kept in the cache of renderings. */
export function fetchedCharts(
  io: Pick<Io, "applications" | "context">,
  environment: Environment,
  cache: RenderCache | undefined,
  isAsked: boolean,
): FetchedCharts {
  const charts = new Map<string, Promise<Buffer>>();
  const options = { environment, limits: io.context.limits };
  const got = async (chart: ChartAddress, key: string): Promise<Buffer> => {
    const isKept = cache !== undefined && isFixedChart(chart);
    const known = isKept ? await cache.get(key) : undefined;
    if (known !== undefined) return Buffer.from(known, "base64");
    const archive = await io.applications.pullChart(chart, options);
    if (isKept) await cache.put(key, archive.toString("base64"));
    return archive;
  };
  const fetch: FetchChart = (chart) => {
    const key = `chart ${chartKey(chart)}`;
    const known = charts.get(key) ?? got(chart, key);
    charts.set(key, known);
    return known;
  };
  return { fetch: isAsked || environment[FETCH_VARIABLE] === "true" ? fetch : undefined };
}

/** The charts that one rendering fetches. */
export interface ChartsOfRendering {
  /** Undefined if fetching is not allowed. */
  readonly fetchChart: FetchChart | undefined;
  /** Whether all that were fetched have an exact version or a digest. */
  readonly areFixed: () => boolean;
}

export function chartsOfRendering({ fetch }: FetchedCharts): ChartsOfRendering {
  let areFixed = true;
  const fetchChart: FetchChart | undefined =
    fetch &&
    ((chart) => {
      areFixed &&= isFixedChart(chart);
      return fetch(chart);
    });
  return { fetchChart, areFixed: () => areFixed };
}

/** The packed chart, or why it can't be fetched. */
export async function fetchedOrProblem(fetch: () => Promise<Buffer>): Promise<Buffer | { readonly problem: string }> {
  try {
    return await fetch();
  } catch (cause) {
    if (cause instanceof RollstampError) return { problem: failureOf(cause).message };
    throw cause;
  }
}
