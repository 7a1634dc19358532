import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { filledIn, templateOf, type Part } from "../../../src/applications/render/flux-envsubst.ts";
import { placeholderWith, UNKNOWN, withoutPlaceholders } from "../../../src/base/placeholders.ts";
import { fromGoText, goText } from "../../../src/base/go-text.ts";

const VARIABLES: Readonly<Record<string, string>> = {
  X: "hello",
  PATH: "/usr/local/bin",
  FILE: "a.tar.gz",
  U: "äÖ",
  UP: "HeLLo",
  AT: "2",
  E: "",
};

/** The result of a template; `! problem` if it can't be parsed. */
function made(template: string, variables: Readonly<Record<string, string>> = VARIABLES): string {
  const parts = templateOf(goText(template));
  if (!isParts(parts)) return `! ${parts.problem}`;
  return fromGoText(
    filledIn(parts, (name) => ({ value: goText(variables[fromGoText(name)] ?? "") }), {
      spend: () => undefined,
      grow: () => undefined,
    }),
  );
}

function isParts(parts: ReturnType<typeof templateOf>): parts is readonly Part[] {
  return Array.isArray(parts);
}

const MISSING = "! unexpected character";
const OPEN = "! a closing brace is missing";

describe("variables that Flux substitutes", () => {
  const rows: readonly (readonly [template: string, expected: string])[] = [
    ["", ""],
    ["plain $X $", "plain $X $"],
    ["a${X}b${X}", "ahellobhello"],
    ["${NONE}.", "."],
    ["$$ $$$ $$$$", "$ $$ $$"],
    ["$${X} $$${X}", "${X} $hello"],
    ["${X:-d}${E:-d}${NONE:=d}${E:?d}${E:+d}${NONE=d}", "helloddddd"],
    ["${NONE:-a ${X} ${NONE:=b$$}}", "a hello b$$"],
    ["${NONE:-}", ""],
    ["${X-d}", OPEN],
    ["${X.Y}", OPEN],
    ["${X", OPEN],
    ["${}", "! a name is missing"],
    ["${ X}", "! a name is missing"],
    ["${X:-", MISSING],
    ["${#X}${#U}${#NONE}", "540"],
    ["${#X", OPEN],
    ["${U,,}${U^^}${UP,}${UP^}${UP,,}${UP^,}", "äöÄÖheLLoHeLLohelloHeLLo"],
    ["${X^^^}", OPEN],
    ["${X:1}${X:1:2}${X:-1}${X: -1}${X:0:-1}${X:9}${X:1:9}${X:4:-4}", "elloelhellohellohellello"],
    ["${X:${AT}}${X:1:${AT}}${X:a}", "lloelhello"],
    ["${X:}", MISSING],
    ["${X::1}", MISSING],
    ["${X:1::2}", "el"],
    ["${X:1:}", MISSING],
    ["${X:ä}", "! invalid position"],
    ["${U:1}", "\ufffdÖ"],
    ["${X/l/L}${X//l/L}${X/#he/HE}${X/%lo/LO}${X//l/}${X/l/}", "heLloheLLoHEllohelLOheohelo"],
    ["${PATH//\\//_}${X/l/\\\\}${X/l/$$}", "_usr_local_binhe\\lohe$lo"],
    ["${X/l}", "! the second slash of a replacement is missing"],
    ["${X/l} and /b}", "hello"],
    ["${X///b}", MISSING],
    ["${X/${E}/-}${X//${E}/-}${X/#${E}/-}", "-hello-h-e-l-l-o--hello"],
    ["${FILE%.*}${FILE%%.*}${FILE#*.}${FILE##*.}", "a.taratar.gzgz"],
    ["${PATH##*/}${PATH%/*}${PATH#?}${X#[g-i]}${X#[^g-i]}${X#[}", "bin/usr/localusr/local/binellohellohello"],
    ["${X#}", MISSING],
    ["${X#${X}x}", OPEN],
    ["${U%?}${U#?}", "ä\ufffd\ufffdÖ"],
  ];
  for (const [template, expected] of rows)
    it(JSON.stringify(template), () => {
      assert.equal(made(template), expected);
    });

  it("can be nested up to a limit", () => {
    assert.match(made("${A:-".repeat(300)), /nested too deep/u);
    assert.equal(made(`${"${A:-".repeat(100)}x${"}".repeat(100)}`), "x");
  });

  it("that are unknown stay so in each part", () => {
    const P = placeholderWith("7b1e8b6f3f0123456789");
    for (const template of [
      "${P}",
      "${P:-d}",
      "${P^^}",
      "${P:0:12}",
      "${P:7}",
      "${P#unknown}",
      "${P%%7*}",
      "${P//unknown/}",
    ])
      assert.equal(withoutPlaceholders(made(template, { P })), UNKNOWN, template);
    assert.notEqual(made("${P:0:12}", { P }), made("${P:7}", { P }));
  });

  it("that may be unset are replaced by their defaults", () => {
    const parts = templateOf("${A} ${A:=d} ${A:=}");
    assert.ok(isParts(parts));
    assert.equal(
      filledIn(parts, () => ({ value: "guess", isGuess: true }), { spend: () => undefined, grow: () => undefined }),
      "guess d guess",
    );
  });
});
