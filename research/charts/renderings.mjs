// Upgrades of charts as Helm renders them: before, after, and before once more, with the same values.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { dependenciesAt } from "./corpus.mjs";
import { run, templateArgs } from "./hosts.mjs";
import { stage, testValues } from "./staging.mjs";
import { exported, forget } from "./upgrades.mjs";

const MOST_VALUES = 6;

const lastLine = (text) =>
  text
    .trim()
    .split("\n")
    .find((line) => /error/iu.test(line)) ??
  text.trim().split("\n").at(-1) ??
  "";

/**
 * What renders upgrades of charts, which are { name, repository, path, of }, in a folder of its own. What it gives:
 * { left } where Helm doesn't render one of the two, else { texts, values, digested }, of which the last has for each
 * template with a workload the templates that it names. Undefined where it is not kept and no time is left.
 */
export function renderer({ helm, version, charts, work, kept, isOver }) {
  const code = createHash("sha256").update(version);
  for (const name of ["renderings.mjs", "corpus.mjs", "staging.mjs", "upgrades.mjs", "hosts.mjs"])
    code.update(readFileSync(join(import.meta.dirname, name)));
  const digest = code.digest("hex").slice(0, 12);
  return async (chart, upgrade, key) => {
    const file = kept === undefined ? undefined : join(kept, `helm-${digest}`, `${key}.json.gz`);
    if (file !== undefined && existsSync(file)) return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
    if (isOver()) return undefined;
    const rendering = await rendered({ helm, charts, work }, chart, upgrade);
    if (file !== undefined) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, gzipSync(JSON.stringify(rendering)), { mode: 0o600 });
    }
    return rendering;
  };
}

async function rendered({ helm, charts, work }, chart, { from, to }) {
  const into = mkdtempSync(join(work, "upgrade-"));
  try {
    const staged = [];
    for (const [i, revision] of [from, to].entries()) {
      const folder = exported(chart.repository, revision, chart.path, into);
      if (folder === undefined) return { left: "it is not in the repository at that revision" };
      const path = join(into, `staged-${i}`, "chart");
      const missing = stage(folder, dependenciesAt(chart, revision, into, charts), path);
      staged.push({ path, missing });
    }
    const render = async ({ path }, values) => {
      const { status, stdout, stderr } = await run(helm, [...templateArgs(path, values), "--no-hooks"], {
        env: { HELM_PLUGINS: join(work, "none"), KUBECONFIG: join(work, "none") },
      });
      return status === 0 && stdout.trim() !== ""
        ? { text: stdout }
        : { why: status === 0 ? "renders nothing" : lastLine(stderr) };
    };
    let why;
    const files = testValues(staged[0].path).slice(0, MOST_VALUES);
    for (const values of [[], ...files.map((file) => [file])]) {
      const [a, b] = [await render(staged[0], values), await render(staged[1], values)];
      if (a.text === undefined || b.text === undefined) {
        why ??= a.why ?? b.why;
        continue;
      }
      const again = (await render(staged[0], values)).text ?? a.text;
      const texts = [a.text, b.text, again];
      return { texts, values: values.map((file) => basename(file)), digested: digestedBy(a.text, staged[1].path) };
    }
    const missing = staged.flatMap(({ missing: names }) => names);
    return { left: missing.length > 0 ? `without ${[...new Set(missing)].join(", ")}: ${why}` : why };
  } finally {
    forget(into);
  }
}

/** The templates that each template of a rendering names: what its checksums are over. */
function digestedBy(text, folder) {
  const digested = {};
  for (const [, source] of text.matchAll(/^# Source: (.+)$/gmu)) {
    if (source in digested) continue;
    const file = join(folder, ...source.split("/").slice(1));
    const names = existsSync(file) ? readFileSync(file, "utf8").matchAll(/"\/?([\w./-]+\.ya?ml)"/gu) : [];
    digested[source] = [...names].map(([, path]) => posix.basename(path));
  }
  return digested;
}
