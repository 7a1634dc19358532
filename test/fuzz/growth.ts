// How often each statement runs: a count is the same on any machine, where a time is not.

interface Covered {
  readonly s: Readonly<Record<string, number>>;
  readonly statementMap: Readonly<Record<string, { readonly start: { readonly line: number } }>>;
}

/** What jsfuzz's instrumenter (istanbul) keeps; nothing where a target runs as it is. */
function coverage(): Readonly<Record<string, Covered>> {
  const { __coverage__: all } = globalThis as { __coverage__?: Readonly<Record<string, Covered>> };
  return all ?? {};
}

/** How often each statement has run by now: by file, then in the order of the statements. */
function counts(): readonly number[] {
  return Object.values(coverage()).flatMap(({ s }) => Object.values(s));
}

/** What a run took and gave. */
export interface Cost {
  /** How often each statement ran. */
  readonly statements: readonly number[];
  /** The characters of its input and its output. */
  readonly size: number;
  /** The characters of its output. */
  readonly output: number;
  readonly input: number;
}

/** Runs something and counts. */
export async function costOf(input: number, run: () => Promise<number>): Promise<Cost> {
  const before = counts();
  const output = await run();
  return { statements: counts().map((count, i) => count - (before[i] ?? 0)), size: input + output, output, input };
}

/** What grows by more than this over the growth of input and output multiplies. A sort's logarithm is less. */
const OVER = 1.4;
/** Fewer runs of a statement than this are cheap whatever they do. */
const CHEAP = 3000;
/** Output that grows by more than input, and is more than so many characters for each of them, multiplies. */
const OUTPUT_FOR_INPUT = 100;

/** The statements, by their lines in the bundle, that run more often than in step with the size; or the output. */
export function multiplying(once: Cost, twice: Cost): readonly string[] {
  const allowed = OVER * Math.max(2, twice.size / once.size);
  const over = twice.statements.flatMap((count, i) => {
    const before = once.statements[i] ?? 0;
    // What runs from some size on only, such as reading in pieces, has no growth yet.
    return before > 0 && count > CHEAP && count > allowed * before + CHEAP ? [i] : [];
  });
  const grown = twice.output / Math.max(once.output, 1) / (twice.input / once.input);
  const tooMuch = grown > OVER && twice.output > OUTPUT_FOR_INPUT * twice.input;
  return [
    ...linesOf(over).map(
      (line, i) => `line ${line}: ${once.statements[over[i] ?? 0] ?? 0} and ${twice.statements[over[i] ?? 0] ?? 0}`,
    ),
    ...(tooMuch ? [`output: ${once.output} and ${twice.output} of ${once.input} and ${twice.input}`] : []),
  ];
}

function linesOf(indexes: readonly number[]): readonly string[] {
  const lines = Object.values(coverage()).flatMap(({ s, statementMap }) =>
    Object.keys(s).map((id) => String(statementMap[id]?.start.line)),
  );
  return indexes.map((index) => lines[index] ?? "?");
}
