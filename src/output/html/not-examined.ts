import {
  notExaminedCounts,
  notExaminedGroups,
  type AccountOptions,
} from "../../findings/not-examined/account-words.ts";
import { isNothing, type Account } from "../../findings/not-examined/not-examined.ts";
import { element, type Html } from "./html.ts";

/** What was not looked at, below the head of a page: how much of what in one line. Nothing where all was looked at. */
export function notExaminedSection(account: Account, options: AccountOptions): Html | undefined {
  const groups = notExaminedGroups(account, options);
  if (groups.length === 0) return undefined;
  return element(
    "details",
    // Of a report over nothing this is all that there is to read.
    { class: "not-examined", open: isNothing(account) ? true : undefined },
    element("summary", {}, `Not examined: ${notExaminedCounts(account)}`),
    element(
      "ul",
      {},
      groups.map(({ what, names, more, look }) =>
        element(
          "li",
          {},
          `${what} (`,
          names.flatMap((name, i) => [i === 0 ? "" : ", ", element("code", {}, name)]),
          more === 0 ? "" : ` and ${more} more`,
          "): ",
          element("code", {}, look),
        ),
      ),
    ),
  );
}
