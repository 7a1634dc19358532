import { realpathSync } from "node:fs";

/**
 * Where a path leads to, by one call of the system where that gives what Node's own walk does: Node asks for each folder
 * of the path. Elsewhere the system also writes letters as the folders have them, and roots are not written so.
 */
export const realPath: (path: string) => string = process.platform === "linux" ? realpathSync.native : realpathSync;
