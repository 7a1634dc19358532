import { DONE } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import type { DefineCommand } from "./command.ts";

/** Defines `rollstamp version`. */
export const defineVersion: DefineCommand = (command, io, done) => {
  command.action(async () => {
    await io.writeStdout(`${VERSION}\n`);
    done(DONE);
  });
};
