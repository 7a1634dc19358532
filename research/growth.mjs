// The time and memory that hostile input takes, in one size and in twice that size, as a table:
//
//   node scripts/build.mjs --tests && node research/growth.mjs [--out FILE] [WORD...]
//
// WORDs select shapes by name.
import { writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { parseArgs } from "node:util";
import { fileURLToPath, pathToFileURL } from "node:url";

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" } },
});

const compiled = (name) =>
  import(pathToFileURL(fileURLToPath(new URL(`../.build/test/hosts/${name}.js`, import.meta.url))));
const [{ SHAPES }, { measure }, { PRODUCTS }, { COMMAND_PRODUCTS }, { CHART_PRODUCTS }] = await Promise.all(
  ["hostile-shapes", "measured", "product-shapes", "products-of-commands", "products-of-charts"].map(compiled),
);

const HEAD = `# Growth

Measured with Node ${process.versions.node} on ${platform()} ${arch()}, on a machine with other work.
`;

const table = (title, shapes) => {
  const rows = Object.entries(shapes)
    .filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)))
    .map(([name, shape]) => {
      const [once, twice] = [measure(shape, shape.n), measure(shape, 2 * shape.n)];
      const size = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
      const cells = [
        name,
        size(once.size),
        `${once.seconds.toFixed(1)} s`,
        `${twice.seconds.toFixed(1)} s`,
        (twice.seconds / once.seconds).toFixed(1),
        `${once.peak.toFixed(0)} MiB`,
        `${twice.peak.toFixed(0)} MiB`,
        size(twice.stdout.length + twice.stderr.length),
        twice.status === 2 ? "error" : "",
      ];
      console.error(cells.join("\t"));
      return `| ${cells.join(" | ")} |`;
    });
  return `## ${title}\n\n| shape | input | time | twice | growth | memory | twice | output of twice | |\n|---|---|---|---|---|---|---|---|---|\n${rows.join("\n")}\n`;
};

const text = [
  HEAD,
  table("Products", { ...PRODUCTS, ...COMMAND_PRODUCTS, ...CHART_PRODUCTS }),
  table("One dimension", SHAPES),
].join("\n");
if (options.out === undefined) console.log(text);
else writeFileSync(options.out, text);
