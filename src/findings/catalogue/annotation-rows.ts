import { formatName, formatObject, formatValue, type ResourceRef } from "../../base/names.ts";
import { GENERAL, type Rows } from "./row.ts";

/** The findings about annotations of ours and of others that a person writes. */
export interface AnnotationFindings {
  readonly RS007: {
    readonly annotation: Writer;
    /** `compat` makes the annotation ours as well. */
    readonly shared: Writer;
    readonly item: { readonly workload: ResourceRef; readonly annotation: string; readonly maker: ResourceRef };
    readonly target: { readonly workload: ResourceRef; readonly maker: ResourceRef };
  };
  readonly ignore: {
    readonly unknown: Ignored & { readonly near: string | undefined };
    readonly noReason: Ignored;
  };
  readonly "reloader-annotation": {
    readonly notText: Annotation;
    readonly notTrue: Annotation & { readonly value: string };
    /** The source may be a Secret: nothing that stands in it is told. */
    readonly onSource: Annotation;
    readonly expression: Annotation & { readonly text: string; readonly problem: string };
  };
  readonly "wave-annotation": {
    readonly notText: Annotation;
    readonly notTrue: Annotation & { readonly value: string };
    readonly entry: Annotation & { readonly text: string };
  };
}

interface Writer {
  readonly workload: ResourceRef;
  readonly writer: string;
  readonly annotation: string;
}

interface Ignored {
  readonly object: ResourceRef;
  /** The id that the annotation names. */
  readonly rule: string;
}

interface Annotation {
  readonly object: ResourceRef;
  /** Its key. */
  readonly annotation: string;
}

const TRUE_OR_FALSE = 'Write "true" or "false", in quotes.';

export const ANNOTATION_ROWS: Rows<AnnotationFindings> = {
  RS007: {
    severity: "warning",
    title: "A second writer that rolls the same workload",
    remedy:
      'Let one of the two roll it: remove the other\'s annotation or target, or opt the workload out with rollstamp.dev/stamp: "false".',
    docs: "docs/rules/RS007.md",
    causes: {
      annotation: {
        message: ({ workload, writer, annotation }) =>
          `${formatObject(workload)} is rolled by ${writer} as well, by its annotation '${formatName(annotation)}'`,
        remedy: GENERAL,
      },
      shared: {
        message: ({ workload, writer, annotation }) =>
          `${formatObject(workload)} is rolled by ${writer} as well, if it still runs: the annotation '${formatName(annotation)}' is read by both`,
        remedy: GENERAL,
        severity: "info",
      },
      item: {
        message: ({ workload, annotation, maker }) =>
          `${formatObject(workload)} is rolled by the 1Password operator as well, by the annotation '${annotation}' of ${formatObject(maker)}`,
        remedy: GENERAL,
      },
      target: {
        message: ({ workload, maker }) =>
          `${formatObject(workload)} is rolled by the Vault Secrets Operator as well: ${formatObject(maker)} names it`,
        remedy: GENERAL,
      },
    },
  },
  ignore: {
    severity: "warning",
    title: "An annotation that is to ignore a rule and does not",
    remedy: "Name a rule, and write the reason as the annotation's value.",
    docs: "docs/findings.md#ignore",
    causes: {
      unknown: {
        message: ({ object, rule }) =>
          `${formatObject(object)} ignores the rule '${formatName(rule)}', which there is not`,
        remedy: ({ near }) => (near === undefined ? "Name a rule: RS001 and on." : `Did you mean ${near}?`),
      },
      noReason: {
        message: ({ object, rule }) => `${formatObject(object)} ignores ${rule} without a reason, so it is not ignored`,
        remedy: "Write why, as the annotation's value.",
      },
    },
  },
  "reloader-annotation": {
    severity: "warning",
    title: "An annotation that Reloader does not take as it is written",
    remedy: null,
    docs: "docs/findings.md#reloader-annotation",
    causes: {
      notText: { message: notTextWords, remedy: "Put the value in quotes." },
      notTrue: {
        message: (of) => `${annotationWords(of)} is ${formatValue(of.value)}, which Reloader does not take for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      onSource: {
        message: (of) => `${annotationWords(of)} is none that Reloader takes for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      expression: {
        message: (of) =>
          `${annotationWords(of)} has ${formatValue(of.text)}, which names nothing: ${formatName(of.problem)}`,
        remedy: "Mend the expression (RE2's syntax); the others in the list count.",
      },
    },
  },
  "wave-annotation": {
    severity: "warning",
    title: "An annotation that Wave does not take as it is written",
    remedy: null,
    docs: "docs/findings.md#wave-annotation",
    causes: {
      notText: { message: notTextWords, remedy: TRUE_OR_FALSE },
      notTrue: {
        message: (of) => `${annotationWords(of)} is ${formatValue(of.value)}, which Wave does not take for "true"`,
        remedy: TRUE_OR_FALSE,
      },
      entry: {
        message: (of) => `${annotationWords(of)} has ${formatValue(of.text)}, which Wave does not take`,
        remedy: "Write NAME or NAMESPACE/NAME.",
      },
    },
  },
};

function annotationWords({ object, annotation }: Annotation): string {
  return `the annotation '${formatName(annotation)}' of ${formatObject(object)}`;
}

function notTextWords(of: Annotation): string {
  return `${annotationWords(of)} is no string: the API server refuses it`;
}
