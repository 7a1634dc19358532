import { pluralize } from "../../base/words.ts";
import { yamlText } from "../../base/yaml-text.ts";
import { formatKeyChanges, formatKeys, formatList, formatName, formatObject } from "../../base/names.ts";
import type { KeyChanges, ResourceRef, SourceName } from "../../base/names.ts";
import { GENERAL, type Rows, type Tags } from "./row.ts";

/** The findings about ConfigMaps, Secrets and what stands for them: parameters by id and cause. */
export interface SourceFindings {
  readonly RS001: {
    readonly notGiven: SourceUses;
    /** Of the same name in another namespace. */
    readonly elsewhere: SourceUses & { readonly other: ResourceRef };
    /** Whose name is filled in later. */
    readonly placeholder: SourceUses;
    /** Of a volume that no container mounts. */
    readonly unmounted: SourceUses;
    /** An object of the input that may make it. */
    readonly maybeMade: SourceUses & { readonly maker: ResourceRef };
    /** The function sees a rendering: what to do is another thing. */
    readonly notRendered: SourceUse;
    /** The two may miss each other only because one of them names its namespace. */
    readonly otherNamespace: SourceUse & { readonly other: ResourceRef; readonly namespace: string };
    readonly noTemplate: { readonly workload: ResourceRef; readonly other: SourceName };
    /** Another application of the same cluster has it. */
    readonly otherApplication: SourceUses & { readonly application: string };
  };
  readonly RS002: {
    readonly notGiven: KeyUse;
    /** Only volumes that no container mounts need it: the pod starts without. */
    readonly unmounted: KeyUse;
    readonly notRendered: KeyUse;
  };
  readonly RS006: {
    readonly content: { readonly source: ResourceRef; readonly keys: KeyChanges };
    readonly mutable: { readonly source: ResourceRef };
    readonly type: { readonly source: ResourceRef; readonly from: string; readonly to: string };
  };
  readonly RS008: { readonly guessable: { readonly workload: ResourceRef; readonly secrets: readonly SourceName[] } };
  readonly RS012: { readonly unused: { readonly source: ResourceRef } };
  readonly RS013: {
    /** `seen` is what workloads see of it: a declared source makes another object. */
    readonly differs: { readonly source: ResourceRef; readonly keys: KeyChanges; readonly seen: SourceName };
    readonly once: { readonly source: ResourceRef };
    readonly template: { readonly workload: ResourceRef; readonly paths: readonly string[] };
    /** Nothing but annotations differs: stamping can take them. */
    readonly annotations: { readonly workload: ResourceRef; readonly annotations: readonly string[] };
  };
  readonly RS023: {
    readonly named: { readonly workload: ResourceRef; readonly source: SourceName };
    readonly digested: { readonly source: ResourceRef; readonly keys: readonly string[] };
  };
  readonly coverage: { readonly ciphertext: PartlySeen; readonly declaration: PartlySeen };
}

interface SourceUse {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  /** The declared source whose template reads it: the workload itself doesn't name it. */
  readonly through: ResourceRef | undefined;
}

/** A source that several workloads use. */
interface SourceUses extends SourceUse {
  /** Those beside the first. */
  readonly others: readonly ResourceRef[];
}

interface KeyUse extends SourceUse {
  readonly key: string;
}

interface PartlySeen {
  readonly workload: ResourceRef;
  readonly source: SourceName;
  /** The object that declares it; undefined for one that is encrypted. */
  readonly maker: ResourceRef | undefined;
}

export const SOURCE_ROWS: Rows<SourceFindings> = {
  RS001: {
    severity: "warning",
    title: "A source that is not in the input",
    remedy: "Give it together with the workload, mend its name, or mark the reference optional.",
    docs: "docs/rules/RS001.md",
    causes: {
      notGiven: { message: allMissingWords, remedy: GENERAL, tags: missingTags },
      elsewhere: {
        message: (uses) => `${allMissingWords(uses)}: it has ${formatObject(uses.other)}`,
        remedy: "Give one in the namespace of the workload, or mend the namespace of either.",
        tags: missingTags,
      },
      placeholder: {
        message: (uses) => `${allMissingWords(uses)} under this name, which is a placeholder`,
        remedy: "Look for it in what comes of the placeholder: run rollstamp behind the tool that fills it in.",
        severity: "info",
        tags: missingTags,
      },
      unmounted: {
        message: (uses) => `${allMissingWords(uses)}, for a volume that no container mounts`,
        remedy:
          "Take the volume out; or, if something puts a container in that mounts it, give the source: the pods don't start without it then.",
        severity: "info",
        tags: missingTags,
      },
      maybeMade: {
        message: (uses) => `${allMissingWords(uses)}: ${formatObject(uses.maker)} may make it`,
        remedy: "If it does, nothing is to be done: what it makes can't be digested, and a change of it rolls nothing.",
        severity: "info",
        tags: missingTags,
      },
      notRendered: {
        message: missingWords,
        remedy: "Render it together with the workload, mark the reference optional, or set 'missing: Ignore'.",
        tags: missingTags,
      },
      otherNamespace: {
        message: missingWords,
        remedy: ({ other, namespace }) =>
          `The input has ${formatObject(other)}: if both go to one namespace, set 'defaultNamespace: ${formatName(namespace)}'.`,
        tags: missingTags,
      },
      noTemplate: {
        message: ({ workload, other }) =>
          `${formatObject(workload)} runs the pod template of ${formatObject(other)}, which is not in the input`,
        remedy: "Render the two together, or set 'missing: Ignore'.",
      },
      otherApplication: {
        message: (uses) => `${allUsesWords(uses)}, which the application ${formatName(uses.application)} has`,
        remedy:
          "No stamp covers it, as each application is stamped by itself: if a change of it is to roll the pods, put both into one application.",
        severity: "info",
        tags: missingTags,
      },
    },
  },
  RS002: {
    severity: "warning",
    title: "A key that the source has not",
    remedy: "Add the key, mend its name, or mark the reference optional.",
    docs: "docs/rules/RS002.md",
    causes: {
      notGiven: { message: missingKeyWords, remedy: GENERAL, tags: keyTags },
      unmounted: {
        message: (use) => `${missingKeyWords(use)}, for a volume that no container mounts`,
        remedy:
          "Take the item out, or mend its name: if something puts a container in that mounts the volume, the pods don't start.",
        severity: "info",
        tags: keyTags,
      },
      notRendered: {
        message: missingKeyWords,
        remedy: "Add the key, mark the reference optional, or mend its name.",
        tags: keyTags,
      },
    },
  },
  RS006: {
    severity: "error",
    title: "An immutable source whose content changed",
    remedy: "Give the changed object a new name, and let the workloads name it; or delete the old one first.",
    docs: "docs/rules/RS006.md",
    causes: {
      content: {
        message: ({ source, keys }) =>
          `${formatObject(source)} is immutable, and its content changes: ${formatKeyChanges(keys)}`,
        remedy: GENERAL,
      },
      mutable: {
        message: ({ source }) => `${formatObject(source)} is immutable, and can't become mutable again`,
        remedy: GENERAL,
      },
      type: {
        message: ({ source, from, to }) =>
          `the type of ${formatObject(source)} changes from ${formatName(from)} to ${formatName(to)}, and a Secret's type is immutable`,
        remedy: "Give the changed Secret a new name, and let the workloads name it; or delete the old one first.",
      },
    },
  },
  RS008: {
    severity: "info",
    title: "A plain digest of a Secret that can be guessed",
    remedy: "Set 'secrets: Keyed' for digests that only the holder of a key can check, or use a longer secret.",
    docs: "docs/rules/RS008.md",
    causes: {
      guessable: {
        message: ({ workload, secrets }) =>
          `${formatObject(workload)} shows a plain digest of Secret ${formatList(secrets.map(withNamespace), MOST_SECRETS)}, of which so little is visible that it can be guessed`,
        remedy: GENERAL,
      },
    },
  },
  RS012: {
    severity: "info",
    title: "A source that nothing in the input names",
    remedy:
      "Check its name where it is meant to be used; if a workload reads it through the API, name it in rollstamp.dev/sources, and a change of it rolls the workload.",
    docs: "docs/rules/RS012.md",
    causes: {
      unused: { message: ({ source }) => `${formatObject(source)} is named by nothing in the input`, remedy: GENERAL },
    },
  },
  RS013: {
    severity: "warning",
    title: "A source or a pod template that differs between two renderings of one revision",
    remedy:
      "Use a Secret that exists already, or pin the value; else leave the source out of the stamps: rollstamp.dev/exclude on the workload, or 'overrides' in the configuration.",
    docs: "docs/rules/RS013.md",
    causes: {
      differs: {
        message: ({ source, keys }) =>
          `${formatObject(source)} differs between two renderings: ${formatKeyChanges(keys)}`,
        remedy: ({ seen }) =>
          `Use a Secret that exists already, or pin the value; else leave the source out of the stamps: 'overrides: [{target: {namespace: ${formatName(yamlText(seen.namespace))}}, exclude: [${formatName(yamlText(`${seen.kind.toLowerCase()}/${seen.name}`))}]}]', with all such sources in one list.`,
      },
      once: { message: ({ source }) => `${formatObject(source)} is in only one of two renderings`, remedy: GENERAL },
      template: {
        message: ({ workload, paths }) =>
          `the pod template of ${formatObject(workload)} differs between two renderings: ${formatList(paths, MOST_PATHS)}`,
        remedy:
          "Take out of the template what is random or tells the time, or pin it: as it is, each rendering rolls the workload.",
      },
      annotations: {
        message: ({ workload, annotations }) =>
          `the pod template of ${formatObject(workload)} differs between two renderings by nothing but its ${pluralize(annotations.length, "annotation")} ${formatList(annotations, MOST_PATHS)}`,
        remedy: ({ annotations }) =>
          `Let stamping take ${pluralize(annotations.length, "it", "them")}, or each rendering rolls the workload: 'checksums: Remove' and 'checksumAnnotations: [${formatList(annotations.map(yamlText), MOST_PATHS)}]'.`,
      },
    },
  },
  RS023: {
    severity: "warning",
    title: "A placeholder in what is digested or referenced",
    remedy:
      "Stamp what comes of it: run rollstamp behind the tool that fills it in. Else a change of the value behind it rolls nothing.",
    docs: "docs/rules/RS023.md",
    causes: {
      named: {
        message: ({ workload, source }) =>
          `${formatObject(workload)} uses ${formatObject(source)}, whose name is a placeholder: it is looked up as it stands`,
        remedy: GENERAL,
      },
      digested: {
        message: ({ source, keys }) =>
          `${formatObject(source)} holds a placeholder in ${formatKeys(keys)}: the stamp covers the placeholder, not what is put in its place`,
        remedy: GENERAL,
      },
    },
  },
  coverage: {
    severity: "info",
    title: "A source of which a stamp sees only a part",
    remedy: null,
    docs: "docs/findings.md#coverage",
    causes: {
      ciphertext: {
        message: (use) =>
          `${partlySeen(use)}: the stamp covers the encrypted form: encrypting the same content anew changes it`,
        remedy: null,
        tags: ({ source }) => ({ source: sourceTag(source), coverage: "ciphertext" }),
      },
      declaration: {
        message: (use) =>
          `${partlySeen(use)}: the stamp covers only where the content comes from: a change in the outside store is not seen`,
        remedy: null,
        tags: ({ source }) => ({ source: sourceTag(source), coverage: "declaration" }),
      },
    },
  },
};

const MOST_SECRETS = 8;
const MOST_USERS = 5;
const MOST_PATHS = 5;

function missingWords({ workload, source, through }: SourceUse): string {
  return `${formatObject(workload)} uses ${formatObject(source)}${throughWords(through)}, which is not in the input`;
}

function allMissingWords(uses: SourceUses): string {
  return `${allUsesWords(uses)}, which is not in the input`;
}

function allUsesWords({ workload, source, through, others }: SourceUses): string {
  const users = [workload, ...others].map(formatObject);
  const use = users.length === 1 ? "uses" : "use";
  return `${formatList(users, MOST_USERS, " and ")} ${use} ${formatObject(source)}${throughWords(through)}`;
}

function missingKeyWords({ workload, source, through, key }: KeyUse): string {
  return `${formatObject(workload)} uses the key '${formatName(key)}' of ${formatObject(source)}${throughWords(through)}, which has no such key`;
}

function throughWords(through: ResourceRef | undefined): string {
  return through === undefined ? "" : ` (read by ${formatObject(through)})`;
}

function partlySeen({ workload, source, maker }: PartlySeen): string {
  return `${formatObject(workload)} uses ${formatObject(source)} from ${maker === undefined ? "an encrypted object" : formatObject(maker)}`;
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
