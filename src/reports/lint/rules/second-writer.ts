import {
  INFISICAL_RELOAD,
  ONE_PASSWORD_RESTART,
  RELOADER_AUTO_KEYS,
  RELOADER_RELOAD_KEYS,
  RELOADER_SEARCH,
  WAVE_OPT_IN,
} from "../../../base/hosts/peers.ts";
import type { ConfigHashSpec } from "../../../stamping/function/config-hash.ts";
import { annotationNode, annotationOf, type Item } from "../../../yaml/read/items.ts";
import { entriesOf, getPath, getString, itemsOf, stringOf } from "../../../yaml/read/node.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { templateAnnotationNode, templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import type { PodTemplate } from "../../../kubernetes/workloads/types.ts";
import type { LintContext, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";
import { namedByOriginal } from "./rollouts.ts";

/** A controller in the cluster that also rolls out a stamped workload: two rollouts for one change. */
export const SECOND_WRITER: LintRule<"RS007"> = {
  id: "RS007",
  about: "state",
  check: (context) => {
    const stamped = context.workloads.filter(({ templates }) =>
      templates.some(({ desired }) => (desired?.stamps.size ?? 0) > 0),
    );
    return [
      ...stamped.flatMap((linted) => annotated(linted, context.spec)),
      ...stamped.flatMap((linted) => restartedItems(linted)),
      ...restartTargets(context.items, stamped, context),
    ];
  },
};

/** An annotation that makes a controller roll out the annotated object. */
interface WriterAnnotation {
  readonly writer: string;
  readonly keys: readonly string[];
  /** The values that have this effect. */
  readonly value: RegExp;
  /** With this value of `compat`, rollstamp reads the annotation too. */
  readonly compat?: ConfigHashSpec["compat"][number];
  /** It makes the writer watch only what the pod template names: copies of sources never change. */
  readonly watchesNamed?: true;
}

// Go's strconv.ParseBool, as Reloader reads its flags.
const GO_TRUE = /^(?:1|t|T|TRUE|true|True)$/u;
const EXACTLY_TRUE = /^true$/u;
const ANYTHING = /\S/u;

const WRITERS: readonly WriterAnnotation[] = [
  {
    writer: "Reloader",
    keys: RELOADER_AUTO_KEYS,
    value: GO_TRUE,
    compat: "Reloader",
    watchesNamed: true,
  },
  {
    writer: "Reloader",
    keys: RELOADER_RELOAD_KEYS,
    value: ANYTHING,
    compat: "Reloader",
  },
  { writer: "Reloader", keys: [RELOADER_SEARCH], value: EXACTLY_TRUE, compat: "Reloader", watchesNamed: true },
  { writer: "Wave", keys: [WAVE_OPT_IN], value: EXACTLY_TRUE, compat: "Wave" },
  { writer: "the 1Password operator", keys: [ONE_PASSWORD_RESTART], value: GO_TRUE },
  { writer: "the Infisical operator", keys: [INFISICAL_RELOAD], value: EXACTLY_TRUE },
];

function annotated({ workload, templates }: LintedWorkload, spec: ConfigHashSpec): Problem<"RS007">[] {
  const { item } = workload;
  const places = [ownAnnotations(item), ...templates.map(({ template }) => annotationsOf(template))];
  const reported = new Set<string>();
  const namesOnlyCopies = templates.every(({ desired }) => namedByOriginal(desired).length === 0);
  return places.flat().flatMap(({ key, value, node, field }) => {
    const row = WRITERS.find((writer) => writer.keys.includes(key) && writer.value.test(value));
    if (row === undefined || reported.has(row.writer) || (namesOnlyCopies && row.watchesNamed === true)) return [];
    reported.add(row.writer);
    // With `compat`, rollstamp reads the annotation too, and the controller may have been removed already.
    const isOurs = row.compat !== undefined && spec.compat.includes(row.compat);
    const params = { workload: resourceRef(item), writer: row.writer, annotation: key };
    return [problem(item, { node, field }, { id: "RS007", cause: isOurs ? "shared" : "annotation", params })];
  });
}

interface Annotation {
  readonly key: string;
  readonly value: string;
  readonly node: number;
  readonly field: string;
}

function ownAnnotations(item: Item): Annotation[] {
  const { tree } = item;
  return entriesOf(tree, item.annotations).map(({ key, valueNode }) => ({
    key,
    value: stringOf(tree, valueNode) ?? "",
    node: valueNode,
    field: `metadata.annotations[${key}]`,
  }));
}

function annotationsOf(template: PodTemplate): Annotation[] {
  return [...templateAnnotations(template)].map(([key, value]) => ({
    key,
    value,
    node: templateAnnotationNode(template, key),
    field: `${template.field}.${template.annotationsPath.join(".")}[${key}]`,
  }));
}

/** 1Password's operator restarts the workloads that use an item with this annotation. */
function restartedItems({ workload, templates }: LintedWorkload): Problem<"RS007">[] {
  const makers = templates
    .flatMap(({ desired }) => desired?.sightings ?? [])
    .flatMap(({ source }) => source?.item ?? []);
  return [...new Set(makers)]
    .filter(
      (maker) => maker.kind === "OnePasswordItem" && GO_TRUE.test(annotationOf(maker, ONE_PASSWORD_RESTART) ?? ""),
    )
    .map((maker) =>
      problem(
        maker,
        { node: annotationNode(maker, ONE_PASSWORD_RESTART), field: `metadata.annotations[${ONE_PASSWORD_RESTART}]` },
        {
          id: "RS007",
          cause: "onePassword",
          params: {
            workload: resourceRef(workload.item),
            annotation: ONE_PASSWORD_RESTART,
            maker: resourceRef(maker),
          },
        },
        [workload.item],
      ),
    );
}

const VAULT_GROUP = "secrets.hashicorp.com";

/** The Vault Secrets Operator restarts the workloads that its objects name (`spec.rolloutRestartTargets`). */
function restartTargets(
  items: readonly Item[],
  stamped: readonly LintedWorkload[],
  { spec }: LintContext,
): Problem<"RS007">[] {
  const makers = items.filter((item) => item.group === VAULT_GROUP);
  if (makers.length === 0) return [];
  const byName = new Map(
    stamped.map(({ workload: { item, namespace } }) => [`${item.kind}/${namespace}/${item.name}`, item]),
  );
  return makers.flatMap((maker) => {
    const targets = itemsOf(maker.tree, getPath(maker.tree, maker.node, ["spec", "rolloutRestartTargets"]));
    return targets.flatMap((target, i) => {
      // It writes an Argo Rollout as argo.Rollout.
      const kind = (getString(maker.tree, target, "kind") ?? "").replace(/^argo\./u, "");
      const name = getString(maker.tree, target, "name") ?? "";
      const item = byName.get(`${kind}/${maker.namespace || spec.defaultNamespace}/${name}`);
      if (item === undefined) return [];
      const params = { workload: resourceRef(item), maker: resourceRef(maker) };
      const place = { node: target, field: `spec.rolloutRestartTargets[${i}]` };
      return [problem(maker, place, { id: "RS007", cause: "vaultSecretsOperator", params }, [item])];
    });
  });
}
