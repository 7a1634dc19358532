import type { NotExamined } from "../examined/not-examined.ts";
import type { ClosedSide } from "../rendering/shown-data.ts";

/** Objects of which an application takes values that are not known here. */
export function unknownValues(
  ...sides: readonly (Pick<ClosedSide, "application" | "renderable"> | undefined)[]
): NotExamined[] {
  return sides.flatMap((side) => {
    const told = side?.renderable.is === "steps" ? side.renderable.told : undefined;
    const defined = side?.application.definedIn[0] ?? side?.application.path ?? ".";
    return (told ?? []).map(({ object, file, because }): NotExamined => ({
      path: file === "" ? defined : file,
      kind: "Values",
      name: object,
      reason: because,
    }));
  });
}
