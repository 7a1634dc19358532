/**
 * Options of every call of git. A commit can contain a folder that looks like a repository with its own configuration: git
 * would use it, and run the program that it names to find changes.
 */
export const GIT_OPTIONS: readonly string[] = ["-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"];
