import assert from "node:assert/strict";
import { it } from "node:test";
import { pathPattern, pathsInText } from "../../../src/applications/discover/path-patterns.ts";

it("a path has * for its templates, and is any path if it is longer than any", () => {
  assert.equal(pathPattern("./apps/{{ name }}/${X}/"), "apps/*/*");
  // The search for the end of each would take hours.
  assert.equal(pathPattern("{{".repeat(1_000_000)), "*");
});

it("paths in a template are those that name a part", () => {
  const text =
    "a:\n  - path: apps/web\n  path: '/apps/{{ .Values.name }}'\n  path: {{ .Values.path }}\n  path: .\n  mypath: no\n";
  assert.deepEqual(pathsInText(text), ["apps/web", "apps/*"]);
});
