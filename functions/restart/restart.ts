import { readRestart } from "../../src/restart/restart-options.ts";
import { validateRestart } from "../../src/config/validators.js";
import type { KrmFunction } from "../../src/krm/krm-function.ts";
import { restart } from "../../src/restart/restart.ts";
import { unmetFindings } from "../../src/restart/restart-findings.ts";
import { momentOf } from "../../src/restart/moment.ts";
import configHashSchema from "../config-hash/schema.json" with { type: "json" };
import schema from "./schema.json" with { type: "json" };

/** Restarts workloads at a moment that the configuration or a schedule tells. */
export const restartFunction: KrmFunction = {
  kind: "Restart",
  // Its targets and workloads refer to the other schema: messages look for it here.
  schema: { ...schema, $defs: { ...schema.$defs, "config-hash.json": configHashSchema } },
  validator: validateRestart,
  run: (inputs, config, context) => {
    const spec = readRestart(config);
    const { edits, met, findings } = restart(inputs, {
      ...spec,
      isDue: false,
      moment: momentOf(spec.time, context),
    });
    return { edits, findings: [...findings, ...unmetFindings(spec.targets ?? [], met)] };
  },
};
