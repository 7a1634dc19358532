// Counts what each lint rule finds in renderings of public repositories, and writes a sample for a person to judge.
//
//   node research/renderings.mjs FOLDER OUT      makes the renderings
//   node research/precision.mjs OUT              prints how much each rule finds, and writes OUT/samples/<rule>.txt
//   node research/precision.mjs --sample 50 OUT
//
// Each rendering is an input by itself; RS013 compares it with its second rendering, and the rules of plans compare it
// with that of some months before. A sample takes findings of different words, spread evenly over the repositories.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { sample: { type: "string", default: "40" } },
});
const [out] = positionals;
if (out === undefined) {
  console.error("usage: node research/precision.mjs [--sample N] OUT");
  process.exit(2);
}

// The stages as they are, in one process: a run of the command for each rendering would be most of the time.
const entry = `
  export { lint } from "./src/reports/lint/lint.ts";
  export { lintContext } from "./src/reports/lint/context.ts";
  export { describeFinding } from "./src/findings/catalogue/words.ts";
  export { RULE_IDS } from "./src/findings/catalogue/catalogue.ts";
  export { readManifests } from "./src/yaml/read/items.ts";
  export { readTree } from "./src/yaml/read/tree.ts";
  export { DEFAULT_LIMITS } from "./src/base/limits.ts";
  export { CONFIG_HASH_DEFAULTS } from "./src/stamping/function/config-hash.ts";
`;
const { outputFiles } = await build({
  stdin: { contents: entry, resolveDir: process.cwd(), loader: "ts" },
  bundle: true,
  platform: "node",
  format: "cjs",
  write: false,
  logLevel: "error",
});
mkdirSync(".cache", { recursive: true });
writeFileSync(".cache/precision.cjs", outputFiles[0].text);
const { default: stages } = await import(join(process.cwd(), ".cache/precision.cjs"));

const spec = { ...stages.CONFIG_HASH_DEFAULTS };
const contextOf = (file, inputs = {}) =>
  stages.lintContext(
    [stages.readManifests(stages.readTree(readFileSync(file, "utf8"), file, stages.DEFAULT_LIMITS))],
    spec,
    inputs,
  );

function rendered(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const here = entries.some((one) => one.name === "head.yaml") ? [folder] : [];
  return [
    ...here,
    ...entries.filter((one) => one.isDirectory()).flatMap((one) => rendered(join(folder, one.name))),
  ].sort();
}

const folders = rendered(out);
const found = new Map(stages.RULE_IDS.map((id) => [id, []]));
const sum = { renderings: 0, workloads: 0, refused: 0 };
for (const folder of folders) {
  const fileOf = (side) => join(folder, `${side}.yaml`);
  const side = (name) => (existsSync(fileOf(name)) ? contextOf(fileOf(name)) : undefined);
  try {
    const [again, base] = [side("again"), side("base")];
    const inputs = { ...(again === undefined ? {} : { again }), ...(base === undefined ? {} : { base }) };
    const context = contextOf(fileOf("head"), inputs);
    sum.renderings++;
    sum.workloads += context.workloads.length;
    for (const finding of stages.lint(context)) {
      const { id, severity, message, remedy } = stages.describeFinding(finding);
      const line = finding.place?.line ?? 0;
      found.get(id)?.push({
        severity,
        cause: finding.cause,
        message,
        remedy,
        where: `${relative(out, folder)}/head.yaml:${line}`,
      });
    }
  } catch (cause) {
    sum.refused++;
    console.error(`${relative(out, folder)}: ${cause.message}`);
  }
}

/** The same list in an order in which any beginning of it is spread over the whole. */
function spread(list) {
  const step = Math.max(1, Math.floor(list.length * 0.381966));
  const order = [];
  const seen = new Set();
  for (let index = 0; order.length < list.length; index = (index + step) % list.length) {
    while (seen.has(index)) index = (index + 1) % list.length;
    seen.add(index);
    order.push(list[index]);
  }
  return order;
}

/** Findings of different words, as evenly over the repositories as there are any. */
function sampled(findings, most) {
  const byRepository = new Map();
  const words = new Set();
  for (const finding of findings) {
    if (words.has(finding.message)) continue;
    words.add(finding.message);
    const repository = finding.where.split("/")[0];
    byRepository.set(repository, [...(byRepository.get(repository) ?? []), finding]);
  }
  const picked = [];
  // Not the first ones only: neighbours are alike.
  const queues = [...byRepository.values()].map((list) => spread(list));
  for (let nth = 0; picked.length < Math.min(most, words.size); nth++) {
    for (const queue of queues) if (queue[nth] !== undefined && picked.length < most) picked.push(queue[nth]);
  }
  return picked.toSorted((a, b) => (a.where < b.where ? -1 : 1));
}

mkdirSync(join(out, "samples"), { recursive: true });
console.log(`${sum.renderings} renderings, ${sum.workloads} workloads, ${sum.refused} refused`);
for (const [id, findings] of found) {
  const sample = sampled(findings, Number(options.sample));
  const text = sample.map(
    ({ where, cause, severity, message, remedy }) =>
      `${where}\n  ${severity} ${cause}: ${message}\n  ${remedy ?? ""}\n`,
  );
  writeFileSync(join(out, "samples", `${id}.txt`), text.join(""));
  console.log(
    `${id}  ${findings.length} found, ${new Set(findings.map(({ message }) => message)).size} of different words, ${sample.length} to read`,
  );
}
