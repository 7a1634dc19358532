import { posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { readTar, writeTar, type TarFile } from "../../tools/tar-archive.ts";
import { isValuesSchema, wayOutOfSchema } from "../../tools/values-schema.ts";
import { RollstampError } from "../../../base/errors.ts";
import { CHART_FILE, LARGEST_CHART, LARGEST_CHART_FILE } from "../../../base/hosts/helm.ts";
import type { Stage } from "../../../platform/ports/stage.ts";

export interface ChartToStage {
  readonly folder: string;
  /** The target, relative to the stage. */
  readonly to: string;
  /** The prefix of its files in messages. */
  readonly shown: string;
  readonly schemas: Schemas;
}

/**
 * Which schemas of values helm gets: all, and a reference out of a schema is an error; none; or those without such
 * references, because the rendering does not depend on schemas.
 */
export type Schemas = "held" | "leftOut" | "ownOnly";

/** Copies a chart into a stage: everything that helm may read, and nothing that makes it read more. */
export function stageChart(stage: Stage, chart: ChartToStage): void {
  const { folder, to, shown, schemas } = chart;
  for (const { path, real, size } of stage.source.filesBelow(folder, shown, stage.count)) {
    const target = `${to}/${path}`;
    const place = `${shown}${path}`;
    if (size > LARGEST_CHART_FILE) {
      // helm refuses a file of this size unless .helmignore names it: the content does not matter.
      stage.putEmpty(target, size);
      continue;
    }
    stageFile(stage, { path, bytes: stage.source.bytes(real, place, LARGEST_CHART_FILE), target, place, schemas });
  }
}

/** The same for the files of a packed chart. */
export function stageUnpacked(stage: Stage, files: readonly TarFile[], chart: Omit<ChartToStage, "folder">): void {
  const { to, shown, schemas } = chart;
  for (const { name: path, bytes } of files)
    stageFile(stage, { path, bytes, target: `${to}/${path}`, place: `${shown}${path}`, schemas });
}

interface ChartFile {
  /** Relative to the chart. */
  readonly path: string;
  readonly bytes: Buffer;
  /** The path relative to the stage. */
  readonly target: string;
  /** The path in messages. */
  readonly place: string;
  readonly schemas: Schemas;
}

function stageFile(stage: Stage, { path, bytes, target, place, schemas }: ChartFile): void {
  if (isValuesSchema(path)) {
    if (keepsSchema(bytes, place, schemas)) stage.put(target, bytes);
  } else if (isArchive(path))
    stage.put(target, repacked(Buffer.from(bytes), { shown: place, schemas, count: stage.count }));
  else stage.put(target, bytes);
}

/** The path of a packed chart, relative to the chart that depends on it. */
const ARCHIVE = /^(?:charts\/[^/]+\/)*charts\/[^/]+\.tgz$/u;

function isArchive(path: string): boolean {
  return ARCHIVE.test(path);
}

// A chart contains the dependencies of its dependencies, and rarely more.
const DEEPEST = 10;

export interface ArchiveToRepack {
  readonly shown: string;
  readonly schemas: Schemas;
  /** Counts its files and their bytes: helm keeps all of them in memory. */
  readonly count: Stage["count"];
}

/** Unpacks a packed chart, checks it, and packs it again. Throws a RollstampError. */
export function repacked(archive: Buffer, { shown, schemas, count }: ArchiveToRepack, depth = 1): Buffer {
  if (depth > DEEPEST) throw refused(shown, "packed charts are nested too deeply");
  const kept = unpacked(archive, shown).flatMap(({ name: path, bytes }): TarFile[] => {
    count(bytes.length);
    // Uses the path that we read, so that helm can't read it as the path of another file.
    const file = { name: `chart/${path}`, bytes };
    if (isValuesSchema(path)) {
      return keepsSchema(bytes, `${shown}: ${path}`, schemas) ? [file] : [];
    }
    if (!isArchive(path)) return [file];
    return [{ ...file, bytes: repacked(bytes, { shown: `${shown}: ${path}`, schemas, count }, depth + 1) }];
  });
  // Level 1, because helm unpacks it at once.
  return gzipSync(writeTar(kept), { level: 1 });
}

/** The files of a packed chart, with paths relative to its folder. Throws a RollstampError. */
export function unpacked(archive: Buffer, shown: string): readonly TarFile[] {
  let files: readonly TarFile[] | undefined;
  try {
    files = readTar(gunzipSync(archive, { maxOutputLength: LARGEST_CHART }));
  } catch {
    throw refused(shown, "this is not a packed chart, or it is larger than helm allows");
  }
  if (files === undefined) throw refused(shown, "this is not a packed chart");
  return files.map(({ name, bytes }) => {
    const path = pathInChart(name);
    if (path === undefined) throw refused(shown, "a file of this packed chart is outside its folder");
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
 * The path of a packed file as helm reads it, without the first folder (pkg/chart/loader/archive.go); undefined if helm
 * refuses it.
 */
function pathInChart(name: string): string | undefined {
  const parts = name.split(name.includes("\\") ? "\\" : "/");
  const path = posix.normalize(parts.slice(1).join("/")).replace(/\/+$/u, "");
  const isOutside = path === "" || path === "." || path.startsWith("..") || path.startsWith("/");
  return isOutside || parts[0] === CHART_FILE || /^[A-Za-z]:\//u.test(path) ? undefined : path;
}

/**
 * Whether helm gets a schema. Throws a RollstampError for one that refers to something outside, if all schemas are
 * kept.
 */
function keepsSchema(bytes: Buffer, shown: string, schemas: Schemas): boolean {
  if (schemas === "leftOut") return false;
  const place = { file: shown };
  let key: string | undefined;
  try {
    key = wayOutOfSchema(new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    throw new RollstampError("input", "the schema of the chart's values is not valid JSON", { place });
  }
  if (key === undefined) return true;
  if (schemas === "ownOnly") return false;
  throw new RollstampError(
    "input",
    `a ${key} of the schema refers to something outside, which helm would read or fetch`,
    {
      place,
      remedy:
        "Nothing is fetched here: put what it needs below its own '$defs', or leave schemas out by skip-schema-validation.",
    },
  );
}
