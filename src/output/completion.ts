export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  /** The values of its first argument; none where it takes paths. */
  readonly choices: readonly string[];
}

export interface CompletedOption {
  /** With its dashes. */
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  readonly takesValue: boolean;
  /** None: a value that can't be listed, such as a file. */
  readonly choices: readonly string[];
  /** Values that depend on the repository. */
  readonly listed?: Listed | undefined;
}

/** What is listed when a person asks for it: names of applications, or ranges of revisions. */
export type Listed = "applications" | "ranges";

// The scripts are printed whole, and ask nothing of us while a person types, except for names of applications. A library was
// looked at (@bomb.sh/tab 0.0.22): its scripts call the program for every word, and complete no file names.

// A repository chooses these names, and bash puts what it completes into the command line as it is: only words that no shell
// expands are offered.
const HARMLESS = "LC_ALL=C grep -E '^[A-Za-z0-9._/@:+-]+$'";
const APPLICATIONS = `rollstamp apps -q -o name 2>/dev/null | ${HARMLESS}`;
const REVISIONS = `git for-each-ref --format='%(refname:short)' refs/heads refs/remotes refs/tags 2>/dev/null | ${HARMLESS}`;

/** Functions for bash and zsh. Before the dots, a range is completed as a whole. */
const LISTS = `_rollstamp_applications() {
  ${APPLICATIONS}
}
_rollstamp_ranges() {
  local start="" end="...HEAD" revision
  case $1 in *..*) start="\${1%"\${1##*..}"}" end="" ;; esac
  ${REVISIONS} | while IFS= read -r revision; do printf '%s\\n' "$start$revision$end"; done
}`;

/** The shells, each with what prints its script. */
export const SHELLS: Readonly<Record<string, (commands: readonly CompletedCommand[]) => string>> = { bash, zsh, fish };

/** For bash 3.2 too, which macOS has: no mapfile, no associative array, no ;;&, no \${x,,}. */
function bash(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name);
  const values = commands.flatMap(({ name, options }) =>
    options
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ long, short, choices, listed }) =>
          `    ${[long, short].flatMap((flag) => (flag === undefined ? [] : `"${name} ${flag}"`)).join("|")}) words="${listed === undefined ? choices.join(" ") : `$(_rollstamp_${listed} "$current")`}" ;;`,
      ),
  );
  return `# rollstamp completion for bash: eval "$(rollstamp completion bash)"
${LISTS}
_rollstamp() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${names.join("|")}) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $before" in
${values.join("\n")}
    *)
      if [[ $current == -* ]]; then
        case $command in
${commands.map(({ name, options }) => `          ${name}) words="${options.map(({ long }) => long).join(" ")}" ;;`).join("\n")}
          *) words="--help --version" ;;
        esac
      elif [[ -z $command ]]; then
        words="${names.join(" ")}"
      else
        case $command in
${commands
  .filter(({ choices }) => choices.length > 0)
  .map(({ name, choices }) => `          ${name}) words="${choices.join(" ")}" ;;`)
  .join("\n")}
        esac
      fi
      ;;
  esac
  # Without words of ours bash completes file names.
  for word in $words; do
    if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
  done
}
complete -o bashdefault -o default -F _rollstamp rollstamp
`;
}

function zsh(commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => text.replaceAll("'", `'\\''`);
  const inBrackets = (text: string): string => quote(text).replaceAll(/[[\]:]/gu, "\\$&");
  const actionOf = ({ choices, listed }: CompletedOption): string =>
    listed !== undefined ? `_rollstamp_add_${listed}` : choices.length > 0 ? `(${choices.join(" ")})` : "_files";
  const argument = (option: CompletedOption): string => {
    const { long, short, summary, takesValue } = option;
    const value = takesValue ? `:value:${actionOf(option)}` : "";
    const flags = short === undefined ? `'${long}` : `'(${short} ${long})'{${short},${long}}'`;
    return `        ${flags}[${inBrackets(summary)}]${value}'`;
  };
  return `#compdef rollstamp
# rollstamp completion for zsh: source <(rollstamp completion zsh)
${LISTS}
_rollstamp_add_applications() { compadd -- \${(f)"$(_rollstamp_applications)"} }
_rollstamp_add_ranges() { compadd -- \${(f)"$(_rollstamp_ranges "$PREFIX")"} }
_rollstamp() {
  local state
  local -a commands
  commands=(
${commands.map(({ name, summary }) => `    '${name}:${quote(summary)}'`).join("\n")}
  )
  _arguments -C '(- *)'{-h,--help}'[print the help]' '(- *)'{-V,--version}'[print the version]' '1: :->command' '*:: :->rest' && return
  case $state in
    command) _describe command commands ;;
    rest)
      case $words[1] in
${commands
  .map(
    ({ name, options, choices }) =>
      `        ${name}) _arguments \\\n${[...options.map(argument), `        '*:argument:${choices.length > 0 ? `(${choices.join(" ")})` : "_files"}'`].map((line) => `  ${line}`).join(" \\\n")} ;;`,
  )
  .join("\n")}
      esac
      ;;
  esac
}
if [[ $funcstack[1] == _rollstamp ]]; then _rollstamp "$@"; else compdef _rollstamp rollstamp; fi
`;
}

function fish(commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
  const lines = commands.flatMap(({ name, summary, options, choices }) => {
    const seen = `complete -c rollstamp -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c rollstamp -f -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...(choices.length === 0 ? [] : [`${seen} -f -a ${quote(choices.join(" "))}`]),
      ...options.map((option) => {
        const short = option.short === undefined ? "" : ` -s ${option.short.slice(1)}`;
        const value = !option.takesValue
          ? ""
          : option.listed !== undefined
            ? ` -x -a '(__rollstamp_${option.listed})'`
            : option.choices.length > 0
              ? ` -x -a ${quote(option.choices.join(" "))}`
              : " -r";
        return `${seen}${short} -l ${option.long.slice(2)}${value} -d ${quote(option.summary)}`;
      }),
    ];
  });
  return `# rollstamp completion for fish: rollstamp completion fish | source
function __rollstamp_applications
  ${APPLICATIONS}
end
function __rollstamp_ranges
  set -l start (string match -r '^.*\\.\\.' -- (string replace -r '^--git=' '' -- (commandline -ct)))
  for revision in (${REVISIONS})
    if test -n "$start"
      echo $start$revision
    else
      echo $revision...HEAD
    end
  end
end
${lines.join("\n")}
`;
}
