// Parameters of Argo CD's plugin, as the bytes choose, over an application that they put together: what helm and
// kustomize are called with and given is recorded by programs of those names.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PARAMETERS } from "../../../src/applications/tools/parameter-rows.ts";
import { Bytes, inFolder, ran } from "../world.ts";

const SENTINEL = "planted-by-the-fuzzer";
const outside = mkdtempSync(join(tmpdir(), "rollstamp-fuzz-outside-"));
writeFileSync(join(outside, "secret.yaml"), `a: ${SENTINEL}\n`);

const RENDERED = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: env}\ndata: {a: b}\n";
/** Records what it is called with, and what of the outside it could read where it runs. */
const RECORDER = `#!/bin/sh
printf '%s\\0' "$@" > '${outside}/arguments'
/usr/bin/env > '${outside}/environment'
grep -rl '${SENTINEL}' .. > '${outside}/leaked'
find .. ! -type f ! -type d > '${outside}/special'
cat > /dev/null
printf '%s' '${RENDERED}'
`;
mkdirSync(join(outside, "bin"));
for (const name of ["helm", "kustomize"]) writeFileSync(join(outside, "bin", name), RECORDER, { mode: 0o755 });

const FILES: readonly [Readonly<Record<string, string>>, ...Readonly<Record<string, string>>[]] = [
  {
    "app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n",
    "app/values.yaml": "a: b\nc: {d: 1}\nlist: [1, 2]\n",
    "app/templates/a.yaml": RENDERED,
  },
  {
    "app/Chart.yaml": `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies: [{name: sub, version: 1.0.0, repository: 'file://../sub'}, {name: out, version: 1.0.0, repository: 'file://${outside}'}]\n`,
    "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
  },
  {
    "app/Chart.yaml": "apiVersion: v1\nname: app\nversion: 1.0.0\n",
    "app/requirements.yaml": "dependencies: [{name: sub, version: 1.0.0, repository: 'file://../sub'}]\n",
    "sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
  },
  { "app/kustomization.yaml": "resources: [a.yaml, ../base.yaml]\n", "app/a.yaml": RENDERED, "base.yaml": "" },
  {
    "app/kustomization.yaml": `resources: [a.yaml, ${outside}/secret.yaml, 'https://example.invalid/x.yaml']\n`,
    "app/a.yaml": RENDERED,
  },
  { "app/a.yaml": RENDERED, "app/rollstamp.yaml": "apiVersion: rollstamp.dev/v1alpha1\nkind: ConfigHash\n" },
];

const LINKS: readonly [string, ...string[]] = [
  "app/values.yaml",
  "app/link.yaml",
  "app/sub",
  "app/charts",
  "app/a.yaml",
  "values.yaml",
];

const PIECES: readonly [string, ...string[]] = [
  "a",
  "=",
  ",",
  "\\",
  "\\,",
  "\\\\",
  "../",
  "/",
  `${outside}/secret.yaml`,
  "https://user:password@example.invalid/x",
  "{{ env }}",
  "$ARGOCD_ENV_TOKEN",
  "${ROLLSTAMP_HMAC_KEY}",
  "--post-renderer=",
  "-",
  "\u0000",
  "values.yaml",
  "link.yaml",
  "\n",
  "[0]",
  "[99999999]",
  "{",
  "}",
  ".",
  "null",
  "true",
  ":",
  " ",
  "@",
  "ſ",
  "sub",
];
const NAMES = ["helm-parameters", ...PARAMETERS.map(({ name }) => name), "a", "c", "unknown"] as const;

const COMMANDS: readonly [string, ...string[]] = ["generate", "generate", "generate", "parameters", "discover"];
/** Options of helm that a parameter may give, each with its value behind "=". */
const HELM_OPTION =
  /^--(?:namespace|kube-version|values|set-json|set|set-string|set-file|api-versions)=|^--(?:include-crds|skip-schema-validation|skip-tests)$/su;

/** Throws where the plugin does what it never may. */
export async function fuzz(bytes: Buffer): Promise<void> {
  const given = new Bytes(bytes);
  const command = given.pick(COMMANDS);
  await inFolder(given.pick(FILES), async (folder) => {
    if (given.below(2) === 1) link(folder, given);
    process.chdir(join(folder, "app"));
    const parameters: unknown[] = [];
    while (!given.isAtEnd) parameters.push(parameter(given));
    const environment = {
      PATH: `${outside}/bin:/usr/bin:/bin`,
      HOME: folder,
      ARGOCD_APP_NAME: "app",
      ARGOCD_APP_NAMESPACE: "default",
      ARGOCD_APP_SOURCE_PATH: "app",
      ARGOCD_APP_PARAMETERS: JSON.stringify(parameters),
      ARGOCD_ENV_TOKEN: SENTINEL,
      ROLLSTAMP_HMAC_KEY: SENTINEL,
    };
    for (const name of ["arguments", "environment", "leaked", "special"]) rmSync(join(outside, name), { force: true });
    const { stdout, stderr } = await ran(["cmp", command], "", { environment });
    const output = `${stdout}${stderr}`;
    if (output.includes(SENTINEL)) throw new Error(`a value from outside is shown: ${JSON.stringify(parameters)}`);
    checkCall(JSON.stringify(parameters));
  });
}

function link(folder: string, bytes: Bytes): void {
  const path = join(folder, bytes.pick(LINKS));
  rmSync(path, { force: true, recursive: true });
  try {
    symlinkSync(bytes.pick([join(outside, "secret.yaml"), outside, "../..", "/proc/self/environ"]), path);
  } catch {
    // There is no such folder in this application.
  }
}

function parameter(bytes: Bytes): unknown {
  const text = (): string => Array.from({ length: 1 + bytes.below(5) }, () => bytes.pick(PIECES)).join("");
  const name = bytes.pick(NAMES);
  switch (bytes.below(5)) {
    case 0:
      return { name, string: text() };
    case 1:
      return { name, array: [text(), text()] };
    case 2:
      return { name, map: { [text()]: text() } };
    case 3:
      return { name, map: { [text()]: text(), [text()]: "values.yaml" } };
    default:
      return { name: text(), string: text() };
  }
}

/** What a program was called with and given, if one was. */
function checkCall(parameters: string): void {
  const read = (name: string): string | undefined => {
    try {
      return readFileSync(join(outside, name), "utf8");
    } catch {
      return undefined;
    }
  };
  const args = read("arguments")?.split("\0").slice(0, -1);
  if (args === undefined) return;
  const wrong = (what: string): Error => new Error(`${what}: ${JSON.stringify(args)} of ${parameters}`);
  if (args[0] === "template") {
    const others = args.slice(1).filter((arg) => !HELM_OPTION.test(arg));
    if (others.length > 2 || others.at(-1) !== "." || others.some((arg) => arg.startsWith("-")))
      throw wrong("helm is given more than its chart and its options");
  } else if (args[0] === "dependency") {
    if (args.join(" ") !== "dependency update . --skip-refresh") throw wrong("helm is to do more than to pack");
  } else if (args[0] !== "build") throw wrong("kustomize is not asked for a build");
  if ((read("environment") ?? "").includes(SENTINEL)) throw wrong("a program gets the key or the tenant's variables");
  if ((read("leaked") ?? "") !== "") throw wrong("a program can read a file of outside");
  if ((read("special") ?? "") !== "") throw wrong("a program can open what is no file");
}
