// Names of the public contract. Changing one breaks someone's cluster.

export const DOMAIN = "rollstamp.dev";

/** The API version of configurations and reports. */
export const API_VERSION = "rollstamp.dev/v1alpha1";

/** The configuration file for its folder and the folders below it. */
export const CONFIG_FILE = "rollstamp.yaml";

/** The kind of the document that lists the applications of a repository. */
export const APPLICATIONS_KIND = "Applications";

// Environment variables.
export const CONFIG_VARIABLE = "ROLLSTAMP_CONFIG";
export const HMAC_KEY_VARIABLE = "ROLLSTAMP_HMAC_KEY";
export const HMAC_KEY_FILE_VARIABLE = "ROLLSTAMP_HMAC_KEY_FILE";

// The annotation keys: section 3.

// On the pod template.
export const CONFIG_HASH = "rollstamp.dev/config-hash";
export const RESTARTED_AT = "rollstamp.dev/restartedAt";

// On the metadata of a workload; STAMP also on a source.
export const WAITING = "rollstamp.dev/waiting";
export const STAMP = "rollstamp.dev/stamp";
export const SOURCES = "rollstamp.dev/sources";
export const EXCLUDE = "rollstamp.dev/exclude";
export const RESTART_SCHEDULE = "rollstamp.dev/restart-schedule";
export const RESTART_TIME_ZONE = "rollstamp.dev/restart-time-zone";
export const ROLLOUT_GROUP = "rollstamp.dev/rollout-group";

// On a workload or a source.
export const ROLLOUT_WINDOW = "rollstamp.dev/rollout-window";
export const ROLLOUT_TIME_ZONE = "rollstamp.dev/rollout-time-zone";

/** The label of a copy of a source (layout Versioned): the name of the source, shortened if necessary. */
export const VERSION_OF = "rollstamp.dev/version-of";

/** All annotations that count on the metadata of objects; on a pod template they have no effect. */
export const OBJECT_KEYS: readonly string[] = [
  STAMP,
  SOURCES,
  EXCLUDE,
  RESTART_SCHEDULE,
  RESTART_TIME_ZONE,
  ROLLOUT_WINDOW,
  ROLLOUT_TIME_ZONE,
  ROLLOUT_GROUP,
  WAITING,
];

/** All annotations that affect when a workload takes its new stamps. */
export const WAVE_KEYS: readonly string[] = [WAITING, ROLLOUT_WINDOW, ROLLOUT_TIME_ZONE, ROLLOUT_GROUP];

/** On any object: opts out of a lint rule. The value is the reason. */
export const IGNORE_DOMAIN = "ignore.rollstamp.dev";
