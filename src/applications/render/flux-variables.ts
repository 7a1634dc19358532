import type { FluxBuild } from "../discover/application.ts";
import { isTextToKubectl } from "../../yaml/read/go-scalars.ts";
import { lastFor } from "../../base/grouped.ts";
import type { DataObject, DataReference, DataValue, NearLookup, UnknownValues } from "./data-objects.ts";
import { hiddenValue, placeholderOf } from "./unknown-values.ts";
import { isSourceKind, type SourceKind } from "../../base/referenced-kinds.ts";

// The variables of a Kustomization: those of `substituteFrom` in order, overridden by those of `substitute`
// (fluxcd/pkg/kustomize, LoadVariables and SubstituteVariables).

/** The variables that are substituted in a build. */
export interface Variables {
  readonly known: Readonly<Record<string, string>>;
  /** Identifies sources with unknown variables, for their placeholders; undefined if all variables are known. */
  readonly others: string | undefined;
  readonly always: boolean;
}

export interface FoundVariables {
  readonly variables: Variables;
  /** The files that they come from. */
  readonly files: readonly string[];
  readonly unknownValues: readonly UnknownValues[];
  /** The values of Secrets that no placeholder replaces. */
  readonly secrets: readonly string[];
}

const STANDS = "a placeholder replaces";

const shownObject = (namespace: string, kind: string, name: string): string =>
  `${kind} ${namespace === "" ? name : `${namespace}/${name}`}`;

/** The objects that the variables of a build come from, as `unknownValues` names them, without optional ones. */
export function variableObjects({ namespace, substitution }: FluxBuild): readonly string[] {
  return (substitution?.substituteFrom ?? []).flatMap(({ kind, name, optional }) =>
    optional ? [] : [shownObject(namespace, kind, name)],
  );
}

/** The variables of a build, or the message of an error in Flux. */
export function variablesOf(
  { namespace, substitution }: FluxBuild,
  data: NearLookup,
  hmacKey?: Uint8Array,
): FoundVariables | string {
  const known = new Map<string, string>();
  const files: string[] = [];
  const unknownValues: UnknownValues[] = [];
  const secrets: string[] = [];
  const report = (object: string, because: string, [file = ""]: readonly string[] = []): void => {
    unknownValues.push({ object, file, because });
  };
  const others: string[] = [];
  for (const { kind, name, optional } of substitution?.substituteFrom ?? []) {
    if (!isSourceKind(kind)) return `substituteFrom names a ${kind || "source without a kind"}`;
    const shown = shownObject(namespace, kind, name);
    const found = data({ kind, namespace, name } satisfies DataReference);
    if (found === undefined) {
      // Optional and missing.
      if (optional) continue;
      others.push(shown);
      const because = `it is in no file here: ${STANDS} each variable without another value or default`;
      unknownValues.push({ object: shown, file: "", because, isAbsent: true });
      continue;
    }
    files.push(...found.files);
    const values = objectVariables(found, [kind, hmacKey], () => variablesIn(found, kind, hmacKey));
    for (const [key, value] of values.known) known.set(key, value);
    for (const secret of values.secrets) secrets.push(secret);
    for (const [because, keys] of values.unknown)
      report(shown, `${because}: ${STANDS} ${keys} of its ${found.data.size} values`, found.files);
    const other = found.other?.("");
    if (other === undefined) continue;
    const { placeholder, because } = other.is === "unknown" ? other : { placeholder: "", because: "" };
    others.push(`${shown} ${placeholder}`);
    report(shown, `${because}: ${STANDS} each variable without another value or default`, found.files);
  }
  for (const [key, value] of Object.entries(substitution?.substitute ?? {})) known.set(key, value.replaceAll("\n", ""));
  const wrong = [...known.keys()].find((key) => !/^[A-Za-z_][A-Za-z0-9_]*$/u.test(key));
  if (wrong !== undefined) return `'${wrong}' is not a valid name of a variable`;
  return {
    variables: {
      known: Object.fromEntries([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
      others: others.length === 0 ? undefined : others.join("\n"),
      always: substitution?.always ?? false,
    },
    files,
    unknownValues,
    secrets,
  };
}

/** The variables of an object, which many Kustomizations name. */
interface ObjectVariables {
  readonly known: ReadonlyMap<string, string>;
  readonly secrets: readonly string[];
  /** How many values are unknown, by reason. */
  readonly unknown: ReadonlyMap<string, number>;
}

const objectVariables = lastFor<DataObject, ObjectVariables>();

function variablesIn({ data }: DataObject, kind: SourceKind, hmacKey: Uint8Array | undefined): ObjectVariables {
  const known = new Map<string, string>();
  const secrets: string[] = [];
  const unknown = new Map<string, number>();
  for (const [key, given] of data) {
    const value = kind === "Secret" ? withoutSecret(given, hmacKey) : given;
    known.set(key, (value.is === "text" ? value.text : value.placeholder).replaceAll("\n", ""));
    if (kind === "Secret" && value.is === "text") secrets.push(value.text);
    if (value.is === "unknown") unknown.set(value.because, (unknown.get(value.because) ?? 0) + 1);
  }
  return { known, secrets, unknown };
}

/** Ports and counts, because their fields accept only numbers. A longer number may be a password. */
const SHORT_NUMBER = /^[+-]?\d{1,5}$/u;

/** Replaces the value of a Secret by a placeholder, because reports may show manifests. Keeps flags and short numbers. */
function withoutSecret(value: DataValue, hmacKey: Uint8Array | undefined): DataValue {
  if (value.is === "unknown") return value;
  const isFlag = !isTextToKubectl(value.text) && !/\d/u.test(value.text);
  if (isFlag || SHORT_NUMBER.test(value.text)) return value;
  return hiddenValue("it is the value of a Secret", value.text, hmacKey);
}

/** The value of a variable; a placeholder if only the cluster knows it. */
export function variableOf({ known, others }: Variables, name: string): { value: string; isGuess: boolean } {
  const value = Object.hasOwn(known, name) ? known[name] : undefined;
  if (value !== undefined) return { value, isGuess: false };
  return others === undefined ? { value: "", isGuess: false } : { value: placeholderOf(others, name), isGuess: true };
}

/** Whether anything is substituted: without variables, Flux changes nothing. */
export function isSubstituting({ known, others, always }: Variables): boolean {
  return always || others !== undefined || Object.keys(known).length > 0;
}
