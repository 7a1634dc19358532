import { RollstampError } from "../../src/base/errors.ts";
import { readConfigHash, type ConfigHashSpec } from "../../src/stamping/function/config-hash.ts";
import { validateConfigHash } from "../../src/stamping/function/validators.js";
import { keepsThroughRollback, NAMESPACE_VARIABLE } from "../../src/base/hosts/helm.ts";
import type { Manifests } from "../../src/yaml/read/items.ts";
import type { KrmFunction, RunContext } from "../../src/stamping/function/krm-function.ts";
import { capped } from "../../src/findings/catalogue/cap.ts";
import { analyse, stampAll } from "../../src/stamping/pipeline.ts";
import { copyOptions, type CopyPlace } from "../../src/stamping/stamps/copy-edits.ts";
import { shortKeyFindings } from "../../src/stamping/stamps/short-key.ts";
import { waitsInRender } from "../../src/stamping/stamps/findings.ts";
import schema from "./schema.json" with { type: "json" };

/** Writes digests of ConfigMaps and Secrets into the pod templates that use them. */
export const configHash: KrmFunction = {
  kind: "ConfigHash",
  schema,
  validator: validateConfigHash,
  run: (inputs, config, context) => {
    const spec = readConfigHash(config, context.variable(NAMESPACE_VARIABLE));
    const hmacKey = spec.secrets === "Keyed" ? context.hmacKey() : undefined;
    const analysis = analyse(inputs, spec, hmacKey);
    return {
      edits: stampAll(analysis, copyOptions(spec, placeOfCopies(spec, inputs, context))),
      findings: [...shortKeyFindings(hmacKey), ...analysis.findings, ...capped(waitsInRender(analysis.decisions))],
    };
  },
};

/** Where copies are written. Throws a RollstampError for a version of Helm that cannot keep them. */
function placeOfCopies(
  { layout }: ConfigHashSpec,
  inputs: readonly Manifests[],
  { helmVersion }: RunContext,
): CopyPlace {
  // Helm sends a stream, and other layouts need not know it.
  const version = layout === "Versioned" && inputs.every(({ form }) => form === "stream") ? helmVersion() : undefined;
  if (version === undefined) return "rendering";
  if (keepsThroughRollback(version)) return "helm";
  throw new RollstampError("config", `'spec.layout: Versioned' does not work with Helm ${version}`, {
    configPath: ["spec", "layout"],
    remedy:
      "Its rollbacks fail on objects that were kept ('no ConfigMap with the name … found'). Use Helm 3.22 or later, or another layout.",
  });
}
