/**
 * Decodes base64 as RFC 4648 section 4 defines it, with padding; line breaks inside are ignored, as
 * Go's decoder in the API server does. Undefined for anything else.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const compact = /[\r\n]/u.test(text) ? text.replace(/[\r\n]/gu, "") : text;
  if (compact.length % 4 !== 0) return undefined;
  const padding = compact.endsWith("==") ? 2 : compact.endsWith("=") ? 1 : 0;
  if (/[^A-Za-z0-9+/]/u.test(padding === 0 ? compact : compact.slice(0, -padding))) return undefined;
  return Buffer.from(compact, "base64");
}
