// Any bytes, as manifests.
import { decoded, stampTwice } from "../checks.ts";

/** Throws where the function does what it never may. */
export function fuzz(bytes: Buffer): void {
  const text = decoded(bytes);
  if (text !== undefined) stampTwice(text);
}
