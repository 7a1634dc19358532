import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { cli, type CliResult } from "../../support/cli.ts";
import { inFolder } from "../../support/folders.ts";

const A = "h1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B = "h1-bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const C = "h1-cccccccccccccccccccccccccccccccccccccccc";

interface Options {
  readonly image?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: readonly string[];
  readonly ownAnnotations?: readonly string[];
  readonly template?: string;
}

/** A Deployment with annotations on its pod template, and others on itself. */
const web = ({
  image = "web:1",
  name = "web",
  namespace = "site",
  annotations = [],
  ownAnnotations = [],
  template,
}: Options = {}): string =>
  [
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata:",
    `  name: ${name}`,
    `  namespace: ${namespace}`,
    ...(ownAnnotations.length === 0 ? [] : ["  annotations:", ...ownAnnotations.map((line) => `    ${line}`)]),
    "spec:",
    "  template:",
    "    metadata:",
    ...(template === undefined
      ? annotations.length === 0
        ? []
        : ["      annotations:", ...annotations.map((line) => `        ${line}`)]
      : [template]),
    "      labels:",
    "        app: web",
    "    spec:",
    "      containers:",
    `        - image: ${image}`,
    "",
  ].join("\n");

const stamp = (name: string, value: string): string => `configmap.rollstamp.dev/${name}: "${value}"`;
/** A RayCluster with a pod template in each item of a list. */
function groups(key: string, all: Readonly<Record<string, readonly string[]>>): string {
  const items = Object.entries(all).map(([name, annotations]) =>
    [
      `    - ${key}: ${name}`,
      "      template:",
      "        metadata:",
      "          annotations:",
      ...annotations.map((line) => `            ${line}`),
      "        spec:",
      "          containers:",
      `            - image: ${name}:1`,
      "",
    ].join("\n"),
  );
  return `apiVersion: ray.io/v1\nkind: RayCluster\nmetadata:\n  name: ray\nspec:\n  workerGroupSpecs:\n${items.join("")}`;
}

/** A workload whose name the API server generates. */
const generated = (prefix: string, value: string): string =>
  web({ annotations: [stamp("env", value)] }).replace("  name: web\n", `  generateName: ${prefix}\n`);

const restarted = (time: string): string => `rollstamp.dev/restartedAt: "${time}"`;

interface Merge {
  readonly result: CliResult;
  readonly text: string;
}

async function merge(base: string, ours: string, theirs: string, more: readonly string[] = []): Promise<Merge> {
  let merged: Merge | undefined;
  await inFolder({ O: base, A: ours, B: theirs }, async (folder) => {
    const files = ["O", "A", "B"].map((name) => join(folder, name));
    const result = await cli(["merge-driver", ...more, ...files, "web.yaml"], {
      environment: { PATH: process.env["PATH"] ?? "", GIT_CONFIG_NOSYSTEM: "1", HOME: folder },
    });
    merged = { result, text: readFileSync(join(folder, "A"), "utf8") };
  });
  assert.ok(merged);
  return merged;
}

interface Case {
  readonly name: string;
  readonly base: string;
  readonly ours: string;
  readonly theirs: string;
  readonly merged: string;
}

const CASES: readonly Case[] = [
  {
    name: "both have changed the stamp of a workload that one has renamed: ours stays, and the next stamp corrects it",
    base: web({ annotations: [stamp("env", A)] }),
    ours: web({ annotations: [stamp("env", B)] }),
    theirs: web({ name: "shop", annotations: [stamp("env", C), stamp("more", C)] }),
    merged: web({ name: "shop", annotations: [stamp("env", B), stamp("more", C)] }),
  },
  {
    name: "both have added an object, with other stamps: ours stay",
    base: web(),
    ours: `${web()}---\n${web({ name: "api", annotations: [stamp("env", A)] })}`,
    theirs: `${web()}---\n${web({ name: "api", annotations: [stamp("env", B)] })}`,
    merged: `${web()}---\n${web({ name: "api", annotations: [stamp("env", A)] })}`,
  },
  {
    name: "objects with generated names, whose stamps both have changed",
    base: [A, A].map((value, i) => generated(`x${i}-`, value)).join("---\n"),
    ours: [B, B].map((value, i) => generated(`x${i}-`, value)).join("---\n"),
    theirs: [C, C].map((value, i) => generated(`x${i}-`, value)).join("---\n"),
    merged: [B, B].map((value, i) => generated(`x${i}-`, value)).join("---\n"),
  },
  {
    name: "both have changed a stamp: ours stays",
    base: web({ annotations: [stamp("env", A)] }),
    ours: web({ annotations: [stamp("env", B)] }),
    theirs: web({ annotations: [stamp("env", C)] }),
    merged: web({ annotations: [stamp("env", B)] }),
  },
  {
    name: "one has changed a stamp: that one",
    base: web({ annotations: [stamp("env", A)] }),
    ours: web({ annotations: [stamp("env", A)], image: "web:2" }),
    theirs: web({ annotations: [stamp("env", C)] }),
    merged: web({ annotations: [stamp("env", C)], image: "web:2" }),
  },
  {
    name: "each has a new stamp: both, in their order",
    base: web({ annotations: [stamp("m", A)] }),
    ours: web({ annotations: [stamp("m", B), stamp("z", A)] }),
    theirs: web({ annotations: [stamp("a", A), stamp("m", C)] }),
    merged: web({ annotations: [stamp("a", A), stamp("m", B), stamp("z", A)] }),
  },
  {
    name: "first stamps on both sides",
    base: web(),
    ours: web({ annotations: [stamp("a", A)] }),
    theirs: web({ annotations: [stamp("b", B)] }),
    merged: web({ annotations: [stamp("a", A), stamp("b", B)] }),
  },
  {
    name: "a first stamp, and an annotation of a person's",
    base: web(),
    ours: web({ annotations: [stamp("a", A)] }),
    theirs: web({ annotations: ["team: shop"] }),
    merged: web({ annotations: [stamp("a", A), "team: shop"] }),
  },
  {
    name: "a stamp that one has taken away, and the other changed, goes",
    base: web({ annotations: ["team: shop", stamp("a", A), stamp("b", A)] }),
    ours: web({ annotations: ["team: shop", stamp("b", A)] }),
    theirs: web({ annotations: ["team: shop", stamp("a", B), stamp("b", A)] }),
    merged: web({ annotations: ["team: shop", stamp("b", A)] }),
  },
  {
    name: "the later of two restarts",
    base: web({ annotations: [restarted("2026-01-01T00:00:00Z")] }),
    ours: web({ annotations: [restarted("2026-03-01T01:00:00+02:00")] }),
    theirs: web({ annotations: [restarted("2026-02-28T23:30:00Z")] }),
    merged: web({ annotations: [restarted("2026-02-28T23:30:00Z")] }),
  },
  {
    name: "a restart that one side has taken back",
    base: web({ annotations: [restarted("2026-02-01T00:00:00Z")] }),
    ours: web({ annotations: [restarted("2026-02-01T00:00:00Z")], image: "web:2" }),
    theirs: web({ annotations: [restarted("2026-01-01T00:00:00Z")] }),
    merged: web({ annotations: [restarted("2026-01-01T00:00:00Z")], image: "web:2" }),
  },
  {
    name: "what waits, on the workload itself",
    base: web({ ownAnnotations: ["team: shop"] }),
    ours: web({ ownAnnotations: ["team: shop", 'rollstamp.dev/waiting: "configmap.rollstamp.dev/env=h1-a"'] }),
    theirs: web({
      ownAnnotations: ["team: shop", 'rollstamp.dev/waiting: "configmap.rollstamp.dev/env=h1-b"'],
      image: "web:3",
    }),
    merged: web({
      ownAnnotations: ["team: shop", 'rollstamp.dev/waiting: "configmap.rollstamp.dev/env=h1-a"'],
      image: "web:3",
    }),
  },
  {
    name: "layout Combined",
    base: web({ annotations: [`rollstamp.dev/config-hash: "${A}"`] }),
    ours: web({ annotations: [`rollstamp.dev/config-hash: "${B}"`] }),
    theirs: web({ annotations: [`rollstamp.dev/config-hash: "${C}"`], image: "web:2" }),
    merged: web({ annotations: [`rollstamp.dev/config-hash: "${B}"`], image: "web:2" }),
  },
  ...[{ name: "shop" }, { namespace: "shop" }].flatMap((renamed): Case[] => {
    const restart = { annotations: [stamp("env", B), restarted("2026-02-01T00:00:00Z")], image: "web:2" };
    const sides = [web({ ...renamed, annotations: [stamp("env", A)] }), web(restart)] as const;
    const common = { base: web({ annotations: [stamp("env", A)] }), merged: web({ ...renamed, ...restart }) };
    const name = `a restart of a workload whose ${Object.keys(renamed).join(" and ")} the other side changed`;
    return [
      { ...common, name: `${name}: theirs`, ours: sides[0], theirs: sides[1] },
      { ...common, name: `${name}: ours`, ours: sides[1], theirs: sides[0] },
    ];
  }),
  ...(["groupName", "title"] as const).map((key) => ({
    name: `a restart of a list item with a ${key}, before which the other side added one`,
    base: groups(key, { cpu: [stamp("cpu", A)] }),
    ours: groups(key, { gpu: [stamp("gpu", A)], cpu: [stamp("cpu", A)] }),
    theirs: groups(key, { cpu: [stamp("cpu", B), restarted("2026-02-01T00:00:00Z")] }),
    merged: groups(key, {
      gpu: [stamp("gpu", A)],
      cpu: [stamp("cpu", B), restarted("2026-02-01T00:00:00Z")],
    }),
  })),
  {
    name: "stamps of list items that groupName identifies, which both sides changed",
    base: groups("groupName", { cpu: [stamp("cpu", A)] }),
    ours: groups("groupName", { gpu: [stamp("gpu", A)], cpu: [stamp("cpu", B)] }),
    theirs: groups("groupName", { cpu: [stamp("cpu", C)] }),
    merged: groups("groupName", { gpu: [stamp("gpu", A)], cpu: [stamp("cpu", B)] }),
  },
  ...[
    { name: "of another API group", other: web({ image: "other:1" }).replace("apps/v1", "serving.knative.dev/v1") },
    { name: "of the same identity", other: web({ image: "other:1", annotations: ["team: other", stamp("other", A)] }) },
  ].map(({ name, other }) => {
    const [before, after] = [
      ["team: shop", stamp("env", A)],
      ["team: shop", stamp("env", B), restarted("2026-02-01T00:00:00Z")],
    ].map((annotations) => web({ annotations })) as [string, string];
    return {
      name: `a restart of an object, before which the other side added one ${name}`,
      base: before,
      ours: `${other}---\n${before}`,
      theirs: after,
      merged: `${other}---\n${after}`,
    };
  }),
  {
    name: "a comment behind a stamp, and its single quotes",
    base: web({ annotations: [`configmap.rollstamp.dev/env: '${A}'`] }),
    ours: web({ annotations: [`configmap.rollstamp.dev/env: '${B}' # why`] }),
    theirs: web({ annotations: [`configmap.rollstamp.dev/env: ${C}`] }),
    merged: web({ annotations: [`configmap.rollstamp.dev/env: '${B}' # why`] }),
  },
  {
    name: "a comment that one side has written behind a stamp",
    base: web({ annotations: [stamp("env", A)] }),
    ours: web({ annotations: [stamp("env", B)], image: "web:2" }),
    theirs: web({ annotations: [`${stamp("env", A)} # by bob`] }),
    merged: web({ annotations: [`${stamp("env", B)} # by bob`], image: "web:2" }),
  },
  {
    name: "a first stamp below a key that the other side has made at another place",
    base: web(),
    ours: web({ annotations: ["team: shop"] }),
    theirs: web().replace("    spec:", `      annotations:\n        ${stamp("env", A)}\n    spec:`),
    merged: web({ annotations: [stamp("env", A), "team: shop"] }),
  },
  {
    name: "the last stamp gone with its key, and an annotation of a person's below it",
    base: web({ annotations: [stamp("env", A)] }),
    ours: web({ annotations: [stamp("env", A), "team: shop"] }),
    theirs: web(),
    merged: web({ annotations: ["team: shop"] }),
  },
  {
    name: "flow style",
    base: web({ template: `      annotations: {team: shop, ${stamp("env", A)}}` }),
    ours: web({ template: `      annotations: {team: shop, ${stamp("env", B)}, ${stamp("more", B)}}` }),
    theirs: web({ template: `      annotations: {team: shops, ${stamp("env", C)}}` }),
    merged: web({ template: `      annotations: {team: shops, ${stamp("env", B)}, ${stamp("more", B)}}` }),
  },
  {
    name: "flow style with nothing else in it",
    base: web(),
    ours: web({ template: `      annotations: {${stamp("env", B)}}` }),
    theirs: web({ template: `      annotations: {${stamp("env", C)}}`, image: "web:2" }),
    merged: web({ template: `      annotations: {${stamp("env", B)}}`, image: "web:2" }),
  },
  {
    name: "no line break at the end, and a byte order mark",
    base: `\uFEFF${web()}---\nkind: X\napiVersion: v1\nmetadata:\n  annotations:\n    ${stamp("env", A)}`,
    ours: `\uFEFF${web()}---\nkind: X\napiVersion: v1\nmetadata:\n  annotations:\n    ${stamp("env", B)}`,
    theirs: `\uFEFF${web({ image: "web:2" })}---\nkind: X\napiVersion: v1\nmetadata:\n  annotations:\n    ${stamp("env", C)}`,
    merged: `\uFEFF${web({ image: "web:2" })}---\nkind: X\napiVersion: v1\nmetadata:\n  annotations:\n    ${stamp("env", B)}`,
  },
  {
    name: "CRLF",
    base: web({ annotations: [stamp("env", A)] }).replaceAll("\n", "\r\n"),
    ours: web({ annotations: [stamp("env", B), stamp("more", B)] }).replaceAll("\n", "\r\n"),
    theirs: web({ annotations: [stamp("env", C)], image: "web:2" }).replaceAll("\n", "\r\n"),
    merged: web({ annotations: [stamp("env", B), stamp("more", B)], image: "web:2" }).replaceAll("\n", "\r\n"),
  },
  {
    name: "changes that only stamps part, which git alone would merge",
    base: web({ annotations: ["port: '1'", stamp("env", A)] }),
    ours: web({ annotations: ["port: '2'", stamp("env", A)] }),
    theirs: web({ annotations: ["port: '1'", stamp("env", A)] }).replace("labels:", "labels: # all"),
    merged: web({ annotations: ["port: '2'", stamp("env", A)] }).replace("labels:", "labels: # all"),
  },
  {
    name: "the same with stamps that differ",
    base: web({ annotations: ["port: '1'", stamp("env", A)] }),
    ours: web({ annotations: ["port: '2'", stamp("env", B)] }),
    theirs: web({ annotations: ["port: '1'", stamp("env", C)] }).replace("labels:", "labels: # all"),
    merged: web({ annotations: ["port: '2'", stamp("env", B)] }).replace("labels:", "labels: # all"),
  },
  {
    name: "conflicts in the base alone, as between several common ancestors",
    base: web({ annotations: [stamp("env", A)] }).replace("labels:", "<<<<<<< a\n=======\n>>>>>>> b\n      labels:"),
    ours: web({ annotations: [stamp("env", B)] }),
    theirs: web({ annotations: [stamp("env", C)] }),
    merged: web({ annotations: [stamp("env", B)] }),
  },
  {
    name: "a file that both have added",
    base: "",
    ours: web({ annotations: [stamp("env", B)] }),
    theirs: web({ annotations: [stamp("env", C)] }),
    merged: web({ annotations: [stamp("env", B)] }),
  },
  ...[{ team: "shop" }, {}].map((other) => ({
    name: `the items of an indented ResourceList in JSON, with ${JSON.stringify(other)} besides the stamp`,
    base: json(other, A, 1),
    ours: json(other, B, 1),
    theirs: json(other, C, 2),
    merged: json(other, B, 2),
  })),
  ...[",", ", "].flatMap((comma) =>
    ["team", undefined].map((key) => ({
      name: `JSON in one line with ${JSON.stringify(comma)} between entries, ${key ?? "none of them a person's"}`,
      base: jsonLine(comma, key, A),
      ours: jsonLine(comma, key, B),
      theirs: jsonLine(comma, key, C, 2),
      merged: jsonLine(comma, key, B, 2),
    })),
  ),
];

/** A Deployment as some programs print JSON: a comma with a blank, a colon without one. */
function jsonLine(comma: string, key: string | undefined, value: string, replicas: number = 1): string {
  const entries = (all: readonly string[]): string => `{${all.join(comma)}}`;
  const annotations = entries([
    ...(key === undefined ? [] : [`"${key}":"shop"`]),
    ...["env", "more"].map((name) => `"configmap.rollstamp.dev/${name}":"${value}"`),
  ]);
  const spec = entries([`"template":{"metadata":{"annotations":${annotations}}}`, `"replicas":${replicas}`]);
  return `${entries(['"apiVersion":"apps/v1"', '"kind":"Deployment"', '"metadata":{"name":"web"}', `"spec":${spec}`])}\n`;
}

function json(other: object, value: string, replicas: number): string {
  const item = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas,
      template: { metadata: { annotations: { ...other, "configmap.rollstamp.dev/env": value } } },
    },
  };
  return `${JSON.stringify({ apiVersion: "config.kubernetes.io/v1", kind: "ResourceList", items: [item] }, null, 2)}\n`;
}

describe("rollstamp merge-driver", () => {
  for (const { name, base, ours, theirs, merged } of CASES) {
    it(name, async () => {
      const { result, text } = await merge(base, ours, theirs);
      assert.deepEqual({ ...result, text }, { status: 0, stdout: "", stderr: "", text: merged });
    });
  }

  it("keeps the line as one side wrote it, with the quotes of its key", async () => {
    const quoted = (value: string): string => `'configmap.rollstamp.dev/env': '${value}' # by hand`;
    const base = web({ annotations: ["a: b", quoted(A)] });
    const { text, result } = await merge(
      base,
      web({ annotations: ["a: b", quoted(B)] }),
      web({ annotations: ["a: c", quoted(C)] }),
    );
    assert.equal(result.status, 0, result.stderr);
    assert.equal(text, web({ annotations: ["a: c", quoted(B)] }));
  });

  it("leaves a real conflict, with the stamps outside of it", async () => {
    const { result, text } = await merge(
      web({ annotations: [stamp("env", A)] }),
      web({ annotations: [stamp("env", B)], image: "web:2" }),
      web({ annotations: [stamp("env", C)], image: "web:3" }),
      ["--marker-size", "9", "--base", "%S", "--ours", "main", "--theirs", "a branch"],
    );
    assert.equal(result.status, 1);
    assert.equal(
      text,
      web({ annotations: [stamp("env", B)], image: "web:1" }).replace(
        "        - image: web:1\n",
        "<<<<<<<<< main\n        - image: web:2\n=========\n        - image: web:3\n>>>>>>>>> a branch\n",
      ),
    );
  });

  it("leaves comments that both sides have changed to a person", async () => {
    const behind = (comment: string): string => web({ annotations: [`${stamp("env", A)} # ${comment}`] });
    const inFlow = (comment: string): string =>
      web({ template: `      annotations: {\n        ${stamp("env", A)}, # ${comment}\n        team: shop\n      }` });
    const above = (comment: string): string =>
      web({ template: `      annotations: # ${comment}\n        ${stamp("env", A)}` });
    for (const [base, side] of [
      [behind("a"), behind],
      [inFlow("a"), inFlow],
      [web(), above],
    ] as const) {
      const { result, text } = await merge(base, side("b"), side("c"));
      assert.equal(result.status, 1);
      assert.match(text, /^<<<<<<< ours$[^]*# b$[^]*^=======$[^]*# c$[^]*^>>>>>>> theirs$/mu);
    }
  });

  it("leaves a comment that one side wrote after a stamp that the other removed to a person", async () => {
    const [base, removed, commented] = [[stamp("env", A)], [], [`${stamp("env", A)} # KEEP: ask Anna`]].map(
      (annotations) => web({ annotations: ["team: shop", ...annotations] }),
    ) as [string, string, string];
    for (const [ours, theirs] of [
      [removed, commented],
      [commented, removed],
    ] as const) {
      const { result, text } = await merge(base, ours, theirs);
      assert.equal(result.status, 1);
      assert.match(text, /# KEEP: ask Anna$/mu);
    }
  });

  it("never drops a restart without a conflict where the other side removed its place", async () => {
    const base = web({ template: `      annotations:\n        team: shop\n        ${stamp("env", A)}` });
    const restart = base.replace(stamp("env", A), `${stamp("env", B)}\n        ${restarted("2026-02-01T00:00:00Z")}`);
    const removed = web({ template: "      annotations: *other" }).replace("spec:", "other: &other {}\nspec:");
    for (const [ours, theirs] of [
      [removed, restart],
      [restart, removed],
    ] as const)
      assert.equal((await merge(base, ours, theirs)).result.status, 1);
  });

  it("takes time with the objects and the stamps, not with their squares", async () => {
    const time = async (n: number): Promise<number> => {
      const all = (value: string): string =>
        [
          ...Array.from({ length: n }, (_, i) =>
            JSON.stringify({
              kind: "H",
              apiVersion: "v1",
              spec: { ref: { kind: "D", apiVersion: "v1", name: `a${i}` } },
            }),
          ),
          JSON.stringify({
            kind: "D",
            apiVersion: "v1",
            metadata: {
              annotations: Object.fromEntries(
                Array.from({ length: n }, (_, i) => [`configmap.rollstamp.dev/${value}${i}`, value]),
              ),
            },
          }),
        ].join("\n---\n");
      const start = process.cpuUsage();
      assert.equal((await merge("", all("a"), all("b"))).result.status, 0);
      const { user } = process.cpuUsage(start);
      return user;
    };
    await time(100);
    const [one, eight] = [await time(500), await time(4000)];
    assert.ok(eight < one * 24, `${eight} µs for eight times what takes ${one} µs`);
  });

  it("treats text that only looks like a stamp as content", async () => {
    const map = (value: string): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\ndata:\n  x: |\n    annotations:\n      ${stamp("env", value)}\n`;
    const { result, text } = await merge(map(A), map(B), map(C));
    assert.equal(result.status, 1);
    assert.match(text, new RegExp(`<<<<<<< ours\n      ${stamp("env", B)}\n=======\n`, "u"));
  });

  it("merges as git does what it can't read", async () => {
    const side = (value: string, more: string): string =>
      `{{ if .x }}\n${stamp("env", value)}\n{{ end }}\na: {\n\n\n${more}\n`;
    const clean = await merge(side(A, "1"), side(B, "1"), side(A, "2"));
    assert.deepEqual([clean.result.status, clean.text], [0, side(B, "2")]);
    const conflict = await merge(side(A, "1"), side(B, "1"), side(C, "1"));
    assert.equal(conflict.result.status, 1);
    assert.match(conflict.text, /^<<<<<<< ours$/mu);
    const marked = await merge("a\n", `<<<<<<< x\n${side(A, "1")}`, `b\n${side(C, "1")}`);
    assert.equal(marked.result.status, 1);
  });

  it("takes time that grows with the text, whatever stands again and again in it", async () => {
    const many = `---\n${web({ annotations: [stamp("env", A)] })}`.repeat(1000);
    const keys = Array.from({ length: 2000 }, (_, i) => i);
    const side = (value: string, odd: number): string =>
      many +
      "---\n" +
      web({ name: "x", annotations: keys.filter((i) => i % 2 === odd).map((i) => stamp(`k${i + 10_000}`, value)) });
    const started = process.cpuUsage();
    const { result, text } = await merge(`${many}---\n${web({ name: "x" })}`, side(B, 0), side(C, 1));
    assert.equal(result.status, 0);
    assert.equal(text.match(/\/k\d+/gu)?.length, keys.length);
    const { user, system } = process.cpuUsage(started);
    assert.ok(user + system < 10_000_000, `${user + system} µs`);
  });

  it("leaves what git calls binary as it is on our side, in conflict", async () => {
    const { result, text } = await merge("a: \0\n", "b: \0\n", "c: \0\n");
    assert.deepEqual([result.status, text], [1, "b: \0\n"]);
    assert.match(result.stderr, /^rollstamp: web\.yaml: /u);
  });

  it("merges what is beyond a limit as git does", async () => {
    const [base, ours] = [web({ annotations: [stamp("env", A)] }), web({ annotations: [stamp("env", B)] })];
    const { result, text } = await merge(base, ours, web({ annotations: [stamp("env", A)], image: "web:2" }), [
      "--max-input-size",
      "1",
    ]);
    assert.deepEqual([result.status, text], [0, web({ annotations: [stamp("env", B)], image: "web:2" })]);
  });
});
