import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { run } from "../../support/run.ts";

const object = (kind: string, field: string, value: string, annotation = ""): string =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: s\n${annotation}${field}:\n  key: ${JSON.stringify(value)}\n`;

const REMEDY = /must be base64\n {2}If a later step replaces the value, .*rollstamp\.dev\/stamp: "false"/u;

describe("a value that is not base64", () => {
  for (const placeholder of [
    "<path:kv/data/shop#password>",
    "<password | base64encode>",
    "user:<password>@db",
    "${PASSWORD}",
    "${PASSWORD:=none}",
    "$PASSWORD",
    "{{ .password | b64enc }}",
    "ref+vault://kv/shop#/password",
    "secretref+awssecrets://shop/password",
  ]) {
    it(`is a placeholder that a later tool replaces: ${placeholder}`, () => {
      for (const [kind, field] of [
        ["Secret", "data"],
        ["ConfigMap", "binaryData"],
      ] as const) {
        const { status, messages } = run(object(kind, field, placeholder));
        assert.equal(status, 2);
        assert.match(messages, REMEDY);
        assert.ok(messages.includes(`exclude the ${kind} with the annotation`));
        assert.ok(!messages.includes(placeholder), "the value is never shown");
        // The suggestion in the remedy works.
        const left = run(object(kind, field, placeholder, '  annotations:\n    rollstamp.dev/stamp: "false"\n'));
        assert.equal(left.status, 0, left.messages);
      }
    });
  }

  for (const value of ["correct horse", "a$b", "a<b", "1 < 2 > 1", "${", "YQ", "héllo=", "{}", "a{b}c"]) {
    it(`is not a placeholder: ${value}`, () => {
      const { messages } = run(object("Secret", "data", value));
      assert.match(
        messages,
        /must be base64\n {2}Encode the value as base64 with padding, or move the key to stringData\.\n/u,
      );
    });
  }

  it("handles long values of repeated placeholders, which take minutes if the time is quadratic", () => {
    for (const part of ["<a", "${a", "{{a", "${", "<", "{{", "$a"]) run(object("Secret", "data", part.repeat(200_000)));
  });
});
