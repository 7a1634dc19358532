import { atTheEnd, type Pending } from "./at-the-end.ts";
import { removeFolder } from "./remove-folder.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

/** Runs a work with a folder that only its owner can read, made at the first call. It goes whatever happens. */
export async function withFolder<T>(
  work: (folder: () => string) => Promise<T>,
  prefix: string = "rollstamp-",
): Promise<T> {
  let folder: string | undefined;
  let removal: Pending | undefined;
  const make = (): string => {
    const made = makeTemporaryFolder(prefix);
    removal = atTheEnd(() => removeFolder(made));
    return made;
  };
  try {
    return await work(() => (folder ??= make()));
  } finally {
    removal?.now();
  }
}
