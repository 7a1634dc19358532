import { formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about keys and values that YAML parsers read differently: parameters by id and cause. */
export interface KeyFindings {
  readonly "duplicate-key": { readonly duplicate: { readonly object: ResourceRef; readonly field: string } };
  readonly "overridden-key": { readonly merged: { readonly object: ResourceRef; readonly field: string } };
  readonly "unquoted-key": {
    readonly renamed: { readonly source: ResourceRef; readonly key: string; readonly to: string };
    readonly rejected: { readonly source: ResourceRef; readonly key: string };
  };
  readonly "unquoted-value": {
    readonly source: { readonly source: ResourceRef; readonly key: string };
    /** kubectl keeps its text, and kustomize writes another one. */
    readonly date: { readonly source: ResourceRef; readonly key: string };
  };
}

export const KEY_ROWS: Rows<KeyFindings> = {
  "duplicate-key": {
    severity: "warning",
    title: "A duplicate key in a mapping",
    remedy: "Remove one of the two.",
    causes: {
      duplicate: {
        message: ({ object, field }) =>
          `duplicate key '${formatName(field)}' in ${formatObject(object)}: the last one counts`,
      },
    },
  },
  "overridden-key": {
    severity: "warning",
    title: "A key that a later merge overrides in kubectl",
    remedy: "Move '<<' before the other keys of the mapping: there all parsers agree.",
    causes: {
      merged: {
        message: ({ object, field }) =>
          `'${formatName(field)}' of ${formatObject(object)} is before a '<<' with another value: kubectl and Helm use the merged value, kustomize and rollstamp use this one`,
      },
    },
  },
  "unquoted-key": {
    severity: "warning",
    title: "An unquoted key that kubectl reads as another key",
    remedy: "Put the key in quotes.",
    causes: {
      renamed: {
        message: ({ source, key, to }) =>
          `the unquoted key '${formatName(key)}' of ${formatObject(source)} becomes '${formatName(to)}' in kubectl, which reads YAML 1.1`,
      },
      rejected: {
        message: ({ source, key }) =>
          `the unquoted key '${formatName(key)}' of ${formatObject(source)} is null in YAML 1.1, so kubectl rejects it`,
      },
    },
  },
  "unquoted-value": {
    severity: "warning",
    title: "An unquoted value that is not a string in kubectl, or that kustomize rewrites",
    remedy: "Put the value in quotes.",
    causes: {
      source: {
        message: ({ source, key }) =>
          `the unquoted value of '${formatName(key)}' of ${formatObject(source)} is not a string in YAML 1.1, which kubectl reads`,
      },
      date: {
        message: ({ source, key }) =>
          `the unquoted date in '${formatName(key)}' of ${formatObject(source)} is kept by kubectl, and kustomize rewrites it as a time in RFC 3339`,
      },
    },
  },
};
