import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout, from the compiled test in .build/test/support. */
export const ROOT: string = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..");

/** A path in the checkout. */
export function inRoot(...parts: string[]): string {
  return join(ROOT, ...parts);
}
