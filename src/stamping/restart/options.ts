import { shownValue } from "../../base/words.ts";
import { optionError, RollstampError } from "../../base/errors.ts";
import { RESTARTED_AT } from "../../base/keys.ts";
import { KIND_AND_NAME_REMEDY, readKindAndName } from "../../base/kind-names.ts";
import { isStampKey } from "../../base/stamp-keys.ts";
import { parseTime } from "../../base/times.ts";
import type { Target } from "../../kubernetes/workloads/targets.ts";
import type { WorkloadKind } from "../../kubernetes/workloads/types.ts";
import { workloadKinds } from "../../kubernetes/workloads/workload-kinds.ts";
import { readConfigHash } from "../function/config-hash.ts";
import { readTargetFields } from "../function/selectors.ts";
import { parseCron, timeZone } from "../schedules/cron.ts";
import { CRON_REMEDY, TIME_REMEDY, ZONE_REMEDY, type RestartTime } from "../schedules/moment.ts";
import { fieldsOf, listOf, textOf, textOrEmpty } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";

/** The options of Restart: contract, section 2. */
interface RestartSpec {
  /** Undefined: everything. */
  readonly targets: readonly RestartTarget[] | undefined;
  readonly time: RestartTime;
  readonly annotation: string;
  readonly defaultNamespace: string;
  readonly kinds: readonly WorkloadKind[];
}

type Fields = { readonly [key: string]: Json | undefined };

/** Converts a configuration that the schema has accepted. */
export function readRestart(config: Json): RestartSpec {
  const spec = fieldsOf(fieldsOf(config)["spec"]);
  // These two options are the same as in ConfigHash.
  const shared = readConfigHash({
    spec: { ...given("defaultNamespace", spec["defaultNamespace"]), ...given("workloads", spec["workloads"]) },
  });
  const { defaultNamespace } = shared;
  return {
    targets: readTargets(spec),
    time: readTime(spec),
    annotation: checkAnnotation(textOf(spec["annotation"]) ?? RESTARTED_AT, ["spec", "annotation"]),
    defaultNamespace,
    kinds: workloadKinds(shared),
  };
}

function given(key: string, value: Json | undefined): { [key: string]: Json } {
  return value === undefined ? {} : { [key]: value };
}

function readTargets(spec: Fields): readonly RestartTarget[] | undefined {
  const targets = listOf(spec["targets"]);
  if (spec["all"] === true) {
    if (targets.length === 0) return undefined;
    throw optionError(["spec", "all"], "cannot be set together with targets", "Keep one of the two.");
  }
  if (targets.length > 0) return targets.map((target, i) => readTarget(target, ["spec", "targets", String(i)]));
  throw optionError(["spec", "targets"], "is empty", "Name the targets, or set 'all: true' for everything.");
}

function readTarget(value: Json, path: readonly string[]): RestartTarget {
  const text = textOf(value);
  if (text !== undefined) {
    const target = parseTarget(text);
    if (target === undefined) throw optionError(path, `is '${text}'`, KIND_AND_NAME_REMEDY);
    return target;
  }
  const fields = readTargetFields(value, path);
  // An empty selector selects everything, as in Kubernetes.
  if (Object.values(fields).every(({ length }) => length === 0))
    throw optionError(
      path,
      "is empty",
      "Give at least one of kind, name, namespace and selector; 'all: true' selects everything.",
    );
  return { text: JSON.stringify(value), ...fields };
}

function readTime(spec: Fields): RestartTime {
  const time = textOf(spec["at"]);
  const schedule = spec["schedule"];
  if (time !== undefined && schedule !== undefined)
    throw optionError(["spec", "at"], "cannot be set together with a schedule", "Keep one of the two.");
  if (time !== undefined) return { instant: readMoment(time, ["spec", "at"]) };
  if (schedule === undefined) {
    throw new RollstampError("config", "the restart has no time: a render must not depend on when it runs", {
      configPath: ["spec"],
      remedy: "Set 'at' to a time, or 'schedule' to a cron expression.",
    });
  }
  const isText = typeof schedule === "string";
  const cron = isText ? schedule : textOrEmpty(fieldsOf(schedule)["cron"]);
  const zoneName = isText ? "UTC" : (textOf(fieldsOf(schedule)["timeZone"]) ?? "UTC");
  const parsed = parseCron(cron);
  const cronPath = isText ? ["spec", "schedule"] : ["spec", "schedule", "cron"];
  if ("problem" in parsed) throw optionError(cronPath, parsed.problem, CRON_REMEDY);
  const zone = timeZone(zoneName);
  if (zone === undefined)
    throw optionError(["spec", "schedule", "timeZone"], `is '${zoneName}', which is not a time zone`, ZONE_REMEDY);
  const now = textOf(spec["now"]);
  return {
    schedule: parsed,
    zone,
    now: now === undefined ? undefined : readMoment(now, ["spec", "now"]),
    mayReadClock: spec["clock"] === "System",
  };
}

function readMoment(text: string, path: readonly string[]): Date {
  const time = parseTime(text);
  if (time === undefined) throw optionError(path, "must be a time", TIME_REMEDY);
  return time;
}

// apimachinery pkg/util/validation, IsQualifiedName.
const ANNOTATION_KEY =
  /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/u;

/** The annotation for restart times: a valid key that is not the key of a stamp. `path` is the option. */
export function checkAnnotation(key: string, path: readonly string[]): string {
  const isKey = ANNOTATION_KEY.test(key);
  if (isKey && !isStampKey(key)) return key;
  throw optionError(
    path,
    `is ${shownValue(key)}, ${isKey ? "which is the key of a stamp" : "not a key of an annotation"}`,
    `Write a key such as ${RESTARTED_AT} or reloaded-at.`,
  );
}

export interface RestartTarget extends Target {
  /** As the user wrote it, for messages. */
  readonly text: string;
}

// A path may look the same, so only valid names are taken as a target.
const KIND = /^[A-Za-z][A-Za-z0-9]*(?:\.[A-Za-z0-9][-A-Za-z0-9]*)*$/u;
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?$/u;

/** Parses `KIND/NAME`; undefined for any other text. */
export function parseTarget(text: string): RestartTarget | undefined {
  const read = readKindAndName(text);
  return read === undefined || !KIND.test(read.kind) || !NAME.test(read.name) ? undefined : { ...read, text };
}
