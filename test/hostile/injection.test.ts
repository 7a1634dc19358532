import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { parse } from "yaml";
import { RollstampError } from "../../src/base/errors.ts";
import type { Finding } from "../../src/findings/catalogue/finding.ts";
import { errorText, findingLines, lineText, pathText } from "../../src/findings/results/terminal.ts";
import { cli } from "../support/cli.ts";
import { inFolder, writeFiles, type Files } from "../support/folders.ts";
import { commitAll, initialize } from "../support/git-folder.ts";
import { run } from "../support/run.ts";
import { runEveryCommand, runStatus, type Form, type Outcome } from "./every-command.ts";

// Whatever a manifest, a file name or an annotation of a host says stays text: no terminal follows it, no
// runner of workflows, no Markdown, no browser, no reader of DOT or Mermaid, and JSON and YAML stay whole.

/** One text for all readers: each looks for its own. */
const HOSTILE = [
  "\u001b]0;owned\u0007\u001b[31m\u009b31m\u0085",
  "\n::error file=x::owned\r\n  ::set-output name=a::b\n##[add-matcher]x ##vso[task.complete]x",
  "</code></pre></title><script>alert(1)</script><img src=x onerror=alert(1)>",
  "[a](http://evil.example) ![b](x) @everyone #1 www.evil.example `x` ``` **b** <!-- -->",
  '\u202e\u2066\u2028\u2029\u061c\u200b\u200f\u00ad\ufeff\u3164\u{e0041} %0A %25 , : | " \' ] ) } \\ \\" ]; a -> b; end',
  "\nend\n\n# h\n- [ ] x\n%%{init: {}}%%\nclick w0 href javascript:alert(1)",
].join("");

/** A string as YAML and JSON have it, with every character escaped that is not plain. */
const yaml = (text: string): string =>
  JSON.stringify(text).replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
const quoted = yaml(HOSTILE);

/** Manifests with the text in every place that a report may show; `content` makes two revisions differ. */
function manifests(content: string): Record<string, string> {
  const origin = `config.kubernetes.io/path: ${quoted}, internal.config.kubernetes.io/path: ${quoted}`;
  const metadata = (name: string, more = ""): string =>
    `metadata: {name: ${yaml(name)}, namespace: ${quoted}, labels: {${quoted}: ${quoted}}, annotations: {${origin}, ${quoted}: ${quoted}${more}}}`;
  const pod = `{metadata: {annotations: {${quoted}: ${yaml(content)}}}, spec: {containers: [{name: ${quoted}, image: ${yaml(`${HOSTILE}${content}:latest`)}, imagePullPolicy: IfNotPresent, env: [{name: ${quoted}, value: ${yaml(content)}}, {name: B, valueFrom: {configMapKeyRef: {name: ${quoted}, key: ${quoted}}}}, {name: C, valueFrom: {configMapKeyRef: {name: ${quoted}, key: ${yaml(`absent${HOSTILE}`)}}}}], envFrom: [{configMapRef: {name: ${yaml(`missing${HOSTILE}`)}}}, {secretRef: {name: ${quoted}}}]}], volumes: [{name: ${quoted}, secret: {secretName: ${quoted}, items: [{key: ${quoted}, path: ${quoted}}]}}, {name: p, projected: {sources: [{configMap: {name: ${yaml(`projected${HOSTILE}`)}}}]}}]}}`;
  return {
    "sources.yaml": [
      `apiVersion: v1\nkind: ConfigMap\n${metadata(HOSTILE)}\ndata: {${quoted}: ${yaml(content)}}\n`,
      `apiVersion: v1\nkind: Secret\n${metadata(HOSTILE)}\nstringData: {${quoted}: ${yaml(content)}}\n`,
      `apiVersion: v1\nkind: ConfigMap\n${metadata(`unused${HOSTILE}`)}\nimmutable: true\ndata: {a: ${yaml(content)}}\n`,
      `apiVersion: external-secrets.io/v1\nkind: ExternalSecret\n${metadata(`declared${HOSTILE}`)}\nspec: {secretStoreRef: {name: ${quoted}}, data: [{secretKey: ${quoted}, remoteRef: {key: ${yaml(content)}}}]}\n`,
    ].join("---\n"),
    "web.yaml": [
      `apiVersion: apps/v1\nkind: Deployment\n${metadata(HOSTILE, `, rollstamp.dev/restart-schedule: "@daily", ignore.rollstamp.dev/RS001: "", ${yaml(`ignore.rollstamp.dev/${HOSTILE}`)}: x, reloader.stakater.com/auto: ${quoted}, configmap.reloader.stakater.com/reload: ${yaml(`(${HOSTILE}`)}, wave.pusher.com/update-on-config-change: ${quoted}`)}\nspec: {strategy: {type: ${quoted}}, template: ${pod}}\n`,
      `apiVersion: extensions/v1beta1\nkind: StatefulSet\n${metadata(`set${HOSTILE}`)}\nspec: {serviceName: ${yaml(content)}, template: ${pod}}\n`,
      `apiVersion: apps/v1\nkind: DaemonSet\n${metadata(`web${HOSTILE}`)}\nspec: {updateStrategy: {type: OnDelete}, template: ${pod}}\n`,
      `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\n${metadata(HOSTILE)}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${quoted}}, minReplicas: 1, maxReplicas: 2}\n`,
      `apiVersion: ${quoted}\nkind: ${yaml(`Kind${HOSTILE}`)}\n${metadata(HOSTILE)}\n`,
    ].join("---\n"),
    // A file name may hold all but a slash.
    [`${HOSTILE.replaceAll("/", "|").slice(0, 60)}.yaml`]: `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: named}\nspec: {template: {spec: {containers: [{name: a, image: "a:1", envFrom: [{configMapRef: {name: absent}}]}]}}}\n`,
    "::error file=a::owned.yaml": `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: odd}\ndata: {a: ${yaml(content)}}\n---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: odd}\nspec: {template: {spec: {containers: [{name: a, image: "a:1", envFrom: [{configMapRef: {name: odd}}]}]}}}\n`,
  };
}

const CONFIG = "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {compat: [Reloader, Wave]}\n";

/** No line is a command to GitHub's runner, no character moves a terminal's cursor or its direction, and none is unseen. */
function isHarmlessLog(text: string, what: string): void {
  const shown = JSON.stringify(text.slice(0, 2000));
  assert.doesNotMatch(
    text.replaceAll("\n", ""),
    /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u,
    `${what}: ${shown}`,
  );
  assert.doesNotMatch(text, /^\s*::/mu, `${what}: ${shown}`);
  assert.doesNotMatch(text, /##(?:vso)?\[/iu, `${what}: ${shown}`);
}

/** The links that reports have themselves, in HTML and in Markdown. */
const RULE_LINK = new RegExp(
  ['<a href="URL"[^>]*>', "(?<=\\])\\(URL\\)"]
    .join("|")
    .replaceAll("URL", "https://github\\.com/rollstamp/rollstamp/blob/main/docs/reference/rules\\.md#rs\\d{3}"),
  "gu",
);

/** A block of code of a report in Markdown: as each of its lines begins with a sign, no line can end it. */
const DIFF = /^( *)```diff\n(?:\1[-+ ].*\n)+\1```$/gmu;

const FORMS: Readonly<Record<Form, (text: string, what: string) => void>> = {
  text: isHarmlessLog,
  json: (text, what) => {
    isHarmlessLog(text, what);
    const data: unknown = JSON.parse(text);
    assert.ok(typeof data === "object", what);
  },
  lines: (text, what) => {
    isHarmlessLog(text, what);
    for (const line of text.trimEnd().split("\n")) assert.ok(typeof JSON.parse(line) === "object", what);
  },
  html: (text, what) => {
    isHarmlessLog(text.replaceAll(/<style>[^]*?<\/style>|<script>[^]*?<\/script>/gu, ""), what);
    assert.equal(text.match(/<script/giu)?.length, 1, `${what}: only the page's own script`);
    assert.doesNotMatch(text.replaceAll(RULE_LINK, ""), /<img|<a href="http/iu, what);
    assert.match(text, /<\/html>\n$/u, what);
  },
  markdown: (text, what) => {
    // Our own: what is in front of it neither mentions nor links.
    isHarmlessLog(text.replaceAll(/(?<=&#(?:64|35);|\bGH-)\u200b/gu, ""), what);
    const others = text.replaceAll(RULE_LINK, "").replaceAll(DIFF, "");
    assert.doesNotMatch(others, /<(?:script|img|\/title)|\]\(|@everyone|```|\*\*b|^# h|^- \[ \]/imu, what);
    assert.doesNotMatch(text, /(?<!&)#1\b/u, what);
    assert.doesNotMatch(text, /www\.evil/u, what);
    assert.equal(text.match(/<!--/gu)?.length, 1, `${what}: only the mark at its beginning`);
    for (const tag of ["details", "summary", "code", "pre", "ul", "li"]) {
      const opened = text.match(new RegExp(`<${tag}(?: open)?>`, "gu"))?.length;
      assert.equal(text.match(new RegExp(`</${tag}>`, "gu"))?.length, opened, `${what}: ${tag}`);
    }
  },
  mermaid: (text, what) => {
    isHarmlessLog(text, what);
    const line =
      /^(?:flowchart LR|  s\d+\("[^"]*"\)(?::::\w+)?|  w\d+\["[^"]*"\]|  s\d+ -?-?\.?->\|"[^"]*"\| w\d+|  classDef [\w :-]+\d?)$/u;
    for (const part of text.trimEnd().split("\n")) assert.match(part, line, what);
    assert.doesNotMatch(text, /<(?!br\/>)|%%|javascript:alert\(/u, what);
  },
  dot: (text, what) => {
    isHarmlessLog(text, what);
    const string = String.raw`"(?:[^"\\]|\\.)*"`;
    const attributes = String.raw`\[(?:label=${string})(?:, style=(?:\w+|${string}))?\]`;
    const line = new RegExp(
      String.raw`^(?:digraph rollstamp \{|  rankdir=LR;|  node \[shape=box\];|  [sw]\d+ ${attributes};|  s\d+ -> w\d+ ${attributes};|\})$`,
      "u",
    );
    for (const part of text.trimEnd().split("\n")) assert.match(part, line, what);
  },
  github: (text, what) => {
    const lines = text.trimEnd().split("\n");
    for (const part of lines.slice(0, -1)) {
      assert.match(part, /^::(?:error|warning|notice) (?:file=[^:,]+,line=\d+,col=\d+,)?title=[^:,]+::[^\r]+$/u, what);
    }
    isHarmlessLog(text.replaceAll(/^::(?:error|warning|notice) /gmu, ""), what);
  },
  // The input's own bytes are given back: YAML's escapes in them are still escapes.
  manifests: (text, what) => assert.ok(!text.includes("\u001b") && !text.includes("\u009b"), what),
};

describe("hostile text in every place of a manifest", () => {
  let outcomes: Outcome[] = [];
  before(async () => {
    await inFolder({ "rollstamp.yaml": CONFIG }, async (folder) => {
      const options = ["--config", `${folder}/rollstamp.yaml`];
      const target = `daemonset/web${HOSTILE}`;
      outcomes = await runEveryCommand({ base: manifests("1"), head: manifests("2"), options, target });
    });
    outcomes.push(...(await runStatus(Object.values(manifests("1")).join("---\n"))));
  });

  it("is planted in a place that most commands report", () => {
    assert.ok(outcomes.length > 40);
    const reporting = outcomes.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes("owned"));
    assert.ok(reporting.length > 30, `${reporting.length} of ${outcomes.length}`);
    for (const { name, status, stderr } of outcomes)
      assert.doesNotMatch(stderr, /internal error/u, `${name}: ${status}`);
  });
  it("stays text in every format of every command", () => {
    for (const { name, form, stdout } of outcomes) if (stdout !== "") FORMS[form](stdout, name);
  });
  it("stays text on standard error", () => {
    for (const { name, stderr } of outcomes) isHarmlessLog(stderr, name);
  });
});

describe("the same text in a ResourceList", () => {
  const items = Object.values(manifests("1"))
    .flatMap((text) => text.split("---\n"))
    .map((text): unknown => parse(text));
  const list = { apiVersion: "config.kubernetes.io/v1", kind: "ResourceList", items };
  // To Go's readers these three are line breaks, which a quoted text folds; JSON has them as they are.
  const inYaml = (item: unknown): string =>
    JSON.stringify(item).replaceAll(
      /[\u0085\u2028\u2029]/gu,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  const inputs = {
    json: JSON.stringify(list),
    "block style": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items.map((item) => `- ${inYaml(item)}\n`).join("")}`,
  };
  for (const [form, input] of Object.entries(inputs)) {
    it(`gives results that YAML parsers accept and hosts can print: ${form}`, () => {
      const { text, status } = run(input);
      assert.equal(status, 0);
      const read = parse(text) as { results: { message: string; resourceRef: { name: string } }[]; items: unknown[] };
      assert.ok(read.results.length > 5);
      for (const { message } of read.results) isHarmlessLog(message, message);
      assert.ok(
        read.results.some(({ resourceRef }) => resourceRef.name === HOSTILE),
        "names stay what they are",
      );
      // What yaml.v3 takes for no printable character would make kustomize refuse the list.
      assert.doesNotMatch(text.slice(text.indexOf("results")).replaceAll("\n", ""), /[\p{Cc}\ufffe\uffff]/u);
    });
  }
});

describe("errors about such text", () => {
  const metadata = `metadata: {name: ${quoted}, annotations: {config.kubernetes.io/path: ${quoted}}}`;
  const INPUTS: Readonly<Record<string, string>> = {
    "no kind": `apiVersion: v1\n${metadata}\n`,
    "a wrong annotation": `apiVersion: v1\nkind: Secret\nmetadata: {name: ${quoted}, annotations: {rollstamp.dev/stamp: ${quoted}, config.kubernetes.io/path: ${quoted}}}\n`,
    "no base64": `apiVersion: v1\nkind: Secret\n${metadata}\ndata: {${quoted}: ${quoted}}\n`,
    "no string": `apiVersion: v1\nkind: ConfigMap\n${metadata}\ndata: {${quoted}: 1}\n`,
    twice: `apiVersion: v1\nkind: ConfigMap\n${metadata}\n---\napiVersion: v1\nkind: ConfigMap\n${metadata}\n`,
    "a key twice": `apiVersion: v1\nkind: ConfigMap\n${metadata}\ndata: {${quoted}: a, ${quoted}: b}\n`,
    "a wrong configuration": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: rollstamp.dev/v1alpha1, kind: ConfigHash, spec: {${quoted}: ${quoted}}}\nitems: []\n`,
    "a wrong kind of configuration": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: a, kind: ${quoted}}\nitems: []\n`,
    "a wrong option": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nfunctionConfig: {apiVersion: v1, kind: ConfigMap, data: {layout: ${quoted}}}\nitems: []\n`,
  };
  for (const [what, stdin] of Object.entries(INPUTS)) {
    it(what, async () => {
      const { status, stdout, stderr } = await cli(["fn"], { stdin });
      assert.deepEqual([status, stdout], [2, ""]);
      isHarmlessLog(stderr, what);
    });
  }
  it("parameters of Argo CD's plugin", async () => {
    const environment = { ARGOCD_APP_PARAMETERS: JSON.stringify([{ name: HOSTILE, string: HOSTILE }]) };
    const { status, stderr } = await cli(["cmp", "generate"], { environment });
    assert.equal(status, 2);
    isHarmlessLog(stderr, "cmp");
    assert.equal(stderr.split("\n").length, 2, "one line");
  });
});

describe("errors with names: each is in its own line", () => {
  const name = HOSTILE.replaceAll("/", "|").slice(0, 80);
  const named = deploymentOf(yaml(name));
  const ROWS: readonly (readonly [args: readonly string[], files: Files, lines: number])[] = [
    [[`--${name}`], {}, 1],
    [["lint", `--output=${name}`], {}, 1],
    [["lint", `-o${name}`], {}, 1],
    [["plan", "-o", name, "a", "b"], {}, 1],
    [[name], {}, 1],
    [["explain", "deployment/web", "--files", "."], { "a.yaml": named }, 2],
    [["log", "deployment/web"], { [`a${name}.yaml`]: deploymentOf("web"), [`b${name}.yaml`]: deploymentOf("web") }, 2],
    [
      ["plan", "--git", "HEAD^..HEAD", "--app", "absent"],
      { [`a${name}/kustomization.yaml`]: "resources: []\n", "b/kustomization.yaml": "resources: []\n" },
      2,
    ],
  ];
  for (const [args, files, lines] of ROWS)
    it(`${args[0]?.slice(0, 9)} ${args[1]?.slice(0, 17) ?? ""}`, () =>
      inFolder({}, async (folder) => {
        initialize(folder);
        writeFiles(folder, { "c.txt": "" });
        commitAll(folder, "before");
        writeFiles(folder, files);
        commitAll(folder, "after");
        const here = process.cwd();
        process.chdir(folder);
        const { status, stderr } = await cli(args).finally(() => process.chdir(here));
        assert.equal(status, 2);
        isHarmlessLog(stderr, args.join(" "));
        assert.equal(stderr.trimEnd().split("\n").length, lines, stderr);
      }));
});

function deploymentOf(name: string): string {
  return `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: ${name}}\nspec: {template: {spec: {containers: [{name: a, image: "a:1"}]}}}\n`;
}

describe("lines for a terminal and for a log", () => {
  const place = { file: `a${HOSTILE}`, line: 1, origin: HOSTILE };
  it("can contain a hostile location", () => {
    isHarmlessLog(errorText(new RollstampError("input", HOSTILE, { place })), "an error");
    const named = { apiVersion: "v1", kind: HOSTILE, namespace: HOSTILE, name: HOSTILE };
    const finding: Finding = {
      id: "RS001",
      cause: "defaultNamespace",
      params: { workload: named, source: named, through: named, other: named, namespace: HOSTILE },
      place,
    };
    isHarmlessLog(findingLines([finding]), "a finding");
  });
  it("show the lines of a quoted program", () => {
    const text = errorText(new RollstampError("system", "it failed", { remedy: "It said:\n::error::x\n  ::a\nplain" }));
    assert.equal(text, "it failed\n  It said:\n\\u003a:error::x\n  \\u003a:a\nplain");
  });
  it("never begin with a command", () => {
    assert.equal(lineText("::x"), "\\u003a:x");
    assert.equal(lineText("a::x"), "a::x");
    assert.equal(pathText("::x.yaml"), "./::x.yaml");
    assert.equal(pathText("a/::x.yaml"), "a/::x.yaml");
  });
});
