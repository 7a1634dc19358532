import { formatName, formatObject, formatValue, type ResourceRef } from "../../base/names.ts";
import type { Rows } from "./row.ts";

/** Findings about annotations that people write, rollstamp's and others': parameters by id and cause. */
export interface AnnotationFindings {
  readonly RS007: {
    readonly annotation: Writer;
    /** With `compat`, rollstamp reads the annotation too. */
    readonly shared: Writer;
    readonly onePassword: { readonly workload: ResourceRef; readonly annotation: string; readonly maker: ResourceRef };
    readonly vaultSecretsOperator: { readonly workload: ResourceRef; readonly maker: ResourceRef };
  };
  readonly "invalid-ignore": {
    readonly unknownRule: Ignored & { readonly near: string | undefined };
    readonly noReason: Ignored;
  };
  readonly "unknown-annotation": {
    readonly unknown: Annotation & { readonly near: string | undefined };
    readonly onTemplate: Annotation;
  };
  readonly "reloader-annotation": {
    readonly notString: Annotation;
    readonly notBoolean: Annotation & { readonly value: string };
    /** The source may be a Secret, so the value is not shown. */
    readonly notBooleanOnSource: Annotation;
    readonly expression: Annotation & { readonly text: string; readonly problem: string };
  };
  readonly "wave-annotation": {
    readonly notString: Annotation;
    readonly notBoolean: Annotation & { readonly value: string };
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
  /** The id in the annotation. */
  readonly rule: string;
}

interface Annotation {
  readonly object: ResourceRef;
  readonly annotation: string;
}

const TRUE_OR_FALSE = 'Write "true" or "false", with the quotes.';

export const ANNOTATION_ROWS: Rows<AnnotationFindings> = {
  RS007: {
    severity: "warning",
    title: "A second writer that rolls out the same workload",
    remedy:
      "Use only one of them: remove the other's annotation or target, or opt the workload out with 'rollstamp.dev/stamp: \"false\"'.",
    causes: {
      annotation: {
        message: ({ workload, writer, annotation }) =>
          `${writer} also rolls out ${formatObject(workload)}, because of its annotation '${formatName(annotation)}'`,
      },
      shared: {
        message: ({ workload, writer, annotation }) =>
          `${writer}, if it is still installed, also rolls out ${formatObject(workload)}, because of its annotation '${formatName(annotation)}'`,
        severity: "info",
      },
      onePassword: {
        message: ({ workload, annotation, maker }) =>
          `the 1Password operator also rolls out ${formatObject(workload)}, because of the annotation '${annotation}' of ${formatObject(maker)}`,
      },
      vaultSecretsOperator: {
        message: ({ workload, maker }) =>
          `the Vault Secrets Operator also rolls out ${formatObject(workload)}, because ${formatObject(maker)} lists it in rolloutRestartTargets`,
      },
    },
  },
  "invalid-ignore": {
    severity: "warning",
    title: "An ignore annotation that ignores no rule",
    remedy: "Name an existing rule in the key, and write the reason as the value.",
    causes: {
      unknownRule: {
        message: ({ object, rule }) => `${formatObject(object)} ignores the unknown rule '${formatName(rule)}'`,
        remedy: ({ near }) => (near === undefined ? "Use the id of a rule, such as RS001." : `Did you mean ${near}?`),
      },
      noReason: {
        message: ({ object, rule }) =>
          `${formatObject(object)} ignores ${rule} without a reason, so ${rule} is still reported`,
        remedy: "Write the reason as the value of the annotation.",
      },
    },
  },
  "unknown-annotation": {
    severity: "warning",
    title: "An annotation of rollstamp that has no effect",
    remedy: null,
    causes: {
      unknown: {
        message: ({ object, annotation }) =>
          `${formatObject(object)} has the unknown annotation '${formatName(annotation)}', which has no effect`,
        remedy: ({ near }) =>
          near === undefined ? "Correct its name, or remove it." : `Did you mean '${formatName(near)}'?`,
      },
      onTemplate: {
        message: ({ object, annotation }) =>
          `the annotation '${formatName(annotation)}' has no effect on the pod template of ${formatObject(object)}`,
        remedy: "Move it to the metadata of the workload.",
      },
    },
  },
  "reloader-annotation": {
    severity: "warning",
    title: "A value that Reloader does not accept",
    remedy: null,
    causes: {
      notString: { message: notString, remedy: "Put the value in quotes." },
      notBoolean: {
        message: (params) =>
          `${formatAnnotation(params)} is ${formatValue(params.value)}, which Reloader does not accept as "true"`,
        remedy: TRUE_OR_FALSE,
      },
      notBooleanOnSource: {
        message: (params) => `${formatAnnotation(params)} has a value that Reloader does not accept as "true"`,
        remedy: TRUE_OR_FALSE,
      },
      expression: {
        message: (params) =>
          `${formatAnnotation(params)} has the invalid entry ${formatValue(params.text)}: ${formatName(params.problem)}`,
        remedy: "Correct the regular expression (RE2 syntax). The other entries of the list still count.",
      },
    },
  },
  "wave-annotation": {
    severity: "warning",
    title: "A value that Wave does not accept",
    remedy: null,
    causes: {
      notString: { message: notString, remedy: TRUE_OR_FALSE },
      notBoolean: {
        message: (params) =>
          `${formatAnnotation(params)} is ${formatValue(params.value)}, which Wave does not accept as "true"`,
        remedy: TRUE_OR_FALSE,
      },
      entry: {
        message: (params) => `${formatAnnotation(params)} has the invalid entry ${formatValue(params.text)}`,
        remedy: "Write NAME or NAMESPACE/NAME.",
      },
    },
  },
};

function formatAnnotation({ object, annotation }: Annotation): string {
  return `the annotation '${formatName(annotation)}' of ${formatObject(object)}`;
}

function notString(params: Annotation): string {
  return `${formatAnnotation(params)} must be a string: the API server rejects other values`;
}
