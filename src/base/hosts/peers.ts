import { kindWord, RELOADED_KINDS, type ReloadedKind } from "../referenced-kinds.ts";

// The annotations of controllers that roll workloads on their own.

export const RELOADER_DOMAIN = "reloader.stakater.com";

/** Reloader's annotations for all kinds of sources. */
export const RELOADER_AUTO: string = `${RELOADER_DOMAIN}/auto`;
export const RELOADER_SEARCH: string = `${RELOADER_DOMAIN}/search`;
export const RELOADER_MATCH: string = `${RELOADER_DOMAIN}/match`;
export const RELOADER_IGNORE: string = `${RELOADER_DOMAIN}/ignore`;

/** Reloader's annotations for one kind of source. */
export interface ReloaderKeys {
  readonly auto: string;
  readonly reload: string;
  readonly exclude: string;
}

export const RELOADER_KEYS: Readonly<Record<ReloadedKind, ReloaderKeys>> = {
  ConfigMap: keysFor("ConfigMap", "configmaps"),
  Secret: keysFor("Secret", "secrets"),
  SecretProviderClass: keysFor("SecretProviderClass", "secretproviderclasses"),
};

function keysFor(kind: ReloadedKind, plural: string): ReloaderKeys {
  return {
    auto: `${kindWord(kind)}.${RELOADER_DOMAIN}/auto`,
    reload: `${kindWord(kind)}.${RELOADER_DOMAIN}/reload`,
    exclude: `${plural}.exclude.${RELOADER_DOMAIN}/reload`,
  };
}

/** The annotation keys that name sources for Reloader. */
export const RELOADER_AUTO_KEYS: readonly string[] = [
  RELOADER_AUTO,
  ...RELOADED_KINDS.map((kind) => RELOADER_KEYS[kind].auto),
];
export const RELOADER_RELOAD_KEYS: readonly string[] = RELOADED_KINDS.map((kind) => RELOADER_KEYS[kind].reload);

export const WAVE_DOMAIN = "wave.pusher.com";

/** Wave's annotation for opting in. */
export const WAVE_OPT_IN: string = `${WAVE_DOMAIN}/update-on-config-change`;

/** The 1Password operator's annotations, on a workload and on an item. */
export const ONE_PASSWORD_RESTART = "operator.1password.io/auto-restart";

/** The Infisical operator's annotations. */
export const INFISICAL_RELOAD = "secrets.infisical.com/auto-reload";
