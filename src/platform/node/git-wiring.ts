import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { RollstampError } from "../../base/errors.ts";
import { isInside } from "../../base/inside.ts";
import type { GitSetting, GitWiring } from "../ports/git.ts";
import type { GitOptions } from "../ports/git.ts";
import { failed, gitOutput, noRepository } from "./git-output.ts";

/** What the clone of a folder says of its wiring. Throws a RollstampError where it is in none. */
export async function gitWiring(options: GitOptions): Promise<GitWiring> {
  const top = await gitOutput(options, ["rev-parse", "--show-toplevel"], noRepository);
  const hooks = resolve(options.cwd, await gitOutput(options, ["rev-parse", "--git-path", "hooks"], failed));
  const own = join(realpathSync(options.cwd), relative(options.cwd, hooks));
  const isOwn = isInside(realpathSync(top), resolve(own));
  // A look-up of nothing is a failure to git, a list never is.
  const said = await gitOutput(options, ["config", "--null", "--list"], failed);
  const config = new Map(
    said.split("\0").flatMap((line): [string, string][] => {
      const end = line.indexOf("\n");
      const key = line.slice(0, end);
      return /^(?:merge|diff)\.rollstamp\./u.test(key) ? [[key, line.slice(end + 1)]] : [];
    }),
  );
  const shown = relative(options.cwd, hooks).split(sep).join("/");
  return { config, hooks: isOwn ? shown : undefined, hooksShown: isAbsolute(shown) || !isOwn ? hooks : shown };
}

/** The addresses of the clone's remotes; none outside of a clone, or where git can't tell. */
export async function gitRemotes(options: GitOptions): Promise<readonly string[]> {
  const said = await gitOutput(options, ["config", "--null", "--list"], failed).catch((cause: unknown) => {
    if (cause instanceof RollstampError) return "";
    throw cause;
  });
  return said.split("\0").flatMap((line) => {
    const end = line.indexOf("\n");
    return /^remote\..+\.(?:push)?url$/u.test(line.slice(0, Math.max(0, end))) ? [line.slice(end + 1)] : [];
  });
}

/** Sets values in the configuration of the clone. Throws a RollstampError. */
export async function configureGit(settings: readonly GitSetting[], options: GitOptions): Promise<void> {
  for (const { key, value } of settings) await gitOutput(options, ["config", "--local", key, value], failed);
}
