import type { Findings } from "../../../findings/catalogue/catalogue.ts";
import type { FindingData } from "../../../findings/catalogue/finding.ts";
import type { ResourceRef } from "../../../base/names.ts";
import { CONFIG_HASH, RESTARTED_AT } from "../../../base/keys.ts";
import { isDigestText, isKeyedText } from "../../../base/digest/hash-v1.ts";
import { resourceRef } from "../../../findings/results/location.ts";
import { templateAnnotationNode, templateAnnotations } from "../../../stamping/stamps/edit-stamps.ts";
import { isStampKey } from "../../../base/stamp-keys.ts";
import type { LintContext, LintedTemplate, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";
import { waitsRightly, wrongWaiting } from "./wrong-waiting.ts";

/** A stamp that is not what it would be if the stamps were made now. */
export const WRONG_STAMP: LintRule<"RS009"> = {
  id: "RS009",
  check: (context) => [
    ...context.workloads.flatMap((linted) => {
      const isWaiting = waitsRightly(linted, context);
      return linted.templates.flatMap((template) =>
        wrongStamps(linted, isWaiting ? { ...template, desired: undefined } : template, context),
      );
    }),
    ...wrongWaiting(context),
  ],
};

// RFC 3339, section 5.6; kubectl writes whole seconds.
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/u;

function wrongStamps(
  { workload, decision }: LintedWorkload,
  { template, desired }: LintedTemplate,
  context: LintContext,
): Problem<"RS009">[] {
  const { item } = workload;
  const standing = templateAnnotations(template);
  const named = (stamp: string): { workload: ResourceRef; stamp: string } => ({ workload: resourceRef(item), stamp });
  const tell = (key: string, told: FindingData<"RS009">): Problem<"RS009"> =>
    problem(item, { node: templateAnnotationNode(template, key), field: fieldOf(template, key) }, told);

  const restart = standing.get(RESTARTED_AT);
  const wrongTime =
    restart !== undefined && !isTime(restart)
      ? [tell(RESTARTED_AT, { id: "RS009", cause: "noTime", params: named(RESTARTED_AT) })]
      : [];
  if (desired === undefined) return wrongTime;

  const stamps = [...standing].filter(([key]) => isStampKey(key));
  const wrong = stamps.flatMap(([key, value]): Problem<"RS009">[] => {
    if (desired.kept.has(key)) return [];
    const wanted = desired.stamps.get(key);
    if (wanted === value) return [];
    const params = named(key);
    if (wanted === undefined && decision.selected) {
      const why = whyUnwanted(key, context.spec.layout);
      return [tell(key, { id: "RS009", cause: "unwanted", params: { ...params, why } })];
    }
    if (wanted === undefined)
      return [tell(key, { id: "RS009", cause: "deselected", params: { ...params, rule: decision.rule } })];
    if (!isDigestText(value)) return [tell(key, { id: "RS009", cause: "noDigest", params })];
    // Without the key a keyed digest can't be worked out, so nothing is known of it.
    if (isKeyedText(value) && !context.hasHmacKey) return [];
    return [tell(key, { id: "RS009", cause: "stale", params })];
  });
  return [...wrongTime, ...wrong, ...incomplete(stamps.length > 0, item, template, desired.stamps, standing)];
}

function whyUnwanted(key: string, layout: LintContext["spec"]["layout"]): Findings["RS009"]["unwanted"]["why"] {
  if (layout === "Combined" && key !== CONFIG_HASH) return "oneForAll";
  return key === CONFIG_HASH ? "oneForEach" : "unused";
}

/** Stamps that are not there, beside others that are: the template was changed and not stamped anew. */
function incomplete(
  isStamped: boolean,
  item: LintedWorkload["workload"]["item"],
  template: LintedTemplate["template"],
  wanted: ReadonlyMap<string, string>,
  standing: ReadonlyMap<string, string>,
): Problem<"RS009">[] {
  if (!isStamped) return [];
  const missing = [...wanted.keys()].filter((key) => !standing.has(key));
  return missing.map((key) =>
    problem(
      item,
      { node: template.base, field: fieldOf(template, key) },
      { id: "RS009", cause: "missing", params: { workload: resourceRef(item), stamp: key } },
    ),
  );
}

function isTime(text: string): boolean {
  return TIME.test(text) && !Number.isNaN(Date.parse(text));
}

function fieldOf(template: LintedTemplate["template"], key: string): string {
  return `${template.field}.${template.annotationsPath.join(".")}[${key}]`;
}
