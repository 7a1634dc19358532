import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { parse } from "yaml";
import type { OverrideOption } from "../../../src/base/config-hash-options.ts";
import { stamp } from "../../../src/main/index.ts";
import { inRoot } from "../../support/paths.ts";

// The entry of `overrides` that a warning about a checksum gives is to be pasted: with it the checksum goes, and what takes
// its place is a stamp over the source.

const DIGEST = "a".repeat(64);

function converted(
  text: string,
  overrides: readonly OverrideOption[] = [],
): { readonly text: string; readonly entries: readonly OverrideOption[] } {
  const { text: stamped, results } = stamp(text, { checksums: "Remove", overrides });
  const messages = results.filter(({ tags }) => tags?.["rule"] === "chart-checksum").map(({ message }) => message);
  return { text: stamped, entries: messages.flatMap(entriesOf) };
}

function entriesOf(message: string): readonly OverrideOption[] {
  const written = /'overrides: (\[.*\])'\. If /u.exec(message)?.[1];
  if (written === undefined) return [];
  // The schema says whether it is one: a wrong entry is an error of the run that takes it.
  return parse(written) as readonly OverrideOption[];
}

const source = (name: string, data: string): string => `---
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}}
${data}
`;
const web = (checksums: string, container = ""): string => `---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    metadata:
      annotations: {${checksums}}
    spec:
      containers: [{name: app, image: a, ${container}}]
`;
const SEES = "envFrom: [{configMapRef: {name: shared}}]";
const SHARED = source("shared", "data: {LOG_LEVEL: info}");

describe("the entry of overrides in a warning about a checksum", () => {
  for (const folder of ["of-what-no-pod-names", "of-what-containers-name", "of-what-has-no-content"]) {
    it(`takes each checksum of ${folder} that it is about`, () => {
      const text = readFileSync(inRoot("fixtures", "config-hash", "checksums", folder, "input.yaml"), "utf8");
      const { entries } = converted(text);
      assert.ok(entries.length > 0);
      assert.deepEqual(converted(text, entries).entries, []);
    });
  }

  it("is one for a workload, as of two lists of sources the last counts", () => {
    const text =
      SHARED +
      source("web-limits", "data: {a: b}") +
      source("web", "data: {a: b}") +
      web(`checksum/config: ${DIGEST}, checksum/limits: ${DIGEST}`, SEES);
    const { entries } = converted(text);
    assert.deepEqual(entries, [
      { target: { kind: "Deployment", name: "web" }, sources: ["configmap/web", "configmap/web-limits"] },
    ]);
    const { text: followed } = converted(text, entries);
    assert.doesNotMatch(followed, /checksum\//u);
    assert.match(followed, /configmap\.rollstamp\.dev\/web-limits: /u);
  });

  it("keeps what an override names already", () => {
    const text = SHARED + source("web", "data: {a: b}") + web(`checksum/config: ${DIGEST}`);
    const before = [{ target: { name: "web" }, sources: ["configmap/other-ns/x", "configmap/shared"] }];
    const { entries } = converted(text, before);
    assert.deepEqual(entries, [
      {
        target: { kind: "Deployment", name: "web" },
        sources: ["configmap/other-ns/x", "configmap/shared", "configmap/web"],
      },
    ]);
    const { text: followed } = converted(text, [...before, ...entries]);
    assert.match(followed, /configmap\.rollstamp\.dev\/shared: /u);
    assert.match(followed, /configmap\.rollstamp\.dev\/web: /u);
  });

  it("is not needed for a source without content, and nothing is lost when that comes", () => {
    const workloadFor = (data: string): string =>
      converted(SHARED + source("web", data) + web(`checksum/config: ${DIGEST}`, SEES)).text.split(
        "kind: Deployment",
      )[1] ?? "";
    assert.doesNotMatch(workloadFor("data: {a: ''}"), /checksum\/config/u);
    assert.match(workloadFor("data: {a: b}"), /checksum\/config/u);
    assert.notEqual(workloadFor("data: {a: ''}"), workloadFor("data: {a: b}"));
  });

  it("has an end: sources whose names say nothing may be any checksum's", () => {
    const forms = ["config", "conf", "cm", "map", "settings", "files", "yaml"];
    const names = forms.flatMap((one) => forms.map((other) => `${one}-${other}`));
    const text =
      SHARED +
      names.map((name) => source(name, "data: {a: b}")).join("") +
      web(`checksum/x: ${DIGEST}, checksum/config: ${DIGEST}`, SEES);
    assert.deepEqual(converted(text).entries, [
      { target: { kind: "Deployment", name: "web" }, sources: names.slice(0, 4).map((name) => `configmap/${name}`) },
    ]);
  });
});
