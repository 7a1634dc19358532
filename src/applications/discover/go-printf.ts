import { goNumber, inside, isList, isMap, unknown, type Value } from "./go-values.ts";

const VERB = /%(%|([-+# 0]*)(\d{0,3})(?:\.(\d{0,3}))?([a-zA-Z]))/gu;

/** Go's Sprintf, as far as its verbs are known. */
export function formatted(format: string, values: readonly Value[]): string {
  let next = 0;
  const made = format.replace(
    VERB,
    (whole: string, what: string, flags: string, width: string, places: string | undefined, verb: string) => {
      if (what === "%") return "%";
      if (next >= values.length) return `%!${verb}(MISSING)`;
      const value = values[next];
      next += 1;
      const printed = one(verb, value, places, whole);
      if (flags.replaceAll(/[-0]/gu, "") !== "") throw unknown(`uses the format ${whole}`);
      const isNumber = typeof value === "bigint" || typeof value === "number";
      if (flags.includes("-")) return printed.padEnd(Number(width));
      if (!flags.includes("0")) return printed.padStart(Number(width));
      if (!isNumber || printed.startsWith("%!")) throw unknown(`uses the format ${whole}`);
      const sign = printed.startsWith("-") ? "-" : "";
      return sign + printed.slice(sign.length).padStart(Number(width) - sign.length, "0");
    },
  );
  if (next >= values.length) return made;
  const rest = values.slice(next).map((value) => (isNil(value) ? "<nil>" : `${typeOf(value)}=${inside(value)}`));
  return `${made}%!(EXTRA ${rest.join(", ")})`;
}

function one(verb: string, value: Value, places: string | undefined, whole: string): string {
  if (verb === "v" && places === undefined) return inside(value);
  if (isNil(value)) return `%!${verb}(<nil>)`;
  if (verb === "s" && typeof value === "string")
    return places === undefined ? value : [...value].slice(0, Number(places)).join("");
  if (verb === "f" && typeof value === "number" && Number.isFinite(value) && Math.abs(value) < 1e21)
    return value.toFixed(places === undefined ? 6 : Math.min(100, Number(places)));
  if (places !== undefined) throw unknown(`uses the format ${whole}`);
  if (verb === "q" && typeof value === "string") return JSON.stringify(value);
  if (verb === "d" && typeof value === "bigint") return String(value);
  if (verb === "t" && typeof value === "boolean") return String(value);
  if (verb === "x" && typeof value === "bigint") return value.toString(16);
  if (verb === "x" && typeof value === "string") return Buffer.from(value, "utf8").toString("hex");
  if (verb === "g" && typeof value === "number") return goNumber(value);
  if (!"sdtq".includes(verb) || isList(value) || isMap(value)) throw unknown(`uses the format ${whole}`);
  if (verb === "q" && typeof value === "bigint") throw unknown(`uses the format ${whole}`);
  return `%!${verb}(${typeOf(value)}=${inside(value)})`;
}

function isNil(value: Value): value is undefined | null {
  return value === undefined || value === null;
}

function typeOf(value: Value): string {
  if (typeof value === "string") return "string";
  if (typeof value === "number") return "float64";
  if (typeof value === "boolean") return "bool";
  // Whether Go has an int or an int64 there is not kept.
  throw unknown("prints the type of a value");
}
