import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { executeTemplate } from "../../../src/applications/discover/go-template.ts";
import { TemplateProblem } from "../../../src/applications/discover/go-values.ts";

const PARAMETERS = {
  name: "web",
  p: { a: 1 },
  nested: "[".repeat(30_000) + "]".repeat(30_000),
  long: "x".repeat(60_000),
  part: `xy${"x".repeat(30_000)}`,
  list: `[${"x,".repeat(15_000)}]`,
  deep: `${"[".repeat(400)}${"1,".repeat(1000)}1${"]".repeat(400)}`,
};

const run = (template: string): string =>
  executeTemplate(template, PARAMETERS, { missingKey: "other", work: () => {} });

function problemOf(template: string): TemplateProblem {
  try {
    run(template);
  } catch (cause) {
    if (cause instanceof TemplateProblem) return cause;
    throw cause;
  }
  assert.fail(`${template} has no problem`);
}

// Results are compared with Argo CD's own code in test/hosts/applicationsets.test.ts.
describe("Go templates", () => {
  it("name the function or the action that rollstamp does not support", () => {
    for (const [template, name] of [
      ["{{ regexMatch `^a` .name }}", "the function regexMatch"],
      ["{{ if false }}{{ env `HOME` }}{{ end }}{{ env `HOME` }}", "the function env"],
      ["{{ set .p `b` 2 }}", "the function set"],
      ["{{ define `t` }}x{{ end }}", "{{ define }}"],
      ["{{ template `t` . }}", "{{ template }}"],
      ["{{ printf `%.2f` 1.5 }}", "the format"],
      ['{{ `a` }}{{ "\\a" }}', "an escape"],
    ] as const) {
      const { is, message } = problemOf(template);
      assert.equal(is, "unknown", template);
      assert.ok(message.includes(name), message);
    }
    assert.equal(run("{{ if false }}{{ regexMatch `^a` .name }}{{ end }}x"), "x");
  });

  it("limit the size of data that doubles with each step", () => {
    const doubling = (use: string): string =>
      `{{ $d := dict "x" 1 }}{{ range 60 }}{{ $d = dict "a" $d "b" $d }}{{ end }}${use}`;
    const lists = "{{ $l := list 1 }}{{ range 60 }}{{ $l = list $l $l }}{{ end }}{{ toYaml $l }}";
    const deep = '{{ $d := dict }}{{ range 5000 }}{{ $d = dict "a" $d }}{{ end }}{{ toJson $d }}';
    for (const template of [doubling("{{ toJson $d }}"), doubling("{{ $d }}"), lists, deep, "{{ fromJson .nested }}"])
      assert.equal(problemOf(template).is, "invalid", template);
  });

  it("are parsed once for all elements", () => {
    const options = { missingKey: "other", work: () => {} } as const;
    const thrown = (template: string): unknown => {
      try {
        return executeTemplate(template, { a: "x" }, options);
      } catch (cause) {
        return cause;
      }
    };
    const first = thrown("{{ if }");
    assert.ok(first instanceof Error);
    assert.equal(thrown("{{ if }"), first);
    assert.deepEqual(
      ["x", "y"].map((a) => executeTemplate("{{ $b := .a }}{{ .a }}{{ $b }}", { a }, options)),
      ["xx", "yy"],
    );
  });

  it("look for a large value in a long list without reading it for each item", () => {
    let reads = 0;
    const part = {
      get a(): number {
        reads += 1;
        return 1;
      },
    };
    const data = { part, items: Array.from({ length: 1000 }, () => 1) };
    assert.equal(executeTemplate("{{ has .part .items }}", data, { missingKey: "other", work: () => {} }), "false");
    assert.ok(reads < 100, String(reads));
  });

  it("trim a long string of many characters in time with its length", () => {
    const [set, text] = ["\u4e4d".repeat(60_000) + "\u4e4e", "\u4e4e".repeat(60_000)];
    const options = { missingKey: "other", work: () => {} } as const;
    const before = process.cpuUsage();
    assert.equal(
      executeTemplate("{{ trimAll .set (print .text `a` .text) }}", { set, text: text.slice(0, 30_000) }, options),
      "a",
    );
    assert.ok(process.cpuUsage(before).user < 2_000_000);
  });

  it("limit the length of strings and the number of steps", () => {
    const growing = (by: string): string => `{{ $s := .name }}{{ range 60 }}{{ $s = ${by} }}{{ end }}{{ len $s }}`;
    for (const template of [
      growing("cat $s $s"),
      growing("replace `` `xxxxxxxx` $s"),
      growing("printf `%s%s` $s $s"),
      growing("nindent 100 (cat $s `\n` $s)"),
      growing("join $s (list $s $s)"),
      "{{ len (join .long (splitList `` .long)) }}",
      `{{ len (print ${".long ".repeat(20_000)}) }}`,
      `{{ len (toJson (list ${".long ".repeat(20_000)})) }}`,
      // Searches that compare half of the string at each place.
      ...["contains .part", "splitList .part", "split .part", "replace .part ``"].map(
        (search) => `{{ ${search} .long }}`,
      ),
      "{{ range 5 }}{{ $x := fromYamlArray .list }}{{ end }}",
      "{{ toYaml (fromJson .deep) }}",
      "{{ range 1000 }}{{ range 1000 }}{{ end }}{{ end }}",
      "{{ range 100000000 }}x{{ end }}",
    ])
      assert.equal(problemOf(template).is, "invalid", template);
  });
});
