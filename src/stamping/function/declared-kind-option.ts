import { CONFIG_HASH_VALUES as VALUES } from "../../base/config-hash-options.ts";
import { RollstampError } from "../../base/errors.ts";
import { fieldsOf, listOf, oneOf, textOf } from "../../yaml/read/json.ts";
import type { Json } from "../../yaml/read/node.ts";
import type { DeclaredKind, DeclaredObject } from "../../kubernetes/sources/types.ts";

/** A row of the `declaredKinds` option, in the form of the built-in table. Throws for a path that can't be digested. */
export function readDeclaredKind(row: Json, index: number): DeclaredKind {
  const fields = fieldsOf(row);
  const makes = oneOf(fields["provides"], VALUES.provides, "Secret");
  const name = textOf(fields["name"]) ?? "";
  const digest = listOf(fields["digest"]).flatMap((path) => textOf(path) ?? []);
  const starred = digest.findIndex((path) => path.split(".").includes("*"));
  if (starred >= 0) {
    throw new RollstampError("config", `'spec.declaredKinds[${index}].digest[${starred}]' has a '*'`, {
      configPath: ["spec", "declaredKinds", String(index), "digest", String(starred)],
      remedy: "Fields are digested whole: name the list or mapping that holds what decides the content.",
    });
  }
  return {
    group: textOf(fields["group"]) ?? "",
    kind: textOf(fields["kind"]) ?? "",
    coverage: "declaration",
    // An object may go without the field: it makes nothing then, and who refers to it is told.
    provides: (object) => namesAt(object, name).map((made) => ({ kind: makes, name: made })),
    fields: outermost(digest),
    required: digest,
    configured: true,
  };
}

/** The paths that are not within another of them: what is within is digested with that. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let dot = path.indexOf("."); dot >= 0; dot = path.indexOf(".", dot + 1))
      if (all.has(path.slice(0, dot))) return false;
    return true;
  });
}

/** The names at a path, each once. */
function namesAt(object: DeclaredObject, path: string): string[] {
  const [first = "", ...rest] = path.split(".");
  const names = valuesAt(object.at(first), rest).flatMap((value) => textOf(value) || []);
  return [...new Set(names)];
}

function valuesAt(value: Json | undefined, steps: readonly string[]): Json[] {
  if (value === undefined) return [];
  const [step, ...rest] = steps;
  if (step === undefined) return [value];
  if (step !== "*") return valuesAt(fieldsOf(value)[step], rest);
  const elements = Array.isArray(value) ? value : Object.values(fieldsOf(value));
  return elements.flatMap((element) => valuesAt(element, rest));
}
