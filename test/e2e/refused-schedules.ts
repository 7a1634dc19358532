/** Schedules of CronJobs, in flow YAML, and the field for which the API server refuses them. */
export const SCHEDULES: readonly (readonly [spec: string, refused?: string])[] = [
  ...[
    "*/15 * * * *",
    "0 0 1,15 * MON-fri",
    "5/15 0-23/2 ? Jan-Mar,12 0,6",
    "*/90 * * * *",
    "1,,2 * * * *",
    "  0  0 * * * ",
    "@daily",
    "@every 1h30m",
  ].map((text) => [`schedule: "${text}"`] as const),
  ...[
    "",
    "daily",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "* * * 13 *",
    "* * * * 7",
    "* * * * fri-mon",
    "*/0 * * * *",
    "5-1 * * * *",
    "1-2-3 * * * *",
    "1/2/3 * * * *",
    "H * * * *",
    "* * L * *",
    "* * * * monday",
    "@reboot",
    "@Daily",
    "@every day",
    "TZ=UTC 0 0 * * *",
    "CRON_TZ=Europe/Berlin 0 0 * * *",
  ].map((text) => [`schedule: "${text}"`, "spec.schedule"] as const),
  ...["Etc/UTC", "UTC", "Europe/Berlin", "US/Pacific", "Etc/GMT+5"].map(
    (zone) => [`schedule: "@daily", timeZone: ${zone}`] as const,
  ),
  ...[
    "Europe/Bonn",
    "Local",
    "''",
    "'+01:00'",
    "' UTC'",
    "CEST",
    "utc",
    "europe/berlin",
    "EUROPE/Berlin",
    "US/pacific",
  ].map((zone) => [`schedule: "@daily", timeZone: ${zone}`, "spec.timeZone"] as const),
];

/** Names of created CronJobs, and whether the API server refuses them. */
export const CRON_JOB_NAMES: readonly (readonly [name: string, refused?: string])[] = [
  ["a".repeat(52)],
  ["a".repeat(53), "metadata.name"],
];

/** A CronJob with a schedule. */
export function cronJobOf(spec: string, name = "NAME"): string {
  return `{apiVersion: batch/v1, kind: CronJob, metadata: {name: ${name}}, spec: {${spec}, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: a}]}}}}}}\n`;
}
