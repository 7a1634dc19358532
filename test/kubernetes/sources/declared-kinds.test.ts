import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import fg from "fast-glob";
import { readConfigHash } from "../../../src/stamping/function/config-hash.ts";
import { digestOf, digestText } from "../../../src/base/digest/hash-v1.ts";
import { readManifests } from "../../../src/yaml/read/items.ts";
import { toJson, type Json } from "../../../src/yaml/read/node.ts";
import { analyse } from "../../../src/stamping/pipeline.ts";
import { DECLARED_KINDS } from "../../../src/kubernetes/sources/declared-kinds.ts";
import type { DeclaredKind, Source } from "../../../src/kubernetes/sources/types.ts";
import { entriesOfObject } from "../../support/entries.ts";
import { inRoot, ROOT } from "../../support/paths.ts";
import { readTree } from "../../support/trees.ts";

// Each row of the table with its fixtures: what it creates, and what its digest covers.

interface Sample {
  readonly fixture: string;
  readonly source: Source;
}

const samples: readonly Sample[] = fg.sync("fixtures/sources/*/output.yaml", { cwd: ROOT }).flatMap((path) => {
  const config = inRoot(path, "..", "config.yaml");
  const tree = existsSync(config) ? readTree(readFileSync(config, "utf8"), config) : undefined;
  const spec = readConfigHash(tree === undefined ? null : toJson(tree, tree.documents[0] ?? 0));
  const text = readFileSync(inRoot(path), "utf8");
  const { desired } = analyse([readManifests(readTree(text, path))], spec, Buffer.from("correct horse battery staple"));
  return desired
    .flatMap(({ sightings }) => sightings)
    .flatMap(({ source, stampKey }) =>
      source !== undefined && text.includes(stampKey) ? [{ fixture: path, source }] : [],
    );
});

/** The digest of the fields that a row selects. */
function digestOfObject(row: DeclaredKind, object: Json): string {
  return digestText(digestOf(entriesOfObject({ ...asObject(object), kind: row.kind }), "*"));
}

function asObject(value: Json | undefined): { [key: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** A copy of an object with another value at a path. */
function changed(object: Json, path: readonly string[], value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  return { ...asObject(object), [key]: changed(asObject(object)[key] ?? {}, rest, value) };
}

describe("declared kinds", () => {
  for (const row of DECLARED_KINDS) {
    const name = `${row.group} ${row.kind}`;
    it(`${name} has a fixture in which it makes what a pod uses`, () => {
      assert.ok(samples.some(({ source }) => source.declared === row));
    });
    it(`${name} has a fixture in which its fields are missing`, () => {
      const folders = fg.sync(`fixtures/sources/errors/${row.kind.toLowerCase()}/messages.txt`, { cwd: ROOT });
      assert.equal(folders.length, 1);
      assert.match(
        readFileSync(inRoot(folders[0] ?? ""), "utf8"),
        new RegExp(`${row.kind} (?:shop/)?broken must have '`, "u"),
      );
    });
    it(`${name} is in the documentation`, () => {
      assert.match(readFileSync(inRoot("docs/reference/sources.md"), "utf8"), new RegExp(`\\b${row.kind}\\b`, "u"));
    });
    it(`${name}: each selected field counts, and nothing else does`, () => {
      const sample = samples.find(({ source }) => source.declared === row);
      assert.ok(sample !== undefined);
      const object = toJson(sample.source.item.tree, sample.source.item.node);
      const digest = digestOfObject(row, object);
      for (const field of [...row.fields, ...(row.keys === undefined ? [] : [`${row.keys}.more`])]) {
        // A whole spec counts through each of its fields.
        const path = field === "spec" ? ["spec", "somethingElse"] : field.split(".");
        assert.notEqual(digestOfObject(row, changed(object, path, "another")), digest, field);
      }
      const others = [
        "metadata.labels",
        "status",
        "kindly",
        ...(row.fields.includes("spec") ? [] : ["spec.somethingElse"]),
      ];
      for (const other of [...others, ...(row.without ?? []).flatMap((key) => [`spec.${key}`, `spec.deep.${key}`])]) {
        const base = other.startsWith("spec.deep.") ? changed(object, ["spec", "deep"], {}) : object;
        assert.equal(digestOfObject(row, changed(base, other.split("."), "another")), digestOfObject(row, base), other);
      }
    });
  }

  it("have a coverage", () => {
    const coverages = DECLARED_KINDS.map(({ kind, coverage }) => [kind, coverage]);
    assert.deepEqual(
      coverages.filter(([, coverage]) => coverage !== "declaration"),
      [
        ["SealedSecret", "ciphertext"],
        ["ClusterTrustBundle", "content"],
      ],
    );
  });
});

/** The stamp of a Secret in the output of a fixture, for one workload. */
function stampOf(fixture: string, workload: string): string {
  const text = readFileSync(inRoot("fixtures/sources", fixture, "output.yaml"), "utf8");
  const document = text
    .split("---\n")
    .find((part) => part.includes(`name: ${workload}\n`) && part.includes("kind: Deployment"));
  const stamp = /secret\.rollstamp\.dev\/login: "([^"]+)"/u.exec(document ?? "")?.[1];
  assert.ok(stamp !== undefined, `${fixture} has no stamp on ${workload}`);
  return stamp;
}

describe("the stamp of a declared or encrypted Secret", () => {
  it("with SOPS, does not change if a file is only saved again", () => {
    for (const workload of ["all", "password", "user"]) {
      assert.equal(stampOf("sops-secret-saved-again", workload), stampOf("sops-secret", workload));
    }
  });
  it("with a SealedSecret, changes for those who see a key that is sealed again", () => {
    assert.notEqual(stampOf("sealedsecret-one-key-sealed-again", "all"), stampOf("sealedsecret", "all"));
    assert.notEqual(stampOf("sealedsecret-one-key-sealed-again", "password"), stampOf("sealedsecret", "password"));
    assert.equal(stampOf("sealedsecret-one-key-sealed-again", "user"), stampOf("sealedsecret", "user"));
  });
  it("with an ExternalSecret, changes with the pinned version, not with the interval", () => {
    assert.notEqual(stampOf("externalsecret-another-version", "web"), stampOf("externalsecret", "web"));
    assert.equal(stampOf("externalsecret-refreshed-more-often", "web"), stampOf("externalsecret", "web"));
  });
});
