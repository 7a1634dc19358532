import type { Command } from "commander";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { capped } from "../findings/catalogue/cap.ts";
import type { Finding } from "../findings/catalogue/finding.ts";
import { formatObject } from "../base/names.ts";
import { counted } from "../base/words.ts";
import type { Io } from "../platform/ports/io.ts";
import type { ManifestFile } from "../yaml/read/manifest-text.ts";
import type { Analysis } from "../stamping/pipeline.ts";
import { presentTime } from "../stamping/restart/moment.ts";
import { locationOf, resourceRef } from "../findings/results/location.ts";
import { pendingOf } from "../stamping/waves/waiting.ts";
import { hasWaveMarks, waveOf, type Waits, type Wave } from "../stamping/waves/wave.ts";
import { reasonWords, waitingWords } from "../stamping/waves/words.ts";
import { headWorkloads } from "./head-workloads.ts";
import { wholeNumber } from "./options.ts";

export interface WaveOptions {
  readonly maxWorkloads?: number;
  readonly maxPods?: number;
  readonly due?: boolean;
}

/** Adds the options about waves to `rollstamp stamp`. */
export function addWaveOptions(command: Command): void {
  command
    .option("--max-workloads <n>", "let at most so many workloads take new stamps; the others wait", wholeNumber)
    .option("--max-pods <n>", "let at most so many pods be replaced; the other workloads wait", wholeNumber)
    .option("--due", "let those go that wait and may go now: windows, groups, the limits");
}

/** A wave, and what is to be told of it. */
export interface ToldWave extends Wave {
  readonly findings: readonly Finding[];
  /** Lines for standard error. */
  readonly text: string;
}

/** Decides which workloads take their stamps; undefined where nothing asks any to wait. */
export async function stampWave(
  io: Io,
  files: readonly ManifestFile[],
  analyses: readonly Analysis[],
  spec: ConfigHashSpec,
  options: WaveOptions & { readonly verbose?: boolean },
): Promise<ToldWave | undefined> {
  const { maxWorkloads, maxPods, due: isDue = false } = options;
  const isAsked = isDue || maxWorkloads !== undefined || maxPods !== undefined;
  if (!isAsked && !analyses.some(({ items }) => items.some(hasWaveMarks))) return undefined;
  const isPending = analyses.some(({ desired }) => pendingOf(desired) !== "");
  const now = presentTime(io.context);
  const wave = waveOf(analyses, {
    maxWorkloads,
    maxPods,
    isDue,
    now,
    defaultNamespace: spec.defaultNamespace,
    atHead: isPending ? await headWorkloads(io, files, spec) : () => "same",
  });
  // One window of a ConfigMap, or one limit, holds all that see it: that is one cause, not one of each workload.
  const findings = capped(wave.waits.flatMap(stuck), ({ id, cause }) => `${id} ${cause}`);
  return { ...wave, findings, text: textOf(wave, now, { isAsked, ...options }) };
}

/** What no run like this one ever lets go. */
function stuck({ workload: { item }, because }: Waits): Finding[] {
  const params = { workload: resourceRef(item) };
  if (because.is === "tooLarge")
    return [{ id: "waiting", cause: "tooLarge", params: { ...params, pods: because.pods }, ...locationOf(item, item) }];
  if (because.is === "window" && because.opens === undefined)
    return [{ id: "waiting", cause: "neverOpen", params, ...locationOf(item, item) }];
  return [];
}

function textOf(
  { waits, taking }: Wave,
  now: Date,
  { isAsked, verbose }: { readonly isAsked: boolean; readonly verbose?: boolean },
): string {
  if (waits.length === 0 && !isAsked) return "";
  const took = counted(taking, "workload takes new stamps", "workloads take new stamps");
  const reasons = waits.map(({ because }) => because);
  const waiting = waits.length === 0 ? "none waits" : waitingWords(reasons, now);
  const lines = [isAsked || taking > 0 ? `${took}, ${waiting}` : waiting];
  if (verbose === true) {
    for (const { workload, because } of waits)
      lines.push(`${formatObject(resourceRef(workload.item))} waits ${reasonWords(because, now)}`);
  }
  return lines.map((line) => `rollstamp: ${line}\n`).join("");
}
