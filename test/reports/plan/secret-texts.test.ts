import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NOTHING_PLANNED, type PlanPart } from "../../../src/reports/plan/parts.ts";
import { withoutSecretTexts } from "../../../src/reports/plan/secret-texts.ts";
import { deployment } from "../../support/manifests.ts";
import { planned } from "./planned.ts";

/** The part of a plan in which an image changes. */
function rolling(from: string, to: string): PlanPart {
  const side = (image: string): string => deployment("web", "none").replace("app:1", image);
  const rows = planned(side(from), side(to)).workloads.map((workload) => ({
    isListed: true,
    planned: workload,
  }));
  return { ...NOTHING_PLANNED, rows };
}

describe("texts from Secrets in what differs", () => {
  const path = "spec.containers[name=app].image";
  for (const { what, texts, isHidden } of [
    { what: "within the field", texts: ["other-text", "planted"], isHidden: true },
    { what: "at its end", texts: ["one:2"], isHidden: true },
    { what: "one of those that begin alike", texts: ["plants", "plant", "planet"], isHidden: true },
    { what: "not there, though it begins like what is", texts: ["planted-three"], isHidden: false },
    { what: "as short as words of manifests", texts: ["one", "nted", ""], isHidden: false },
    { what: "none", texts: [], isHidden: false },
  ]) {
    it(what, () => {
      const part = rolling("app:1", "planted-one:2");
      const reasons = withoutSecretTexts(part, texts).rows.flatMap((row) => row.planned.reasons);
      const shown = { type: "Template", path, from: "app:1", to: "planted-one:2" };
      assert.deepEqual(reasons, [isHidden ? { type: "Template", path, hidden: true } : shown]);
    });
  }
});
