import { duration } from "./times.ts";
import { RollstampError } from "./errors.ts";
import { counted } from "./words.ts";

/** Limits that protect the process from hostile input. Each has a flag (docs/why/limits.md). */
export interface Limits {
  /** The bytes of one input: standard input, a file, the output of a renderer, an answer of a cluster. */
  readonly inputSize: number;
  /** The depth of a document, with aliases followed. Real CRDs stay below 60. */
  readonly depth: number;
  /** The values that aliases and merge keys may add to an input, counted at each use. */
  readonly aliasedValues: number;
  /** The documents of an input, and the items of its lists; the objects of all renderings that one run looks at. */
  readonly documents: number;
  /** The characters of an expression or pattern in a manifest. */
  readonly expression: number;
  /** The characters of a name: of an object, kind, namespace, key or container. Kubernetes accepts 253. */
  readonly name: number;
  /** The steps of comparing each element of a list with each of another, where no lookup is possible. */
  readonly comparisons: number;
  /** The references that annotations of peers and overrides of the configuration add to pod templates. */
  readonly addedReferences: number;
  /** The Applications that all ApplicationSets of a repository generate; those that `rollstamp.yaml` adds to a folder with one. */
  readonly applications: number;
  /** The seconds that a program may take to render an application. */
  readonly renderTime: number;
}

const MEBIBYTE = 1 << 20;

/** The MiB of an ignore file. */
export const LARGEST_IGNORE_FILE = 8;

/** The bytes of a program's standard error; the rest is lost. */
export const MOST_STDERR = 65_536;

/**
 * The kustomizations that one build loads. kustomize loads one again for each that includes it, so layers of which each
 * includes the next one twice double its time.
 */
export const MOST_KUSTOMIZATIONS = 10_000;

export const DEFAULT_LIMITS: Limits = {
  inputSize: 256 * MEBIBYTE,
  depth: 500,
  aliasedValues: 1_000_000,
  documents: 500_000,
  expression: 1000,
  name: 1000,
  comparisons: 1_000_000_000,
  addedReferences: 100_000,
  applications: 10_000,
  renderTime: 600,
};

/** A limit as an option of the command line. */
export interface LimitFlag {
  readonly limit: keyof Limits;
  readonly flag: string;
  readonly unit: "size" | "count" | "time";
  readonly summary: string;
  /** The maximum that the program itself supports: the longest string of V8, the depth of its stack. */
  readonly most: number;
}

export const LIMIT_FLAGS: readonly LimitFlag[] = [
  {
    limit: "inputSize",
    flag: "--max-input-size",
    unit: "size",
    summary: "the size of one input, such as 64Mi",
    most: 511 * MEBIBYTE,
  },
  { limit: "depth", flag: "--max-depth", unit: "count", summary: "the nesting of a document", most: 1000 },
  {
    limit: "aliasedValues",
    flag: "--max-aliased-values",
    unit: "count",
    summary: "the values that aliases and merge keys add to an input",
    most: 100_000_000,
  },
  {
    limit: "documents",
    flag: "--max-documents",
    unit: "count",
    summary: "the documents of an input with the items of its lists, or the objects of all renderings",
    most: 100_000_000,
  },
  {
    limit: "expression",
    flag: "--max-expression",
    unit: "count",
    summary: "the characters of an expression in a manifest",
    most: 100_000,
  },
  {
    limit: "name",
    flag: "--max-name",
    unit: "count",
    summary: "the characters of a name in a manifest",
    most: 100_000,
  },
  {
    limit: "comparisons",
    flag: "--max-comparisons",
    unit: "count",
    summary: "the steps of comparing lists with each other, such as patterns with names",
    most: 100_000_000_000,
  },
  {
    limit: "addedReferences",
    flag: "--max-added-references",
    unit: "count",
    summary: "the references that annotations and overrides add to pod templates",
    most: 10_000_000,
  },
  {
    limit: "applications",
    flag: "--max-applications",
    unit: "count",
    summary: "the Applications that all ApplicationSets generate",
    most: 1_000_000,
  },
  {
    limit: "renderTime",
    flag: "--max-render-time",
    unit: "time",
    summary: "the time that a program takes to render an application, such as 90s",
    most: 86_400,
  },
];

const SUFFIXES: Readonly<Record<string, number>> = { "": 1, Ki: 1 << 10, Mi: MEBIBYTE, Gi: 1 << 30 };

/**
 * Parses the value of a flag: a whole number from 1, a size with Ki, Mi or Gi, a duration such as 15m. Throws for any
 * other value.
 */
export function readLimit({ flag, unit, most }: LimitFlag, text: string): number {
  if (unit === "time") return readTime(flag, text, most);
  const [, digits, suffix = ""] = /^(\d{1,12})(Ki|Mi|Gi)?$/u.exec(text) ?? [];
  const value =
    digits === undefined || (unit === "count" && suffix !== "") ? 0 : Number(digits) * (SUFFIXES[suffix] ?? 1);
  if (value >= 1 && value <= most) return value;
  throw new RollstampError(
    "usage",
    `${flag} ${JSON.stringify(text)}: must be a ${unit} from 1 to ${shown(most, unit)}`,
    {
      remedy:
        unit === "size" ? "Write a number of bytes, or a number with Ki, Mi or Gi: 64Mi." : "Write a whole number.",
    },
  );
}

function readTime(flag: string, text: string, most: number): number {
  const seconds = duration(flag)(text);
  if (seconds >= 1 && seconds <= most) return seconds;
  throw new RollstampError("usage", `${flag} ${JSON.stringify(text)}: must be a duration from 1s to ${most / 3600}h`, {
    remedy: "Write a duration such as 90s, 15m or 1h30m.",
  });
}

/** The default limits with some changes. Throws for an unknown limit or an invalid value. */
export function limitsWith(changed: Partial<Limits>): Limits {
  for (const [name, value] of Object.entries(changed)) {
    const row = LIMIT_FLAGS.find(({ limit }) => limit === name);
    if (row === undefined) {
      throw new RollstampError("config", `unknown limit '${name}'`, {
        remedy: `Allowed: ${LIMIT_FLAGS.map(({ limit }) => limit).join(", ")}.`,
      });
    }
    if (Number.isInteger(value) && value >= 1 && value <= row.most) continue;
    throw new RollstampError("config", `the limit '${name}' must be a whole number from 1 to ${row.most}`);
  }
  return { ...DEFAULT_LIMITS, ...changed };
}

function shown(value: number, unit: LimitFlag["unit"]): string {
  return unit === "size" && value % MEBIBYTE === 0 ? `${value / MEBIBYTE}Mi` : String(value);
}

/** A size as in messages: `64Mi bytes`. */
export function sizeWords(bytes: number): string {
  return `${shown(bytes, "size")} bytes`;
}

/** Throws if the text has more bytes than an input may have. */
export function checkSize(text: string, file: string, { inputSize }: Limits): void {
  // A UTF-16 code unit is one to three bytes of UTF-8, so most texts need not be counted.
  if (text.length * 3 <= inputSize) return;
  if (Buffer.byteLength(text, "utf8") > inputSize) throw tooLarge(file, inputSize);
}

/** Counts steps against a limit. Throws if the limit is exceeded. */
export type Spend = (amount: number, limits: Limits) => void;

/** Limits the steps of a comparison. `what` names it, such as "comparing patterns with names". */
export function comparing(what: string): Spend {
  return spending("comparisons", (most) => `comparing ${what} takes more than ${most} steps`);
}

/** Limits a sum over a whole run. */
export function spending(
  limit: "comparisons" | "addedReferences" | "documents",
  problem: (most: number) => string,
  instead: string = "Split the input",
): Spend {
  let spent = 0;
  return (amount, limits) => {
    spent += amount;
    if (spent <= limits[limit]) return;
    const flag = LIMIT_FLAGS.find((row) => row.limit === limit)?.flag ?? "";
    throw new RollstampError("input", problem(limits[limit]), {
      remedy: `${instead}, or raise the limit: ${flag}.`,
    });
  };
}

/** The error for an input of more than `most` bytes. */
export function tooLarge(file: string, most: number): RollstampError {
  return new RollstampError("input", `this is larger than ${sizeWords(most)}`, {
    place: { file },
    remedy: "Split the input, or raise the limit: --max-input-size.",
  });
}

/** The error for a program, such as `helm template`, that exceeded its time. */
export function tooLate(program: string, { renderTime }: Limits): RollstampError {
  return new RollstampError("system", `${program} did not end within ${counted(renderTime, "second")}`, {
    remedy: "Run it manually to see what it waits for, or raise the limit: --max-render-time.",
  });
}
