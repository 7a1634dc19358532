import type { AppSide } from "../render/shown-data.ts";
import { unable, type Renderable } from "../render/step.ts";
import type { AppPair } from "./pairs.ts";

// Applications that a command of rollstamp.yaml renders.

/** Whether a command of rollstamp.yaml renders an application. */
export function hasCommand({ base, head }: Pick<AppPair, "base" | "head">): boolean {
  return [base, head].some((side) => side?.application.render.by === "command");
}

/**
 * The pair with the command of the base on both sides, because the head is not trusted yet. It is always run: what a command
 * reads is unknown.
 */
export function withBaseCommand(pair: AppPair): AppPair {
  if (!hasCommand(pair)) return pair;
  const { base, head } = pair;
  if (head?.application.render.by !== "command") return { ...pair, isAffected: true };
  return { ...pair, isAffected: true, head: { ...head, renderable: commandOfBase(head, base) } };
}

function commandOfBase({ renderable: { roots }, application }: AppSide, base: AppSide | undefined): Renderable {
  const render = base?.application.render;
  if (render?.by !== "command")
    return unable("the base revision has no command for it, and a command that only the head has is not run", roots);
  return { is: "steps", steps: [{ by: "command", folder: application.path, command: render.command }], roots };
}
