// Names of the public contract. A changed one breaks someone's cluster.

export const DOMAIN = "rollstamp.dev";

/** Of configurations, and of the reports that have one. */
export const API_VERSION = "rollstamp.dev/v1alpha1";

/** The file that holds the configuration of what lies beside and below it. */
export const CONFIG_FILE = "rollstamp.yaml";

/** The kind of a document in it that lists the applications of a repository. */
export const APPLICATIONS_KIND = "Applications";

// Variables of the environment.
export const CONFIG_VARIABLE = "ROLLSTAMP_CONFIG";
export const HMAC_KEY_VARIABLE = "ROLLSTAMP_HMAC_KEY";
export const HMAC_KEY_FILE_VARIABLE = "ROLLSTAMP_HMAC_KEY_FILE";

// The annotation keys: section 3.

// On the pod template.
export const CONFIG_HASH = "rollstamp.dev/config-hash";
export const RESTARTED_AT = "rollstamp.dev/restartedAt";

// On a workload's own metadata; STAMP also on a source's.
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

/** All that have a say in when a workload takes its new stamps. */
export const WAVE_KEYS: readonly string[] = [WAITING, ROLLOUT_WINDOW, ROLLOUT_TIME_ZONE, ROLLOUT_GROUP];

/** On any object: opts it out of a lint rule, with the reason as its value. */
export const IGNORE_DOMAIN = "ignore.rollstamp.dev";
