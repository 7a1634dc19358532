import {
  notExaminedCounts,
  notExaminedGroups,
  type AccountOptions,
} from "../../findings/not-examined/account-words.ts";
import { isNothing, type Account } from "../../findings/not-examined/not-examined.ts";
import { element, type Html } from "./html.ts";

/** What was not examined, below the head of a page; undefined if there is nothing. */
export function notExaminedSection(account: Account, options: AccountOptions): Html | undefined {
  const groups = notExaminedGroups(account, options);
  if (groups.length === 0) return undefined;
  return element(
    "details",
    // In a report without workloads this is all there is to read.
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
