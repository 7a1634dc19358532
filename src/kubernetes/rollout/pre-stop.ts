import type { FindingData } from "../../findings/catalogue/finding.ts";
import { getPath, itemsOf, stringOf } from "../../yaml/read/node.ts";
import { NONE, type YamlTree } from "../../yaml/read/tree.ts";
import { resourceRef } from "../../findings/results/location.ts";
import { podContainers } from "../workloads/containers.ts";
import type { PodTemplate, Workload } from "../workloads/types.ts";
import { numberAt } from "./numbers.ts";

/** A preStop hook that still sleeps when the pod is killed (RS019). */
export interface LongPreStop {
  readonly data: FindingData<"RS019">;
  readonly node: number;
  readonly field: string;
}

/** The hooks of a pod template that sleep at least as long as the grace period. */
export function longPreStops({ item }: Workload, template: PodTemplate): LongPreStop[] {
  const { tree } = template.item;
  return template.podSpecs.flatMap((spec) =>
    podContainers({ ...template, podSpecs: [spec] }, ["initContainers", "containers"]).flatMap(
      ({ node, name, field }) => {
        const preStop = getPath(tree, node, ["lifecycle", "preStop"]);
        if (preStop === NONE) return [];
        const grace = numberAt(template.item, ["terminationGracePeriodSeconds"], spec.node) ?? DEFAULT_GRACE;
        const asked = numberAt(template.item, ["sleep", "seconds"], preStop);
        const seconds = asked ?? sleptByCommand(tree, preStop);
        if (seconds === undefined || seconds < grace) return [];
        // ValidateSleepAction in pkg/apis/core/validation.
        const cause = asked !== undefined && asked > grace ? "rejected" : "noTimeLeft";
        const params = { workload: resourceRef(item), container: name, seconds, grace };
        return [{ data: { id: "RS019", cause, params }, node: preStop, field: `${field}.lifecycle.preStop` }];
      },
    ),
  );
}

// core/v1, defaults.go.
const DEFAULT_GRACE = 30;

/** The minimum sleep of a command: `sleep 30`, also as one command of a shell script. */
function sleptByCommand(tree: YamlTree, preStop: number): number | undefined {
  const words = itemsOf(tree, getPath(tree, preStop, ["exec", "command"])).map((word) => stringOf(tree, word));
  const [program = "", first = "", script = ""] = words;
  if (/(?:^|\/)sleep$/u.test(program)) return sleepOf(first);
  if (!/(?:^|\/)(?:ba|da|a)?sh$/u.test(program) || !/^-[a-z]*c$/u.test(first)) return undefined;
  return sleptByScript(script);
}

// The sleep of a branch or loop is unknown.
const BRANCHES = /\b(?:if|while|until|for|case|timeout)\b|\|\||(?<!&)&(?!&)/u;
const MOST_SCRIPT = 2000;

function sleptByScript(script: string): number | undefined {
  if (script.length > MOST_SCRIPT || BRANCHES.test(script)) return undefined;
  const sleeps = script
    .split(/[;\n]|&&/u)
    .flatMap((command) => /^\s*(?:\/bin\/)?sleep\s+(\S+)\s*$/u.exec(command)?.[1] ?? [])
    .map(sleepOf);
  const known = sleeps.filter((seconds) => seconds !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, seconds) => sum + seconds, 0);
}

const UNITS: Readonly<Record<string, number>> = { "": 1, s: 1, m: 60, h: 3600 };

function sleepOf(text: string): number | undefined {
  const [, digits, unit = ""] = /^(\d{1,6}(?:\.\d{1,6})?)([smh]?)$/u.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit] ?? 1);
}
