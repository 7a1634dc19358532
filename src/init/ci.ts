/** The command line that runs a pinned version from npm, whatever else the job has. */
export function pinnedRun(version: string): string {
  return `npx --yes rollstamp@${version}`;
}

/** When a job looks for restarts that are due. A quarter past: CI services are busiest at the full hour. */
export const RESTART_CRON = "15 * * * *";
