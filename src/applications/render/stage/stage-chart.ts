import { posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { readTar, writeTar, type TarFile } from "../../tools/tar-archive.ts";
import { isValuesSchema, wayOutOfSchema } from "../../tools/values-schema.ts";
import { RollstampError } from "../../../base/errors.ts";
import { CHART_FILE, LARGEST_CHART, LARGEST_CHART_FILE } from "../../../base/hosts/helm.ts";
import type { Stage } from "../../../platform/ports/stage.ts";

export interface ChartToStage {
  readonly folder: string;
  /** Where it goes, from the stage's folder. */
  readonly to: string;
  /** What stands before its files in messages. */
  readonly shown: string;
  readonly schemas: Schemas;
}

/**
 * What helm gets of the schemas of values: all, and one that leads out of itself is an error; none; those that don't lead out,
 * as nothing of what is rendered comes from a schema.
 */
export type Schemas = "held" | "leftOut" | "ownOnly";

/** Copies a chart into a stage, with what helm may read of it and nothing by which it would read more. */
export function stageChart(stage: Stage, chart: ChartToStage): void {
  const { folder, to, shown, schemas } = chart;
  for (const { path, real, size } of stage.source.filesBelow(folder, shown, stage.count)) {
    const at = `${to}/${path}`;
    const place = `${shown}${path}`;
    if (size > LARGEST_CHART_FILE) {
      // helm refuses it by its size, unless .helmignore names it: it needs not be read.
      stage.putEmpty(at, size);
      continue;
    }
    const bytes = stage.source.bytes(real, place, LARGEST_CHART_FILE);
    if (isValuesSchema(path)) {
      if (keepsSchema(bytes, place, schemas)) stage.put(at, bytes);
    } else if (isArchive(path))
      stage.put(at, repacked(Buffer.from(bytes), { shown: place, schemas, count: stage.count }));
    else stage.put(at, bytes);
  }
}

/** The path of a packed chart from the folder of the chart that needs it, or of one in its folder `charts`. */
const ARCHIVE = /^(?:charts\/[^/]+\/)*charts\/[^/]+\.tgz$/u;

function isArchive(path: string): boolean {
  return ARCHIVE.test(path);
}

// One in another in another: a chart has its dependencies' dependencies in it, and hardly more.
const DEEPEST = 10;

/** What is known of a packed chart. */
export interface ArchiveToRepack {
  readonly shown: string;
  readonly schemas: Schemas;
  /** Counts its files and their bytes: helm has all of them in memory. */
  readonly count: Stage["count"];
}

/** A packed chart, unpacked, looked at, and packed again. Throws a RollstampError. */
export function repacked(archive: Buffer, { shown, schemas, count }: ArchiveToRepack, depth = 1): Buffer {
  if (depth > DEEPEST) throw refused(shown, "there are too many packed charts in each other");
  const kept = unpacked(archive, shown).flatMap(({ name: path, bytes }): TarFile[] => {
    count(bytes.length);
    // As we have read it: so helm can't take it for the path of another file.
    const file = { name: `chart/${path}`, bytes };
    if (isValuesSchema(path)) {
      return keepsSchema(bytes, `${shown}: ${path}`, schemas) ? [file] : [];
    }
    if (!isArchive(path)) return [file];
    return [{ ...file, bytes: repacked(bytes, { shown: `${shown}: ${path}`, schemas, count }, depth + 1) }];
  });
  // Fast: helm unpacks it at once.
  return gzipSync(writeTar(kept), { level: 1 });
}

/** The files of a packed chart, by their paths from its folder. Throws a RollstampError. */
export function unpacked(archive: Buffer, shown: string): readonly TarFile[] {
  let files: readonly TarFile[] | undefined;
  try {
    files = readTar(gunzipSync(archive, { maxOutputLength: LARGEST_CHART }));
  } catch {
    throw refused(shown, "this is no packed chart, or one that is larger than helm takes");
  }
  if (files === undefined) throw refused(shown, "this is no packed chart");
  return files.map(({ name, bytes }) => {
    const path = pathInChart(name);
    if (path === undefined) throw refused(shown, "a file of this packed chart is outside of its folder");
    return { name: path, bytes };
  });
}

function refused(shown: string, message: string): RollstampError {
  return new RollstampError("input", message, {
    place: { file: shown },
    remedy: "Pack the chart again: 'helm package'.",
  });
}

/**
 * The path of a packed file as helm reads it, less its first folder (pkg/chart/loader/archive.go); undefined for one
 * that helm refuses.
 */
function pathInChart(name: string): string | undefined {
  const parts = name.split(name.includes("\\") ? "\\" : "/");
  const path = posix.normalize(parts.slice(1).join("/")).replace(/\/+$/u, "");
  const isOutside = path === "" || path === "." || path.startsWith("..") || path.startsWith("/");
  return isOutside || parts[0] === CHART_FILE || /^[A-Za-z]:\//u.test(path) ? undefined : path;
}

/** Whether helm gets a schema. Throws a RollstampError for one that leads out where that is no matter of leaving it out. */
function keepsSchema(bytes: Buffer, shown: string, schemas: Schemas): boolean {
  if (schemas === "leftOut") return false;
  const place = { file: shown };
  let key: string | undefined;
  try {
    key = wayOutOfSchema(new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new RollstampError("input", "the schema of the chart's values is no JSON", { place });
  }
  if (key === undefined) return true;
  if (schemas === "ownOnly") return false;
  throw new RollstampError("input", `a ${key} of the schema leads out of it, which helm would read or fetch`, {
    place,
    remedy:
      "Nothing is fetched here: put what it needs below its own '$defs', or leave schemas out by skip-schema-validation.",
  });
}
