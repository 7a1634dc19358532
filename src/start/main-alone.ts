// Both bundles in one, for a rollstamp.cjs that was copied without the other files of its folder.
export { runCommands } from "./main-commands.ts";
export { runFunctionCall } from "./main-function.ts";
