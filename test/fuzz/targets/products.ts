// Dimensions of manifests that grow together, as the bytes choose, through a command that they choose as well: what
// runs more often than in step with its input and its output multiplies, and is a crash.
import { built, chosen, type Built } from "../dimensions.ts";
import { costOf, multiplying, type Cost } from "../growth.ts";
import { Bytes, inFolder, ran } from "../world.ts";

const COMMANDS: readonly [readonly string[], ...(readonly string[])[]] = [
  ["fn", "--config", "config.yaml"],
  ["lint", "-o", "json", "base.yaml"],
  ["lint", "-o", "text", "base.yaml"],
  ["lint", "-o", "sarif", "base.yaml"],
  ["plan", "-o", "json", "--show-values", "base.yaml", "head.yaml"],
  ["plan", "-o", "json", "--config", "config.yaml", "base.yaml", "head.yaml"],
  ["plan", "-o", "text", "--all", "base.yaml", "head.yaml"],
  ["plan", "-o", "markdown", "base.yaml", "head.yaml"],
  ["plan", "-o", "html", "base.yaml", "head.yaml"],
  ["graph", "-o", "json", "base.yaml"],
  ["graph", "-o", "mermaid", "base.yaml"],
  ["graph", "-o", "html", "base.yaml"],
  ["graph", "-o", "text", "base.yaml"],
  ["explain", "deployment/w1", "base.yaml"],
  ["digest", "-o", "json", "base.yaml"],
  ["stamp", "--check", "--diff", "base.yaml"],
  ["migrate", "base.yaml"],
  ["restart", "--all", "--stdout", "base.yaml"],
];

/** What can't be looked up is counted: beyond this it is an error, as it is beyond a million times as much. */
const LIMIT = ["--max-comparisons", "3000"];

/** Small enough to be fast, large enough to show growth. */
const SIZE = 64;

/** Throws where the work multiplies, or a command does what it never may. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const given = new Bytes(bytes);
  const args = given.pick(COMMANDS);
  const choice = chosen(given);
  // The first run of a command also loads what it needs.
  await cost(args, built(choice, 4));
  const sizes: Cost[] = [];
  for (const n of [SIZE, 2 * SIZE, 4 * SIZE]) {
    sizes.push(await cost(args, built(choice, n)));
    const [once, twice] = sizes.slice(-2);
    if (once === undefined || twice === undefined) continue;
    const found = multiplying(once, twice);
    if (found.length === 0) return;
    if (n === 4 * SIZE)
      throw new Error(
        `${args.join(" ")} multiplies ${[...choice.growing].join(" × ")} (${choice.seen}, ${choice.kind}, {${choice.config}}):\n${found.slice(0, 12).join("\n")}`,
      );
  }
}

function cost(args: readonly string[], { text, changed, config }: Built): Promise<Cost> {
  return inFolder({ "base.yaml": text, "head.yaml": changed, "config.yaml": config }, () =>
    costOf(text.length + changed.length + config.length, async () => {
      const { stdout, stderr } = await ran([...args, ...LIMIT], text);
      return stdout.length + stderr.length;
    }),
  );
}
