import { findingLines } from "../findings/results/terminal.ts";
import type { Io } from "../platform/ports/io.ts";
import { withConfigPlaces } from "../stamping/function/config.ts";
import type { ConfigHashSpec } from "../stamping/function/config-hash.ts";
import { shortKeyFindings } from "../stamping/stamps/short-key.ts";

/** The key of `secrets: Keyed`; undefined without that option. Warns about a short one: call it once. */
export function hmacKeyOf(
  io: Io,
  spec: ConfigHashSpec,
  config: Parameters<typeof withConfigPlaces>[0],
): Uint8Array | undefined {
  if (spec.secrets !== "Keyed") return undefined;
  const key = withConfigPlaces(config, io.context.hmacKey);
  io.writeStderr(findingLines(shortKeyFindings(key)));
  return key;
}
