/** What Flux does with versioned copies: rows of docs/why/observed.md. */
import assert from "node:assert/strict";
import { kubectl, succeeded } from "./commands.ts";
import type { Files } from "./engine-types.ts";
import {
  abort,
  copiesOf,
  type Copy,
  copyOf,
  levelsOf,
  namedIn,
  podLevels,
  PODS,
  render,
  rendered,
  replacePod,
  podsOf,
  untilRollout,
  withCopies,
  withSecret,
} from "./versioned.ts";
import { canary, created, deployed, isAborted, paused, replaceCopy, undone } from "./versioned-parts.ts";
import type { EngineTrial, ObservedRow } from "./observed-row.ts";

const PRUNE = "kustomize.toolkit.fluxcd.io/prune";
const FORCE = "kustomize.toolkit.fluxcd.io/force";

export const FLUX_VERSIONED: readonly ObservedRow<EngineTrial>[] = [
  {
    does: `a copy leaves Git while old pods name it, with \`${PRUNE}: disabled\``,
    with: "Flux",
    says: "kept; after a revert it is the same object",
    run: async ({ cluster, namespace, engine }) => {
      const { old, uid } = await replaceCopy({ cluster, namespace, engine }, []);
      await engine.reconcile(namespace);
      assert.equal((await copiesOf(cluster, namespace)).get(old)?.uid, uid);
      assert.equal((await engine.push(namespace, await rendered(cluster, deployed(namespace, "one")))).isReady, true);
      assert.equal((await copiesOf(cluster, namespace)).get(old)?.uid, uid);
    },
  },
  {
    does: "the same without it",
    with: "Flux",
    says: "pruned under the old pods",
    run: async ({ cluster, namespace, engine }) => {
      const { old } = await replaceCopy({ cluster, namespace, engine }, [PRUNE]);
      assert.ok(!(await copiesOf(cluster, namespace)).has(old));
      assert.ok(((await podLevels(cluster, namespace))["missing"] ?? 0) > 0);
    },
  },
  {
    does: "the Kustomization is deleted",
    with: "Flux",
    says: "all protected copies stay",
    run: async ({ cluster, namespace, engine }) => {
      await replaceCopy({ cluster, namespace, engine }, []);
      await engine.remove(namespace);
      assert.deepEqual(await levelsOf(cluster, namespace), ["one", "two"]);
      assert.match(
        succeeded("get", await kubectl(cluster, ["get", "deployments", "-n", namespace, "-o", "name"])),
        /^$/u,
      );
    },
  },
  {
    does: "a copy that is in Git is deleted by hand",
    with: "Flux",
    says: "it is back at the next reconcile",
    run: async ({ cluster, namespace, engine }) => {
      const files = await rendered(cluster, deployed(namespace, "one"));
      assert.equal((await engine.push(namespace, files)).isReady, true);
      succeeded("delete", await kubectl(cluster, ["delete", "configmap", namedIn(files), "-n", namespace]));
      assert.deepEqual(await levelsOf(cluster, namespace), []);
      assert.equal((await engine.reconcile(namespace)).isReady, true);
      assert.deepEqual(await levelsOf(cluster, namespace), ["one"]);
    },
  },
  {
    does: "a copy is edited in Git, and its name stays",
    with: "Flux",
    says: "the Kustomization fails, and nothing of the commit is applied: `field is immutable when immutable is set`",
    run: async ({ cluster, namespace, engine }) => {
      const files = await rendered(cluster, deployed(namespace, "one"));
      assert.equal((await engine.push(namespace, files)).isReady, true);
      const edited = withCopies(files, (copy) => copy.setIn(["data", "LEVEL"], "two"));
      const bumped = Object.entries(edited).map(([path, text]) => [path, text.replace("app:1", "app:2")]);
      const { isReady, message } = await engine.push(namespace, Object.fromEntries(bumped));
      assert.equal(isReady, false);
      assert.match(message, /field is immutable when `immutable` is set/u);
      assert.deepEqual(await levelsOf(cluster, namespace), ["one"]);
      const web = await cluster.api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/web`);
      assert.match(JSON.stringify(web), /registry\.example\/app:1/u);
    },
  },
  {
    does: `the same with \`${FORCE}: enabled\` on the copy`,
    with: "Flux",
    says: "the copy is created again with the other content, under the pods that name it",
    run: async ({ cluster, namespace, engine }) => {
      const files = withCopies(await rendered(cluster, deployed(namespace, "one")), (copy) =>
        copy.setIn(["metadata", "annotations", FORCE], "enabled"),
      );
      assert.equal((await engine.push(namespace, files)).isReady, true);
      const { uid } = (await copiesOf(cluster, namespace)).get(namedIn(files)) ?? {};
      const edited = withCopies(files, (copy) => copy.setIn(["data", "LEVEL"], "two"));
      assert.equal((await engine.push(namespace, edited)).isReady, true);
      const copy = (await copiesOf(cluster, namespace)).get(namedIn(files));
      assert.ok(copy !== undefined && copy.uid !== uid);
      assert.equal(copy.level, "two");
    },
  },
  {
    does: "`kubectl rollout undo`",
    with: "Flux",
    says: "put back at the next reconcile: two rollouts",
    run: undone,
  },
  {
    does: "a canary is aborted at its pause, and a stable pod is deleted; Flux reconciles; a revert in Git",
    with: "Flux, Argo Rollouts",
    says: "the abort holds and all pods name the old copy; the revert creates no pod",
    run: async (trial) => {
      const { cluster, namespace, engine } = trial;
      const { push, recorded, names } = await paused(trial);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS - 1, two: 1 });
      const copy = (await copiesOf(cluster, namespace)).get(names.first);
      assert.equal(await created(cluster, namespace, () => abort(cluster, namespace)), 1);
      const [pod] = await podsOf(cluster, namespace);
      assert.ok(pod);
      assert.equal((await replacePod(cluster, namespace, pod)).source, names.first);
      const count = await created(cluster, namespace, async () => {
        assert.equal((await engine.reconcile(namespace)).isReady, true);
        await untilRollout(cluster, namespace, "Degraded");
        assert.equal(await isAborted(cluster, namespace), true);
        await push(await rendered(cluster, canary(namespace, "one")));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 0);
      assert.deepEqual(await podLevels(cluster, namespace), { one: PODS });
      assert.deepEqual((await copiesOf(cluster, namespace)).get(names.first), copy);
      recorded.stop();
    },
  },
  {
    does: "the same with a Secret (`versionedSecrets: true`)",
    with: "Flux, Argo Rollouts",
    says: "the same",
    run: async (trial) => {
      const { cluster, namespace } = trial;
      const make = (level: string): Promise<Files> => render(cluster, withSecret(canary(namespace, level)));
      const secret = async (name: string): Promise<Copy> => {
        const { uid, level } = copyOf(await cluster.api.get(`/api/v1/namespaces/${namespace}/secrets/${name}`));
        return { uid, level: Buffer.from(level, "base64").toString() };
      };
      const { push, recorded, names } = await paused(trial, make);
      const copy = await secret(names.first);
      const sources = async (): Promise<readonly string[]> =>
        (await podsOf(cluster, namespace)).map(({ source }) => source).filter((source) => source !== names.first);
      assert.deepEqual(await sources(), [names.second]);
      await abort(cluster, namespace);
      const [pod] = await podsOf(cluster, namespace);
      assert.ok(pod);
      await replacePod(cluster, namespace, pod);
      const count = await created(cluster, namespace, async () => {
        await push(await make("one"));
        await untilRollout(cluster, namespace, "Healthy");
      });
      assert.equal(count, 0);
      assert.deepEqual(await sources(), []);
      assert.deepEqual(await secret(names.first), copy);
      assert.equal(copy.level, "one");
      recorded.stop();
    },
  },
];
