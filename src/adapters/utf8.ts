import { isAscii, isUtf8 } from "node:buffer";
import { RollstampError } from "../ground/errors.ts";

/** Decodes UTF-8, keeping a byte order mark. Throws a RollstampError that names the place. */
export function decodeUtf8(bytes: Uint8Array, file: string): string {
  // Buffer's decoder keeps the mark; a TextDecoder costs more to make than a small file to decode.
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Most manifests are ASCII: their bytes need only be copied.
  if (isAscii(buffer)) return buffer.toString("latin1");
  const text = buffer.toString("utf8");
  if (isUtf8(buffer)) return text;
  const before = text.slice(0, Math.max(text.indexOf("\uFFFD"), 0)).split("\n");
  throw new RollstampError("input", "the input is not valid UTF-8", {
    place: { file, line: before.length, column: [...(before.at(-1) ?? "")].length + 1 },
    remedy: "Save the file as UTF-8; binary content belongs in binaryData, as base64.",
  });
}
