// Renders Applications and ApplicationSets of a checkout with Argo CD's inline code and helm.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Mapping } from "../../src/yaml/read/json.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import {
  asText,
  failed,
  inNamespace,
  leftOut,
  list,
  mapping,
  restore,
  run,
  textAt,
  type HandIn,
  type NotRendered,
  type Rendered,
} from "./by-hand-parts.ts";
import { installed } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const ARGOCD = installed("argocd-sets.sh");
const KUSTOMIZE = installed("kustomize.sh");

/** The Applications of an ApplicationSet, as the controller makes them. */
export function applicationsOf(set: Mapping, { root, env }: HandIn): readonly Mapping[] | NotRendered {
  if (!ARGOCD.found) return leftOut("argocd-sets is not there");
  const made = run(ARGOCD.path, [root], { env, input: `${JSON.stringify(set)}\n` });
  if (made.is !== "text") return made;
  const { applications }: { readonly applications: readonly Mapping[] | null } = JSON.parse(made.text);
  return applications ?? [];
}

/** What an Application comes to; of several sources nothing is compared. */
export function argoByHand(object: Mapping, hand: HandIn): Rendered {
  return inNamespace(rendered(object, hand), textAt(object, "spec", "destination", "namespace"));
}

function rendered(object: Mapping, hand: HandIn): Rendered {
  const spec = mapping(object["spec"]);
  const source = mapping(spec["source"]);
  if (spec["source"] === undefined) return leftOut("an Application of several sources");
  if (source["plugin"] !== undefined) return leftOut("an Application of a plugin");
  const path = textAt(source, "path");
  const folder = join(hand.root, path);
  if (!existsSync(folder)) return { is: "text", text: "" };
  if (existsSync(join(folder, "Chart.yaml"))) return ofChart(object, source, folder, hand);
  if (["kustomization.yaml", "kustomization.yml", "Kustomization"].some((name) => existsSync(join(folder, name))))
    return ofKustomization(source, path, hand);
  return ofFiles(mapping(source["directory"]), folder);
}

function ofKustomization(source: Mapping, path: string, { root, env }: HandIn): Rendered {
  if (!ARGOCD.found || !KUSTOMIZE.found) return leftOut("argocd-sets is not there");
  const kustomize = mapping(source["kustomize"]);
  if (kustomize["commonAnnotationsEnvsubst"] === true) return leftOut("an Application with variables of its commit");
  const input = `${JSON.stringify({ root, path: join(root, path), kustomize, variables: {} })}\n`;
  const made = run(ARGOCD.path, ["kustomize", KUSTOMIZE.path], { env: { ...env, ARGOCD_LOG_LEVEL: "panic" }, input });
  // It changes the checkout, as repo-server does.
  restore(root, env);
  if (made.is !== "text") return made;
  const { objects, error }: { readonly objects: readonly Json[] | null; readonly error?: string } = JSON.parse(
    made.text,
  );
  return error === undefined || error === "" ? asText(objects ?? []) : failed(error);
}

function ofChart(object: Mapping, source: Mapping, folder: string, { root, env }: HandIn): Rendered {
  const helm = mapping(source["helm"]);
  const known = new Set([
    "releaseName",
    "valueFiles",
    "values",
    "valuesObject",
    "parameters",
    "skipCrds",
    "ignoreMissingValueFiles",
  ]);
  const other = Object.keys(helm).find((key) => !known.has(key));
  if (other !== undefined) return leftOut(`an Application with helm.${other}`);
  const release = textAt(helm, "releaseName") || textAt(object, "metadata", "name");
  const args = [
    "template",
    release,
    ".",
    "--namespace",
    textAt(object, "spec", "destination", "namespace") || "default",
  ];
  if (helm["skipCrds"] !== true) args.push("--include-crds");
  // Argo CD has no hook for Helm's tests: it leaves them out.
  args.push("--skip-tests");
  for (const file of list(helm["valueFiles"]).map((one) => textAt(one))) {
    const path = file.startsWith("/") ? join(root, file) : join(folder, file);
    if (helm["ignoreMissingValueFiles"] !== true || existsSync(path)) args.push("--values", path);
  }
  const inline = helm["valuesObject"] === undefined ? textAt(helm, "values") : JSON.stringify(helm["valuesObject"]);
  if (inline !== "") {
    const file = join(temporaryFolder(), "values.yaml");
    writeFileSync(file, inline);
    args.push("--values", file);
  }
  for (const parameter of list(helm["parameters"])) {
    const value = textAt(parameter, "value").replace(/,/gu, String.raw`\,`);
    args.push(
      textAt(parameter, "forceString") === "true" ? "--set-string" : "--set",
      `${textAt(parameter, "name")}=${value}`,
    );
  }
  return run("helm", args, { env, cwd: folder });
}

/** The manifests of a folder, and of those below it where the Application says so. */
function ofFiles(directory: Mapping, folder: string): Rendered {
  if (directory["include"] !== undefined || directory["exclude"] !== undefined || directory["jsonnet"] !== undefined)
    return leftOut("an Application that picks files");
  const isDeep = directory["recurse"] === true;
  const files = readdirSync(folder, { withFileTypes: true, recursive: isDeep }).filter(
    (entry) => entry.isFile() && /\.(?:ya?ml|json)$/u.test(entry.name),
  );
  const texts = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  return { is: "text", text: texts.map((text) => `${text.trimEnd()}\n`).join("---\n") };
}
