import {
  code,
  diff,
  labelled,
  list,
  numbers,
  paragraph,
  row,
  section,
  strong,
  table,
  texts,
  verdict,
} from "../../src/output/document/blocks.ts";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import stringWidth from "string-width";
import type { Block, Document, Row, Words } from "../../src/output/document/document.ts";
import { printHtml } from "../../src/output/document/html.ts";
import { printMarkdown } from "../../src/output/document/markdown.ts";
import { NARROW_SIGNS, printText } from "../../src/output/document/text.ts";
import { inRoot } from "../support/paths.ts";

// How each printer prints each block. What reports say in them is tested with the reports.

const SAMPLE: Document = {
  title: "Sample",
  leftOut: (rows) => [`${rows.length} rows left out`],
  blocks: [
    section({ id: "head", title: "Head", isTitleHidden: true }, [
      verdict("attention", "▲", "Review first:", code("shop/web"), " is stale"),
      labelled("Cause", [{ words: [code("LOG_LEVEL")], rest: ["changed"], blocks: [diff(["-a", "+b"], "key")] }]),
    ]),
    section({ id: "rows", title: "Workloads", isTitleHidden: true }, [
      row(
        {
          label: "stale",
          tone: "attention",
          sign: "▲",
          words: ["Deployment ", code("shop/web")],
          effect: ["its pods keep the old value"],
          cost: "1 pod",
          facets: { kind: ["A"] },
        },
        [labelled("Fix, safest first", [{ words: ["one"] }, { words: ["two"] }], true)],
      ),
      row({ label: "deleted", tone: "muted", sign: "−", mark: "-", words: [], size: "3 workloads" }, [
        {
          is: "names",
          most: 1,
          more: (names, objects) => [`and ${names} more (${objects})`],
          lists: [
            {
              kinds: [
                {
                  kind: "Deployment",
                  names: ["x/a", "x/b"].map((name) => ({ name, objects: 2, facets: { kind: ["B"] } })),
                },
              ],
              where: ["in ", code("prod")],
            },
          ],
        },
      ]),
      {
        is: "filter",
        facets: [{ id: "kind", label: "Kind", options: ["A", "B"].map((value) => ({ value, label: value })) }],
      },
      {
        is: "fold",
        groups: ["rolls", "next run"].map((label) => ({
          label,
          tone: "ok",
          sign: "✓",
          size: "2 workloads",
          rows: [1, 2].map((i) => row({ label, tone: "ok", sign: "✓", words: [code(`${label}-${i}`)] })),
        })),
        most: 3,
        more: (rows) => [`and ${rows.length} more`],
      },
    ]),
    section({ id: "causes", title: "Causes" }, [
      table(
        [numbers("pods"), texts("cause")],
        [
          [["4"], [code("ConfigMap x/env")]],
          [["12"], [{ facet: "kind", value: "A", words: ["é̂ *wide* 世界"] }]],
        ],
      ),
    ]),
    paragraph([strong("14 workloads checked "), { link: "https://example.com/?a&b", words: ["more"] }]),
  ],
};

const printed = (blocks: readonly Block[], columns?: number): Promise<string> =>
  printText({ title: "t", blocks }, { color: false, columns });
const words = (...parts: Words): Promise<string> => printed([paragraph(parts)]);

describe("a document as text", () => {
  it("aligns labels in a column, and separates top-level blocks", async () => {
    assert.equal(
      await printText(SAMPLE, { color: false }),
      `Review first: shop/web is stale
Cause: LOG_LEVEL: changed
       key:
         -a
         +b

STALE       Deployment shop/web: its pods keep the old value
            Fix, safest first:
              1. one
              2. two
DELETED   - 3 workloads
            Deployment x/a
            and 1 more (2)
ROLLS       rolls-1
ROLLS       rolls-2
NEXT RUN    next run-1
            and 1 more

Causes
  pods  cause
     4  ConfigMap x/env
    12  é̂ *wide* 世界

14 workloads checked more
`,
    );
  });
  it("has an effect on a line of its own if it fits there and not behind its object", async () => {
    const long = row({ label: "a", tone: "ok", words: ["x".repeat(30)], effect: ["the effect"] }, [
      labelled("Cause", [{ words: [code("y".repeat(30))], rest: [code("a"), " → ", code("b")] }]),
    ]);
    assert.equal(
      await printed([long], 50),
      `A           ${"x".repeat(30)}\n            The effect\n            Cause: ${"y".repeat(30)}\n                   a → b\n`,
    );
    assert.equal(
      await printed([long], 60),
      `A           ${"x".repeat(30)}: the effect\n            Cause: ${"y".repeat(30)}: a → b\n`,
    );
    const longer = row({
      label: "a",
      tone: "ok",
      words: ["x".repeat(20)],
      effect: ["many words of an effect that need two lines"],
    });
    assert.match(await printed([longer], 50), /^A {11}x{20}: many words of an\n {12}effect/u);
  });
  it("measures signs of reports without the table of widths", () => {
    assert.deepEqual(
      [...NARROW_SIGNS].map((sign) => stringWidth(sign)),
      [...NARROW_SIGNS].map(() => 1),
    );
  });

  it("is as wide as the document says where there is no terminal", async () => {
    const blocks = [paragraph("word ".repeat(30))];
    const text = await printText({ title: "t", blocks, columns: 50 }, { color: false });
    assert.ok(
      text.split("\n").every((line) => line.length <= 50),
      text,
    );
    assert.equal((await printText({ title: "t", blocks }, { color: false })).trimEnd().split("\n").length, 1);
  });
  it("breaks lines at spaces, below where their texts begin", async () => {
    const blocks = [
      row({ label: "stale", tone: "ok", words: ["one two three four five six seven"] }, [
        paragraph(`short ${"x".repeat(50)} end`),
      ]),
      list(["世界 ".repeat(20)]),
    ];
    assert.equal(
      await printed(blocks, 40),
      `STALE       one two three four five six
            seven
            short
            ${"x".repeat(50)}
            end

世界 世界 世界 世界 世界 世界 世界 世界
  世界 世界 世界 世界 世界 世界 世界
  世界 世界 世界 世界 世界
`,
    );
  });
  it("paints tones and strong words, and nothing without color", async () => {
    const blocks = [
      verdict("danger", "✕", "Do not merge:", "x"),
      paragraph([strong("s"), { tone: "muted", words: ["m"] }]),
    ];
    assert.equal(
      await printText({ title: "t", blocks }, { color: true }),
      "\u001b[1m\u001b[31mDo not merge: \u001b[39m\u001b[22m\u001b[1m\u001b[31mx\u001b[39m\u001b[22m\n\n" +
        "\u001b[1ms\u001b[22m\u001b[2mm\u001b[22m\n",
    );
  });
  it("holds no character or mark that a terminal or GitHub's runner obeys, also across parts", async () => {
    assert.equal(await words("a\u001b[31m\n", code("b\u0007")), "a\\u001b[31m\\u000ab\\u0007\n");
    assert.equal(await words("::", code("error::x")), "\\u003a:error::x\n");
    assert.equal(await words(":", code(":error")), ":\\u003aerror\n");
    assert.equal(await words("##", code("[group]")), "##\\u005bgroup]\n");
    assert.equal(await words("#", code("#[group]")), "#\\u0023[group]\n");
    for (const [first, second] of [
      ["##", "vso[x]"],
      ["#", "#vso[x]"],
      ["", "##vso[x]"],
    ] as const)
      assert.doesNotMatch(await words(first, code(second)), /##vso/u);
  });
});

describe("a document as Markdown", () => {
  const markdown = (document: Document, longest = 60_000): string =>
    printMarkdown(document, { marker: "<!-- m -->", longest });
  it("has a line for each row, and folds what nobody has to read", () => {
    assert.equal(
      markdown(SAMPLE),
      `<!-- m -->
### ⚠️ Review first: \`shop/web\` is stale

**Cause:** \`LOG_LEVEL\`: changed

\`key\`

\`\`\`diff
-a
+b
\`\`\`

- 🟡 **Stale**: Deployment \`shop/web\`: its pods keep the old value. **Fix, safest first:**
  1. one
  2. two
- ⚪ **Deleted**, 3 workloads. Deployment \`x/a\`, \`x/b\` in \`prod\`

<details><summary>🟢 <b>Rolls</b>: 2 workloads · <b>Next run</b>: 2 workloads</summary>

- **Rolls**: \`rolls-1\`
- **Rolls**: \`rolls-2\`
- **Next run**: \`next run-1\`
- **Next run**: \`next run-2\`
</details>

**Causes**

| pods | cause |
|--:|---|
| 4 | <code>ConfigMap x/env</code> |
| 12 | é̂ &#42;wide&#42; 世界 |

**14 workloads checked** [more](https://example.com/?a&b)
`,
    );
  });
  it("folds more than 30 names of a row", () => {
    const names = (n: number): Document => ({
      title: "t",
      blocks: [
        row({ label: "stale", tone: "attention", words: [], size: "many" }, [
          {
            is: "names",
            lists: [
              { kinds: [{ kind: "Pod", names: Array.from({ length: n }, (_, i) => ({ name: `p${i}`, objects: 1 })) }] },
            ],
          },
        ]),
      ],
    });
    assert.doesNotMatch(markdown(names(30)), /details/u);
    assert.match(
      markdown(names(31)),
      /^- 🟡 \*\*Stale\*\*, many\n {2}<details><summary>31 names<\/summary>\n\n {2}Pod `p0`, .*`p30`\n {2}<\/details>$/mu,
    );
  });
  it("has code that no name can end", () => {
    const lines = ["```", "+a"];
    const document: Document = {
      title: "t",
      blocks: [
        paragraph([code("a`b"), " ", code("<b>"), " ", code("##[x]##vso[x]")]),
        { is: "code", lines, language: "text" },
      ],
    };
    assert.equal(
      markdown(document),
      "<!-- m -->\n<code>a&#96;b</code> <code>&lt;b&gt;</code> `#\\u0023[x]#\\u0023vso[x]`\n\n````\n```\n+a\n````\n",
    );
  });
  it("leaves out routine rows, then others, and says how many", () => {
    const rows = (label: string, n: number): Row[] =>
      Array.from({ length: n }, (_, i) =>
        row({ label, tone: label === "a" ? "danger" : "ok", words: [`${label}${i} ${"x".repeat(300)}`] }),
      );
    const document = (a: number, b: number): Document => ({
      title: "t",
      leftOut: (left) => [`${left.length} left out`],
      blocks: [
        ...rows("a", a),
        { is: "fold", groups: [{ label: "b", tone: "ok", sign: "✓", size: "many", rows: rows("b", b) }] },
      ],
    });
    const some = markdown(document(5, 80), 9_000);
    const [, left = ""] = /\n(\d+) left out\n$/u.exec(some) ?? [];
    assert.ok(some.includes("a4") && Number(left) > 50 && Number(left) < 80, some);
    assert.equal((some.match(/b\d+ x/gu)?.length ?? 0) + Number(left), 80);
    assert.ok(Buffer.byteLength(some) < 9_000);
    const few = markdown(document(80, 5), 9_000);
    assert.doesNotMatch(few, /b0/u);
    assert.match(few, /a0 x/u);
    assert.ok(Buffer.byteLength(few) < 9_000);
  });
});

describe("a document as HTML", () => {
  const main = /<body>\n(?<body>.*?)\n<script>/su;
  it("is one page, whose links filter by facets and lead to the first row without a script", () => {
    const body = main.exec(printHtml(SAMPLE))?.groups?.["body"] ?? "";
    const file = inRoot("test", "output", "document-html.snapshot");
    const text = `${body.replaceAll("><", ">\n<")}\n`;
    if (process.env["UPDATE_FIXTURES"] === "1") writeFileSync(file, text);
    assert.equal(text, readFileSync(file, "utf8"));
  });
});
