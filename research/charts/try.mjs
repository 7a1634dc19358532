// One chart through every host: how many stamps it got in each, or what is wrong.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { partingLine, partingReader, stampsIn } from "./compare.mjs";
import { run, templateArgs } from "./hosts.mjs";
import { stage, testValues } from "./staging.mjs";

/**
 * Gives { left } where Helm 3 itself doesn't render the chart, else { values, verdicts }: a verdict for each host,
 * { stamps } or { wrong } or { refused }, which is what the host says without rollstamp.
 */
export async function tryChart(chart, { find, helm, hosts, rollstamp, readers, work, keep }) {
  const scratch = mkdtempSync(join(work, "chart-"));
  try {
    const folder = join(scratch, chart.name);
    const missing = stage(chart.folder, find, folder, { values: chart.values });
    const rendered = await render(helm, folder, listed(chart, folder, scratch));
    if (rendered.why !== undefined) {
      return {
        left: missing.length > 0 ? `without ${[...new Set(missing)].join(", ")}: ${rendered.why}` : rendered.why,
      };
    }
    const verdicts = {};
    for (const host of hosts) {
      const place = join(scratch, host.name.replace(" ", ""));
      mkdirSync(place);
      const given = { folder, values: rendered.values, rendering: rendered.text };
      const same = await host.render(given, "same", place);
      const stamped = same.status === 0 ? await host.render(given, "stamps", place) : undefined;
      verdicts[host.name] = await verdict(same, stamped, { rollstamp, readers });
      if (keep !== undefined) keepTexts(join(keep, chart.name, basename(place)), same, stamped);
    }
    return {
      values: rendered.isListed ? ["values of the list"] : rendered.values.map((path) => `ci/${basename(path)}`),
      verdicts,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The files of the values that a list gives for a chart, each as it is or by its name in the chart. */
function listed({ values }, folder, scratch) {
  if (values === undefined) return [];
  const files = [values].flat().map((each, i) => {
    if (typeof each === "string") return join(folder, each);
    const file = join(scratch, `values-${i}.yaml`);
    writeFileSync(file, JSON.stringify(each));
    return file;
  });
  return [files];
}

/** What Helm makes of a chart: by a list's values, by its own, or else by those of its tests, the first that do. */
async function render(helm, folder, given) {
  let why;
  for (const values of [...given, [], ...testValues(folder).map((file) => [file])]) {
    const { status, stdout, stderr } = await run(helm, templateArgs(folder, values));
    if (status === 0 && stdout.trim() !== "") return { values, isListed: given.includes(values), text: stdout };
    why ??= status === 0 ? "renders nothing" : errorOf(stderr);
  }
  return { why };
}

async function verdict(same, stamped, { rollstamp, readers }) {
  if (stamped === undefined) return { refused: errorOf(same.stderr) };
  if (stamped.status !== 0) return { wrong: `fails: ${errorOf(stamped.stderr)}` };
  const parting = partingLine(same.stdout, stamped.stdout);
  if (parting !== undefined) return { wrong: `differs at ${parting}` };
  const read = await run(readers, [], {
    input: [same, stamped].map(({ stdout }) => `${JSON.stringify(stdout)}\n`).join(""),
  });
  const [before, after] = read.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const reader = partingReader(before, after);
  if (reader !== undefined) return { wrong: reader };
  const again = await run(...rollstamp, { input: stamped.stdout });
  if (again.status !== 0) return { wrong: `fails on its own output: ${errorOf(again.stderr)}` };
  if (again.stdout !== stamped.stdout) return { wrong: "a second run changes something" };
  return { stamps: stampsIn(stamped.stdout) - stampsIn(same.stdout) };
}

/** What rollstamp says, or else its host. */
function errorOf(stderr) {
  const lines = stderr.split("\n").map((line) => line.trim());
  const first = [/rollstamp: error:/u, /^Error:/u, /error|fail/iu, /./u].map((what) =>
    lines.find((line) => what.test(line)),
  );
  return first.find((line) => line !== undefined) ?? "";
}

function keepTexts(folder, same, stamped) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "without.yaml"), same.stdout);
  writeFileSync(join(folder, "with.yaml"), stamped?.stdout ?? "");
  writeFileSync(join(folder, "messages.txt"), `${same.stderr}\n---\n${stamped?.stderr ?? ""}`);
}
