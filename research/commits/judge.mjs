// What a change does to the workloads of a root, seen by hand, and what a plan says of it.
import { MISSED, WORKLOADS } from "./by-hand.mjs";

const named = ({ kind, name, namespace }) => (namespace === "" ? `${kind}/${name}` : `${kind}/${namespace}/${name}`);
const workloads = (objects) => objects.filter(({ isWorkload }) => isWorkload);

/** The workloads by name. Plain files can have several of one name: those whose templates the other side has do not count. */
function keyed(objects, others) {
  const known = new Set(workloads(others).map((one) => named(one) + one.template));
  const found = new Map();
  for (const workload of workloads(objects)) {
    const id = named(workload);
    if (!found.has(id) || !known.has(id + workload.template)) found.set(id, workload);
  }
  return found;
}

/** Whether a plan's object is this one; a rendering can leave the namespace to whoever applies it. */
export const isSame = (planned, { kind, name, namespace }) =>
  planned.kind === kind && planned.name === name && (namespace === "" || planned.namespace === namespace);

/** The same for a chart whose release another chart names: the name of the release comes first. */
const isOfRelease = (planned, { kind, name }) => planned.kind === kind && planned.name.endsWith(name);

/** What happens to each workload between two renderings of a root. */
export function effects(before, after) {
  const found = [];
  const [old, now] = [keyed(before, after), keyed(after, before)];
  const count = (objects, id) => workloads(objects).filter((one) => named(one) === id).length;
  for (const [id, one] of old) if (!now.has(id)) found.push({ effect: "deleted", object: one });
  for (const [id, one] of now) {
    const was = old.get(id);
    if (was === undefined) found.push({ effect: "created", object: one });
    else if (count(after, id) > count(before, id)) found.push({ effect: "created", object: one });
    else if (count(after, id) < count(before, id)) found.push({ effect: "deleted", object: was });
    else if (isRefused(was, one)) found.push({ effect: "refused", object: one });
    else if (was.template !== one.template) found.push({ effect: "template", object: one });
    else if (one.replicas === 0 && was.replicas !== 0) found.push({ effect: "to 0", object: one });
    else if (one.replicas !== 0 && !one.isWatched && readsOther(one, before, after))
      found.push({ effect: "content", object: one });
    for (const lost of lostBy(one, before, after)) found.push({ effect: "lost", lost, object: one });
  }
  for (const service of after.filter(({ kind }) => kind === "Service")) {
    // Plain files can have several of one name, for pods of different folders.
    const [was, ...others] = before.filter((one) => named(one) === named(service));
    const isOne = others.length === 0 && after.filter((one) => named(one) === named(service)).length === 1;
    if (was !== undefined && isOne && selected(was, before) > 0 && selected(service, after) === 0)
      found.push({ effect: "no pods", object: service });
  }
  const remaining = new Set(after.map(named));
  for (const object of before)
    if (MISSED.includes(object.kind) && !remaining.has(named(object))) found.push({ effect: "removed", object });
  return found;
}

const CONTROLLERS = ["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"];

const isRefused = (was, is) =>
  was.apiVersion === is.apiVersion &&
  (is.kind === "Job" ? was.template !== is.template : CONTROLLERS.includes(is.kind) && was.fixed !== is.fixed);

const holder = (objects, { kind, name }, namespace) =>
  objects.find((one) => one.kind === kind && one.name === name && one.namespace === namespace);

function lostBy(workload, before, after) {
  return workload.references.flatMap((reference) => {
    if (reference.isOptional) return [];
    const [was, is] = [before, after].map((objects) => holder(objects, reference, workload.namespace));
    if (was === undefined) return [];
    if (is === undefined) return [`${reference.kind} ${reference.name}`];
    const { key } = reference;
    const isLost = key !== undefined && Object.hasOwn(was.data, key) && !Object.hasOwn(is.data, key);
    return isLost ? [`${reference.kind} ${reference.name}: ${key}`] : [];
  });
}

/** Whether the content of a source that a workload names differs, in the keys that it names. */
function readsOther(workload, before, after) {
  return workload.references.some((reference) => {
    const [was, is] = [before, after].map((objects) => holder(objects, reference, workload.namespace));
    if (was === undefined || is === undefined) return false;
    const read = ({ data }) => JSON.stringify(reference.key === undefined ? sortedEntries(data) : data[reference.key]);
    return read(was) !== read(is);
  });
}

const sortedEntries = (data) => Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1));

function selected({ selector, namespace }, objects) {
  if (selector === undefined || selector === null) return 0;
  return workloads(objects).filter(
    (one) => one.namespace === namespace && Object.entries(selector).every(([key, value]) => one.labels[key] === value),
  ).length;
}

/** Actions for a pod template that changes. */
const CHANGES = ["Roll", "NextRun", "NoEffect", "Fail", "Waiting", "Reload"];

/** What each effect must be in a plan: whether the rows of the workload have it, and what is missing else. */
const MUST = {
  template: {
    // Of plain files, a workload can move to another folder that is applied.
    holds: (rows) => rows.some(({ action, movedTo }) => CHANGES.includes(action) || movedTo !== undefined),
    words: "its pod template changes",
  },
  content: {
    holds: (rows) => rows.some(({ action }) => CHANGES.includes(action) || action === "Stale"),
    words: "its pods read other content",
  },
  refused: { holds: (rows) => rows.some(({ action }) => action === "Fail"), words: "the API server refuses it" },
  deleted: { holds: (rows) => rows.some(({ action }) => action === "Delete"), words: "it is deleted" },
  created: { holds: (rows) => rows.some(({ action }) => action === "Create"), words: "it is created" },
  "to 0": { holds: (rows) => rows.some(({ replicas }) => replicas?.to === 0), words: "it is scaled to 0" },
  lost: { holds: (rows) => rows.some(({ lost = [] }) => lost.length > 0), words: "it loses" },
  "no pods": {
    holds: (_own, plan) => JSON.stringify([plan.findings, plan.workloads]).includes('"RS026"'),
    words: "it selects no pod",
  },
  removed: {
    holds: (_own, plan, object) =>
      plan.objects.some((one) => one.change === "Delete" && isSame(one, object)) ||
      plan.summary.otherObjects > plan.objects.length,
    words: "it is removed",
  },
};
/** What must not be called safe. */
const RISKY = new Set(["content", "refused", "deleted", "to 0", "lost", "no pods", "removed"]);
/** The actions that the effects must have, and no others. */
const EXACT = { Roll: "template", Delete: "deleted", Create: "created", Stale: "content" };

/** The numbers of the table: workloads of a root by what happens to them. */
export const COUNTED = ["template", "created", "deleted", "to 0", "content", "refused"];

/** How often each effect of `COUNTED` is seen, and how often the plan has it. */
export function counts({ seen, planned }) {
  const isCounted = ({ object }) => !object.isHook;
  return {
    true: COUNTED.map(
      (effect) =>
        new Set(seen.filter((one) => isCounted(one) && one.effect === effect).map(({ object }) => named(object))).size,
    ),
    reported: COUNTED.map(
      (effect) =>
        new Set(
          planned.filter((row) => WORKLOADS.includes(row.kind) && effectOf(row) === effect).map((row) => named(row)),
        ).size,
    ),
  };
}

function effectOf({ action, replicas }) {
  if (action === "Fail") return "refused";
  if (action === "Stale") return "content";
  if (replicas?.to === 0 && action === "Scale") return "to 0";
  return { Create: "created", Delete: "deleted" }[action] ?? (CHANGES.includes(action) ? "template" : undefined);
}

/**
 * Where a plan and the effects by hand differ. `planned` are the plan's workloads of the root's folder. Each difference is
 * `{about, id, reported, seen}`.
 */
export function differences({ seen, planned, plan, isOrphan, isByPlace, sources }) {
  const found = [];
  const isThis = isByPlace ? isOfRelease : isSame;
  for (const { effect, object, lost = "" } of seen) {
    if (object.isHook) continue;
    const rows = planned.filter((one) => isThis(one, object));
    const { holds, words } = MUST[effect];
    const reported = [...new Set(rows.map(({ action }) => action))].join(", ") || "nothing";
    if (!holds(rows, plan, object))
      found.push({ about: "missed", id: named(object), reported, seen: `${words} ${lost}`.trim() });
    const others = plan.objects.filter((one) => isSame(one, object));
    const isApplied =
      !isOrphan && ![...rows, ...others].some((one) => one.held || one.orphan || one.leaves || one.isAccepted);
    if (RISKY.has(effect) && plan.verdict?.level === "ok" && isApplied)
      found.push({ about: "safe", id: named(object), reported: plan.verdict.text, seen: `${words} ${lost}`.trim() });
  }
  for (const workload of planned) {
    const rows = seen.filter(({ object }) => isThis(workload, object)).map(({ effect }) => effect);
    const is = EXACT[workload.action];
    if (is === undefined || !WORKLOADS.includes(workload.kind) || rows.includes(is) || workload.movedTo !== undefined)
      continue;
    // A controller makes the source from an object of another kind.
    const isHere = ({ source }) => sources.has(`${source?.kind}/${source?.name}`);
    if (is === "content" && !workload.reasons.some(isHere)) continue;
    const about = { Roll: "false roll", Delete: "false deletion", Create: "false creation", Stale: "false stale" }[
      workload.action
    ];
    found.push({
      about,
      id: named(workload),
      reported: reasons(workload) || workload.action,
      seen: rows.join(", ") || "nothing",
    });
  }
  return [...new Map(found.map((one) => [JSON.stringify(one), one])).values()];
}

function reasons({ reasons: all }) {
  return all
    .map(({ type, path, source }) => [type, path ?? source?.kind, source?.name].filter(Boolean).join(" "))
    .join("; ");
}
