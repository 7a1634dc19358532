// The bundle of the functions that few runs want: functions-at-start.ts loads it.
export { restartFunction } from "./restart/restart.ts";
export { rolloutLint } from "./rollout-lint/rollout-lint.ts";
