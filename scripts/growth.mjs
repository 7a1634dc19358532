// What time and memory hostile shapes take, in one size and in the double, as the table of docs/growth.md:
//
//   node scripts/build.mjs --tests && node scripts/growth.mjs [--out docs/growth.md] [WORD...]
//
// With WORDs only the shapes whose names have one of them.
import { writeFileSync } from "node:fs";
import { arch, platform } from "node:os";
import { parseArgs } from "node:util";
import { fileURLToPath, pathToFileURL } from "node:url";

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string" } },
});

// As the tests have them, compiled.
const compiled = (name) =>
  import(pathToFileURL(fileURLToPath(new URL(`../.build/test/hosts/${name}.js`, import.meta.url))));
const [{ SHAPES }, { measure }, { PRODUCTS }, { COMMAND_PRODUCTS }, { CHART_PRODUCTS }] = await Promise.all(
  ["hostile-shapes", "measured", "product-shapes", "products-of-commands", "products-of-charts"].map(compiled),
);

const HEAD = `# Growth

What each shape of hostile input takes of the processor and of memory, in one size and in the double, in a process of its
own with a heap of 768 MiB. \`scripts/growth.mjs\` makes this table; \`test/hosts/hostile-input.test.ts\` holds it to growth
below 2.8, which is twice and what a busy machine adds; less than a second is start-up. What is over a [limit](limits.md)
is an error, and its time is that of finding out.

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
