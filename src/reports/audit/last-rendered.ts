import { WHOLE, type CommitChanges, type UnrenderedApplication } from "./commit-changes.ts";

// Which commits could be rendered last, from commit to commit: what follows one that could not is compared with these.

export interface LastRendered {
  /** The last commit at which an application could be rendered; undefined if that is the parent, or before the period. */
  readonly commit: (application: string) => string | undefined;
  /** The applications that only the base can't render, each with the last commit that could, if the history has one. */
  readonly toCompareAgain: (
    changes: CommitChanges,
  ) => readonly { readonly application: string; readonly since: string }[];
  /** The changes of the next commit, with those of the comparisons with older commits. */
  readonly follow: (changes: CommitChanges, base: string, again?: readonly CommitChanges[]) => CommitChanges;
}

export function lastRendered(): LastRendered {
  const known = new Map<string, string>();
  /** A file that was unreadable before the period is no reason: the rest was compared. */
  const isBroken = ({ application, isFailed, isBefore }: UnrenderedApplication): boolean =>
    isFailed && (isBefore !== true || known.has(application));
  const brokenIn = ({ unrendered }: CommitChanges): ReadonlySet<string> =>
    new Set(unrendered.filter(isBroken).map(({ application }) => application));
  const toCompareAgain: LastRendered["toCompareAgain"] = (changes) => {
    const broken = brokenIn(changes);
    return changes.baseFailed.flatMap((application) => {
      const since = known.get(application);
      return since === undefined || broken.has(application) ? [] : [{ application, since }];
    });
  };
  return {
    commit: (application) => known.get(application),
    toCompareAgain,
    follow: (changes, base, again = []) => {
      const broken = brokenIn(changes);
      const replaced = new Set(toCompareAgain(changes).map(({ application }) => application));
      const isOwn = ({ application }: { readonly application: string }): boolean => !replaced.has(application);
      const followed = {
        ...changes,
        // What else of a broken one was compared is compared again with the next commit that can be rendered.
        workloads: [
          ...changes.workloads.filter((one) => isOwn(one) && !broken.has(one.application)),
          ...again.flatMap(({ workloads }) => workloads),
        ],
        unrendered: [
          ...changes.unrendered.filter((one) => isOwn(one) && (one.isBefore !== true || isBroken(one))),
          ...again.flatMap(({ unrendered }) => unrendered),
        ],
      };
      for (const application of broken) if (!known.has(application)) known.set(application, base);
      for (const application of [...changes.touched, WHOLE]) if (!broken.has(application)) known.delete(application);
      return followed;
    },
  };
}

/** The changes of one application: its name may also be a pattern of other names. */
export function changesOfApplication(changes: CommitChanges, name: string): CommitChanges {
  const isOwn = ({ application }: { readonly application: string }): boolean => application === name;
  return { ...changes, workloads: changes.workloads.filter(isOwn), unrendered: changes.unrendered.filter(isOwn) };
}

/** Whether a commit breaks everything. */
export function isNothingRendered({ unrendered }: CommitChanges): boolean {
  return unrendered.some(({ application }) => application === WHOLE);
}
