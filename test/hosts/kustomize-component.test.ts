// functions/kustomize-component: one line in an overlay, for each way in which kustomize runs a function.
import assert from "node:assert/strict";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { stampOf } from "./expected-digest.ts";
import { builtImage, engine, PUBLISHED, withEngine } from "./images.ts";
import { KUBECTL, STANDALONE } from "./kustomize.ts";
import { allStamps, objectsOf } from "./manifests.ts";
import { root, succeed, unlessFound, type Program } from "./programs.ts";
import { treeOf } from "./trees.ts";
import { rollstamp } from "./wiring.ts";
import { WEB } from "./web.ts";

interface Variant {
  readonly name: string;
  readonly program: Program;
  readonly args: readonly string[];
  readonly needs: Program;
}

const VARIANTS: readonly Variant[] = [
  { name: "exec", program: STANDALONE, args: ["build", "--enable-alpha-plugins", "--enable-exec"], needs: STANDALONE },
  { name: "plugin", program: KUBECTL.program, args: KUBECTL.args, needs: KUBECTL.program },
  { name: "container", program: KUBECTL.program, args: KUBECTL.args, needs: engine },
];

describe("a component", () => {
  for (const { name, program, args, needs } of VARIANTS) {
    test(
      `${name}: sees the overlay's merge and survives its prefix`,
      { skip: unlessFound(program) || unlessFound(needs) },
      () => {
        const tree = treeOf({
          "base/kustomization.yaml":
            "resources: [web.yaml]\nconfigMapGenerator:\n- name: env\n  literals: [A=1, B=2]\n",
          "base/web.yaml": WEB,
          "prod/kustomization.yaml": `namePrefix: prod-\nresources: [../base]\nconfigMapGenerator:\n- name: env\n  behavior: merge\n  literals: [B=3]\ncomponents: [../${name}]\n`,
        });
        cpSync(join(root, "functions", "kustomize-component", name), join(tree.folder, name), { recursive: true });
        let env = rollstamp.env;
        if (name === "container") {
          const stamp = join(tree.folder, name, "stamp.yaml");
          writeFileSync(stamp, readFileSync(stamp, "utf8").replace(PUBLISHED, builtImage("function")));
          const { KUSTOMIZE_PLUGIN_HOME: _, ...others } = rollstamp.env;
          env = withEngine(others);
        }
        const printed = succeed(program, [...args, "prod"], { cwd: tree.folder, env });
        assert.deepEqual(allStamps(objectsOf(printed)), {
          "Deployment/prod-web": { "configmap.rollstamp.dev/env": stampOf({ A: "1", B: "3" }) },
        });
      },
    );
  }
});
