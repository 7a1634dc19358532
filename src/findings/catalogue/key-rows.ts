import { formatName, formatObject, type ResourceRef } from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about keys and values that readers of YAML take in different ways: parameters by id and cause. */
export interface KeyFindings {
  readonly "repeated-key": { readonly repeated: { readonly object: ResourceRef; readonly field: string } };
  readonly "overridden-key": { readonly merged: { readonly object: ResourceRef; readonly field: string } };
  readonly "renamed-key": {
    readonly renamed: { readonly source: ResourceRef; readonly key: string; readonly to: string };
    readonly refused: { readonly source: ResourceRef; readonly key: string };
  };
  readonly "unquoted-value": {
    readonly unquoted: { readonly source: ResourceRef; readonly key: string };
    /** In a field of which nobody says that it is text. */
    readonly field: { readonly object: ResourceRef; readonly field: string };
  };
}

export const KEY_ROWS: Rows<KeyFindings> = {
  "repeated-key": {
    severity: "warning",
    title: "A key that stands twice in one mapping",
    remedy: "Keep one of the two.",
    docs: "docs/findings.md#repeated-key",
    causes: {
      repeated: {
        message: ({ object, field }) =>
          `'${formatName(field)}' of ${formatObject(object)} stands twice: this one, the last, counts`,
        remedy: GENERAL,
      },
    },
  },
  "overridden-key": {
    severity: "warning",
    title: "A key whose value a merge behind it overrides to kubectl",
    remedy: "Write '<<' before the mapping's own keys: there all readers take it alike.",
    docs: "docs/findings.md#overridden-key",
    causes: {
      merged: {
        message: ({ object, field }) =>
          `'${formatName(field)}' of ${formatObject(object)} stands before a '<<' that brings another value: kubectl and Helm take that one, kustomize and rollstamp this one`,
        remedy: GENERAL,
      },
    },
  },
  "renamed-key": {
    severity: "warning",
    title: "A key that is another one to kubectl",
    remedy: "Put the key in quotes.",
    docs: "docs/findings.md#renamed-key",
    causes: {
      renamed: {
        message: ({ source, key, to }) =>
          `the key '${formatName(key)}' of ${formatObject(source)} is not in quotes, and kubectl, which reads YAML 1.1, makes '${formatName(to)}' of it`,
        remedy: GENERAL,
      },
      refused: {
        message: ({ source, key }) =>
          `the key '${formatName(key)}' of ${formatObject(source)} is not in quotes, and kubectl, to which it is nothing, refuses it`,
        remedy: GENERAL,
      },
    },
  },
  "unquoted-value": {
    severity: "warning",
    title: "A value that is text to rollstamp and none to kubectl",
    remedy: "Put the value in quotes.",
    docs: "docs/findings.md#unquoted-value",
    causes: {
      unquoted: {
        message: ({ source, key }) =>
          `the value of '${formatName(key)}' of ${formatObject(source)} is not in quotes, and YAML 1.1, which kubectl reads, takes it for something else than text`,
        remedy: GENERAL,
      },
      field: {
        message: ({ object, field }) =>
          `'${formatName(field)}' of ${formatObject(object)} is not in quotes, and YAML 1.1, which kubectl reads, takes it for something else than YAML 1.2`,
        remedy: "Put it in quotes if it is text; else write true, false or a decimal number.",
      },
    },
  },
};
