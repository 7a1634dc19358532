import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  code,
  diff,
  list,
  numbers,
  paragraph,
  row,
  section,
  strong,
  table,
  texts,
  verdict,
  type Block,
  type Document,
  type Words,
} from "../../src/output/document/document.ts";
import { printHtml } from "../../src/output/document/html.ts";
import { printMarkdown } from "../../src/output/document/markdown.ts";
import { printText } from "../../src/output/document/text.ts";

// How each printer prints each block. What reports say in them is tested with the reports.

const SAMPLE: Document = {
  title: "Sample",
  blocks: [
    verdict("attention", "▲", "Review first:", "1 workload is stale"),
    {
      is: "filter",
      facets: [{ id: "kind", label: "Kind", options: ["A", "B"].map((value) => ({ value, label: value })) }],
    },
    section({ id: "rows", title: "Workloads", total: 3, isTitleHidden: true }, [
      row(
        {
          label: "stale",
          tone: "attention",
          sign: "▲",
          words: [code("Deployment"), " ", code("shop/web")],
          isOpen: true,
          facets: { kind: ["A"] },
        },
        [
          paragraph([code("LOG_LEVEL"), " changed"]),
          list(["one", { words: ["two"], blocks: [diff(["-a", "+b"], "key")] }]),
        ],
      ),
      row({ label: "ok", tone: "ok", sign: "✓", words: [], count: { number: 2, noun: "workloads" }, cost: "4 pods" }, [
        {
          is: "members",
          most: 1,
          members: ["x/a", "x/b"].map((name) => ({ kind: "Deployment", name, facets: { kind: ["B"] }, blocks: [] })),
        },
      ]),
    ]),
    section({ id: "causes", title: "Causes" }, [
      table(
        [numbers("pods"), texts("cause")],
        [
          [["4"], [code("ConfigMap x/env")]],
          [["12"], [{ facet: "kind", value: "B", words: ["é̂ *wide* 世界"] }]],
        ],
      ),
    ]),
    paragraph([strong("14 workloads checked"), " ", { link: "https://example.com/?a&b", words: ["more"] }]),
  ],
};

const printed = (blocks: readonly Block[], columns?: number): Promise<string> =>
  printText({ title: "t", blocks }, { color: false, columns });
const words = (...parts: Words): Promise<string> => printed([paragraph(parts)]);

describe("a document as text", () => {
  it("aligns labels in a column, and separates top-level blocks", async () => {
    assert.equal(
      await printText(SAMPLE, { color: false }),
      `Review first: 1 workload is stale

STALE       Deployment shop/web
            LOG_LEVEL changed
            one
            two
              key:
                -a
                +b
OK          2 workloads, 4 pods
            Deployment x/a and 1 more

Causes
  pods  cause
     4  ConfigMap x/env
    12  é̂ *wide* 世界

14 workloads checked more
`,
    );
  });
  it("breaks lines at spaces, below where their texts begin", async () => {
    const blocks = [
      row({ label: "stale", tone: "ok", words: ["one two three four five six seven"] }, [
        paragraph(`short ${"x".repeat(50)} end`),
      ]),
      paragraph("世界 ".repeat(20)),
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
  });
});

describe("a document as Markdown", () => {
  const markdown = (document: Document, longest = 60_000): string =>
    printMarkdown(document, { marker: "<!-- m -->", longest });
  it("folds rows, and highlights in HTML that GitHub accepts", () => {
    assert.equal(
      markdown(SAMPLE),
      `<!-- m -->
### ⚠️ Review first: 1 workload is stale

<details open><summary>🟡 <b>stale</b> <b><code>Deployment</code> <code>shop/web</code></b></summary>
<ul>
<li><code>LOG&#95;LEVEL</code> changed</li>
<li>one</li>
<li>two<br><code>key</code><pre>-a
+b</pre></li>
</ul>
</details>

<details><summary>🟢 <b>ok</b> <b>2 workloads, 4 pods</b></summary>
<ul>
<li><code>Deployment</code> <code>x/a</code> and 1 more</li>
</ul>
</details>

**Causes**

| pods | cause |
|--:|---|
| 4 | <code>ConfigMap x/env</code> |
| 12 | é̂ &#42;wide&#42; 世界 |

<b>14 workloads checked</b> <a href="https&#58;//example.com/?a&amp;b">more</a>
`,
    );
  });
  it("leaves out details, then routine rows, and says what", () => {
    const rows = (label: string, isRoutine: boolean, n: number): Block => ({
      is: "cut",
      isRoutine,
      rows: Array.from({ length: n }, (_, i) =>
        row({ label, tone: "ok", words: [`${label}${i}`] }, [paragraph("x".repeat(300))]),
      ),
      rest: (left) => [`${left.length} ${label} left out`],
    });
    const found = markdown({ title: "t", blocks: [rows("a", false, 5), rows("b", true, 80)] }, 7_500);
    assert.ok(found.includes("a4") && !found.includes("a left out"), found);
    assert.match(found, /\d+ b left out\n$/u);
    assert.ok(Buffer.byteLength(found) < 7_500);
  });
});

describe("a document as HTML", () => {
  const main = /<body>\n(?<body>.*?)\n<script>/su;
  it("is one page, whose links filter by facets and lead to the first row without a script", () => {
    const body = main.exec(printHtml(SAMPLE))?.groups?.["body"] ?? "";
    assert.equal(
      body.replaceAll("><", ">\n<"),
      `<div class="page plan">
<header>
<h1>Sample</h1>
<p class="verdict attention">
<span class="mark" aria-hidden="true">▲</span> <strong>Review first:</strong> 1 workload is stale</p>
<div class="filters" role="search" hidden>
<label class="search">
<span>Search</span> <input type="search" id="search" autocomplete="off" spellcheck="false">
</label>
<div class="state">
<p id="status" role="status">
</p>
<button type="button" id="reset">Show all</button>
</div>
<details class="choices">
<summary>Filters</summary>
<div class="fields">
<label>
<span>Kind</span> <select id="kind">
<option value="">all</option>
<option value="A">A</option>
<option value="B">B</option>
</select>
</label>
</div>
</details>
</div>
</header>
<main>
<section id="rows" class="rows" aria-labelledby="rows-title">
<h2 id="rows-title">Workloads <span class="total">3</span>
</h2>
<ul class="cards" role="list">
<li id="w0" class="card attention" data-kind="A">
<h3>
<span class="badge attention">
<span class="mark" aria-hidden="true">▲</span> stale</span> <a href="#w0" class="name">
<code>Deployment</code> <code>shop/<wbr>web</code>
</a>
</h3>
<p>
<code>LOG_LEVEL</code> changed</p>
<ul>
<li>one</li>
<li>two<details>
<summary>
<code>key</code>
</summary>
<pre>
<span class="removed">-a</span>
<span class="added">+b</span>
</pre>
</details>
</li>
</ul>
</li>
<li id="w1" class="card ok group">
<h3>
<span class="badge ok">
<span class="mark" aria-hidden="true">✓</span> ok</span> <strong>
<span class="total">2</span> workloads</strong> <span class="cost">4 pods</span>
</h3>
<details class="members">
<summary>Names: x/a, x/b</summary>
<ul>
<li id="w2" class="member" data-kind="B">
<a href="#w2" class="name">Deployment x/a</a>
</li>
<li id="w3" class="member" data-kind="B">
<a href="#w3" class="name">Deployment x/b</a>
</li>
</ul>
</details>
</li>
</ul>
</section>
<section id="causes" aria-labelledby="causes-title">
<h2 id="causes-title">Causes</h2>
<table>
<thead>
<tr>
<th scope="col" class="number">pods</th>
<th scope="col">cause</th>
</tr>
</thead>
<tbody>
<tr>
<td class="number">4</td>
<th scope="row">
<code>ConfigMap x/<wbr>env</code>
</th>
</tr>
<tr>
<td class="number">12</td>
<th scope="row">
<a href="#w2" data-facet="kind" data-value="B">é̂ *wide* 世界</a>
</th>
</tr>
</tbody>
</table>
</section>
<p>
<strong>14 workloads checked</strong> <a href="https://example.com/?a&amp;b">more</a>
</p>
</main>
</div>`,
    );
  });
});
