/** The remedy for what rollstamp cannot render itself, for every command. */
export const RENDER_YOURSELF =
  "name a 'command' for it in rollstamp.yaml (docs/reference/commands/apps.md), or use --render or a pipe";
