// The ways to configure the transformer and to install the command: each gives the same result.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { build, KUSTOMIZE_HOSTS, type KustomizeHost } from "./kustomize.ts";
import { allStamps, objectsOf } from "./manifests.ts";
import { command, unlessFound } from "./programs.ts";
import { combinedStampOf } from "./expected-digest.ts";
import { temporaryFolder, treeOf, type Tree } from "./trees.ts";
import { rollstamp, wire, type Wiring } from "./wiring.ts";

interface Variant {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  readonly wiring?: (tree: Tree) => Wiring;
}

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      containers:
      - name: app
        image: registry.example/web:1
        env:
        - name: A
          valueFrom:
            configMapKeyRef: {name: env, key: A}
`;

const PLUGIN = `apiVersion: rollstamp.dev/v1alpha1
kind: ConfigHash
metadata:
  name: stamp
spec:
  layout: Combined
`;

const LEGACY: readonly Variant[] = [
  {
    what: "written in the kustomization itself",
    files: { "kustomization.yaml": kustomization(`- |-\n${indented(PLUGIN)}`) },
  },
  {
    what: "a copy of the command in place of a link",
    files: { "kustomization.yaml": kustomization("- stamp.yaml"), "stamp.yaml": PLUGIN },
    wiring: () =>
      wire((path) => {
        copyFileSync(command, path);
        chmodSync(path, 0o755);
      }),
  },
  {
    what: "stamped twice",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml\n- again.yaml"),
      "stamp.yaml": PLUGIN,
      "again.yaml": PLUGIN.replace("name: stamp", "name: again"),
    },
  },
  {
    what: "from XDG_CONFIG_HOME",
    files: { "kustomization.yaml": kustomization("- stamp.yaml"), "stamp.yaml": PLUGIN },
    wiring: () => {
      const { KUSTOMIZE_PLUGIN_HOME: home = "", ...env } = rollstamp.env;
      const configHome = temporaryFolder();
      mkdirSync(join(configHome, "kustomize"));
      symlinkSync(home, join(configHome, "kustomize", "plugin"));
      return { env: { ...env, XDG_CONFIG_HOME: configHome } };
    },
  },
];

const EXEC: readonly Variant[] = [
  {
    what: "a path beside the kustomization",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml"),
      "stamp.yaml": exec("path: ./stamper"),
    },
    wiring: (tree) => {
      symlinkSync(command, join(tree.build, "stamper"));
      return rollstamp;
    },
  },
  {
    what: "with arguments",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml"),
      "stamp.yaml": exec("path: rollstamp\n        args: [fn]"),
    },
  },
  {
    what: "by the old name of the annotation",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml"),
      "stamp.yaml": exec("path: rollstamp").replace("config.kubernetes.io/", "config.k8s.io/"),
    },
  },
  {
    what: "written in the kustomization itself",
    files: { "kustomization.yaml": kustomization(`- |-\n${indented(exec("path: rollstamp"))}`) },
  },
  {
    what: "stamped twice",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml\n- again.yaml"),
      "stamp.yaml": exec("path: rollstamp"),
      "again.yaml": exec("path: rollstamp").replace("name: stamp", "name: again"),
    },
  },
  {
    what: "a ConfigMap as the configuration",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml"),
      "stamp.yaml": exec("path: rollstamp")
        .replace("apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash", "apiVersion: v1\nkind: ConfigMap")
        .replace("spec:", "data:"),
    },
  },
  {
    what: "without HOME",
    files: {
      "kustomization.yaml": kustomization("- stamp.yaml"),
      "stamp.yaml": exec("path: rollstamp"),
    },
    wiring: () => {
      const { HOME: _, ...env } = rollstamp.env;
      return { env };
    },
  },
];

const expected = {
  "Deployment/p-web": {
    "rollstamp.dev/config-hash": combinedStampOf({ "configmap/env": { A: "1" } }),
  },
};

for (const host of KUSTOMIZE_HOSTS) {
  describe(`${host.name}: ways to configure it`, { skip: unlessFound(host.program) }, () => {
    let plain = "";
    before(() => {
      const stamp = host.declaresExec ? exec("path: rollstamp") : PLUGIN;
      const files = { "kustomization.yaml": kustomization("- stamp.yaml"), "stamp.yaml": stamp };
      plain = buildVariant(host, { what: "plain", files });
      assert.deepEqual(allStamps(objectsOf(plain)), expected);
    });

    for (const variant of host.declaresExec ? EXEC : LEGACY) {
      test(variant.what, () => assert.equal(buildVariant(host, variant), plain));
    }
  });
}

function buildVariant(host: KustomizeHost, variant: Variant): string {
  const tree = treeOf({ "web.yaml": WEB, ...variant.files });
  return build(host, tree, variant.wiring?.(tree) ?? rollstamp);
}

function kustomization(transformers: string): string {
  return `namePrefix: p-
resources: [web.yaml]
configMapGenerator:
- name: env
  literals: [A=1, B=2]
transformers:
${transformers}
`;
}

function exec(how: string): string {
  return PLUGIN.replace(
    "  name: stamp\n",
    `  name: stamp\n  annotations:\n    config.kubernetes.io/function: |\n      exec:\n        ${how}\n`,
  );
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}
