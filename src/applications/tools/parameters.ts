import { suggestion } from "../../base/nearest-name.ts";
import { RollstampError } from "../../base/errors.ts";
import {
  PARAMETERS,
  type BooleanName,
  type ListName,
  type MapName,
  type ParameterRow,
  type TextName,
} from "./parameter-rows.ts";
import type { GivenParameters, GivenValue } from "../../platform/ports/applications.ts";
import { SOURCE_NAMES, type SourceType } from "./source-type.ts";
import { shortened, trimmedParts } from "../../base/words.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the parameters of an Application: ARGOCD_APP_PARAMETERS, else the PARAM_ variables that Argo CD derives from it. Other
 * parameters can be set in plugin.env of the Application (ARGOCD_ENV_). Throws a RollstampError for an invalid form.
 */
export function readParameters(environment: Environment): GivenParameters {
  const json = environment["ARGOCD_APP_PARAMETERS"];
  const given = new Map(json === undefined ? fromParamVariables(environment) : fromJson(json));
  for (const row of PARAMETERS) {
    const text = environment[`ARGOCD_ENV_${variableName(row.name)}`];
    if (text !== undefined && !given.has(row.name)) given.set(row.name, fromText(row, text));
  }
  for (const [name, value] of given) refuseNul(name, value);
  return given;
}

/** Arguments and names of files can't contain NUL. */
function refuseNul(name: string, { string = "", array = [], map = {} }: GivenValue): void {
  const texts = [name, string, ...array, ...Object.entries(map).flat()];
  if (texts.some((text) => text.includes("\0"))) throw wrong(name, "contains a NUL", "a string without NUL");
}

/** Throws a RollstampError for a parameter of another kind of application, and for an unknown parameter. */
export function refuseForeign(given: GivenParameters, type: SourceType, alsoKnown: readonly string[]): void {
  const usable = PARAMETERS.filter((row) => row.only === undefined || row.only === type).map(({ name }) => name);
  const known: readonly string[] = [...usable, ...alsoKnown];
  for (const name of given.keys()) {
    if (known.includes(name)) continue;
    const row = PARAMETERS.find((candidate) => candidate.name === name);
    const why =
      row === undefined
        ? `is unknown${suggestion(name, known)}`
        : `is for ${SOURCE_NAMES[row.only ?? type]}, and this is ${SOURCE_NAMES[type]}`;
    throw new RollstampError("usage", `the plugin parameter '${name}' ${why}`, {
      remedy:
        type === "chart" && row === undefined
          ? "To set values that are not in values.yaml, use helm-parameters or helm-values."
          : `Known here: ${usable.join(", ")}.`,
    });
  }
}

/** The string of a parameter; undefined if it is not set or empty. */
export function textParameter(given: GivenParameters, name: TextName): string | undefined {
  return oneText(given, name);
}

/** A boolean parameter; false by default. */
export function booleanParameter(given: GivenParameters, name: BooleanName): boolean {
  const text = oneText(given, name);
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  throw wrong(name, `is ${JSON.stringify(shortened(text, LONGEST_SHOWN))}`, "true or false");
}

/** The items of a list parameter; empty by default. */
export function listParameter(given: GivenParameters, name: ListName): readonly string[] {
  const value = given.get(name);
  if (value === undefined) return [];
  if (value.array === undefined) throw wrong(name, `is ${formOf(value)}`, "a list (array)");
  return value.array;
}

/** The entries of a map parameter, sorted by key; empty by default. */
export function mapParameter(given: GivenParameters, name: MapName): readonly (readonly [string, string])[] {
  const value = given.get(name);
  if (value === undefined) return [];
  if (value.map === undefined) throw wrong(name, `is ${formOf(value)}`, "a mapping (map)");
  return Object.entries(value.map).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** The form of a value in messages. */
export function formOf(value: GivenValue): string {
  if (value.array !== undefined) return "a list (array)";
  return value.map === undefined ? "a string" : "a mapping (map)";
}

/** The error for a parameter with an invalid value. */
export function wrong(name: string, found: string, needed: string): RollstampError {
  return new RollstampError("usage", `the plugin parameter '${name}' ${found}`, { remedy: `Needed: ${needed}.` });
}

function oneText(given: GivenParameters, name: string): string | undefined {
  const value = given.get(name);
  if (value === undefined) return undefined;
  if (value.string === undefined) throw wrong(name, `is ${formOf(value)}`, "a string");
  return value.string === "" ? undefined : value.string;
}

function fromJson(json: string): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  const list = parsed(json);
  // Argo CD sends null for an Application without parameters.
  if (list === null) return given;
  if (!Array.isArray(list)) throw unreadable();
  for (const entry of list) {
    const { name, ...value } = fieldsOf(entry);
    if (typeof name !== "string" || name === "") throw unreadable();
    given.set(name, readValue(name, value));
  }
  return given;
}

function readValue(name: string, { string, array, map }: Readonly<Record<string, unknown>>): GivenValue {
  // Argo CD also sends null for the forms that are not used.
  if (typeof string === "string") return { string };
  if (Array.isArray(array)) {
    if (!array.every((item) => typeof item === "string"))
      throw wrong(name, "is a list that does not only contain strings", "strings");
    return { array };
  }
  if (map !== null && map !== undefined) {
    const entries = Object.entries(fieldsOf(map));
    const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
    if (texts.length !== entries.length)
      throw wrong(name, "is a mapping that does not only contain strings", "strings");
    return { map: Object.fromEntries(texts) };
  }
  if (string !== undefined && string !== null)
    throw wrong(name, "must be a string, a list or a mapping", "one of string, array and map");
  return { string: "" };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw unreadable();
  return { ...value };
}

function parsed(json: string): unknown {
  if (json.trim() === "") return null;
  try {
    return JSON.parse(json);
  } catch {
    throw unreadable();
  }
}

function unreadable(): RollstampError {
  return new RollstampError("usage", "ARGOCD_APP_PARAMETERS must be a list of parameters", {
    remedy: 'Use JSON: [{"name": "values-files", "array": ["values-prod.yaml"]}].',
  });
}

/** Mappings can't be read from variables, because their keys are in upper case. */
function fromParamVariables(environment: Environment): Map<string, GivenValue> {
  const given = new Map<string, GivenValue>();
  for (const { name, collectionType } of PARAMETERS) {
    const variable = `PARAM_${variableName(name)}`;
    const text = environment[variable];
    if (collectionType === "string" && text !== undefined) given.set(name, { string: text });
    if (collectionType !== "array") continue;
    const array: string[] = [];
    for (
      let item = environment[`${variable}_0`];
      item !== undefined;
      item = environment[`${variable}_${array.length}`]
    ) {
      array.push(item);
    }
    if (array.length > 0) given.set(name, { array });
  }
  return given;
}

/** A variable is one string: items of a list are separated by commas, entries of a mapping are name=value. */
function fromText({ name, collectionType }: ParameterRow, text: string): GivenValue {
  if (collectionType === "string") return { string: text };
  const parts = trimmedParts(text);
  if (collectionType === "array") return { array: parts };
  const entries = parts.map((part) => /^([^=]+)=(.*)$/su.exec(part));
  if (entries.includes(null)) throw wrong(name, "in plugin.env must be a mapping", "NAME=VALUE, separated by commas");
  return { map: Object.fromEntries(entries.map((entry) => [entry?.[1] ?? "", entry?.[2] ?? ""])) };
}

/** The variable that Argo CD derives from the name of a parameter (ApplicationSourcePluginParameters.Environ). */
function variableName(parameter: string): string {
  return parameter.toUpperCase().replace(/[^A-Z0-9_]/gu, "_");
}

const LONGEST_SHOWN = 40;
