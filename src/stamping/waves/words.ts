import { formatObject } from "../../base/names.ts";
import { earliest } from "../../base/times.ts";
import { counted } from "../../base/words.ts";
import { capped } from "../../findings/catalogue/cap.ts";
import type { Finding } from "../../findings/catalogue/finding.ts";
import { locationOf, resourceRef } from "../../findings/results/location.ts";
import type { WaitReason } from "./decide.ts";
import type { Waits, Wave } from "./wave.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const SIX_DAYS = 6 * 86_400_000;

/** A time for people, in UTC: `Sunday 02:00 UTC`, with the date if it is days ahead. */
export function momentWords(moment: Date, now: Date): string {
  const day = DAYS[moment.getUTCDay()] ?? "";
  const [date = "", time = ""] = moment.toISOString().split("T");
  const isNear = moment.getTime() - now.getTime() < SIX_DAYS;
  return `${day} ${isNear ? "" : `${date} `}${time.slice(0, 5)} UTC`;
}

/** When the first closed window opens; undefined if no workload waits for a window, or no window opens again. */
export function nextWindow(reasons: readonly WaitReason[]): Date | undefined {
  return earliest(reasons.flatMap((reason) => (reason.is === "window" ? (reason.opens ?? []) : [])));
}

/** `12 wait, next window Sunday 02:00 UTC`: how many wait, and when the first window opens. */
export function waitingWords(reasons: readonly WaitReason[], now: Date): string {
  const next = nextWindow(reasons);
  const words = counted(reasons.length, "workload waits", "workloads wait");
  return next === undefined ? words : `${words}, next window ${momentWords(next, now)}`;
}

/** Why a workload waits, for people. */
export function reasonWords(reason: WaitReason, now: Date): string {
  switch (reason.is) {
    case "held":
      return "until stamp --due releases it";
    case "window":
      return reason.opens === undefined
        ? "for windows that are never open together"
        : `for its window, which opens ${momentWords(reason.opens, now)}`;
    case "group":
      return `for the group '${reason.before}', which is released first`;
    case "limit":
      return "for its turn: the limit is reached";
    case "tooLarge":
      return `because it has ${counted(reason.pods, "pod")}, more than the limit`;
  }
}

/** The findings about workloads that wait forever. A window or a limit that stops many of them is one cause: they are capped. */
export function waitingFindings({ waits }: Wave): readonly Finding[] {
  return capped(waits.flatMap(waitsForever), ({ id, cause }) => `${id} ${cause}`);
}

function waitsForever({ workload: { item }, because }: Waits): Finding[] {
  const params = { workload: resourceRef(item) };
  if (because.is === "tooLarge")
    return [
      { id: "waiting", cause: "overMaxPods", params: { ...params, pods: because.pods }, ...locationOf(item, item) },
    ];
  if (because.is === "window" && because.opens === undefined)
    return [{ id: "waiting", cause: "disjointWindows", params, ...locationOf(item, item) }];
  return [];
}

/** The lines about a wave: how many workloads take new stamps, how many wait and, if `verbose`, which and why. */
export function waveLines(
  { waits, taking }: Wave,
  now: Date,
  { isAsked, verbose }: { readonly isAsked: boolean; readonly verbose: boolean },
): string[] {
  if (waits.length === 0 && !isAsked) return [];
  const reasons = waits.map(({ because }) => because);
  const waiting = waits.length === 0 ? "none waits" : waitingWords(reasons, now);
  const took = counted(taking, "workload takes new stamps", "workloads take new stamps");
  return [
    isAsked || taking > 0 ? `${took}, ${waiting}` : waiting,
    ...(verbose
      ? waits.map(
          ({ workload, because }) => `${formatObject(resourceRef(workload.item))} waits ${reasonWords(because, now)}`,
        )
      : []),
  ];
}
