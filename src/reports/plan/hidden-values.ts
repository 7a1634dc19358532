import { type Json } from "../../yaml/read/node.ts";
import { isMapping } from "../../yaml/read/json.ts";
import { type Change } from "../../kubernetes/rollout/compare.ts";
import { ANY, fieldType, type FieldType, type ScalarType } from "../../kubernetes/rollout/pod-types.ts";
import { checksumWords } from "../../base/hosts/chart-marks.ts";
import { isShownText, isShownWhole } from "./shown-fields.ts";

/** Replaces a value that could be a secret. */
export const HIDDEN = "(hidden)";

/** The two values of a change, as far as they may be shown. */
export interface ShownValues {
  readonly from?: Json;
  readonly to?: Json;
  readonly hidden?: true;
}

/** Hides what could be a secret, unless values are requested. */
export function shownValues({ path, from, to, type, field, order }: Change, showValues: boolean): ShownValues {
  // A changed order has only the names of elements.
  if (order === true) return { from, to };
  if (showValues) return hasSecretDigest(path, from) || hasSecretDigest(path, to) ? { hidden: true } : { from, to };
  if (field !== undefined && isShownWhole(field.struct, field.name)) return { from, to };
  const showsTexts = field !== undefined && isShownText(field.struct, field.name);
  const shown = { from: shownValue(type, from, showsTexts), to: shownValue(type, to, showsTexts) };
  // Two values that look equal, or have nothing to show, are hidden as a whole.
  const [before, after] = [JSON.stringify(shown.from), JSON.stringify(shown.to)];
  return before === after || isNothing(shown.from) || isNothing(shown.to) ? { hidden: true } : shown;
}

const ANNOTATIONS = /(?:^|\.)annotations(?:$|[.[])/u;

/** Whether annotations have a digest whose key says that it is one of a Secret, such as `checksum/secret`. */
function hasSecretDigest(path: string, value: Json): boolean {
  const [found] = ANNOTATIONS.exec(path) ?? [];
  if (found === undefined) return false;
  if (isMapping(value))
    return Object.entries(value).some(([key, inner]) => hasSecretDigest(`annotations.${key}`, inner));
  return isDigest(value) && checksumWords(path.slice(path.indexOf(found) + found.length)).kind === "Secret";
}

/** Whether a value is hidden as a whole or in all its parts. */
function isNothing(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isNothing);
  return (
    value === HIDDEN || (isMapping(value) && Object.keys(value).length > 0 && Object.values(value).every(isNothing))
  );
}

/** A value of a type. `showsTexts`: whether strings of the field are shown. */
function shownValue(type: FieldType, value: Json, showsTexts: boolean): Json {
  if (value === null) return null;
  switch (type.form) {
    case "struct":
      return isMapping(value)
        ? mapped(value, (inner, key) =>
            shownValue(fieldType(type.name, key) ?? ANY, inner, isShownText(type.name, key)),
          )
        : HIDDEN;
    case "list":
      return Array.isArray(value) ? value.map((inner) => shownValue(type.element, inner, showsTexts)) : HIDDEN;
    case "map":
      return isMapping(value) ? mapped(value, (inner) => shownValue(type.element, inner, showsTexts)) : HIDDEN;
    default:
      return isMapping(value) || Array.isArray(value) || !isShownScalar(type, value, showsTexts) ? HIDDEN : value;
  }
}

function mapped(value: { [key: string]: Json }, change: (inner: Json, key: string) => Json): Json {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, change(inner, key)]));
}

// resource.ParseQuantity (k8s.io/apimachinery): digits, and a suffix or an exponent.
const QUANTITY = /^[+-]?[\d.]{1,30}(?:[eE][+-]?\d{1,3}|[KMGTPE]i|[numkMGTPE])?$/u;

/** MD5, SHA-1 or SHA-2, as charts also write into labels: the content could be guessed. */
export function isDigest(value: Json): boolean {
  return typeof value === "string" && /^[0-9a-f]{32,128}$/iu.test(value);
}

/** Numbers, booleans and quantities of declared fields are shown; strings only of listed fields. */
function isShownScalar({ scalar }: ScalarType, value: Json, showsTexts: boolean): boolean {
  switch (scalar) {
    case "int":
      return typeof value === "number";
    case "bool":
      return typeof value === "boolean";
    case "quantity":
      return typeof value === "number" || (typeof value === "string" && QUANTITY.test(value));
    // Ports and limits of a rollout: a number, a percentage or the name of a port.
    case "intOrString":
      return typeof value === "number" || (typeof value === "string" && /^[a-z0-9-]{1,15}%?$/u.test(value));
    case "string":
      return showsTexts && !isDigest(value);
    case "any":
      return typeof value === "boolean" || (showsTexts && !isDigest(value));
    default:
      return false;
  }
}
