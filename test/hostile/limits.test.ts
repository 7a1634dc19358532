import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { RollstampError } from "../../src/base/errors.ts";
import { DEFAULT_LIMITS, LIMIT_FLAGS, readLimit, type Limits } from "../../src/base/limits.ts";
import { stamp } from "../../src/main/index.ts";
import { cli, type CliResult } from "../support/cli.ts";
import { fakeKustomize } from "../support/fake-kustomize.ts";
import { inRepository } from "../reports/plan/repository.ts";
import { inFolder } from "../support/folders.ts";
import { configMap, deployment } from "../support/manifests.ts";
import { run } from "../support/run.ts";

// Each limit of docs/why/limits.md: what just fits is taken, one more is an error that names its place and the
// flag. The defaults are tried where that is quick, else a smaller limit by its flag.

const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const object = (more: string): string => `apiVersion: v1\nkind: X\nmetadata: {name: x}\n${more}`;
/** `n` levels in all: the root, and the levels below it. */
const deep = (n: number): string => object(`x: ${nested(n - 1)}\n`);
/**
 * Aliases that expand to `n` values in all, or one more: of an anchor of two (a list: its beginning and end), and of 200
 * whose text, of more than 200 characters, weighs as two more.
 */
const aliases = (n: number): string => {
  const large = Math.floor(n / 202);
  const small = Math.ceil((n - 202 * large) / 2);
  return object(`a: &a [${"[],".repeat(99)}]\nb: &b []\nl: [${"*a, ".repeat(large)}${"*b, ".repeat(small)}]\n`);
};
const documents = (n: number): string =>
  Array.from({ length: n }, (_, i) => `---\n${object("").replace("name: x", `name: x${i}`)}`).join("");
const list = (n: number): string =>
  `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: n }, (_, i) => `- {apiVersion: v1, kind: X, metadata: {name: x${i}}}\n`).join("")}`;
const resourceList = (n: number): string =>
  list(n).replace("v1\nkind: List", "config.kubernetes.io/v1\nkind: ResourceList");
const excluding = (length: number): string =>
  deployment("web", "env").replace(
    "  name: web\n",
    `  name: web\n  annotations: {rollstamp.dev/exclude: "configmap/${"a".repeat(length - "configmap/".length - 1)}*"}\n`,
  );

/** What three aliases of a value expand to: its events, and ten more for its text of a thousand characters. */
const CHARACTERS = [
  { what: "a string", inner: (text: string) => text, fits: 3 * 11 },
  { what: "a string in a mapping in a list", inner: (text: string) => `[{x: ${text}}]`, fits: 3 * 16 },
  // The inner alias counts at its place, and three more times.
  { what: "a string before an alias", inner: (text: string) => `[${text}, *z]`, fits: 1 + 3 * 15 },
  { what: "a string before empty values", inner: (text: string) => `[${text}, ~, [], {}]`, fits: 3 * 18 },
];

interface Case {
  readonly what: string;
  readonly limit: keyof Limits;
  /** A limit lower than the default, where reaching the default takes long. */
  readonly lowLimit?: number;
  readonly text: (size: number) => string;
  /** The message when the limit is exceeded by one. */
  readonly says: RegExp;
}

const bytes = (size: number): string => `${object("")}#${" ".repeat(size - object("").length - 1)}`;

const CASES: readonly Case[] = [
  { what: "nesting", limit: "depth", text: deep, says: /stdin:4:\d+: the YAML nests deeper than 500 levels/u },
  { what: "nesting, as set", limit: "depth", lowLimit: 12, text: deep, says: /nests deeper than 12 levels/u },
  {
    what: "nesting through aliases",
    limit: "depth",
    text: (n) => object(`a: &a ${nested(n - 102)}\nb: ${"[".repeat(100)}[*a]${"]".repeat(100)}\n`),
    says: /stdin:5:\d+: the YAML nests deeper than 500 levels/u,
  },
  {
    what: "nesting through merge keys",
    limit: "depth",
    text: (n) =>
      object(`m0: &m0 {}\n${Array.from({ length: n - 2 }, (_, i) => `m${i + 1}: &m${i + 1} {<<: *m${i}}\n`).join("")}`),
    says: /the YAML nests deeper than 500 levels/u,
  },
  {
    what: "values of aliases",
    limit: "aliasedValues",
    text: aliases,
    says: /stdin:6:\d+: aliases and merge keys expand to too many values here\n.*--max-aliased-values/u,
  },
  {
    what: "values of aliases, as set",
    limit: "aliasedValues",
    lowLimit: 10,
    text: aliases,
    says: /expand to too many values/u,
  },
  ...CHARACTERS.map(({ what, inner, fits }): Case => ({
    what: `characters of aliases: ${what}`,
    limit: "aliasedValues",
    lowLimit: fits,
    text: (n) => {
      const more = n > fits ? ", *z" : "";
      return object(`z: &z 1\na: &a ${inner(`"${"x".repeat(1010)}"`)}\nl: [*a, *a, *a${more}]\n`);
    },
    says: /expand to too many values/u,
  })),
  {
    what: "documents",
    limit: "documents",
    lowLimit: 50,
    text: documents,
    says: /the input has more than 50 documents\n.*--max-documents/u,
  },
  {
    what: "members of a List",
    limit: "documents",
    lowLimit: 50,
    text: list,
    says: /stdin:\d+:3: the input has more than 50 objects/u,
  },
  {
    what: "items of a ResourceList",
    limit: "documents",
    lowLimit: 50,
    text: resourceList,
    says: /the input has more than 50 items/u,
  },
  {
    what: "a pattern",
    limit: "expression",
    text: (n) => excluding(n + "configmap/".length),
    says: /the annotation 'rollstamp\.dev\/exclude' of Deployment web has 'configmap\/a+…', which is no pattern/u,
  },
];

function flagOf(limit: keyof Limits): string {
  return LIMIT_FLAGS.find((row) => row.limit === limit)?.flag ?? "";
}

describe("limits", () => {
  for (const { what, limit, lowLimit, text, says } of CASES) {
    const most = lowLimit ?? DEFAULT_LIMITS[limit];
    const given = (size: number): Promise<CliResult> => {
      const stdin = text(size);
      return cli(["fn", ...(lowLimit === undefined ? [] : [flagOf(limit), String(lowLimit)])], { stdin });
    };
    it(`${what}: ${most} are accepted, one more is refused`, async () => {
      const fits = await given(most);
      assert.equal(fits.status, 0, fits.stderr);
      const over = await given(most + 1);
      assert.deepEqual([over.status, over.stdout], [2, ""]);
      assert.match(over.stderr, says);
    });
  }

  it("input: a file of the limit is accepted, a longer one is refused before it is read", () =>
    inFolder({ "fits.yaml": bytes(1000), "over.yaml": bytes(1001) }, async (folder) => {
      const lint = (file: string): Promise<CliResult> => cli(["lint", "--max-input-size", "1000", join(folder, file)]);
      assert.equal((await lint("fits.yaml")).status, 0);
      const { status, stderr } = await lint("over.yaml");
      assert.equal(status, 2);
      assert.match(stderr, /over\.yaml: this is larger than 1000 bytes\n {2}.*--max-input-size/u);
    }));

  it("the output of a render command is measured while it is read", () =>
    inFolder({}, async () => {
      const { status, stderr } = await cli(["lint", "--max-input-size", "100000", "--render", "yes"], {
        environment: { PATH: process.env["PATH"] ?? "" },
      });
      assert.equal(status, 2);
      assert.match(stderr, /what the render command prints: this is larger than 100000 bytes/u);
    }));

  it("the objects of all renderings of one run are counted together: each Application renders the same folder", () => {
    const application = (name: string): string =>
      `---\napiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: ${name}}\nspec:\n  destination: {namespace: ${name}}\n  source: {repoURL: https://example.com/x/y, path: base}\n`;
    const base = (value: string): string =>
      Array.from({ length: 4 }, (_, i) => `---\n${configMap(`c${i}`, value)}`).join("");
    const files = { "base/all.yaml": base("a"), "apps.yaml": ["x", "y", "z"].map(application).join("") };
    return inRepository(files, async ({ git, commit, environment }) => {
      git("remote", "add", "origin", "https://example.com/x/y");
      commit("b", { "base/all.yaml": base("b") });
      const limited = (most: number, ...args: string[]): Promise<CliResult> =>
        cli([...args, "--max-documents", String(most)], { environment });
      // Three applications of four objects, in two revisions.
      const plan = ["plan", "--git", "HEAD~1..HEAD"];
      assert.equal((await limited(24, ...plan)).status, 0);
      const over = await limited(23, ...plan);
      assert.deepEqual([over.status, over.stdout], [2, ""]);
      assert.match(over.stderr, /the applications together render more than 23 objects\n.*--shard.*--max-documents/u);
      assert.equal((await limited(8, ...plan, "--app", "x")).status, 0);
    });
  });

  it("kustomize is not started over kustomizations that double: layers that include the next one twice", () => {
    const layers = (n: number): Record<string, string> =>
      Object.fromEntries(
        Array.from({ length: n }, (_, i): [string, string][] => [
          [`k${i}/kustomization.yaml`, `resources: [../a${i}, ../b${i}]\n`],
          [`a${i}/kustomization.yaml`, `namePrefix: a-\nresources: [../k${i + 1}]\n`],
          [`b${i}/kustomization.yaml`, `namePrefix: b-\nresources: [../k${i + 1}]\n`],
        ]).flat(),
      );
    const last = (n: number): Record<string, string> => ({
      [`k${n}/kustomization.yaml`]: "resources: [web.yaml]\n",
      [`k${n}/web.yaml`]: configMap("web", "x".repeat(500)),
      ".git/HEAD": "ref: refs/heads/main\n",
    });
    const limited = (n: number, says: RegExp | undefined, ...args: string[]): Promise<void> =>
      inFolder({ ...layers(n), ...last(n) }, async (folder) => {
        const bin = join(folder, ".bin");
        const environment = { PATH: fakeKustomize(bin, process.env["PATH"] ?? "") };
        const { stdout, stderr } = await cli(["lint", "--apps", "--app", "k0", ...args, folder], { environment });
        assert.equal(existsSync(join(bin, "fake-kustomize", "starts")), says === undefined, stderr);
        assert.match(`${stdout}${stderr}`.replace(/\s+/gu, " "), says ?? /^/u);
      });
    const tooMany = /kustomize would load more than 10000 kustomizations, each as often as others include it/u;
    const tooLarge = /what kustomize reads, each file as often as it is included: this is larger than 20000 bytes/u;
    return Promise.all([
      limited(11, undefined),
      limited(12, tooMany),
      limited(60, tooMany),
      limited(5, tooLarge, "--max-input-size", "20000"),
    ]).then(() => undefined);
  });

  it("the time of a rendering must be a duration", async () => {
    for (const [text, says] of [
      ["no", /--max-render-time must be a duration, got "no"/u],
      [
        "25h",
        /^rollstamp: error: --max-render-time "25h": must be a duration from 1s to 24h\n {2}Write a duration such as 90s/u,
      ],
      ["0.5s", /must be a duration from 1s to 24h/u],
    ] as const) {
      const { status, stderr } = await cli(["apps", "--max-render-time", text]);
      assert.equal(status, 2);
      assert.match(stderr, says);
    }
    const row = LIMIT_FLAGS.find(({ limit }) => limit === "renderTime");
    assert.ok(row !== undefined);
    assert.deepEqual(
      ["90", "90s", "15m", "1h30m"].map((text) => readLimit(row, text)),
      [90, 90, 900, 5400],
    );
  });

  it("an expression of Reloader that is too long matches nothing, with a warning", () => {
    const config =
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {compat: [Reloader], selection: Annotated}\n";
    const reloading = (length: number): string =>
      `${configMap("aaa", "a")}---\n${deployment("web", "other").replace(
        "  name: web\n",
        `  name: web\n  annotations: {configmap.reloader.stakater.com/reload: "${"a*".repeat((length - 2) / 2)}.?"}\n`,
      )}`;
    assert.match(run(reloading(DEFAULT_LIMITS.expression), config).text, /configmap\.rollstamp\.dev\/aaa/u);
    const over = run(reloading(DEFAULT_LIMITS.expression + 2), config);
    assert.doesNotMatch(over.text, /configmap\.rollstamp\.dev/u);
    assert.match(over.messages, /it has more than 1000 characters/u);
  });

  it("one input can have 1,000 expressions; names do not count", () => {
    const config =
      "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\nspec: {compat: [Reloader], selection: Annotated}\n";
    const reloading = (expressions: number): string =>
      `${configMap("last", "a")}---\n${deployment("web", "other").replace(
        "  name: web\n",
        `  name: web\n  annotations: {configmap.reloader.stakater.com/reload: "${[
          ...Array.from({ length: 1500 }, (_, i) => `name-${i}`),
          ...Array.from({ length: expressions - 1 }, (_, i) => `x${i}+`),
          "l[a]st",
        ].join(",")}"}\n`,
      )}`;
    assert.match(run(reloading(1000), config).text, /configmap\.rollstamp\.dev\/last/u);
    const over = run(reloading(1001), config);
    assert.doesNotMatch(over.text, /configmap\.rollstamp\.dev/u);
    assert.match(over.messages, /more than 1000 regular expressions/u);
  });

  it("one workload can have 1,000 patterns; names do not count", () => {
    const text = (patterns: number): string =>
      deployment("web", "env").replace(
        "  name: web\n",
        `  name: web\n  annotations: {rollstamp.dev/exclude: "${[
          ...Array.from({ length: 1500 }, (_, i) => `configmap/name-${i}`),
          ...Array.from({ length: patterns }, (_, i) => `configmap/x${i}*`),
        ].join(",")}"}\n`,
      );
    assert.equal(run(text(1000)).status, 0);
    assert.match(run(text(1001)).messages, /has more than 1000 patterns/u);
  });

  it("apply to one run, also with others in the same process", async () => {
    // The first run reads its flags, and its input only when the others are done.
    let give: (text: string) => void = () => undefined;
    const late = new Promise<string>((resolve) => (give = resolve));
    const first = cli(["fn", "--max-depth", "4"], { stdin: late });
    const others = ["3", "5"].map((depth) => cli(["fn", "--max-depth", depth], { stdin: deep(4) }));
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    assert.deepEqual(statuses, [2, 0]);
    assert.equal((await cli(["fn"], { stdin: deep(400) })).status, 0);
    give(deep(5));
    const { status, stderr } = await first;
    assert.equal(status, 2);
    assert.match(stderr, /nests deeper than 4 levels/u);
  });
});

describe("the limits of the library", () => {
  it("are set for each call", () => {
    for (const { what, limit, lowLimit, text } of CASES) {
      const most = lowLimit ?? Math.min(DEFAULT_LIMITS[limit], 1000);
      const limits = { [limit]: most };
      assert.equal(stamp(text(most), {}, { limits }).text, text(most), what);
      assert.throws(() => stamp(text(most + 1), {}, { limits }), RollstampError, what);
      if (lowLimit !== undefined) assert.equal(stamp(text(most + 1)).text, text(most + 1), what);
    }
  });
  it("measure the text in bytes", () => {
    const text = bytes(1000).replace("#  ", "#\u00e9");
    assert.equal(stamp(text, {}, { limits: { inputSize: 1000 } }).text, text);
    assert.throws(() => stamp(text, {}, { limits: { inputSize: 999 } }), /larger than 999 bytes/u);
  });
  it("must be whole numbers in range, with known names", () => {
    const text = deployment("web", "env");
    for (const limits of [{ depth: 0 }, { depth: 1.5 }, { depth: 1001 }, { documents: Number.NaN }]) {
      assert.throws(() => stamp(text, {}, { limits }), /must be a whole number from 1 to/u);
    }
    const misspelt: object = { maxDepth: 3 };
    assert.throws(() => stamp(text, {}, { limits: misspelt }), /unknown limit 'maxDepth'/u);
  });
});

describe("the flags of limits", () => {
  it("are accepted by every command, also by those of the plugin", async () => {
    for (const command of [["stamp"], ["plan"], ["lint"], ["graph"], ["digest"], ["cmp", "generate"], ["migrate"]]) {
      const { status, stderr } = await cli([...command, "--max-depth", "no"]);
      assert.equal(status, 2);
      assert.match(stderr, /^rollstamp: error: --max-depth "no": must be a count from 1 to 1000\n/u, command.join(" "));
    }
  });
  it("accept sizes with suffixes", () => {
    const [size] = LIMIT_FLAGS;
    assert.ok(size);
    for (const [text, value] of [
      ["1", 1],
      ["64Ki", 65_536],
      ["3Mi", 3 << 20],
      ["511Mi", 511 << 20],
    ] as const) {
      assert.equal(readLimit(size, text), value);
    }
    for (const text of ["", "0", "-1", "1.5Mi", "512Mi", "1Gi", "1mb", "1e3", "٣", "9".repeat(20)]) {
      assert.throws(() => readLimit(size, text), RollstampError, text);
    }
  });
  it("cannot exceed what the program can handle", () => {
    for (const row of LIMIT_FLAGS) {
      assert.equal(readLimit(row, String(row.most)), row.most);
      assert.throws(() => readLimit(row, String(row.most + 1)), RollstampError);
    }
  });
  it("are in the help", async () => {
    const { stdout } = await cli(["--help"]);
    for (const { flag } of LIMIT_FLAGS) assert.ok(stdout.includes(flag), flag);
  });
});
