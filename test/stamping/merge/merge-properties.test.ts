import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parseAllDocuments } from "yaml";
import { DEFAULT_LIMITS } from "../../../src/base/limits.ts";
import { mergeTexts } from "../../../src/node/git-merge.ts";
import { mergeStampedTexts, type Merged, type Three } from "../../../src/stamping/merge/merge-texts.ts";
import { mapping, optionalMapping } from "../../hosts/manifests.ts";

const PARAMETERS = { numRuns: Number(process.env["FC_RUNS"] ?? 120), seed: Number(process.env["FC_SEED"] ?? 20261201) };

/** A pod template. Its marker is in its spec, and no other template has it. */
interface Template {
  readonly marker: number;
  readonly name: string;
  readonly restart: string | undefined;
  readonly stamp: number;
}

/** An object with a pod template, or one whose list has several. */
interface Doc {
  readonly header: string;
  readonly template: Template;
  readonly items: readonly Template[];
  /** The key by which people tell the items apart. */
  readonly key: string;
}

const HEADERS = [
  "apiVersion: apps/v1\nkind: Deployment",
  "apiVersion: v1\nkind: Service",
  "apiVersion: serving.knative.dev/v1\nkind: Service",
];
const KEYS = ["name", "groupName", "title"];

const linesOf = ({ marker, restart, stamp }: Template, indent: string): string[] =>
  [
    "metadata:",
    "  annotations:",
    `    team: t${marker}`,
    ...(stamp === 0 ? [] : [`    configmap.rollstamp.dev/env: "h1-${stamp}"`]),
    ...(restart === undefined ? [] : [`    rollstamp.dev/restartedAt: "${restart}"`]),
    `  labels: {app: t${marker}}`,
    "spec:",
    `  image: i${marker}`,
    `  marker: ${marker}`,
  ].map((line) => indent + line);

const print = (docs: readonly Doc[]): string =>
  docs
    .map(({ header, template, items, key }) =>
      [
        header,
        `metadata:\n  name: ${template.name}`,
        "spec:",
        "  template:",
        ...linesOf(template, "    "),
        ...(items.length === 0 ? [] : ["  groups:"]),
        ...items.flatMap((item) => [`  - ${key}: ${item.name}`, "    template:", ...linesOf(item, "      ")]),
        "",
      ].join("\n"),
    )
    .join("---\n");

/** The restarts of the pod templates in a stream by their markers; undefined if a marker is repeated. */
function restartsOf(text: string): Map<number, string | undefined> | undefined {
  const found = new Map<number, string | undefined>();
  let isRepeated = false;
  const add = (owner: unknown): void => {
    const template = mapping(mapping(owner)["template"]);
    const marker = Number(mapping(template["spec"])["marker"]);
    const annotations = optionalMapping(mapping(template["metadata"])["annotations"]);
    isRepeated ||= found.has(marker);
    found.set(marker, annotations?.["rollstamp.dev/restartedAt"] as string | undefined);
  };
  for (const document of parseAllDocuments(text)) {
    assert.deepEqual(document.errors, []);
    const spec = mapping(mapping(document.toJS())["spec"]);
    add(spec);
    if (Array.isArray(spec["groups"])) spec["groups"].forEach(add);
  }
  return isRepeated ? undefined : found;
}

/** The markers by the identities of their templates. */
function markersOf(docs: readonly Doc[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const { header, template, items } of docs) {
    const id = `${header} ${template.name}`;
    found.set(id, template.marker);
    for (const item of items) found.set(`${id} ${item.name}`, item.marker);
  }
  return found;
}

const OPERATIONS =
  "insert remove rename move restart restart stamp stamp insertItem removeItem renameItem moveItem restartItem stampItem";

const edit = fc.record({
  operation: fc.constantFrom(...OPERATIONS.split(" ")),
  at: fc.nat(9),
  to: fc.nat(9),
  kind: fc.nat(2),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

const put = <T>(all: readonly T[], at: number, one: T): T[] => all.toSpliced(at % (all.length + 1), 0, one);
const without = <T>(all: readonly T[], at: number): T[] => all.toSpliced(at, 1);

/** Makes pod templates with markers that no other has. */
class Makes {
  private marker: number;
  private readonly side: number;
  public constructor(side: number) {
    this.side = side;
    this.marker = side * 100;
  }
  /** Some names are taken, as patches for kustomize all have the same. */
  public template(name: number): Template {
    this.marker += 1;
    return { marker: this.marker, name: name < 2 ? "same" : `n${this.marker}`, restart: undefined, stamp: name % 3 };
  }
  public doc(name: number, kind: number): Doc {
    const [header, key] = [HEADERS[kind] ?? "", KEYS[name % 3] ?? ""];
    const items = Array.from({ length: (name + kind) % 3 }, (_, i) => this.template(name + i));
    return { header, template: this.template(name), items, key };
  }
  public changed(template: Template, operation: string, value: number): Template {
    if (operation.startsWith("rename")) return { ...template, name: `n${this.side}${value}` };
    if (operation.startsWith("stamp")) return { ...template, stamp: this.side * 10 + value };
    return { ...template, restart: value < 3 ? undefined : `2026-0${this.side}-0${value}T00:00:00Z` };
  }
  public edited(docs: readonly Doc[], { operation, at, to, kind }: Edit): readonly Doc[] {
    if (operation === "insert") return put(docs, at, this.doc(to, kind));
    const i = at % docs.length;
    const doc = docs[i];
    if (doc === undefined) return docs;
    const { template, items } = doc;
    if (operation === "remove") return docs.length > 1 ? without(docs, i) : docs;
    if (operation === "move") return put(without(docs, i), to, doc);
    if (!operation.endsWith("Item")) return docs.with(i, { ...doc, template: this.changed(template, operation, to) });
    const j = kind % Math.max(items.length, 1);
    const item = items[j];
    if (operation === "insertItem") return docs.with(i, { ...doc, items: put(items, to, this.template(to)) });
    if (item === undefined) return docs;
    if (operation === "removeItem") return docs.with(i, { ...doc, items: without(items, j) });
    if (operation === "moveItem") return docs.with(i, { ...doc, items: put(without(items, j), to, item) });
    return docs.with(i, { ...doc, items: items.with(j, this.changed(item, operation, to)) });
  }
}

const edits = fc.array(edit, { minLength: 1, maxLength: 4 });
const bases = fc.array(fc.tuple(fc.nat(9), fc.nat(2)), { minLength: 1, maxLength: 3 });

const gitMerge = (three: Three): Promise<Merged> =>
  mergeTexts(three, {
    cwd: process.cwd(),
    environment: { PATH: process.env["PATH"] ?? "" },
    limits: DEFAULT_LIMITS,
    markerSize: 7,
    labels: ["ours", "base", "theirs"],
  });

describe("merges of files with restarts, for random edits of both sides", () => {
  it("give each pod template the restart of the side that changed it, or what git makes of it", async () => {
    let clean = 0;
    await fc.assert(
      fc.asyncProperty(bases, edits, edits, async (all, ofOurs, ofTheirs) => {
        const makes = [1, 2, 3].map((side) => new Makes(side)) as [Makes, Makes, Makes];
        let base: readonly Doc[] = all.map(([name, kind]) => makes[0].doc(name, kind));
        base = base.map((doc, i) =>
          i % 2 === 0 ? doc : { ...doc, template: makes[0].changed(doc.template, "restart", 5) },
        );
        const ours = ofOurs.reduce((docs, each) => makes[1].edited(docs, each), base);
        const theirs = ofTheirs.reduce((docs, each) => makes[2].edited(docs, each), base);
        // Another object may take the identity of one that was renamed: then it is that object, to Kubernetes, too.
        const identities = [base, ours, theirs].map(markersOf);
        fc.pre(
          [...(identities[0] ?? [])].every(([id, marker]) =>
            identities.every((markers) => (markers.get(id) ?? marker) === marker),
          ),
        );
        const three = { base: print(base), ours: print(ours), theirs: print(theirs) };
        const merged = await mergeStampedTexts(three, gitMerge, DEFAULT_LIMITS);
        if (merged === undefined || merged.conflicts > 0) return;
        clean += 1;
        const [o, a, b] = [three.base, three.ours, three.theirs].map(restartsOf);
        const found = restartsOf(merged.text);
        const wrong =
          found === undefined ||
          [...new Set([...(a?.keys() ?? []), ...(b?.keys() ?? [])])].some((marker) => {
            const [before, mine, other] = [o?.get(marker), a?.get(marker), b?.get(marker)];
            const isInBoth = a?.has(marker) === true && b?.has(marker) === true;
            if (!found.has(marker)) return isInBoth || o?.has(marker) !== true;
            if (!isInBoth) return found.get(marker) !== (a?.has(marker) === true ? mine : other);
            if (before !== mine && before !== other) return false;
            return found.get(marker) !== (before === mine ? other : mine);
          });
        if (!wrong) return;
        assert.deepEqual(merged, await gitMerge(three));
      }),
      PARAMETERS,
    );
    assert.ok(clean > PARAMETERS.numRuns / 10, `${clean} of ${PARAMETERS.numRuns} merges without conflicts`);
  });
});
