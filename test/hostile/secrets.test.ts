import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { cli } from "../support/cli.ts";
import { inFolder, type Files } from "../support/folders.ts";
import { LONG } from "../support/long.ts";
import { run } from "../support/run.ts";
import { shipped } from "../support/shipped.ts";
import { runEveryCommand, runStatus, type Outcome } from "./every-command.ts";

// What Secrets hold, and the key of keyed digests, is planted and looked for in all that comes out: of every
// command in every form, of files that are written, and of errors about each way to break a manifest.

const PLANTED = ["q7Zk2WvXb9RtY4mNc8LpJ3sD", "Hf5Gt1QaUe6BnV0xKwP2rMzS", "oL8jCy3TdI7gEiF9hAu4kRqX"] as const;
const [FIRST, SECOND, THIRD] = PLANTED;
const KEY = "kM3vWq9ZpLx7TbNs2RdYc5Hf";
const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** How many characters of a secret in a row are a leak; fewer could be chance. */
const TELLING = 10;

/** A planted text unchanged, in base64 at any offset, in hexadecimal and reversed. */
function traces(text: string): string[] {
  const forms = [
    text,
    ...[0, 1, 2].map((shift) => base64(`${"x".repeat(shift)}${text}`).slice(shift === 0 ? 0 : 4, -4)),
    base64(base64(text)),
    Buffer.from(text).toString("hex"),
    [...text].toReversed().join(""),
  ];
  return forms.flatMap((form) =>
    Array.from({ length: form.length - TELLING + 1 }, (_, i) => form.slice(i, i + TELLING)),
  );
}

const TRACES: ReadonlySet<string> = new Set([...PLANTED, KEY].flatMap(traces));

function holdsNone(text: string, what: string): void {
  for (let offset = 0; offset + TELLING <= text.length; offset++) {
    const part = text.slice(offset, offset + TELLING);
    if (TRACES.has(part)) assert.fail(`${what}: ${part} in ${text.slice(0, 600)}`);
  }
}

/** A Secret's document in each style that one is written in. */
const STYLES: Readonly<Record<string, string>> = {
  block: `apiVersion: v1\nkind: Secret\nmetadata:\n  name: creds\ndata:\n  a: ${base64(FIRST)}\nstringData:\n  b: ${SECOND}\n  c: |\n    line\n    ${THIRD}\n`,
  quoted: `apiVersion: v1\nkind: Secret\nmetadata: {name: creds}\ndata:\n  "a": "${base64(FIRST)}"\nstringData:\n  'b': '${SECOND}'\n  c: >-\n    ${THIRD}\n    more\n`,
  flow: `{apiVersion: v1, kind: Secret, metadata: {name: creds}, data: {a: ${base64(FIRST)}}, stringData: {b: "${SECOND}", c: '${THIRD}'}}\n`,
  JSON: `${JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "creds" }, data: { a: base64(FIRST) }, stringData: { b: SECOND, c: THIRD } })}\n`,
};

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, annotations: {secret.reloader.stakater.com/reload: creds, rollstamp.dev/restart-schedule: "@daily"}}
spec:
  template:
    metadata: {annotations: {checksum/secret: ${"a".repeat(64)}, secret.rollstamp.dev/creds: "h1-${"0".repeat(40)}"}}
    spec:
      containers:
        - name: app
          image: "app:latest"
          envFrom: [{secretRef: {name: creds}}, {secretRef: {name: absent}}]
          env: [{name: A, valueFrom: {secretKeyRef: {name: creds, key: nope}}}]
      volumes: [{name: v, secret: {secretName: creds, items: [{key: b, path: b}]}}]
`;

/** What has a Secret of one style, under names of its ownLines. */
function revision(style: string, changed: boolean): Files {
  const named = (text: string): string => text.replaceAll(/\b(creds|web)\b/gu, nameOf("$1", style));
  const secret = named(STYLES[style] ?? "");
  return {
    [`secret-${style}.yaml`]: changed
      ? secret.replaceAll(FIRST, SECOND).replaceAll(base64(FIRST), base64(THIRD))
      : secret,
    [`immutable-${style}.yaml`]:
      `${secret.replace("creds", "fixed").trimEnd().replace(/\}$/u, ', "immutable": true}')}${style === "flow" || style === "JSON" ? "" : "\nimmutable: true"}\n`.replaceAll(
        changed ? SECOND : "\u0000",
        THIRD,
      ),
    [`web-${style}.yaml`]: named(WEB),
  };
}

const nameOf = (name: string, style: string): string => `${name}-${style.toLowerCase()}`;

const config = (secrets: string): string =>
  `apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {secrets: ${secrets}, compat: [Reloader]}\n`;

describe("no command shows the content of a Secret, or the key", () => {
  // The styles stand beside each other in one repository, in the long form also in one each. How digests are made has no
  // part in parsing.
  const all = Object.keys(STYLES);
  for (const styles of [all, ...(LONG ? all : ["block"]).map((style) => [style])]) {
    for (const secrets of LONG ? ["Digest", "Keyed"] : styles.length > 1 ? ["Digest"] : ["Keyed"]) {
      const revisionOf = (changed: boolean): Files =>
        Object.fromEntries(styles.flatMap((style) => Object.entries(revision(style, changed))));
      describe(`${styles.join(", ")}; ${secrets}`, () => {
        let outcomes: Outcome[] = [];
        before(async () => {
          const environment = { ROLLSTAMP_HMAC_KEY: KEY, ROLLSTAMP_DEBUG: "1" };
          const files = { "rollstamp.yaml": config(secrets) };
          const [base, head] = [false, true].map((changed) => ({ ...revisionOf(changed), ...files }));
          outcomes = await runEveryCommand({
            base: base ?? {},
            head: head ?? {},
            environment,
            target: `deployment/${nameOf("web", styles[0] ?? "")}`,
          });
          outcomes.push(...(await runStatus(Object.values(revisionOf(false)).join("---\n"), environment)));
        });
        it("commands have something to report", () => {
          for (const style of styles) {
            const name = nameOf("creds", style);
            const reporting = outcomes.filter(({ stdout, stderr }) => `${stdout}${stderr}`.includes(name));
            assert.ok(reporting.length > 25, `${style}: ${reporting.length} of ${outcomes.length}`);
          }
          for (const { name, stderr } of outcomes) assert.doesNotMatch(stderr, /internal error/u, name);
        });
        it("on standard output", () => {
          // Commands that return the manifests output the input's own bytes, by contract.
          for (const { name, form, stdout } of outcomes) if (form !== "manifests") holdsNone(stdout, name);
        });
        it("on standard error", () => {
          for (const { name, stderr } of outcomes) holdsNone(stderr, name);
        });
        it("in lines written into files", () => {
          const written = outcomes.flatMap(({ written: files }) => Object.values(files));
          assert.ok(written.length > 0);
          const ownLines = new Set(Object.values(revisionOf(true)).flatMap((text) => text.split("\n")));
          for (const text of written) {
            const lines = text.split("\n").filter((line) => !ownLines.has(line));
            assert.ok(lines.some((line) => line.includes("rollstamp.dev/")));
            holdsNone(lines.join("\n"), "a written line");
          }
        });
      });
    }
  }
});

describe("no error shows the content of a Secret", () => {
  // Each character in turn is taken out, or has one before it that means something to YAML: with FC_RUNS each of
  // these, else every third, others offset the next character.
  const BREAKING = [
    "",
    "\n",
    "\t",
    " ",
    ":",
    ": ",
    "\n- ",
    " #",
    '"',
    "'",
    "{",
    "}",
    "[",
    "]",
    ",",
    "*",
    "&",
    "!",
    "|",
    "%",
    "@",
    "`",
    "\u0000",
    "\u0007",
    "\ud800",
    "\ufffd",
  ];
  // What takes its keys one by one, and one that it hasn't: all that messages could say more of it.
  const USER = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: app, envFrom: [{secretRef: {name: creds}}], env: [{name: A, valueFrom: {secretKeyRef: {name: creds, key: nope}}}]}]
`;

  /** Where a manifest is broken: within a word or a value offset its ends and its middle; with FC_RUNS offset every character. */
  function breaks(secret: string): number[] {
    const inner = new Set<number>();
    for (const { index, 0: word } of LONG ? [] : secret.matchAll(/[\w+/=]+/gu)) {
      for (let offset = 2; offset < word.length - 2; offset++)
        if (offset !== word.length >> 1) inner.add(index + offset);
    }
    return Array.from({ length: secret.length }, (_, offset) => offset).filter((offset) => !inner.has(offset));
  }

  for (const [style, secret] of Object.entries(STYLES)) {
    it(`broken anywhere: ${style}`, () => {
      const places = breaks(secret);
      const seen = new Set<string>();
      let errors = 0;
      for (const offset of places) {
        for (const text of LONG ? BREAKING : BREAKING.filter((_, i) => (i + offset) % 3 === 0)) {
          const broken = `${secret.slice(0, offset)}${text}${secret.slice(text === "" ? offset + 1 : offset)}---\n${USER}`;
          const { status, messages } = run(broken);
          if (status === 2) errors += 1;
          if (seen.has(messages)) continue;
          seen.add(messages);
          holdsNone(keysOut(messages), JSON.stringify(broken.slice(Math.max(offset - 30, 0), offset + 30)));
        }
      }
      assert.ok(errors > places.length, String(errors));
    });
  }

  /**
   * Where a break makes a key of what was a value, messages name it as they name every key: who writes a
   * secret as a key has it in `kubectl describe` as well.
   */
  function keysOut(messages: string): string {
    return messages.replaceAll(/(?:'(?:data|stringData)\.[^']*'|the key '[^']*')/gu, "");
  }

  const object = (fields: string): string => `apiVersion: v1\nkind: Secret\nmetadata: {name: creds}\n${fields}`;
  const ERRORS: Readonly<Record<string, string>> = {
    "no base64": object(`data: {a: "${FIRST}!"}\n`),
    "base64 without padding": object(`data: {a: "${base64(`${FIRST}x`).replaceAll("=", "")}"}\n`),
    "a list": object(`data: {a: [${FIRST}]}\n`),
    "a mapping": object(`stringData: {a: {b: ${FIRST}}}\n`),
    "a mapping with a key twice": object(`stringData: {a: {${FIRST}: x, ${FIRST}: y}}\n`),
    "data that is a string": object(`data: ${FIRST}\n`),
    "an alias without anchor": object(`data: {a: *${FIRST}}\n`),
    "an alias to itself": object(`data: &${FIRST} {a: *${FIRST}}\n`),
    "a tag": object(`data: {a: !${FIRST} x}\n`),
    "a tag that no handle names": object(`data: {a: !${FIRST}!${SECOND} x}\n`),
    "a quote that is not closed": object(`data: {a: "${FIRST}\n`),
    "an escape that is none": object(`stringData: {a: "\\q${FIRST}"}\n`),
    "a directive": `%${FIRST} ${SECOND}\n---\n${object("")}`,
    "text after the document": `${object(`stringData: {a: x}\n`)}${FIRST}\n`,
    "only text": `${FIRST}\n`,
    "a ResourceList without items": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: ${FIRST}\n`,
    "an item that is a string": `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [${FIRST}]\n`,
    "an object twice": `${object(`stringData: {a: ${FIRST}}\n`)}---\n${object(`stringData: {a: ${SECOND}}\n`)}`,
    "no UTF-16": object(`stringData: {a: "${FIRST}\ud800"}\n`),
    "too deep": object(`stringData: ${"[".repeat(600)}${FIRST}\n`),
  };
  for (const [what, stdin] of Object.entries(ERRORS)) {
    it(what, async () => {
      for (const args of [
        ["fn"],
        ["lint", "-"],
        ["digest", "-"],
        ["graph", "-"],
        ["explain", "deployment/web", "-"],
        ["plan", "-", "/dev/null"],
      ]) {
        const { stderr } = await cli(args, { stdin, environment: { ROLLSTAMP_DEBUG: "1" } });
        holdsNone(stderr, args.join(" "));
        assert.doesNotMatch(stderr, /internal error/u);
      }
    });
  }
});

describe("the key of keyed digests", () => {
  const program = shipped();
  after(program.remove);
  const keyed = { "rollstamp.yaml": config("Keyed"), ...revision("block", false) };

  it("is not shown if its file name is wrong, such as the key itself", () =>
    inFolder(keyed, async (folder) => {
      for (const file of [KEY, `/nonexistent/${KEY}`]) {
        const { status, stderr } = await cli(["stamp", folder], { environment: { ROLLSTAMP_HMAC_KEY_FILE: file } });
        assert.equal(status, 2);
        assert.match(stderr, /the file that ROLLSTAMP_HMAC_KEY_FILE names can't be read \(ENOENT\)/u);
        holdsNone(stderr, file);
      }
    }));
  it("is not an option, so it is not in process lists", async () => {
    for (const command of ["fn", "stamp", "plan", "lint", "digest", "status", "cmp"]) {
      const { stdout } = await cli([command, "--help"]);
      assert.doesNotMatch(stdout, /--\S*(?:key|hmac)/iu, command);
    }
  });
  it("is not shown if it is in a configuration by mistake", () =>
    inFolder({ ...keyed, "rollstamp.yaml": config(`Keyed, hmacKey: ${KEY}`) }, async (folder) => {
      const { status, stderr } = await cli(["stamp", folder]);
      assert.equal(status, 2);
      assert.match(stderr, /unknown field 'spec\.hmacKey'/u);
      holdsNone(stderr, "the configuration");
    }));
  it("is not passed to the renderers of Argo CD's plugin", () =>
    inFolder({ "app/Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n" }, (folder) => {
      const log = join(folder, "log");
      writeFileSync(
        join(folder, "helm"),
        `#!/bin/sh\n{ echo "$0 $*"; env; cat "/proc/$$/cmdline"; } >> ${log}\nexit 1\n`,
      );
      chmodSync(join(folder, "helm"), 0o755);
      const { status, stderr } = program.run(["cmp", "generate"], {
        cwd: join(folder, "app"),
        env: { PATH: `${folder}:/usr/bin:/bin`, ROLLSTAMP_HMAC_KEY: KEY, ARGOCD_APP_NAME: "x" },
      });
      assert.equal(status, 2);
      assert.ok(existsSync(log), stderr);
      holdsNone(readFileSync(log, "utf8"), "helm's environment and arguments");
      holdsNone(stderr, "cmp");
    }));
  it("is not passed to the render command of lint", () =>
    inFolder({}, async (folder) => {
      const { stderr } = await cli(["lint", "--render", `env > ${folder}/log; echo 'apiVersion: v1\nkind: X'`], {
        environment: { PATH: process.env["PATH"] ?? "", ROLLSTAMP_HMAC_KEY: KEY },
      });
      assert.ok(existsSync(join(folder, "log")), stderr);
      holdsNone(readFileSync(join(folder, "log"), "utf8"), "the environment of the render command");
    }));
});
