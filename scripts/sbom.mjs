// Writes a software bill of materials of the bundles, and the licence texts of bundled packages. An unknown licence stops the
// build.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ALLOWED = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "BlueOak-1.0.0", "ISC", "MIT"];

/** Writes dist/sbom.cdx.json (CycloneDX) and dist/THIRD-PARTY-LICENSES.txt from esbuild's metafiles. */
export function writeSbom(metafiles) {
  const folder = mkdtempSync(join(tmpdir(), "rollstamp-sbom-"));
  try {
    const file = join(folder, "metafile.json");
    writeFileSync(file, JSON.stringify(merged(metafiles)));
    const cli = "node_modules/@cyclonedx/cyclonedx-esbuild/bin/cyclonedx-esbuild-cli.js";
    const args = ["--output-reproducible", "--gather-license-texts", "--output-file", "dist/sbom.cdx.json", file];
    const { status, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // References within the bill contain a digest of the local path of the package.
  const bill = JSON.parse(readFileSync("dist/sbom.cdx.json", "utf8").replace(/#[0-9a-f]{64}"/g, '"'));
  const { components, metadata } = bill;
  writeFileSync(
    "dist/THIRD-PARTY-LICENSES.txt",
    components
      .map(notice)
      .sort()
      .join(`\n${"=".repeat(80)}\n\n`),
  );
  // The licence texts are in a separate file.
  for (const component of [metadata.component, ...components]) delete component.evidence;
  writeFileSync("dist/sbom.cdx.json", `${JSON.stringify(bill, undefined, 2)}\n`);
}

/** One metafile of third-party files: paths with a colon belong to plugins, standard input is ours. */
function merged(metafiles) {
  const others = (inputs) => Object.fromEntries(Object.entries(inputs).filter(([path]) => !/[:<]/.test(path)));
  const outputs = metafiles.flatMap((metafile) => Object.entries(metafile.outputs));
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => others(inputs))),
    outputs: Object.fromEntries(outputs.map(([path, out]) => [path, { ...out, inputs: others(out.inputs) }])),
  };
}

function notice({ group, name, version, licenses = [], evidence }) {
  const title = `${group === undefined ? "" : `${group}/`}${name} ${version}`;
  const ids = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name);
  if (ids.length === 0 || !ids.every((id) => ALLOWED.includes(id))) {
    throw new Error(`the licence of ${title} is ${ids.join(", ") || "unknown"}: none of ${ALLOWED.join(", ")}`);
  }
  const texts = (evidence?.licenses ?? []).map(({ license }) => Buffer.from(license.text.content, "base64").toString());
  if (texts.length === 0) throw new Error(`${title} comes without the text of its licence`);
  return `${title} (${ids.join(", ")})\n\n${texts.map((text) => text.trim()).join("\n\n")}\n`;
}
