import { isFixedChart, shownChart } from "../tools/helm-pull.ts";
import { RollstampError } from "../../base/errors.ts";
import type { ChartAddress, FetchChart } from "../../platform/ports/applications.ts";
import type { Environment } from "../../platform/ports/environment.ts";
import type { Io } from "../../platform/ports/io.ts";
import type { RenderCache } from "../../platform/ports/programs.ts";

/** The environment variable that has the effect of --fetch-charts. */
export const FETCH_VARIABLE = "ROLLSTAMP_FETCH_CHARTS";

/** Fetches charts, each once in a run. */
export interface FetchedCharts {
  /** Undefined if fetching is not allowed. */
  readonly fetch: FetchChart | undefined;
  /** The error for a chart that would have to be fetched. */
  readonly refused: (chart: ChartAddress) => RollstampError;
}

/** The remedy if fetching is not allowed. */
export const TO_FETCH: string = `To let helm fetch it without a login, use --fetch-charts or set ${FETCH_VARIABLE}=true.`;

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
    const key = `chart ${JSON.stringify([chart.repository, chart.name, chart.version])}`;
    const known = charts.get(key) ?? got(chart, key);
    charts.set(key, known);
    return known;
  };
  return {
    fetch: isAsked || environment[FETCH_VARIABLE] === "true" ? fetch : undefined,
    refused: (chart) =>
      new RollstampError("input", `its chart is not in the repository: ${shownChart(chart)}`, {
        remedy: TO_FETCH,
        missing: shownChart(chart),
      }),
  };
}
