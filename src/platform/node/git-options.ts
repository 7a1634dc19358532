/**
 * What git is always given. A commit can bring a folder that looks like a repository, with a configuration of its
 * own: git takes it for one where it is run in it, and asks the program that it names what has changed.
 */
export const GIT_OPTIONS: readonly string[] = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];
