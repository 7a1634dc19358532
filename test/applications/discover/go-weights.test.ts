import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { executed } from "../../../src/applications/discover/go-template.ts";

const made = (template: string): string => executed(template, { p: { a: 1 } }, { missingKey: "other" });

// What the functions make is held against Argo CD's own code in test/hosts/applicationsets.test.ts.
describe("data that a template makes", () => {
  it("doesn't double without end", () => {
    const doubling = (use: string): string =>
      `{{ $d := dict "x" 1 }}{{ range 60 }}{{ $d = dict "a" $d "b" $d }}{{ end }}${use}`;
    for (const use of ["{{ toJson $d }}", "{{ $d }}", "{{ deepCopy $d }}", '{{ set (dict) "k" $d }}'])
      assert.throws(() => made(doubling(use)), /makes data of more than 100000 parts/u);
    const lists = "{{ $l := list 1 }}{{ range 60 }}{{ $l = list $l $l }}{{ end }}{{ toYaml $l }}";
    assert.throws(() => made(lists), /makes data of more than 100000 parts/u);
    const set = "{{ $d := dict }}{{ range 60 }}{{ $_ := set $d (toString .) (deepCopy $d) }}{{ end }}{{ toJson $d }}";
    assert.throws(() => made(set), /makes data of more than 100000 parts/u);
    const deep = '{{ $d := dict }}{{ range 5000 }}{{ $d = dict "a" $d }}{{ end }}{{ toJson $d }}';
    assert.throws(() => made(deep), /makes data that is more than 500 deep/u);
  });

  it("may be changed, which parameters may not, nor be put into itself", () => {
    assert.equal(
      made('{{ $d := deepCopy .p }}{{ $_ := set $d "b" 2 }}{{ toJson $d }}{{ toJson .p }}'),
      '{"a":1,"b":2}{"a":1}',
    );
    assert.throws(() => made('{{ set .p "b" 2 }}'), /changes a mapping of its parameters/u);
    assert.throws(() => made("{{ merge .p (dict `b` 2) }}"), /changes a mapping of its parameters/u);
    assert.throws(
      () => made("{{ merge (dict `k` .p) (dict `k` (dict `b` 2)) }}"),
      /changes a mapping of its parameters/u,
    );
    assert.throws(() => made('{{ $d := dict }}{{ $_ := set $d "d" (list $d) }}'), /puts a mapping into itself/u);
  });
});
