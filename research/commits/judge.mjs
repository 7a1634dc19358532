// What a change does to the workloads of a root, seen by hand, and what a plan says of it.

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

/** Whether a plan's workload is this object; a rendering can leave the namespace to whoever applies it. */
const isSame = (planned, { kind, name, namespace }) =>
  planned.kind === kind && planned.name === name && (namespace === "" || planned.namespace === namespace);

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
    else if (was.template !== one.template) found.push({ effect: "template", object: one });
    else if (one.replicas === 0 && was.replicas !== 0) found.push({ effect: "to 0", object: one });
    for (const lost of lostBy(one, before, after)) found.push({ effect: "lost", lost, object: one });
  }
  for (const service of after.filter(({ kind }) => kind === "Service")) {
    const was = before.find((one) => named(one) === named(service));
    if (was !== undefined && selected(was, before) > 0 && selected(service, after) === 0)
      found.push({ effect: "no pods", object: service });
  }
  return found;
}

function lostBy(workload, before, after) {
  const holder = (objects, { kind, name }) =>
    objects.find((one) => one.kind === kind && one.name === name && one.namespace === workload.namespace);
  return workload.references.flatMap((reference) => {
    const [was, is] = [holder(before, reference), holder(after, reference)];
    if (was === undefined) return [];
    if (is === undefined) return [`${reference.kind} ${reference.name}`];
    const { key } = reference;
    const isLost = key !== undefined && was.keys.includes(key) && !is.keys.includes(key);
    return isLost ? [`${reference.kind} ${reference.name}: ${key}`] : [];
  });
}

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
  template: { holds: (rows) => rows.some(({ action }) => CHANGES.includes(action)), words: "its pod template changes" },
  deleted: { holds: (rows) => rows.some(({ action }) => action === "Delete"), words: "it is deleted" },
  created: { holds: (rows) => rows.some(({ action }) => action === "Create"), words: "it is created" },
  "to 0": { holds: (rows) => rows.some(({ replicas }) => replicas?.to === 0), words: "it is scaled to 0" },
  lost: { holds: (rows) => rows.some(({ lost = [] }) => lost.length > 0), words: "it loses" },
  "no pods": {
    holds: (_own, plan) => JSON.stringify([plan.findings, plan.workloads]).includes('"RS026"'),
    words: "it selects no pod",
  },
};
/** What must not be called safe. */
const RISKY = new Set(["deleted", "to 0", "lost", "no pods"]);

/**
 * Where a plan and the effects by hand differ. `planned` are the plan's workloads of the root's folder. Each difference is
 * `{about, id, reported, seen}`.
 */
export function differences({ seen, planned, plan }) {
  const found = [];
  for (const { effect, object, lost = "" } of seen) {
    if (object.isHook) continue;
    const rows = planned.filter((one) => isSame(one, object));
    const { holds, words } = MUST[effect];
    const reported = [...new Set(rows.map(({ action }) => action))].join(", ") || "nothing";
    if (!holds(rows, plan))
      found.push({ about: "missed", id: named(object), reported, seen: `${words} ${lost}`.trim() });
    const isApplied = rows.length === 0 || rows.some((one) => !one.held && !one.orphan && !one.leaves);
    if (RISKY.has(effect) && plan.verdict?.level === "ok" && isApplied)
      found.push({ about: "safe", id: named(object), reported: plan.verdict.text, seen: `${words} ${lost}`.trim() });
  }
  for (const workload of planned) {
    const rows = seen.filter(({ object }) => isSame(workload, object)).map(({ effect }) => effect);
    const is = { Roll: "template", Delete: "deleted", Create: "created" }[workload.action];
    if (is === undefined || rows.includes(is)) continue;
    const about = { Roll: "false roll", Delete: "false deletion", Create: "false creation" }[workload.action];
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
