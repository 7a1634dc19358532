import { readConfigHash } from "../../src/config/config-hash.ts";
import { validateConfigHash } from "../../src/config/validators.js";
import { NAMESPACE_VARIABLE } from "../../src/ground/hosts/helm.ts";
import type { KrmFunction } from "../../src/krm/krm-function.ts";
import { capped } from "../../src/findings/cap.ts";
import { analyse, stampAll } from "../../src/pipeline.ts";
import { waitsInRender } from "../../src/stamps/waits-in-render.ts";
import schema from "./schema.json" with { type: "json" };

/** Writes digests of ConfigMaps and Secrets into the pod templates that use them. */
export const configHash: KrmFunction = {
  kind: "ConfigHash",
  schema,
  validator: validateConfigHash,
  run: (inputs, config, context) => {
    const spec = readConfigHash(config, context.variable(NAMESPACE_VARIABLE));
    const analysis = analyse(inputs, spec, spec.secrets === "Keyed" ? context.hmacKey() : undefined);
    return {
      edits: stampAll(analysis),
      findings: [...analysis.findings, ...capped(waitsInRender(analysis.decisions))],
    };
  },
};
