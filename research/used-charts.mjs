// Which charts GitOps repositories install, by how many of them do: the counts of research/most-used-charts.yaml.
//
//   node research/used-charts.mjs [--most N] CLONE...
//
// A chart is counted once in a repository, by its name: in a HelmRelease, an OCIRepository or an Application, in
// kustomize's helmCharts, a helmfile, Terraform's helm_release, or as a dependency of a chart. What is found by a line's
// form is not parsed: a few names are of something else.
import { spawnSync } from "node:child_process";
import { basename } from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals: clones } = parseArgs({
  allowPositionals: true,
  options: { most: { type: "string", default: "200" } },
});
if (clones.length === 0) {
  console.error("usage: node research/used-charts.mjs [--most N] CLONE...");
  process.exit(2);
}

const YAML = ["*.yaml", "*.yml", "*.gotmpl", "*.yaml.j2"];
const CHARTS = ["*kustomization.yaml", "*Chart.yaml", "*requirements.yaml"];
const FORMS = [
  { files: YAML, line: "^ *(- )?chart: *[\"']?[A-Za-z0-9./:_-]+[\"']?( *#.*)?$", name: /chart: *["']?([^\s"'#]+)/gu },
  { files: YAML, line: "url: *[\"']?oci://", name: /url: *["']?oci:\/\/([^\s"'#]+)/gu },
  { files: ["*.tf"], line: '^ *chart *= *"[A-Za-z0-9./:_-]+"', name: /= *"([^"]+)"/gu },
  {
    files: CHARTS,
    line: "^ *(- )?repo(sitory)?: *[\"']?(https?|oci)://",
    around: 3,
    name: /^ *(?:- )?name: *["']?([\w.-]+)/gmu,
  },
];

function chartsOf(clone) {
  const found = new Set();
  for (const { files, line, around = 0, name } of FORMS) {
    const args = ["-C", clone, "grep", "-h", "-I", `-C${around}`, "-E", line, "HEAD", "--", ...files];
    const { stdout } = spawnSync("git", args, { encoding: "utf8", maxBuffer: 1 << 29 });
    for (const [, path] of stdout.matchAll(name)) {
      const last = path.startsWith(".")
        ? ""
        : path
            .split("/")
            .at(-1)
            .replace(/[:@].*/u, "")
            .toLowerCase();
      if (/^[a-z][a-z0-9.-]+$/u.test(last) && !/^v\d/u.test(last)) found.add(last);
    }
  }
  return found;
}

const counts = new Map();
const counted = clones.map((clone) => [clone, chartsOf(clone)]).filter(([, charts]) => charts.size > 0);
for (const [, charts] of counted) for (const chart of charts) counts.set(chart, (counts.get(chart) ?? 0) + 1);
const rows = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).slice(0, Number(options.most));
console.log(
  `# ${counted.length} repositories: ${counted.map(([clone]) => basename(clone).replace("+", "/")).join(", ")}`,
);
for (const [chart, count] of rows) console.log(`${count}\t${chart}`);
