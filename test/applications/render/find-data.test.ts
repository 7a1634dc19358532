import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { surveyed } from "../../../src/applications/discover/repository.ts";
import { valueOf, type DataReference } from "../../../src/applications/render/data-objects.ts";
import { dataIn } from "../../../src/applications/render/find-data.ts";
import { treeOf } from "../discover/tree-of.ts";

type Files = Readonly<Record<string, string>>;

const NEAR = "clusters/a/apps.yaml";
const MAP: DataReference = { kind: "ConfigMap", namespace: "flux-system", name: "settings" };
const SECRET: DataReference = { kind: "Secret", namespace: "flux-system", name: "settings" };

const map = (data: string, more = ""): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings${more}}\ndata: ${data}\n`;
const secret = (fields: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: settings}\n${fields}\n`;

/** The values of an object, as `text`, or `?` with why they are not known; with its files. */
function lookUp(files: Files, reference: DataReference = MAP, near: string = NEAR): string | undefined {
  const found = dataIn(surveyed(treeOf(files)))(reference, near);
  if (found === undefined) return undefined;
  const keys = [...found.data.keys(), ...(found.other === undefined ? [] : ["ANY"])];
  const values = keys.map((key) => {
    const value = valueOf(found, key);
    return `${key}=${value?.is === "text" ? value.text : `? ${value?.because ?? ""}`}`;
  });
  return `${values.join("; ")} of ${found.files.join(", ")}`;
}

const SYNC = (path: string, target: string): string =>
  `apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a, namespace: flux-system}\nspec: {path: ${path}, targetNamespace: ${target}, sourceRef: {kind: GitRepository, name: a}}\n`;

describe("where values come from", () => {
  const rows: readonly (readonly [string, Files, string | undefined, DataReference?])[] = [
    ["is an object without a namespace", { "a.yaml": map("{A: x}") }, "A=x of a.yaml"],
    [
      "is the object of the namespace",
      { "a.yaml": map("{A: x}"), "b.yaml": map("{A: y}", ", namespace: flux-system") },
      "A=y of b.yaml",
    ],
    ["is no object of another namespace", { "a.yaml": map("{A: x}", ", namespace: other") }, undefined],
    [
      "is any where nobody tells the namespace",
      { "a.yaml": map("{A: x}", ", namespace: other") },
      "A=x of a.yaml",
      { ...MAP, namespace: "" },
    ],
    ["is no object of another name", { "a.yaml": map("{A: x}").replace("settings", "my-settings") }, undefined],
    ["is no object of another kind", { "a.yaml": map("{A: x}") }, undefined, SECRET],
    [
      "is the nearest of several",
      { "clusters/b/x.yaml": map("{A: b}"), "clusters/a/deep/x.yaml": map("{A: a}"), "x.yaml": map("{A: root}") },
      "A=a of clusters/a/deep/x.yaml",
    ],
    [
      "is not in the folder of another cluster",
      {
        "clusters/b/x.yaml": map("{A: b}"),
        "clusters/a/flux.yaml": SYNC("./clusters/a", "flux-system"),
        "clusters/b/flux.yaml": SYNC("./clusters/b", "flux-system"),
      },
      undefined,
    ],
    [
      "is put into its namespace by a kustomization far away",
      {
        "shared/x.yaml": map("{A: x}", ", namespace: written"),
        "shared/kustomization.yaml": "resources: [x.yaml]\n",
        "clusters/a/kustomization.yaml": "resources: [../../shared]\nnamespace: flux-system\n",
      },
      "A=x of shared/x.yaml",
    ],
    [
      "is not what kustomizations put elsewhere",
      { "shared/x.yaml": map("{A: x}"), "shared/kustomization.yaml": "resources: [x.yaml]\nnamespace: elsewhere\n" },
      undefined,
    ],
    [
      "is put into its namespace by Flux",
      { "f.yaml": SYNC("./conf", "flux-system"), "conf/sub/x.yaml": map("{A: x}") },
      "A=x of conf/sub/x.yaml",
    ],
    [
      "is not what Flux puts elsewhere",
      { "f.yaml": SYNC("./conf", "elsewhere"), "conf/sub/x.yaml": map("{A: x}") },
      undefined,
    ],
    [
      "is a Secret, of which stringData goes first",
      { "s.yaml": secret("data: {A: eA==, B: eQ==}\nstringData: {B: z}") },
      "A=x; B=z of s.yaml",
      SECRET,
    ],
    [
      "is unknown where SOPS has it encrypted, key by key",
      { "s.sops.yaml": secret("stringData: {A: 'ENC[AES256_GCM,data:x]', B: plain}\nsops: {mac: x}") },
      "A=? it is encrypted with SOPS; B=plain of s.sops.yaml",
      SECRET,
    ],
    [
      "is unknown where it is sealed",
      {
        "s.yaml":
          "apiVersion: bitnami.com/v1alpha1\nkind: SealedSecret\nmetadata: {name: settings}\nspec: {encryptedData: {A: AgB}, template: {data: {B: t}}}\n",
      },
      "A=? it is sealed in SealedSecret settings; B=? it is sealed in SealedSecret settings of s.yaml",
      SECRET,
    ],
    [
      "is unknown with all its keys where a controller makes it",
      {
        "s.yaml":
          "apiVersion: external-secrets.io/v1\nkind: ExternalSecret\nmetadata: {name: other}\nspec: {target: {name: settings}, dataFrom: [{extract: {key: a}}]}\n",
      },
      "ANY=? it is made in the cluster, by ExternalSecret other of s.yaml",
      SECRET,
    ],
    [
      "is what a generator makes",
      {
        "k/kustomization.yaml":
          "configMapGenerator:\n- name: settings\n  literals: [A=x, 'B=\"y=z\"']\n  files: [c.yaml, D=c.yaml]\n  namespace: flux-system\n",
        "k/c.yaml": "text\n",
      },
      "c.yaml=text\n; D=text\n; A=x; B=y=z of k/kustomization.yaml, k/c.yaml, k/c.yaml",
    ],
    [
      "is not known where a generator's file isn't",
      { "k/kustomization.yaml": "configMapGenerator:\n- {name: settings, files: [gone.yaml]}\n" },
      undefined,
    ],
  ];
  for (const [what, files, expected, reference] of rows)
    it(what, () => {
      assert.equal(lookUp(files, reference), expected);
    });

  it("has a placeholder that differs where the encrypted text does, and is a DNS label and a YAML string", () => {
    const placeholder = (text: string): string => {
      const found = dataIn(surveyed(treeOf({ "s.yaml": secret(`stringData: {A: "ENC[${text}]"}\nsops: {mac: x}`) })))(
        SECRET,
        NEAR,
      );
      const value = found?.data.get("A");
      return value?.is === "unknown" ? value.placeholder : "";
    };
    assert.match(placeholder("a"), /^unknown[0-9a-f]{13}$/u);
    assert.equal(placeholder("a"), placeholder("a"));
    assert.notEqual(placeholder("a"), placeholder("b"));
  });

  it("is not looked for before it is named", () => {
    let reads = 0;
    const tree = treeOf({ "a.yaml": map("{A: x}") });
    const find = dataIn(surveyed({ ...tree, read: (path) => ((reads += 1), tree.read(path)) }));
    const before = reads;
    find(MAP, NEAR);
    find(MAP, NEAR);
    assert.equal(reads - before, 1);
  });

  it("is found among hundreds of clusters with an object each, in time with their number", () => {
    const join = (part: (i: number) => string): string =>
      Array.from({ length: 600 }, (_, i) => `---\n${part(i)}`).join("");
    const sync = SYNC("./clusters", "flux-system").replace("targetNamespace: flux-system", "suspend: true");
    const find = dataIn(
      surveyed(
        treeOf({
          "clusters/flux.yaml": join((i) => sync.replace("name: a", `name: a${i}`)),
          "clusters/maps.yaml": join((i) => map(`{A: x${i}}`, `, namespace: n${i}`)),
        }),
      ),
    );
    const near = (i: number): string => `clusters/a${i}/x.yaml`;
    find({ ...MAP, namespace: "n0" }, near(0));
    const before = process.cpuUsage();
    for (let i = 0; i < 600; i++) {
      const found = find({ ...MAP, namespace: `n${i}` }, near(i))?.data.get("A");
      assert.deepEqual(found, { is: "text", text: `x${i}` });
    }
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });
});
