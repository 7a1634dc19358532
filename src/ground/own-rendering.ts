/** What to do about what is rendered in a way that isn't run here, whichever command meets it. */
export const RENDER_YOURSELF =
  "render it with a command of yours: plan and lint take it as --render, other commands what it prints on standard input";
