import { RollstampError } from "../../base/errors.ts";
import type { InitTarget } from "./init-target.ts";
import { FIRST_STAMPS, typedHere } from "./typed.ts";
import { addToList, readAuthored, valueAt } from "./yaml-insert.ts";

const KPTFILE = "Kptfile";
const MUTATORS = ["pipeline", "mutators"];

/** A mutator in a Kptfile's pipeline, listed last. */
export const KPT: InitTarget = {
  name: "kpt",
  summary: "a mutator in the Kptfile of a folder",
  takes: ["image"],
  propose: (folder, { image }) => {
    const before = folder.read(KPTFILE);
    if (before === undefined) {
      throw new RollstampError("usage", "no Kptfile found in this folder", {
        remedy: "Use the folder of the package: rollstamp init kpt packages/web.",
      });
    }
    const authored = readAuthored(before, KPTFILE);
    const exec = image === undefined ? " --allow-exec" : "";
    const notes = [`Render with: kpt fn render${exec} ${typedHere(folder)}`, FIRST_STAMPS];
    const mutators = valueAt(authored, MUTATORS);
    const isWired =
      Array.isArray(mutators) && mutators.some((mutator) => /\brollstamp\b/u.test(JSON.stringify(mutator)));
    if (isWired) return { files: [], notes };
    const after = addToList(authored, MUTATORS, [image === undefined ? "exec: rollstamp" : `image: ${image}`]);
    return { files: [{ path: KPTFILE, before, after }], notes };
  },
};
