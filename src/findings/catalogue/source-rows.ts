import { pluralize, yamlText } from "../../base/words.ts";
import {
  formatKeyChanges,
  formatKeys,
  formatList,
  formatName,
  formatObject,
  type KeyChanges,
  type ResourceRef,
  type SourceName,
} from "../../base/names.ts";
import type { Rows, Tags } from "./row.ts";

/** Findings about ConfigMaps, Secrets and the objects that create them: parameters by id and cause. */
export interface SourceFindings {
  readonly RS001: {
    readonly missing: SourceUses;
    /** A source of the same name is in another namespace. */
    readonly wrongNamespace: SourceUses & { readonly other: ResourceRef };
    /** Another tool fills in the name later. */
    readonly placeholder: SourceUses;
    /** The reference is in a volume that no container mounts. */
    readonly unmounted: SourceUses;
    /** An object of the input may create the source. */
    readonly mayBeCreated: SourceUses & { readonly maker: ResourceRef };
    /** From the function, which sees a rendering. */
    readonly missingInRendering: SourceUse;
    /** From the function: only one of the two objects sets its namespace. */
    readonly defaultNamespace: SourceUse & { readonly other: ResourceRef; readonly namespace: string };
    readonly missingTemplate: { readonly workload: ResourceRef; readonly other: SourceName };
    /** Another application of the cluster has it. */
    readonly otherApplication: SourceUses & { readonly application: string };
  };
  readonly RS002: {
    readonly missing: KeyUse;
    /** Only volumes that no container mounts need the key: the pod starts without it. */
    readonly unmounted: KeyUse;
    readonly missingInRendering: KeyUse;
  };
  readonly RS006: {
    readonly content: { readonly source: ResourceRef; readonly keys: KeyChanges };
    readonly mutable: { readonly source: ResourceRef };
    readonly type: { readonly source: ResourceRef; readonly from: string; readonly to: string };
  };
  readonly RS008: { readonly guessable: { readonly workload: ResourceRef; readonly secrets: readonly SourceName[] } };
  readonly RS012: { readonly unused: { readonly source: ResourceRef } };
  readonly RS013: {
    /** `seen` is the source as workloads see it: a declared source creates another object. */
    readonly content: { readonly source: ResourceRef; readonly keys: KeyChanges; readonly seen: SourceName };
    readonly onlyOnce: { readonly source: ResourceRef };
    readonly template: { readonly workload: ResourceRef; readonly paths: readonly string[] };
    /** Only annotations differ: stamping can remove them. */
    readonly annotations: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
  readonly RS023: {
    readonly name: { readonly workload: ResourceRef; readonly source: SourceName };
    readonly content: { readonly source: ResourceRef; readonly keys: readonly string[] };
  };
  readonly coverage: { readonly ciphertext: PartialSource; readonly declaration: PartialSource };
}

interface SourceUse {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  /** The declared source whose template reads it, if the workload itself does not reference it. */
  readonly through: ResourceRef | undefined;
}

/** A source that several workloads use. */
interface SourceUses extends SourceUse {
  /** The workloads other than the first. */
  readonly others: readonly ResourceRef[];
}

interface KeyUse extends SourceUse {
  readonly key: string;
}

interface PartialSource {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  /** The object that declares the source; undefined for an encrypted source. */
  readonly maker: ResourceRef | undefined;
}

export const SOURCE_ROWS: Rows<SourceFindings> = {
  RS001: {
    severity: "warning",
    title: "A source that is not in the input",
    remedy: "Add the source to the input, correct its name, or mark the reference as optional.",
    causes: {
      missing: { message: missingFromInput, tags: missingTags },
      wrongNamespace: {
        message: (uses) => `${missingFromInput(uses)}; the input has ${formatObject(uses.other)}`,
        remedy: "Add the source to the workload's namespace, or correct the namespace of one of the two.",
        tags: missingTags,
      },
      placeholder: {
        message: (uses) => `${missingFromInput(uses)}; its name is a placeholder`,
        remedy: "Run rollstamp after the tool that replaces the placeholder.",
        severity: "info",
        tags: missingTags,
      },
      unmounted: {
        message: (uses) => `${missingFromInput(uses)}; no container mounts the volume that references it`,
        remedy:
          "Remove the volume. If an injected container mounts it, add the source: without it the pods do not start.",
        severity: "info",
        tags: missingTags,
      },
      mayBeCreated: {
        message: (uses) => `${missingFromInput(uses)}; ${formatObject(uses.maker)} may create it`,
        remedy: "No action if it does. rollstamp cannot digest such a source, so its changes roll out nothing.",
        severity: "info",
        tags: missingTags,
      },
      missingInRendering: {
        message: missing,
        remedy:
          "Render the source together with the workload, mark the reference as optional, or set 'missing: Ignore' in the configuration.",
        tags: missingTags,
      },
      defaultNamespace: {
        message: missing,
        remedy: ({ other, namespace }) =>
          `The input has ${formatObject(other)}. If both are applied to one namespace, set 'defaultNamespace: ${formatName(namespace)}'.`,
        tags: missingTags,
      },
      missingTemplate: {
        message: ({ workload, other }) =>
          `${formatObject(workload)} runs the pod template of ${formatObject(other)}, which is not in the input`,
        remedy: "Render both together, or set 'missing: Ignore' in the configuration.",
      },
      otherApplication: {
        message: (uses) => `${formatUses(uses)}, which is in another application: ${formatName(uses.application)}`,
        remedy:
          "No stamp covers it, because each application is stamped separately. If its changes must roll out these pods, put both into one application.",
        severity: "info",
        tags: missingTags,
      },
    },
  },
  RS002: {
    severity: "warning",
    title: "A key that is not in the source",
    remedy: "Add the key, correct its name, or mark the reference as optional.",
    causes: {
      missing: { message: missingKey, tags: keyTags },
      unmounted: {
        message: (use) => `${missingKey(use)}; no container mounts the volume that references it`,
        remedy:
          "Remove the item or correct its key: if an injected container mounts the volume, the pods do not start.",
        severity: "info",
        tags: keyTags,
      },
      missingInRendering: { message: missingKey, tags: keyTags },
    },
  },
  RS006: {
    severity: "error",
    title: "A change of an immutable source",
    remedy: "Give the changed object a new name and update the references, or delete the old object first.",
    causes: {
      content: {
        message: ({ source, keys }) => `${formatObject(source)} is immutable, but ${formatKeyChanges(keys)}`,
      },
      mutable: { message: ({ source }) => `${formatObject(source)} is immutable and cannot become mutable again` },
      type: {
        message: ({ source, from, to }) =>
          `the type of ${formatObject(source)} changes from ${formatName(from)} to ${formatName(to)}, but the type of a Secret is immutable`,
      },
    },
  },
  RS008: {
    severity: "info",
    title: "A plain digest of a guessable Secret",
    remedy: "Set 'secrets: Keyed', so that only the holder of a key can check a guess, or use a longer secret.",
    causes: {
      guessable: {
        message: ({ workload, secrets }) =>
          `${formatObject(workload)} has a plain digest of Secret ${formatList(secrets.map(withNamespace), MOST_SECRETS)}, whose visible content is short enough to guess`,
      },
    },
  },
  RS012: {
    severity: "info",
    title: "A source that nothing in the input references",
    remedy:
      "Check the name in the references. If a workload reads the source through the API, list it in rollstamp.dev/sources of the workload, so that changes roll it out.",
    causes: { unused: { message: ({ source }) => `nothing in the input references ${formatObject(source)}` } },
  },
  RS013: {
    severity: "warning",
    title: "A source or pod template that differs between two renderings of one revision",
    remedy:
      "Use an existing Secret or pin the value. Otherwise exclude the source from stamps: rollstamp.dev/exclude on the workload, or 'overrides' in the configuration.",
    causes: {
      content: {
        message: ({ source, keys }) =>
          `${formatObject(source)} differs between two renderings: ${formatKeyChanges(keys)}`,
        remedy: ({ seen }) =>
          `Use an existing Secret or pin the value. Otherwise exclude all such sources from stamps: 'overrides: [{target: {namespace: ${formatName(yamlText(seen.namespace))}}, exclude: [${formatName(yamlText(`${seen.kind.toLowerCase()}/${seen.name}`))}]}]'.`,
      },
      onlyOnce: { message: ({ source }) => `${formatObject(source)} is in only one of two renderings` },
      template: {
        message: ({ workload, paths }) =>
          `the pod template of ${formatObject(workload)} differs between two renderings: ${formatList(paths, MOST_PATHS)}`,
        remedy: "Remove or pin the random value or timestamp: each rendering rolls out the workload.",
      },
      annotations: {
        message: ({ workload, annotations }) =>
          `the pod template of ${formatObject(workload)} differs between two renderings only in the ${pluralize(annotations.length, "annotation")} ${formatList(annotations, MOST_PATHS)}`,
        remedy: ({ annotations }) =>
          `Let rollstamp remove ${pluralize(annotations.length, "it", "them")}, because each rendering rolls out the workload: 'checksums: Remove' and 'checksumAnnotations: [${formatList(annotations.map(yamlText), MOST_PATHS)}]'.`,
      },
    },
  },
  RS023: {
    severity: "warning",
    title: "A placeholder in a digested or referenced value",
    remedy:
      "Run rollstamp after the tool that replaces the placeholder. Otherwise a change of the value rolls out nothing.",
    causes: {
      name: {
        message: ({ workload, source }) =>
          `${formatObject(workload)} uses ${formatObject(source)}, whose name is a placeholder: rollstamp looks for exactly this name`,
      },
      content: {
        message: ({ source, keys }) =>
          `${formatObject(source)} has a placeholder in ${formatKeys(keys)}: the stamp covers the placeholder, not the final value`,
      },
    },
  },
  coverage: {
    severity: "info",
    title: "A source that a stamp covers only in part",
    remedy: null,
    causes: {
      ciphertext: {
        message: (use) =>
          `${usesPartialSource(use)}: the stamp covers the encrypted form, which also changes when the same content is encrypted again`,
        tags: ({ source }) => ({ source: sourceTag(source), coverage: "ciphertext" }),
      },
      declaration: {
        message: (use) =>
          `${usesPartialSource(use)}: the stamp covers only the declaration, and changes in the external store are not visible`,
        tags: ({ source }) => ({ source: sourceTag(source), coverage: "declaration" }),
      },
    },
  },
};

const MOST_SECRETS = 8;
const MOST_USERS = 5;
const MOST_PATHS = 5;

function missing(use: SourceUse): string {
  return missingFromInput({ ...use, others: [] });
}

function missingFromInput(uses: SourceUses): string {
  return `${formatUses(uses)}, which is not in the input`;
}

function formatUses({ workload, source, through, others }: SourceUses): string {
  const users = [workload, ...others].map(formatObject);
  return `${formatList(users, MOST_USERS, " and ")} ${pluralize(users.length, "uses", "use")} ${formatObject(source)}${readThrough(through)}`;
}

function missingKey({ workload, source, through, key }: KeyUse): string {
  return `${formatObject(workload)} uses the key '${formatName(key)}' of ${formatObject(source)}${readThrough(through)}, which does not have this key`;
}

function readThrough(through: ResourceRef | undefined): string {
  return through === undefined ? "" : ` (read by ${formatObject(through)})`;
}

function usesPartialSource({ workload, source, maker }: PartialSource): string {
  return `${formatObject(workload)} uses ${formatObject(source)}, ${maker === undefined ? "which is encrypted" : `created by ${formatObject(maker)}`}`;
}

function withNamespace({ namespace, name }: SourceName): string {
  return `${namespace}/${name}`;
}

function missingTags({ source }: SourceUse): Tags {
  return { source: sourceTag(source), coverage: "missing" };
}

function keyTags({ source, key }: KeyUse): Tags {
  return { source: sourceTag(source), key };
}

function sourceTag({ kind, namespace, name }: SourceName): string {
  return `${kind}/${namespace}/${name}`;
}
