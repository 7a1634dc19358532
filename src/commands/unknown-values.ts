import type { NotExamined } from "../findings/not-examined/not-examined.ts";
import { HMAC_KEY_FILE_VARIABLE, HMAC_KEY_VARIABLE } from "../base/keys.ts";
import type { Io } from "../platform/ports/io.ts";
import type { ClosedSide } from "../applications/render/shown-data.ts";

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

/** The key of stamps, where there is one: what stands for values of Secrets is made with it. Throws a RollstampError for one that can't be read. */
export function givenHmacKey({ context, environment }: Pick<Io, "context" | "environment">): Uint8Array | undefined {
  const isGiven = [HMAC_KEY_VARIABLE, HMAC_KEY_FILE_VARIABLE].some((name) => (environment[name] ?? "") !== "");
  return isGiven ? context.hmacKey() : undefined;
}
