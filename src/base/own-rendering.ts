/** What to do about what is rendered in a way that isn't run here, whichever command meets it. */
export const RENDER_YOURSELF =
  "render it with a command of yours: plan --git over applications takes it as 'command' from rollstamp.yaml (docs/apps.md), plan and lint as --render, other commands what it prints on standard input";
