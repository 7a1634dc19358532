// Without kustomize on PATH, the kustomize in kubectl builds.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { versionOf } from "../../src/node/render-application.ts";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";

const FILES: Files = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "web/kustomization.yaml": "resources: [web.yaml]\n",
  "web/web.yaml": `${deployment("web", "env")}---\n${configMap("env", "a")}`,
};

// It knows only what kubectl 1.34 knows of what is passed.
const KUBECTL = `#!/bin/sh
[ "$1" = version ] && { echo "Client Version: v1.34.4"; echo "Kustomize Version: v5.7.1"; exit 0; }
[ "$1" = kustomize ] || exit 9
shift
for word; do case $word in .|--enable-alpha-plugins=true) ;; *) echo "error: unknown flag: $word" >&2; exit 1 ;; esac; done
while IFS= read -r line; do printf "%s\\n" "$line"; done < web.yaml
`;

function programs(folder: string, scripts: Readonly<Record<string, string>>): string {
  const bin = join(folder, ".bin");
  mkdirSync(bin, { recursive: true });
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

describe("kubectl kustomize", () => {
  it("builds if kustomize is not on PATH", () =>
    inFolder(FILES, async (folder) => {
      const environment = { PATH: programs(folder, { kubectl: KUBECTL }) };
      const { status, stdout, stderr } = await cli(["graph", folder], { environment });
      assert.deepEqual([status, stderr], [0, ""]);
      assert.match(stdout, /1 source, 1 workload, 1 use/u);
      assert.equal(
        await versionOf("kustomize", environment),
        "Client Version: v1.34.4, Kustomize Version: v5.7.1",
        "of what builds",
      );
    }));

  it("is not used if kustomize is there", () =>
    inFolder(FILES, async (folder) => {
      const kustomize =
        '#!/bin/sh\n[ "$1" = version ] && { echo v5.8.1; exit; }\nwhile IFS= read -r line; do printf "%s\\n" "$line"; done < web.yaml\n';
      const environment = { PATH: programs(folder, { kustomize, kubectl: "#!/bin/sh\nexit 9\n" }) };
      assert.equal((await cli(["graph", folder], { environment })).status, 0);
      assert.equal(await versionOf("kustomize", environment), "v5.8.1");
    }));

  it("is named if it fails, as it has other options and another version", () =>
    inFolder(FILES, async (folder) => {
      const PATH = programs(folder, { kubectl: KUBECTL });
      const environment = { PATH, ROLLSTAMP_KUSTOMIZE_BUILD_OPTIONS: "--reorder legacy" };
      const { status, stderr } = await cli(["graph", folder], { environment });
      assert.equal(status, 2);
      assert.match(stderr, /unknown flag: --reorder=legacy[^]*kubectl kustomize built it/u);
    }));

  for (const said of [
    "error: no such file",
    String.raw`E1126 05:30:57.296744    6888 run.go:72] "command failed" err="no such file"`,
  ])
    it(`has the errors of kustomize: ${said.slice(0, 5)}`, () =>
      inFolder(FILES, async (folder) => {
        const PATH = programs(folder, { kubectl: `#!/bin/sh\necho '${said}' >&2\nexit 1\n` });
        const { stderr } = await cli(["graph", folder], { environment: { PATH } });
        assert.match(stderr, /kustomize build ended with status 1: no such file\. kubectl kustomize built it/u);
      }));

  it("is what to install if neither is there", () =>
    inFolder(FILES, async (folder) => {
      const { stderr } = await cli(["graph", folder], { environment: { PATH: programs(folder, {}) } });
      assert.match(stderr, /kustomize is not on PATH\. Install kustomize or kubectl/u);
    }));
});
