import { HELM_HOOK } from "../ground/hosts/helm.ts";
import { annotationOf, type Item } from "../manifest/items.ts";
import { getPath, kindOf, stringOf } from "../manifest/node.ts";
import type { Reason } from "./plan-report.ts";
import type { Effect, Rollout } from "../rollout/mechanics.ts";
import { heldBackBy } from "../rollout/operator-kinds.ts";
import type { Workload } from "../workloads/types.ts";
import { howFieldRestarts } from "./restarts.ts";

/** What the changes of one workload's pod template come to. */
export interface TemplateEffect {
  readonly effect: Effect;
  readonly because: string | undefined;
}

/** What a changed template does, given what has changed in it: the first that applies decides. */
export function effectOf(base: Workload, head: Workload, rollout: Rollout, reasons: readonly Reason[]): TemplateEffect {
  return (
    fixedTemplate(base, head) ??
    barePod(head.item, reasons) ??
    heldBack(head.item, reasons) ??
    recreatedJob(head.item) ??
    restartedByField(head.item, reasons) ??
    rollout
  );
}

/** Knative: a revision with a name of its own takes no change without another name. */
function fixedTemplate(base: Workload, head: Workload): TemplateEffect | undefined {
  const field = head.kind.fixedBy;
  if (field === undefined) return undefined;
  const name = textAt(head.item, field);
  if (name === undefined || name !== textAt(base.item, field)) return undefined;
  return { effect: "Fail", because: `${field} is still the same: a changed template needs another name` };
}

function textAt(item: Item, path: string): string | undefined {
  const node = getPath(item.tree, item.node, path.split("."));
  return kindOf(item.tree, node) === "string" ? stringOf(item.tree, node) : undefined;
}

// ValidatePodUpdate in pkg/apis/core/validation: all else of a Pod's spec is immutable.
const MUTABLE_IN_A_POD =
  /^spec\.(?:(?:initContainers|containers)\[[^\]]*\]\.image|activeDeadlineSeconds|tolerations|terminationGracePeriodSeconds)\b/u;

function barePod(item: Item, reasons: readonly Reason[]): TemplateEffect | undefined {
  if (item.kind !== "Pod" || item.group !== "") return undefined;
  const paths = reasons.flatMap((reason) => (reason.type === "Template" ? [reason.path] : []));
  const refused = paths.find((path) => path.startsWith("spec") && !MUTABLE_IN_A_POD.test(path));
  if (refused !== undefined) return { effect: "Fail", because: `${refused} of a Pod is immutable` };
  const image = paths.find((path) => path.endsWith(".image"));
  return {
    effect: "NoEffect",
    because:
      image === undefined
        ? "a bare Pod changes in place"
        : "a bare Pod is not replaced: its container restarts with the new image",
  };
}

/** A setting of a custom kind; one that updates in place still takes another image. */
function heldBack(item: Item, reasons: readonly Reason[]): TemplateEffect | undefined {
  const row = heldBackBy(item);
  if (row === undefined) return undefined;
  const changesPods = reasons.some((reason) => reason.type === "Template" && reason.path.startsWith("spec"));
  return row.metadataOnly === true && changesPods ? undefined : { effect: "NoEffect", because: row.because };
}

function restartedByField(item: Item, reasons: readonly Reason[]): TemplateEffect | undefined {
  const fields = reasons.map((reason) => (reason.type === "Restart" ? reason.field : ""));
  const how = howFieldRestarts(item, fields);
  return how === undefined ? undefined : { effect: "Roll", because: how };
}

/** Annotations by which tools delete a Job and run it again rather than change it. */
const RECREATES: readonly { readonly key: string; readonly value: RegExp; readonly tool: string }[] = [
  { key: HELM_HOOK, value: /./u, tool: "Helm" },
  { key: "argocd.argoproj.io/hook", value: /./u, tool: "Argo CD" },
  { key: "argocd.argoproj.io/sync-options", value: /\bForce=true\b/u, tool: "Argo CD" },
  { key: "kustomize.toolkit.fluxcd.io/force", value: /^enabled$/iu, tool: "Flux" },
];

function recreatedJob(item: Item): TemplateEffect | undefined {
  if (item.kind !== "Job" || item.group !== "batch") return undefined;
  const row = RECREATES.find(({ key, value }) => value.test(annotationOf(item, key) ?? ""));
  return row === undefined
    ? undefined
    : { effect: "NextRun", because: `${row.tool} deletes the Job and runs it again (${row.key})` };
}
