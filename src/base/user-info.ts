/** Replaces masked text in messages of programs, and in addresses. */
export const HIDDEN = "…";

/** Removes names, passwords and tokens from URLs. `before`: what is left before the host of a URL that had some. */
export function withoutUserInfo(text: string, before: string = `${HIDDEN}@`): string {
  return (
    text
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#'"`]*@/giu, `$1${before}`)
      // A password that is not escaped: after a colon no port, and then an @.
      .replace(/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#'"`:@]{0,300}:(?!\d+[/?#])[^\s'"`]{0,300}@/giu, `$1${before}`)
      // Like in git: `user:password@host:path`.
      .replace(/(^|[\s'"`])[\w.-]{1,300}:[^\s/'"`@]+@(?=[\w.-]+[:/])/gu, `$1${before}`)
      .replace(
        /([?&](?:[\w-]{0,40}(?:token|secret|password|passwd|signature|sig|key|credential)s?)=)[^\s&#'"`]+/giu,
        `$1${HIDDEN}`,
      )
  );
}
