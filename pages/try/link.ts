import type { Given } from "./reports.ts";

// Manifests in the fragment of an address, which browsers do not send to servers.

/** More than this, and chat programs cut the address. */
export const LONGEST_LINK = 30_000;

/** The fragment for manifests: compressed, in base64url. */
export async function fragmentOf(given: Given): Promise<string> {
  const stream = new Blob([JSON.stringify([given.before, given.after])])
    .stream()
    .pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return Buffer.from(bytes).toString("base64").replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/u, "");
}

/** The manifests of a fragment; undefined if it has none. */
export async function manifestsIn(fragment: string): Promise<Given | undefined> {
  if (fragment === "" || fragment.length > LONGEST_LINK) return undefined;
  try {
    const bytes = Buffer.from(fragment.replaceAll("-", "+").replaceAll("_", "/"), "base64");
    const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const texts: unknown = JSON.parse(await limitedText(stream));
    if (!Array.isArray(texts)) return undefined;
    const [before, after]: readonly unknown[] = texts;
    return typeof before === "string" && typeof after === "string" ? { before, after } : undefined;
  } catch {
    // A link that someone cut or typed.
    return undefined;
  }
}

/** A fragment of 30 KB can be 30 MB of text. */
const LONGEST_TEXT = 2_000_000;

async function limitedText(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > LONGEST_TEXT) throw new Error("the text is too long");
  }
}
