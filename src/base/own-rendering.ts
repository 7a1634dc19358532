/** The remedy for what rollstamp cannot render itself, for every command. */
export const RENDER_YOURSELF =
  "render it with your own command: for plan --git, name it as 'command' in rollstamp.yaml (docs/reference/commands/apps.md); for plan and lint, pass it with --render; for other commands, pipe its output to standard input";
