import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decideWave, type Candidate, type WaveRules } from "../../../src/stamping/waves/decide.ts";

const OPEN = { isOpen: true } as const;
const CLOSED = { isOpen: false, opens: new Date("2026-11-29T02:00:00Z") } as const;

function candidate(id: string, more: Partial<Candidate> = {}): Candidate {
  return {
    id,
    isPending: true,
    isWaiting: false,
    takesAtOnce: false,
    rolls: true,
    rollsByStamps: false,
    replacesPods: true,
    pods: 1,
    opening: OPEN,
    group: undefined,
    ...more,
  };
}

const GONE = { isPending: false, rollsByStamps: true } as const;
const WAITING = { isWaiting: true } as const;

describe("who takes its stamps", () => {
  // Each row: what it shows, rules, candidates, the verdict on each.
  const rows: readonly (readonly [string, Partial<WaveRules>, readonly Candidate[], string])[] = [
    ["no limit, nothing waits", {}, [candidate("a"), candidate("b")], "takes takes"],
    ["the first ones go", { maxWorkloads: 1 }, [candidate("b"), candidate("a")], "limit takes"],
    ["none may", { maxWorkloads: 0 }, [candidate("a")], "limit"],
    [
      "pods count",
      { maxPods: 5 },
      [candidate("a", { pods: 3 }), candidate("b", { pods: 3 }), candidate("c", { pods: 2 })],
      "takes limit takes",
    ],
    ["one that never fits", { maxPods: 5 }, [candidate("a", { pods: 6 }), candidate("b")], "tooLarge takes"],
    ["what went before counts", { maxWorkloads: 1 }, [candidate("a", GONE), candidate("b")], "unchanged limit"],
    [
      "what rolls for another reason counts, and takes its stamps",
      { maxWorkloads: 1 },
      [candidate("b", { takesAtOnce: true }), candidate("a")],
      "takes limit",
    ],
    ["it takes them beyond the limit, too", { maxWorkloads: 0 }, [candidate("a", { takesAtOnce: true })], "takes"],
    [
      "a new one takes no place",
      { maxWorkloads: 1 },
      [candidate("a", { takesAtOnce: true, rolls: false }), candidate("b")],
      "takes takes",
    ],
    [
      "a CronJob takes none",
      { maxWorkloads: 1 },
      [candidate("a", { replacesPods: false }), candidate("b"), candidate("c", { replacesPods: false })],
      "takes takes takes",
    ],
    ["what waits is held", {}, [candidate("a", WAITING), candidate("b")], "held takes"],
    ["what waits is held without --due whatever the limit", { maxWorkloads: 5 }, [candidate("a", WAITING)], "held"],
    ["--due lets it go", { isDue: true }, [candidate("a", WAITING)], "takes"],
    [
      "who has waited goes first",
      { isDue: true, maxWorkloads: 1 },
      [candidate("a"), candidate("b", WAITING)],
      "limit takes",
    ],
    ["a closed window", { isDue: true }, [candidate("a", { opening: CLOSED }), candidate("b")], "window takes"],
    ["a closed window without any option", {}, [candidate("a", { opening: CLOSED })], "window"],
    [
      "the first group",
      {},
      [candidate("a", { group: "2" }), candidate("b", { group: "1" }), candidate("c")],
      "group takes takes",
    ],
    [
      "the next one waits for another commit",
      { isDue: true },
      [candidate("a", { group: "1", ...GONE }), candidate("b", { group: "2", ...WAITING })],
      "unchanged group",
    ],
    [
      "then it goes",
      { isDue: true },
      [candidate("a", { group: "1", isPending: false, rolls: false }), candidate("b", { group: "2", ...WAITING })],
      "unchanged takes",
    ],
    [
      "a group holds the next while its window is closed",
      { isDue: true },
      [candidate("a", { group: "1", opening: CLOSED }), candidate("b", { group: "2" })],
      "window group",
    ],
    [
      "what rolls anyway holds no group",
      {},
      [candidate("a", { group: "1", takesAtOnce: true }), candidate("b", { group: "2" })],
      "takes takes",
    ],
  ];
  for (const [name, rules, all, expected] of rows)
    it(name, () => {
      const verdicts = decideWave(all, { isDue: false, ...rules });
      const words = all.map((each) => {
        const verdict = verdicts.get(each);
        return verdict?.is === "waits" ? verdict.because.is : verdict?.is;
      });
      assert.equal(words.join(" "), expected);
    });
});
