import { CONFIG_HASH, RESTARTED_AT } from "../../ground/keys.ts";
import { isDigestText, isKeyedText } from "../../digest/hash-v1.ts";
import { describe } from "../../manifest/items.ts";
import { templateAnnotationNode, templateAnnotations } from "../../stamps/edit-stamps.ts";
import { isStampKey } from "../../ground/stamp-keys.ts";
import type { LintContext, LintedTemplate, LintedWorkload } from "../context.ts";
import { problem, type LintRule, type Problem } from "../rule.ts";

/** A stamp that is not what it would be if the stamps were made now. */
export const WRONG_STAMP: LintRule = {
  id: "RS009",
  severity: "warning",
  title: "A stamp that is stale, edited by hand, or left behind",
  remedy:
    "Run rollstamp stamp. Under kustomize let the outermost overlay stamp, last of its transformers. If the stamps are made with other options, give the lint the same ones.",
  check: (context) =>
    context.workloads.flatMap((linted) =>
      linted.templates.flatMap((template) => wrongStamps(linted, template, context)),
    ),
};

// RFC 3339, section 5.6; kubectl writes whole seconds.
const TIME = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/u;

function wrongStamps(
  { workload, decision }: LintedWorkload,
  { template, desired }: LintedTemplate,
  context: LintContext,
): Problem[] {
  const { item } = workload;
  const standing = templateAnnotations(template);
  const tell = (key: string, what: string): Problem =>
    problem(
      item,
      { node: templateAnnotationNode(template, key), field: fieldOf(template, key) },
      `the stamp '${key}' of ${describe(item)} ${what}`,
    );

  const restart = standing.get(RESTARTED_AT);
  const wrongTime =
    restart !== undefined && !isTime(restart) ? [tell(RESTARTED_AT, "is edited by hand: it is no RFC 3339 time")] : [];
  if (desired === undefined) return wrongTime;

  const stamps = [...standing].filter(([key]) => isStampKey(key));
  const wrong = stamps.flatMap(([key, value]): Problem[] => {
    if (desired.kept.has(key)) return [];
    const wanted = desired.stamps.get(key);
    if (wanted === value) return [];
    if (wanted === undefined)
      return [
        tell(key, `is left behind: ${decision.selected ? whyUnwanted(key, context.spec.layout) : decision.rule}`),
      ];
    if (!isDigestText(value)) return [tell(key, "is edited by hand: it is no digest")];
    // Without the key a keyed digest can't be worked out, so nothing is known of it.
    if (isKeyedText(value) && !context.hasHmacKey) return [];
    return [tell(key, "is stale: its source has other content now")];
  });
  return [...wrongTime, ...wrong, ...incomplete(stamps.length > 0, item, template, desired.stamps, standing)];
}

function whyUnwanted(key: string, layout: LintContext["spec"]["layout"]): string {
  if (layout === "Combined" && key !== CONFIG_HASH) return "one stamp stands for all sources (layout: Combined)";
  return key === CONFIG_HASH ? "each source has a stamp of its own, or none is used" : "nothing of its name is used";
}

/** Stamps that are not there, beside others that are: the template was changed and not stamped anew. */
function incomplete(
  isStamped: boolean,
  item: LintedWorkload["workload"]["item"],
  template: LintedTemplate["template"],
  wanted: ReadonlyMap<string, string>,
  standing: ReadonlyMap<string, string>,
): Problem[] {
  if (!isStamped) return [];
  const missing = [...wanted.keys()].filter((key) => !standing.has(key));
  return missing.map((key) =>
    problem(
      item,
      { node: template.base, field: fieldOf(template, key) },
      `the stamp '${key}' of ${describe(item)} is missing beside its others`,
    ),
  );
}

function isTime(text: string): boolean {
  return TIME.test(text) && !Number.isNaN(Date.parse(text));
}

function fieldOf(template: LintedTemplate["template"], key: string): string {
  return `${template.field}.${template.annotationsPath.join(".")}[${key}]`;
}
