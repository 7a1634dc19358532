import { readConfigHash } from "../../src/stamping/function/config-hash.ts";
import { validateConfigHash } from "../../src/stamping/function/validators.js";
import { NAMESPACE_VARIABLE } from "../../src/base/hosts/helm.ts";
import type { KrmFunction } from "../../src/stamping/function/krm-function.ts";
import { capped } from "../../src/findings/catalogue/cap.ts";
import { analyse, stampAll } from "../../src/stamping/pipeline.ts";
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
      edits: stampAll(analysis),
      findings: [...shortKeyFindings(hmacKey), ...analysis.findings, ...capped(waitsInRender(analysis.decisions))],
    };
  },
};
