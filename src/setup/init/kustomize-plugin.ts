import { API_VERSION } from "../../base/keys.ts";
import type { FileProposal, InitTarget } from "./init-target.ts";

const KINDS = ["ConfigHash", "Restart", "RolloutLint"] as const;

// kustomize api/internal/plugins/loader: HOME/group/version/kind in lower case/Kind.
const SCRIPT = `#!/bin/sh
# kustomize gives the configuration as a file and the manifests on standard input.
exec rollstamp "$@"
`;

/** The legacy plugin, where kustomize looks for it: $KUSTOMIZE_PLUGIN_HOME. */
export const KUSTOMIZE_PLUGIN: InitTarget = {
  name: "kustomize-plugin",
  summary: "the legacy plugin, in the folder that KUSTOMIZE_PLUGIN_HOME names",
  takes: [],
  propose: (folder) => {
    const files = KINDS.map((kind): FileProposal => {
      const path = `${API_VERSION}/${kind.toLowerCase()}/${kind}`;
      return { path, before: folder.read(path), after: SCRIPT, executable: true };
    });
    const notes = [
      "Build with: KUSTOMIZE_PLUGIN_HOME=<this folder> kubectl kustomize --enable-alpha-plugins .",
      "The scripts call rollstamp: it has to be on PATH.",
    ];
    return { files: files.filter(({ before, after }) => before !== after), notes };
  },
};
