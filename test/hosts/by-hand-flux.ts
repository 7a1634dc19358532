// Renders Kustomizations and HelmReleases of a checkout with Flux's own libraries and helm, without rollstamp.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMapping, type Mapping } from "../../src/yaml/read/json.ts";
import type { Json } from "../../src/yaml/read/node.ts";
import { placeholderOf } from "../../src/applications/render/unknown-values.ts";
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
  type Listed,
  type NotRendered,
  type Rendered,
  type Written,
} from "./by-hand-parts.ts";
import { installed } from "./programs.ts";
import { temporaryFolder } from "./trees.ts";

const BUILDS = installed("flux-builds.sh");
const VALUES = installed("flux-values.sh");

/** What a Kustomization or a HelmRelease comes to. */
export function fluxByHand(object: Mapping, { path }: Listed, hand: HandIn): Rendered {
  return textAt(object, "kind") === "HelmRelease" ? ofRelease(object, hand) : ofKustomization(object, path, hand);
}

function ofKustomization(object: Mapping, folder: string, { root, env, documents }: HandIn): Rendered {
  if (!BUILDS.found) return leftOut("flux-builds is not there");
  const namespace = textAt(object, "metadata", "namespace") || "flux-system";
  const owner = { ...object, metadata: { ...mapping(object["metadata"]), namespace } };
  const spec = mapping(object["spec"]);
  const objects = dataFor(list(mapping(spec["postBuild"])["substituteFrom"]), namespace, documents());
  if ("is" in objects) return objects;
  const input = `${JSON.stringify({ root, folder, kustomization: owner, objects })}\n`;
  const made = run(BUILDS.path, [], { env, input });
  // It writes into the folder.
  restore(root, env);
  if (made.is !== "text") return made;
  const answer: { readonly objects?: Json[]; readonly error?: string } = JSON.parse(made.text);
  return answer.error === undefined ? asText(answer.objects ?? []) : failed(answer.error);
}

/** As helm-controller has it: the chart with the values. */
function ofRelease(object: Mapping, hand: HandIn): Rendered {
  const { root, env, documents } = hand;
  const spec = mapping(object["spec"]);
  const chart = chartOf(object, documents());
  if (typeof chart !== "string") return chart;
  if (spec["postRenderers"] !== undefined || spec["commonMetadata"] !== undefined)
    return leftOut("HelmRelease with postRenderers");
  const values = valuesOf(object, hand);
  if ("is" in values) return values;
  const file = join(temporaryFolder(), "values.json");
  writeFileSync(file, values.text);
  const releaseNamespace = textAt(object, "metadata", "namespace");
  const target = textAt(object, "spec", "targetNamespace");
  const name = textAt(object, "metadata", "name");
  const release = textAt(object, "spec", "releaseName") || (target === "" ? name : `${target}-${name}`);
  const isUnchecked = textAt(object, "spec", "install", "disableSchemaValidation") === "true";
  const args = [
    "template",
    release,
    join(root, chart),
    "--namespace",
    target || releaseNamespace || "default",
    "--include-crds",
  ];
  args.push("--values", file, ...(isUnchecked ? ["--skip-schema-validation"] : []));
  if (textAt(object, "spec", "test", "enable") !== "true") args.push("--skip-tests");
  return inNamespace(run("helm", args, { env }), target || releaseNamespace);
}

/** The values of a HelmRelease, merged by Flux's own library, as JSON text. */
function valuesOf(object: Mapping, { env, documents }: HandIn): { readonly text: string } | NotRendered {
  if (!VALUES.found) return leftOut("flux-values is not there");
  const spec = mapping(object["spec"]);
  const references = list(spec["valuesFrom"]);
  const objects = dataFor(references, textAt(object, "metadata", "namespace"), documents());
  if ("is" in objects) return objects;
  const input = JSON.stringify({
    values: spec["values"],
    refs: references,
    objects: objects.map((one) => ({
      kind: textAt(one, "kind"),
      name: textAt(one, "metadata", "name"),
      data: decoded(one),
    })),
  });
  const merged = run(VALUES.path, [], { env, input: `${input}\n` });
  if (merged.is !== "text") return merged;
  const { values = {}, error }: { readonly values?: Json; readonly error?: string } = JSON.parse(merged.text);
  if (error !== undefined) return failed(error);
  // An integer from targetPath is returned in a mapping.
  const text = JSON.stringify(values, (_, one: Json) =>
    isMapping(one) && Object.keys(one).join(",") === "int64" ? Number(one["int64"]) : one,
  );
  return { text };
}

/** The ConfigMaps and Secrets that references name, from files of the repository; what only a cluster has isn't known. */
function dataFor(
  references: readonly Json[],
  namespace: string,
  documents: readonly Written[],
): readonly Mapping[] | NotRendered {
  const found: Mapping[] = [];
  for (const reference of references) {
    const [kind, name] = [textAt(reference, "kind"), textAt(reference, "name")];
    const all = documents.filter(
      ({ object }) => textAt(object, "kind") === kind && textAt(object, "metadata", "name") === name,
    );
    const [one, other] = all;
    if (one === undefined && textAt(reference, "optional") === "true") continue;
    if (one === undefined) return leftOut("values that only a cluster has");
    if (other !== undefined) return leftOut("values in several places");
    found.push(withStandIns({ ...one.object, metadata: { name, namespace } }));
  }
  return found;
}

/** With what stands for texts that are encrypted, and for those of Secrets: reports would show them. */
function withStandIns(object: Mapping): Mapping {
  const isSecret = textAt(object, "kind") === "Secret";
  const texts = Object.entries({ ...decoded(object) }).map(([key, text]) => {
    const isShown = !isSecret || /^(?:true|false|null|yes|no|on|off|[+-]?\d{1,5})$/iu.test(text);
    const value = isShown && !text.startsWith("ENC[") ? text : placeholderOf(text);
    return [key, isSecret ? Buffer.from(value).toString("base64") : value] as const;
  });
  const { apiVersion = "v1", kind = "", metadata = {} } = object;
  return { apiVersion, kind, metadata, data: Object.fromEntries(texts) };
}

function decoded(object: Mapping): Record<string, string> {
  const texts = (field: string): [string, string][] =>
    Object.entries(mapping(object[field])).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]);
  const isSecret = textAt(object, "kind") === "Secret";
  const data = texts("data").map(([key, text]): [string, string] =>
    isSecret && !text.startsWith("ENC[") ? [key, Buffer.from(text, "base64").toString("utf8")] : [key, text],
  );
  return Object.fromEntries([...data, ...texts("stringData")]);
}

/** The folder of a release's chart, where that is in the repository. */
function chartOf(object: Mapping, documents: readonly Written[]): string | NotRendered {
  const spec = mapping(object["spec"]);
  const ref = mapping(spec["chartRef"]);
  let chart = mapping(mapping(spec["chart"])["spec"]);
  if (ref["kind"] === "HelmChart") {
    const found = documents.find(
      (one) => textAt(one.object, "kind") === "HelmChart" && textAt(one.object, "metadata", "name") === ref["name"],
    );
    chart = mapping(found?.object["spec"]);
  }
  if (textAt(chart, "sourceRef", "kind") !== "GitRepository") return failed("its chart is fetched, and nothing is");
  if (chart["valuesFiles"] !== undefined) return leftOut("HelmRelease with valuesFiles");
  return textAt(chart, "chart");
}
