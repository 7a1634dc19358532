import {
  RELOADER_DOMAIN,
  RELOADER_IGNORE,
  RELOADER_KEYS,
  RELOADER_MATCH,
  RELOADER_SEARCH,
} from "../../base/hosts/peers.ts";
import type { SourceIndex } from "../../kubernetes/sources/source-index.ts";
import { isReloaded, RELOADED_KINDS, type ReferencedKind, type ReloadedKind } from "../../base/referenced-kinds.ts";
import type { Source } from "../../kubernetes/sources/types.ts";
import { sourceOfStampKey } from "../../base/stamp-keys.ts";
import { templateAnnotations } from "../../kubernetes/workloads/template-annotations.ts";
import type { PodTemplate, Reference, Workload } from "../../kubernetes/workloads/types.ts";
import {
  compileExpression,
  isPlainName,
  type BadExpression,
  type NameExpression,
  expressionList,
  nameSet,
  type NameSet,
} from "./expressions.ts";
import { fieldOf, ownAnnotations, podAnnotations, sourceAnnotation } from "./peer-annotations.ts";
import { marksByKind, sourceFindings, type Compile, type TypeMarks } from "./reloader-marks.ts";
import { comparing, type Limits, type Spend } from "../../base/limits.ts";
import { groupedBy } from "../../base/grouped.ts";
import type { AskPeer, PeerVerdicts, Rule } from "./types.ts";

// Stakater Reloader's annotations and their precedence: ShouldReload in pkg/common/common.go (v1.4). We do not copy its
// defects: docs/guides/migrate.md lists the differences.

/** Reloader's rules for the sources of an input. */
export function reloader(sources: SourceIndex): AskPeer {
  const compile = remembered(compileExpression);
  const spend = comparing("regular expressions with names");
  const matchingIn = rememberedMatches(namesByNamespace(sources, spend));
  return (marked, workload, template) => {
    const workloadAnnotations = ownAnnotations(marked, RELOADER_DOMAIN);
    const pod = podAnnotations(template, RELOADER_DOMAIN);
    if (workloadAnnotations.entries.size === 0 && pod.entries.size === 0) return NOTHING_SAID;
    const marks = marksByKind(workloadAnnotations, pod, compile);
    const { limits } = workload.item.tree;
    const lists = RELOADED_KINDS.map((kind) => ({ kind, first: expressionList(marks[kind].named, spend) }));
    const isNamed = (reference: Reference, source: Source | undefined): NameExpression | undefined =>
      reference.namespace === workload.namespace
        ? lists.find(({ kind }) => kind === reference.kind)?.first(names(reference, source), limits)
        : undefined;
    return {
      excludes: (reference, source) => {
        if (isIgnored(source)) return IGNORED;
        const { kind } = reference;
        return isReloaded(kind) && names(reference, source).some((name) => marks[kind].excluded.has(name))
          ? `excluded by ${RELOADER_KEYS[kind].exclude}`
          : undefined;
      },
      optsIn: (reference, source) => {
        const { kind } = reference;
        if (!isReloaded(kind)) return undefined;
        const named = isNamed(reference, source);
        if (named !== undefined) return `named by ${RELOADER_KEYS[kind].reload}: ${named.text}`;
        // A source that the pod does not reference counts only if it is named.
        if (reference.via === "extra") return undefined;
        const { searches, optedIn } = marks[kind];
        if (searches && source !== undefined && sourceAnnotation(source, RELOADER_MATCH) === "true")
          return `found by ${RELOADER_SEARCH} and ${RELOADER_MATCH}`;
        return optedIn;
      },
      optsOut: ({ kind }) => (isReloaded(kind) ? marks[kind].optedOut : undefined),
      extras: RELOADED_KINDS.flatMap((kind) =>
        extras(kind, marks[kind], workload, template, sources, matchingIn, spend),
      ),
      findings: [
        ...RELOADED_KINDS.flatMap((kind) => marks[kind].findings),
        ...sourceFindings(marks, template, sources),
      ],
    };
  };
}

const IGNORED: Rule = `ignored by ${RELOADER_IGNORE} on the source`;

function isIgnored(source: Source | undefined): boolean {
  return source !== undefined && sourceAnnotation(source, RELOADER_IGNORE) === "true";
}

const NOTHING_SAID: PeerVerdicts = {
  excludes: (_, source) => (isIgnored(source) ? IGNORED : undefined),
  optsIn: () => undefined,
  optsOut: () => undefined,
  extras: [],
  findings: [],
};

/** The names of a source that a list may use: kustomize may have renamed it already. */
function names(reference: Reference, source: Source | undefined): string[] {
  return source === undefined ? [reference.name] : [reference.name, source.provides.name];
}

type NamesIn = (kind: ReferencedKind, namespace: string) => readonly NameSet[];
type MatchingIn = (
  expression: NameExpression,
  kind: ReferencedKind,
  namespace: string,
  limits: Limits,
) => readonly string[];

/** The names that an expression matches. Cached: many workloads may have the same expression. */
function rememberedMatches(namesIn: NamesIn): MatchingIn {
  const known = new Map<NameExpression, Map<string, readonly string[]>>();
  return (expression, kind, namespace, limits) => {
    const found = known.get(expression) ?? new Map<string, readonly string[]>();
    known.set(expression, found);
    const key = `${kind}/${namespace}`;
    let matching = found.get(key);
    if (matching === undefined) {
      matching = namesIn(kind, namespace).flatMap((set) => set.matching(expression, limits));
      found.set(key, matching);
    }
    return matching;
  };
}

/** The sources that the annotations name and the pod template does not. */
function extras(
  kind: ReloadedKind,
  marks: TypeMarks,
  workload: Workload,
  template: PodTemplate,
  sources: SourceIndex,
  matchingIn: MatchingIn,
  spend: Spend,
): Reference[] {
  if (marks.named.length === 0) return [];
  const { limits } = template.item.tree;
  const { namespace } = workload;
  const seen = new Set<string>();
  for (const reference of template.references) {
    if (reference.kind !== kind || reference.namespace !== namespace) continue;
    for (const name of names(reference, sources.find(kind, namespace, reference.name, template.item))) seen.add(name);
  }
  const key = RELOADER_KEYS[kind].reload;
  const found: Reference[] = [];
  const add = (name: string, optional: boolean): void => {
    if (seen.has(name)) return;
    seen.add(name);
    found.push({
      kind,
      namespace,
      name,
      keys: "*",
      requiredKeys: [],
      via: "extra",
      optional,
      containers: [],
      field: fieldOf(marks.annotations, key),
      node: marks.annotations.entries.get(key)?.node ?? marks.annotations.item.node,
      item: marks.annotations.item,
    });
  };
  const stamped = nameSet(stampedNames(kind, template), spend);
  for (const expression of marks.named) {
    const matching = matchingIn(expression, kind, namespace, limits);
    for (const name of matching) add(name, false);
    if (matching.length === 0 && expression.isName) add(expression.text, false);
    // A stamp whose source is not in the input is kept: the run may see only a part of the repository.
    for (const name of stamped.matching(expression, limits)) add(name, true);
  }
  return found;
}

/** The names of the sources of a kind for which a pod template has stamps. */
function stampedNames(kind: ReferencedKind, template: PodTemplate): string[] {
  return [...templateAnnotations(template).keys()].flatMap((key) => {
    const source = sourceOfStampKey(key);
    return source?.kind === kind ? [source.name] : [];
  });
}

function namesByNamespace(sources: SourceIndex, spend: Spend): NamesIn {
  let known: Map<string, NameSet> | undefined;
  return (kind, namespace) => {
    if (known === undefined) {
      const groups = groupedBy(sources.all, ({ provides }) => `${provides.kind}/${provides.namespace}`);
      const namesOf = (group: readonly Source[]): string[] => group.map(({ provides }) => provides.name);
      known = new Map([...groups].map(([key, group]) => [key, nameSet(namesOf(group), spend)]));
    }
    return [known.get(`${kind}/${namespace}`) ?? NO_NAMES, known.get(`${kind}/*`) ?? NO_NAMES];
  };
}

const NO_NAMES: NameSet = { matching: () => [] };

// Each expression is compared with each name. Without a limit, an input of some megabytes takes hours.
const MOST_EXPRESSIONS = 1000;

function remembered(compile: Compile): Compile {
  // All texts of a run have the same limits, so the text is enough as the key.
  const known = new Map<string, NameExpression | BadExpression>();
  let left = MOST_EXPRESSIONS;
  return (text, longest) => {
    let compiled = known.get(text);
    if (compiled !== undefined) return compiled;
    compiled = left > 0 ? compile(text, longest) : nameOnly(text, longest);
    if (!("isName" in compiled && compiled.isName)) left -= 1;
    known.set(text, compiled);
    return compiled;
  };
}

function nameOnly(text: string, longest: number): NameExpression | BadExpression {
  return isPlainName(text)
    ? compileExpression(text, longest)
    : { text, problem: `the input has more than ${MOST_EXPRESSIONS} regular expressions` };
}
