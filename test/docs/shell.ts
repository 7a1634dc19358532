// Reads the commands of a block of shell: words, pipelines and redirections, without expanding anything.

/** A program with its arguments. */
export interface ShellCommand {
  /** Variables that are set in front of it. */
  readonly variables: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** The file that gets its output. */
  readonly to?: string;
  /** Whether its output is the input of the next command. */
  readonly isPiped: boolean;
}

const TOKEN =
  /\\\n|(?<comment>(?<=^|\s)#[^\n]*)|(?<end>&&|;|\n)|(?<pipe>\|)|(?<redirect>>>?)|(?<word>(?:'[^']*'|"(?:\\.|[^"\\])*"|[$<]\([^)]*\)|\\[^\n]|[^\s'"\\|;&>])+)/gu;

/** The commands of a script, in order. */
export function shellCommands(script: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = [];
  let words: string[] = [];
  let to: string | undefined;
  let isTarget = false;
  const finish = (isPiped: boolean): void => {
    const first = words.findIndex((word) => !/^\w+=/u.test(word));
    const variables = words.slice(0, first < 0 ? words.length : first).map((word) => word.split(/=(.*)/su));
    if (first >= 0)
      commands.push({
        variables: Object.fromEntries(variables.map(([name = "", value = ""]) => [name, value])),
        words: words.slice(first),
        ...(to === undefined ? {} : { to }),
        isPiped,
      });
    words = [];
    to = undefined;
  };
  for (const { groups = {} } of `${script}\n`.matchAll(TOKEN)) {
    if (groups["word"] !== undefined) {
      const word = unquoted(groups["word"]);
      if (isTarget) to = word;
      else words.push(word);
      isTarget = false;
    } else if (groups["redirect"] !== undefined) isTarget = true;
    else if (groups["pipe"] !== undefined) finish(true);
    else if (groups["end"] !== undefined) finish(false);
  }
  return commands;
}

function unquoted(word: string): string {
  return word.replaceAll(/'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)/gsu, (_, single?: string, double?: string, one?: string) =>
    double === undefined ? (single ?? one ?? "") : double.replaceAll(/\\(["\\$`])/gu, "$1"),
  );
}

/** The arguments of each call of rollstamp in a script, also inside of substitutions. */
export function rollstampCalls(script: string): readonly (readonly string[])[] {
  const inner = [...script.matchAll(/[$<]\((rollstamp [^)]*)\)/gu)].map((match) => match[1] ?? "");
  return [script, ...inner]
    .flatMap(shellCommands)
    .filter(({ words }) => words[0] === "rollstamp")
    .map(({ words }) => words.slice(1));
}
