import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { cli } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";
import { deployment } from "../../support/manifests.ts";

const CONFIG =
  "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nmetadata: { name: stamp }\nspec:\n  layout: Versioned\n";

const LINES = "a b c d e f g h".split(" ");

/** A ConfigMap with keys on lines far from each other, and a Deployment. */
function source(values: Readonly<Record<string, string>>): string {
  const data = LINES.map((key) => `  key-${key}: "${values[key] ?? "0"}"\n`).join("");
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: env\ndata:\n${data}`;
}

interface Doc {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data: Record<string, string>;
}

/** What differs from "0" in each copy, in the order of the file; and the content that the Deployment names. */
function stateOf(text: string): { readonly copies: string[]; readonly named: string } {
  const copies = parseAllDocuments(text)
    .map((document) => document.toJSON() as Doc)
    .filter(({ kind, metadata }) => kind === "ConfigMap" && metadata.name !== "env");
  const contentOf = ({ data }: Doc): string =>
    Object.entries(data)
      .filter(([, value]) => value !== "0")
      .map(([key, value]) => `${key.slice(-1)}${value}`)
      .join("");
  const name = /configMapRef:\s+name: (\S+)/u.exec(text)?.[1];
  const named = copies.find(({ metadata }) => metadata.name === name);
  return { copies: copies.map(contentOf), named: named === undefined ? (name ?? "") : contentOf(named) };
}

async function stamped(folder: string, text: string): Promise<string> {
  writeFileSync(join(folder, "web.yaml"), text);
  const { status, stderr } = await cli(["stamp", join(folder, "web.yaml")]);
  assert.equal(status, 0, stderr);
  return readFileSync(join(folder, "web.yaml"), "utf8");
}

/** The text with other values in the source. */
const changed = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(source({}), source(values));

describe("copies of sources in a merge", () => {
  it("of both sides stay, ours first, and the next stamp names what the merged source needs", () =>
    inFolder({ "rollstamp.yaml": CONFIG }, async (folder) => {
      const base = await stamped(folder, `${source({})}---\n${deployment("web", "env")}`);
      const ours = await stamped(folder, changed(base, { a: "1" }));
      const theirs = await stamped(folder, changed(base, { h: "2" }));
      for (const [name, text] of Object.entries({ O: base, A: ours, B: theirs }))
        writeFileSync(join(folder, name), text);
      const files = ["O", "A", "B"].map((name) => join(folder, name));
      assert.deepEqual(await cli(["merge-driver", ...files, "web.yaml"]), { status: 0, stdout: "", stderr: "" });
      const merged = readFileSync(join(folder, "A"), "utf8");
      assert.ok(merged.startsWith(source({ a: "1", h: "2" })), merged);
      assert.deepEqual(stateOf(merged), { copies: ["a1", "h2", ""], named: "a1" });
      assert.deepEqual(stateOf(await stamped(folder, merged)), { copies: ["a1h2", "a1", "h2"], named: "a1h2" });
    }));

  it("that one side has removed are removed, and the name that one side changed is taken", () =>
    inFolder({ "rollstamp.yaml": `${CONFIG}  keep: 1\n` }, async (folder) => {
      const base = await stamped(folder, `${source({})}---\n${deployment("web", "env")}`);
      const theirs = await stamped(folder, changed(base, { h: "2" }));
      const ours = base.replace("image: app:1", "image: app:2");
      for (const [name, text] of Object.entries({ O: base, A: ours, B: theirs }))
        writeFileSync(join(folder, name), text);
      const files = ["O", "A", "B"].map((name) => join(folder, name));
      assert.equal((await cli(["merge-driver", ...files, "web.yaml"])).status, 0);
      assert.deepEqual(stateOf(readFileSync(join(folder, "A"), "utf8")), { copies: ["h2"], named: "h2" });
    }));

  it("in a conflict that is only about them are resolved by the next stamp", () =>
    inFolder({ "rollstamp.yaml": CONFIG }, async (folder) => {
      const base = await stamped(folder, `${source({})}---\n${deployment("web", "env")}`);
      const [one, other] = [
        await stamped(folder, changed(base, { a: "1" })),
        await stamped(folder, changed(base, { a: "2" })),
      ].map((text) => text.split(/^---\n/mu));
      const [, a = "", ...rest] = one ?? [];
      const [, b = "", ...more] = other ?? [];
      const conflict = (ours: string, theirs: string): string =>
        `<<<<<<< ours\n${ours}=======\n${theirs}>>>>>>> theirs\n`;
      const web = conflict(rest.at(-1) ?? "", more.at(-1) ?? "");
      const text = `${source({ a: "2" })}---\n${conflict(a, b)}---\n${rest.slice(0, -1).join("---\n")}---\n${web}`;
      assert.deepEqual(stateOf(await stamped(folder, text)), { copies: ["a2", "a1", ""], named: "a2" });
    }));

  it("are not every name that looks like one", () =>
    inFolder({}, async (folder) => {
      const web = (name: string): string => deployment("web", name);
      const texts = { O: web("tls-2024010100"), A: web("tls-2024020200"), B: web("tls-2024030300") };
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
      const files = ["O", "A", "B"].map((name) => join(folder, name));
      assert.equal((await cli(["merge-driver", ...files, "web.yaml"])).status, 1);
    }));

  it("leave other conflicts to people", () =>
    inFolder({ "rollstamp.yaml": CONFIG }, async (folder) => {
      const base = await stamped(folder, `${source({})}---\n${deployment("web", "env")}`);
      const ours = await stamped(folder, changed(base, { a: "1" }));
      const theirs = await stamped(folder, changed(base, { a: "2" }));
      for (const [name, text] of Object.entries({ O: base, A: ours, B: theirs }))
        writeFileSync(join(folder, name), text);
      const files = ["O", "A", "B"].map((name) => join(folder, name));
      assert.equal((await cli(["merge-driver", ...files, "web.yaml"])).status, 1);
      const text = readFileSync(join(folder, "A"), "utf8");
      const resolved = text.replace(/<<<<<<< .*\n([^]*?)=======\n[^]*?>>>>>>> .*\n/u, "$1");
      // The copies of both are whole, and only the source has markers.
      assert.deepEqual(stateOf(resolved), { copies: ["a1", "a2", ""], named: "a1" });
      assert.deepEqual(stateOf(await stamped(folder, resolved)), { copies: ["a1", "a2", ""], named: "a1" });
    }));
});
