// Which kinds of public operators are known, derived or neither, as a table.
//
//   node scripts/kinds-coverage.mjs FOLDER...                      CustomResourceDefinitions, as YAML or JSON
//   node scripts/kinds-coverage.mjs --out docs/kinds-coverage.md --corpus TEXT FOLDER...
//
// A folder may also be a checkout of github.com/datreeio/CRDs-catalog: JSON schemas as GROUP/KIND_VERSION.json. It
// writes kinds in lower case; how they are spelt is taken from what the schema says of itself, else guessed.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string" },
    corpus: { type: "string", default: "" },
    program: { type: "string", default: "dist/rollstamp.cjs" },
  },
});
if (positionals.length === 0) {
  console.error("usage: node scripts/kinds-coverage.mjs [--out FILE] [--corpus TEXT] [--program FILE] FOLDER...");
  process.exit(2);
}
const program = resolve(options.program);
const folder = mkdtempSync(join(tmpdir(), "rollstamp-kinds-"));

function kindsOf(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "kinds", "-o", "json", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, HOME: folder },
    maxBuffer: 1 << 30,
  });
  if (status !== 0 && stdout === "") throw new Error(`rollstamp kinds ${args.join(" ")}: ${stderr}`);
  return JSON.parse(stdout).kinds;
}

/** The groups of one operator: what all providers of a cloud have in common. */
const FAMILIES = [
  [/(?:^|\.)cnrm\.cloud\.google\.com$/, "*.cnrm.cloud.google.com"],
  [/\.services\.k8s\.aws$/, "*.services.k8s.aws"],
  [/(?:^|\.)azure\.com$/, "*.azure.com"],
  [/(?:^|\.)(?:upbound|crossplane)\.io$/, "*.upbound.io, *.crossplane.io"],
  [/\.k8s\.elastic\.co$/, "*.k8s.elastic.co"],
  [/\.percona\.com$/, "*.percona.com"],
  [/\.toolkit\.fluxcd\.io$/, "*.toolkit.fluxcd.io"],
  [/(?:^|\.)(?:networking|security|telemetry|extensions|install)\.istio\.io$/, "*.istio.io"],
  [/(?:^|\.)cluster\.x-k8s\.io$/, "*.cluster.x-k8s.io"],
  [/(?:^|\.)kubevirt\.io$/, "*.kubevirt.io"],
  [/\.gatekeeper\.sh$/, "*.gatekeeper.sh"],
  [/(?:^|\.)kyverno\.io$/, "*.kyverno.io"],
  [/\.knative\.dev$/, "*.knative.dev"],
  [/(?:^|\.)cattle\.io$/, "*.cattle.io"],
  [/(?:^|\.)strimzi\.io$/, "*.strimzi.io"],
  [/(?:^|\.)solo\.io$/, "*.solo.io"],
  [/(?:^|\.)keda\.sh$/, "*.keda.sh"],
];
const familyOf = (group) => FAMILIES.find(([pattern]) => pattern.test(group))?.[1] ?? group;

try {
  const builtIn = kindsOf();
  const reports = [];
  positionals.forEach((path, i) => {
    const schemas = catalogue(path);
    if (schemas.length === 0) reports.push(...kindsOf("--from-crds", path));
    else {
      for (const [group, files] of groupBy(schemas, (schema) => schema.group)) {
        const into = join(folder, String(i), group);
        mkdirSync(into, { recursive: true });
        for (const file of files)
          writeFileSync(join(into, `${file.kind}.json`), JSON.stringify(definition(file, builtIn)));
      }
      reports.push(...kindsOf("--from-crds", join(folder, String(i))));
    }
  });
  const kinds = [
    ...new Map(reports.map((report) => [`${report.group}/${report.kind}`.toLowerCase(), report])).values(),
  ];
  const text = page(kinds);
  if (options.out === undefined) process.stdout.write(text);
  else writeFileSync(options.out, text);
} finally {
  rmSync(folder, { recursive: true });
}

function groupBy(list, keyOf) {
  const groups = new Map();
  for (const one of list) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return groups;
}

/** The newest schema of each kind in a checkout of CRDs-catalog; none in any other folder. */
function catalogue(path) {
  const found = new Map();
  for (const group of readdirSync(path)) {
    if (!group.includes(".") || group.startsWith(".") || !statSync(join(path, group)).isDirectory()) continue;
    for (const name of readdirSync(join(path, group))) {
      const [, kind, version] = /^([a-z0-9]+)_(v\d\w*)\.json$/.exec(name) ?? [];
      if (kind === undefined) continue;
      const key = `${group}/${kind}`;
      const known = found.get(key);
      if (known === undefined || rank(version) > rank(known.version))
        found.set(key, { group, kind, version, file: join(path, group, name) });
    }
  }
  return [...found.values()];
}

/** A version as Kubernetes orders them: v2, v1, v1beta2, v1alpha1. */
function rank(version) {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?/.exec(version) ?? [];
  return (stage === undefined ? 2 : stage === "beta" ? 1 : 0) * 1e6 + Number(major ?? 0) * 1e3 + Number(minor ?? 0);
}

function definition({ group, kind, version, file }, builtIn) {
  const schema = JSON.parse(readFileSync(file, "utf8"));
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind}.${group}` },
    spec: {
      group,
      names: { kind: spelt(group, kind, schema, builtIn) },
      versions: [{ name: version, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

function spelt(group, kind, { description = "" }, builtIn) {
  const isIt = (word) => word.toLowerCase() === kind;
  const known = builtIn.find((report) => report.group === group && isIt(report.kind))?.kind;
  const said = description.match(/\w+/g)?.find((word) => isIt(word) && word !== kind);
  return (
    known ??
    said ??
    `${kind[0].toUpperCase()}${kind.slice(1)}`.replace(
      /(?:run|job|task|backup|restore|workflow|test|snapshot|build)$/,
      (end) => `${end[0].toUpperCase()}${end.slice(1)}`,
    )
  );
}

function page(kinds) {
  const of = (list, status) => list.filter((kind) => kind.status === status);
  const families = [...groupBy(kinds, ({ group }) => familyOf(group))].sort(([a], [b]) => (a < b ? -1 : 1));
  const uses = (kind) => kind.status !== "None";
  const having = families.filter(([, list]) => list.some(uses));
  const names = (list) =>
    list
      .map(({ kind }) => kind)
      .sort()
      .join(", ") || "–";
  const counts = (status) => of(kinds, status).length;
  const rows = having.map(([family, list]) => {
    const apart = ["BuiltIn", "Derived", "NoPlace", "Open", "LeftOut"].map((status) => names(of(list, status)));
    return `| ${family} | ${list.length} | ${apart.join(" | ")} |`;
  });
  const date = new Date().toISOString().slice(0, 10);
  const rolling = kinds.filter(({ status }) => ["BuiltIn", "Derived", "NoPlace", "Open"].includes(status)).length;
  const ready = counts("BuiltIn") + counts("Derived");
  return `# Kinds of public operators, and what is known of them

Written by \`node scripts/kinds-coverage.mjs --out docs/kinds-coverage.md FOLDER...\` on ${date}${options.corpus === "" ? "" : `, over ${options.corpus}`}:
${kinds.length} kinds of ${families.length} operators. One that has several API groups is one row; so are the providers of a cloud.

| what | kinds |
|---|---|
| built in | ${counts("BuiltIn")} |
| derived: \`rollstamp kinds --from-crds\` gives the entry of \`workloads\` | ${counts("Derived")} |
| names sources as pod specs do, and nothing shows where annotations of its pods go | ${counts("NoPlace")} |
| by its name a pod template, and the schema takes anything | ${counts("Open")} |
| left out: it runs once, is a policy or a machine, makes Secrets | ${counts("LeftOut")} |
| nothing of pods | ${counts("None")} |

Of the ${rolling} kinds with pods of their own ${ready} (${Math.round((100 * ready) / rolling)} %) are known or need but the entry that is given.
[RS014](rules/RS014.md) tells objects of the others as well. A kind may be in the last row of the first table and still run
pods: those whose fields name Secrets by forms of their own, and nothing else, are not found by their structure.

| operator | kinds | built in | derived | no place | open | left out |
|---|---|---|---|---|---|---|
${rows.join("\n")}

${families.length - having.length} operators have no kind with anything of pods: ${families
    .filter(([, list]) => !list.some(uses))
    .map(([family]) => family)
    .join(", ")}.
`;
}
