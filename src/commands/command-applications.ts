import { join } from "node:path";
import { RollstampError } from "../base/errors.ts";
import { isInside, leadsOut } from "../base/inside.ts";
import type { Checkout } from "../platform/ports/git.ts";
import type { Io } from "../platform/ports/io.ts";
import { unable } from "../applications/render/step.ts";
import type { AppPair, AppSide } from "./application-pairs.ts";
import { gitEnvironment } from "./revision-range.ts";

// Applications that a command of rollstamp.yaml renders: only where the person allows it, and the command is that of
// the base revision. What head says is not yet trusted.

/** Whether a command renders it. */
export function isOfCommand({ base, head }: AppPair): boolean {
  return [base, head].some((side) => side?.application.render.by === "command");
}

/** The pair with the base's command on both sides. What a command reads nobody knows: it is run whatever differs. */
export function withBaseCommand(pair: AppPair): AppPair {
  if (!isOfCommand(pair)) return pair;
  const { base, head } = pair;
  const isHeads = head?.application.render.by === "command";
  return { ...pair, isAffected: true, head: isHeads ? { ...head, renderable: ofBase(head, base) } : head };
}

function ofBase({ renderable, application }: AppSide, base: AppSide | undefined): AppSide["renderable"] {
  const render = base?.application.render;
  if (render?.by !== "command")
    return unable("the base revision has no command for it, and one that only head has is not run", renderable.roots);
  const { path: folder } = application;
  return { is: "steps", steps: [{ by: "command", folder, command: render.command }], roots: renderable.roots };
}

/** Runs the command of an application in a checkout of a revision, as --render runs its command. */
export function commandText(io: Io, { revision, root }: Checkout, folder: string, command: string): Promise<string> {
  const at = join(root, folder);
  if (io.files.kindOf(at) === undefined) throw new RollstampError("input", `${folder} is not there`);
  if (!isInside(io.files.realPath(root) ?? root, io.files.realPath(at) ?? root))
    throw leadsOut(`${revision}:${folder}`, "The command is run in the folder itself: make it one in that revision.");
  return io.programs.render(command, {
    cwd: at,
    environment: gitEnvironment(io.environment),
    limits: io.context.limits,
    isTimed: true,
  });
}
