import { recovered } from "../../base/errors.ts";
import { DEFAULT_LIMITS } from "../../base/limits.ts";
import { jsonText } from "../../findings/results/json-text.ts";
import { isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import { kubectlDocuments } from "../../yaml/read/kubectl-view.ts";
import { isMapping } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import { goNumber, goString, invalid, unsupported, type Value } from "./go-values.ts";

// Values in the formats that functions of Go templates write and read: Go's verbs, JSON and YAML.

/** Go's Sprintf with the verbs that have the same result for all types of integers. */
export function formatted(format: string, values: readonly Value[]): string {
  let next = 0;
  const made = format.replace(
    /%(?:%|([-0]?)(\d{0,3})([a-zA-Z])|)/gu,
    (whole: string, flag = "", width = "", verb = "") => {
      if (whole === "%%") return "%";
      const value = values[next];
      if (next >= values.length) throw unsupported(`printf with too few values for ${JSON.stringify(format)}`);
      next += 1;
      if ((value === undefined || value === null) && verb !== "v") return `%!${verb}(<nil>)`;
      const isNumber = typeof value === "bigint" || typeof value === "number";
      const isExpected =
        verb === "v" ||
        (verb === "s" && typeof value === "string") ||
        (verb === "q" && typeof value === "string") ||
        (verb === "d" && typeof value === "bigint") ||
        (verb === "t" && typeof value === "boolean");
      if (!isExpected || (flag === "0" && !isNumber))
        throw unsupported(`the format ${whole} with a value of another type`);
      const printed = verb === "q" ? JSON.stringify(value) : goString(value);
      if (flag === "-") return printed.padEnd(Number(width));
      if (flag !== "0") return printed.padStart(Number(width));
      const sign = printed.startsWith("-") ? "-" : "";
      return sign + printed.slice(sign.length).padStart(Number(width) - sign.length, "0");
    },
  );
  if (next < values.length) throw unsupported(`printf with too many values for ${JSON.stringify(format)}`);
  return made;
}

/** encoding/json escapes these, so that the result can stand in HTML. */
export function escapedForHtml(written: string): string {
  return written.replace(/[<>&\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

export function readJson(written: string): Value {
  try {
    const read: Json = JSON.parse(written);
    return read;
  } catch {
    return undefined;
  }
}

/** As sigs.k8s.io/yaml reads it: the first document, as YAML 1.1. */
export function readYaml(written: string): Value {
  return recovered(
    () => kubectlDocuments(written, "a string of its template", DEFAULT_LIMITS)[0] ?? null,
    ({ message }) => {
      throw invalid(`parses a string as YAML that is not YAML: ${message}`);
    },
  );
}

/**
 * Block YAML with sorted keys, as sigs.k8s.io/yaml writes it, except that strings that need quotes are in double quotes on
 * one line. Whatever reads it as YAML gets the same data. `write` gets the parts of the text.
 */
export function writeYaml(write: (part: string) => void, value: Json): void {
  writeBlock(write, value, "", true);
}

/** `isInline`: whether the first line is already begun. */
function writeBlock(write: (part: string) => void, value: Json, indent: string, isInline: boolean): void {
  const begin = (i: number): void => {
    if (i > 0 || !isInline) write(`\n${indent}`);
  };
  if (Array.isArray(value)) {
    if (value.length === 0) write("[]");
    value.forEach((item, i) => {
      begin(i);
      write("- ");
      writeBlock(write, item, `${indent}  `, true);
    });
  } else if (isMapping(value)) {
    const entries = Object.entries(value);
    if (entries.length === 0) write("{}");
    entries.forEach(([key, item], i) => {
      begin(i);
      const isBlock = typeof item === "object" && item !== null && Object.keys(item).length > 0;
      write(`${yamlString(key)}:${isBlock ? "" : " "}`);
      writeBlock(write, item, Array.isArray(item) ? indent : `${indent}  `, false);
    });
  } else write(yamlScalar(value));
}

function yamlScalar(value: string | number | boolean | null): string {
  if (typeof value === "number")
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? BigInt(value).toString() : goNumber(value);
  return typeof value === "string" ? yamlString(value) : String(value);
}

function yamlString(value: string): string {
  const isPlain = /^[\w./@+=-](?:[\w ./@+=,;()~%^$!?<>-]*[\w./@+=,;()~%^$!?<>-])?$/u.test(value);
  const isOther = /^[-?](?: |$)|^---|^\.\.\.|^@|^\d{4}-\d|^[-+]?\d[\d_]*:/u.test(value) || !isTextToKubectl(value);
  return isPlain && !isOther ? value : jsonText(value);
}
