import { notExaminedGroups, type AccountOptions } from "../../examined/account-words.ts";
import type { Account } from "../../examined/not-examined.ts";
import { element, type Html } from "./html.ts";

/** What was not looked at, below the head of a page; nothing where all was. */
export function notExaminedSection(account: Pick<Account, "notExamined">, options: AccountOptions): Html | undefined {
  const groups = notExaminedGroups(account, options);
  if (groups.length === 0) return undefined;
  return element(
    "section",
    { class: "not-examined" },
    element("h2", {}, "Not examined"),
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
