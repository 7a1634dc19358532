import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withoutUserInfo } from "../../../src/base/user-info.ts";
import { maskedWords, shownWords } from "../../../src/applications/tools/masked-words.ts";

const SECRET = "hunter2-and-more";

describe("the output of a program that failed", () => {
  const known = { open: ["templates/web.yaml", '{{ fail "no image" }}'], values: [SECRET] };

  const QUOTING: readonly string[] = [
    `accumulating resources: literal sources [${SECRET}]: invalid literal source ${SECRET}, expected key=value`,
    "literal sources [hunter2]: invalid literal source hunter2, expected key=value",
    "yaml: unmarshal errors:\n  line 3: cannot unmarshal !!str `hunter2...` into map[string]string",
    "trouble configuring builtin PatchTransformer with config: `\npatch: |-\n  stringData: {password: hunter2}\n`: unable to parse",
    "unable to parse SM or JSON patch from [kind: Secret\nstringData: {a: 'hunter2'}]",
    `failed parsing --set-json data password="hunter2`,
    `failed parsing --set data: key "hunter2" has no value`,
    "execution error at (shop/templates/web.yaml:1:3): the password hunter2 is short",
    `template: shop/templates/web.yaml:1:3: executing "x" at <int>: strconv.Atoi: parsing "hunter2": invalid syntax`,
    `error converting YAML to JSON: mapping key "hunter2" already defined at line 2`,
    `json: invalid use of ,string struct tag, trying to unmarshal "hunter2" into int`,
    `values don't meet the specifications of the schema: password: '${SECRET}' does not match`,
    `no value given for ${SECRET}`,
    "fatal: repository 'https://me:hunter2@git.example/x' not found",
    "Get https://me:hunter2@git.example/x?y: dial tcp",
  ];
  for (const words of QUOTING) {
    it(`contains no value: ${words.slice(0, 60)}`, () => {
      const masked = maskedWords(words, known);
      assert.doesNotMatch(masked, /hunter2/u);
      assert.match(masked, /…/u);
    });
  }

  // Of kustomize 5.8.1: nothing of these is a known value. The reason remains, on both sides of what is masked.
  const UNQUOTED: readonly (readonly [words: string, shown: string])[] = [
    [
      "considering field 'data/key' of object Secret.v1.[noGrp]/s.[noNs]: wrong node kind: expected MappingNode but got ScalarNode: node contents:\n|\n  hunter2: 'x\n  ]: hunter2\n\n",
      "considering field 'data/key' of object Secret.v1.[noGrp]/s.[noNs]: wrong node kind: expected MappingNode but got ScalarNode: node contents: …",
    ],
    [
      "accumulation err='merging resources from 's.yaml': wrong node kind: expected MappingNode but got ScalarNode: node contents:\nhunter2': must build at directory: '/x/s.yaml': file is not directory",
      "accumulation err: merging resources from 's.yaml': wrong node kind: expected MappingNode but got ScalarNode: node contents: …: must build at directory: '/x/s.yaml': file is not directory",
    ],
    [
      "wrong Node Kind for data expected: MappingNode was ScalarNode: value: {hunter2}",
      "wrong Node Kind for data expected: MappingNode was ScalarNode: value: …",
    ],
    ["options.index 9 is out of bounds for value hunter2 x", "options.index 9 is out of bounds for value …"],
    ["configmap s illegally repeats the key `a`hunter2`", "configmap s illegally repeats the key …"],
    [
      "missing metadata.name in object {{v1 Secret} {{ } map[] map[a:hunter2]}}",
      "missing metadata.name in object {{v1 Secret}…",
    ],
    [
      'map[string]interface {}{"data":map[interface {}]interface {}{77hunter2:""}}: json: unsupported type: map[interface {}]interface {}',
      "map[string]interface {}{…}: json: unsupported type: map[interface {}]interface {}",
    ],
    [
      "trouble expanding list of SecretList; received error yaml: invalid map key for the following resource:\nitems:\n- data: hunter2",
      "trouble expanding list of SecretList; received error yaml: invalid map key for the following resource: …",
    ],
    [
      "literal sources [|\nhunter2: a\nhunter2]: invalid literal source |\nhunter2: a\nhunter2, expected key=value",
      "literal sources …: invalid literal source …, expected key=value",
    ],
    ["line 2 has invalid utf8 bytes : k=hunter2", "line 2 has invalid utf8 bytes : …"],
    ["line [104 117 110 116 101 114 50 255] has invalid utf8 bytes : hunter2", "line … has invalid utf8 bytes : …"],
    [
      "trouble configuring builtin PatchTransformer with config: `\npatch: a`: hunter2\n`: must specify the target name",
      "trouble configuring builtin PatchTransformer with config: …: must specify the target name",
    ],
    ['decoding [{"value":""hunter2""}]: unexpected end of JSON input', "decoding …: unexpected end of JSON input"],
    [
      "evalsymlink failure on '/x/kind: Secret\ndata: hunter2' : lstat /x/kind: Secret\ndata: hunter2: no such file or directory",
      "evalsymlink failure on '…: no such file or directory",
    ],
  ];
  for (const [words, shown] of UNQUOTED)
    it(`contains no input without quotes: ${words.slice(0, 60)}`, () =>
      assert.equal(maskedWords(words, { open: [], values: [] }), shown));

  it("contains no value that contains quotes, and the folders around a value", () => {
    assert.equal(maskedWords("it says hunter`2` and x", { open: [], values: ["hunter`2` and"] }), "it says … x");
    assert.equal(maskedWords("open 'a/production/b'", { open: [], values: ["production"] }), "open 'a/…/b'");
  });

  const OPEN: readonly string[] = [
    "execution error at (shop/templates/web.yaml:1:3): no image",
    `open '../none/a.yaml': no such file or directory`,
    `template: shop/templates/web.yaml:2:4: executing "templates/web.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b`,
    "accumulating resources from './none': must build at directory",
    'add operation does not apply: doc is missing path: "/data/a/b": missing value',
    "accumulating resources from 's.yaml': MalformedYAMLError: yaml: line 7: did not find expected key in File: s.yaml",
    "no matches for Id Secret.v1.[noGrp]/none.[noNs]; failed to find unique target for patch Secret.v1.[noGrp]/none.[noNs]",
    "illegal base64 data at input byte 4",
    "YAML parse error on shop/templates/web.yaml: error converting YAML to JSON: yaml: mapping values are not allowed in this context",
  ];
  for (const words of OPEN)
    it(`is unchanged: ${words.slice(0, 60)}`, () => assert.equal(maskedWords(words, known), words));

  it("contains the kinds of a component that is none, and of a resource that is one", () => {
    assert.equal(
      maskedWords(
        `accumulating components: accumulateDirectory: "expected kind 'Component' for path '/x/a' but got 'Kustomization'"`,
        known,
      ),
      "accumulating components: accumulateDirectory: expected kind Component for path '/x/a' but got Kustomization",
    );
    assert.equal(
      maskedWords("expected kind != 'Component' for path '/x/a'", known),
      "expected kind != Component for path '/x/a'",
    );
  });

  it("contains the object of a generator that has nothing to merge with, and unknown fields", () => {
    const id = (namespace: string): string =>
      `id resid.ResId{Gvk:resid.Gvk{Group:"", Version:"v1", Kind:"Secret", isClusterScoped:false}, Name:"login", Namespace:"${namespace}"}`;
    const missing = "does not exist; cannot merge or replace";
    assert.equal(
      maskedWords(`merging from generator &{0x26b7aadf8000 <nil>}: ${id("shop")} ${missing}`, known),
      `merging from generator: Secret shop/login ${missing}`,
    );
    assert.equal(
      maskedWords(`merging from generator &{0x1 <nil>}: ${id("")} ${missing}`, known),
      `merging from generator: Secret login ${missing}`,
    );
    assert.equal(maskedWords('json: unknown field "namespace"', known), "json: unknown field namespace");
    assert.equal(maskedWords('json: unknown field "hunter2 x"', known), 'json: unknown field "…"');
  });

  it("contains why a resource is not a file, which kustomize quotes with its quotes", () => {
    const conflict = "may not add resource with an already registered id: Service.v1.[noGrp]/web.[noNs]";
    assert.equal(
      maskedWords(
        `accumulation err='merging resources from 'web.yaml': ${conflict}': must build at directory: '/x/web.yaml': file is not directory`,
        known,
      ),
      `accumulation err: merging resources from 'web.yaml': ${conflict}: must build at directory: '/x/web.yaml': file is not directory`,
    );
    assert.equal(
      maskedWords(
        "accumulation err='accumulating resources from './a': '/x/a' must resolve to a file': couldn't make target for path '/x/a': kustomization.yaml is empty",
        known,
      ),
      "accumulation err: accumulating resources from './a': '/x/a' must resolve to a file: couldn't make target for path '/x/a': kustomization.yaml is empty",
    );
    assert.equal(
      maskedWords(`loader.New "must build at directory: evalsymlink failure on '/x/a b' : lstat /x: none"`, known),
      "loader.New: must build at directory: evalsymlink failure on '…' : lstat /x: none",
    );
    assert.equal(maskedWords("couldn't read 'hunter2 x'", known), "couldn't read '…'");
  });

  it("keeps the host of a URL", () => {
    for (const name of ["me:pw@", "me@", "a%40b:p:w@", "x:p@w@"]) {
      assert.equal(withoutUserInfo(`ssh://${name}git.example/x?a=b@c`), "ssh://…@git.example/x?a=b@c");
    }
    for (const text of [
      "https://git.example/a@b",
      "https://git.example:8443/a@b",
      "git@git.example:a/b",
      "https://git.example/a?ref=v1",
    ])
      assert.equal(withoutUserInfo(text), text);
  });

  it("contains no unescaped password and no token of a query", () => {
    for (const text of [
      "'https://me:hunter2/x@git.example/x'",
      "https://me:8080x/hunter2@git.example/x",
      "me:hunter2@git.example:a/b",
      "'me:hunter2@git.example:a/b'",
      "https://git.example/x?private_token=hunter2&ref=v1",
      "https://git.example/x?a=b&X-Amz-Signature=hunter2",
    ])
      assert.doesNotMatch(withoutUserInfo(text), /hunter2/u);
  });

  it("is hidden as a whole if looking for all values takes too long", () => {
    const like = Array.from({ length: 10_000 }, (_, i) => `aaaaaaaaaa${i}`);
    assert.equal(maskedWords("a".repeat(65_536), { open: [], values: like }), "…");
    assert.equal(maskedWords(`a ${like[7]} b`, { open: [], values: like }), "a … b");
  });

  it("contains no value wherever the output ends", () => {
    const quoted = QUOTING.filter(
      (words) => words.includes("hunter2") && /["`[]/u.test(words) && !words.includes(SECRET),
    );
    for (const words of quoted)
      for (let end = words.indexOf("hunter2") + 3; end < words.length; end++)
        assert.doesNotMatch(maskedWords(words.slice(0, end), known), /hunt/u, words.slice(0, end));
  });

  it("is hidden as a whole if a part of it may be missing", () => {
    const long = `say ${"ö".repeat(33_000)}`;
    assert.match(shownWords(long, {}, known), /^… \(hidden/u);
    assert.equal(shownWords(long, { ROLLSTAMP_SHOW_RENDERER_WORDS: "true" }, known), long);
    assert.equal(shownWords(long.slice(0, 30_000), {}, known), long.slice(0, 30_000));
  });

  it("is masked in linear time", () => {
    for (const part of ['\\"', "JSON from [", "!!str `"])
      assert.match(maskedWords(part.repeat(65_536 / part.length), known), /…/u);
    for (const part of ["a", "a://", "a://b:", "x:y@", "?token=", "'"])
      assert.ok(withoutUserInfo(part.repeat(65_536 / part.length)).length > 0);
  });
});
