import { readRestart } from "../../src/stamping/restart/options.ts";
import { validateRestart } from "../../src/stamping/function/validators.js";
import type { KrmFunction } from "../../src/stamping/function/krm-function.ts";
import { restart } from "../../src/stamping/restart/restart.ts";
import { unmetFindings } from "../../src/stamping/restart/restart-findings.ts";
import { momentOf } from "../../src/stamping/schedules/moment.ts";
import configHashSchema from "../config-hash/schema.json" with { type: "json" };
import schema from "./schema.json" with { type: "json" };

/** Restarts workloads at a time from the configuration or a schedule. */
export const restartFunction: KrmFunction = {
  kind: "Restart",
  // Its targets and workloads refer to the other schema, which messages look up here.
  schema: { ...schema, $defs: { ...schema.$defs, "config-hash.json": configHashSchema } },
  validator: validateRestart,
  run: (inputs, config, context) => {
    const spec = readRestart(config);
    const { edits, met, findings } = restart(inputs, {
      ...spec,
      isDue: false,
      isByHand: false,
      moment: momentOf(spec.time, context),
    });
    return { edits, findings: [...findings, ...unmetFindings(spec.targets ?? [], met)] };
  },
};
