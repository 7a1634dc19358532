/**
 * A cluster full of applications, written as their controllers would leave them: Deployments with ReplicaSets
 * and pods, ConfigMaps and Secrets. No controller has to run for that, so thousands take seconds.
 */
import type { Api } from "./api.ts";
import { stamp } from "./commands.ts";
import { fieldAt, textAt } from "./fields.ts";

/** How much there is; everything is spread evenly over the namespaces. */
export interface CrowdSize {
  readonly namespaces: number;
  /** Each has a ConfigMap of its own; every second one sees a Secret as well. */
  readonly deployments: number;
  readonly pods: number;
  /** The characters of what each ConfigMap holds. */
  readonly content: number;
  /** Every so many-th ConfigMap holds other than what the stamps are of. */
  readonly editedEvery: number;
}

/** What a look at it must find. */
export interface Crowd {
  /** How many objects each list has. */
  readonly lists: Readonly<Record<string, number>>;
  /** namespace/name of the Deployments whose pods are stale, in order. */
  readonly stale: readonly string[];
  readonly stalePods: number;
}

interface Application {
  readonly namespace: string;
  readonly name: string;
  readonly replicas: number;
  readonly hasSecret: boolean;
  readonly isEdited: boolean;
}

/** What no text that rollstamp prints may have in it. */
export const CROWD_SECRET = "correct-horse-battery-staple";

const REVISIONS = 2;
const AT_ONCE = 16;

/** Fills a cluster in which no controller runs. */
export async function gather(api: Api, size: CrowdSize): Promise<Crowd> {
  const all = Array.from({ length: size.deployments }, (_, index) => application(index, size));
  const manifests = all.map((one) => [configMap(one, size), ...secrets(one), deployment(one)]);
  const stamped = templates(await stamp(manifests.flat().map(document).join("")));
  const namespaces = [...new Set(all.map(({ namespace }) => namespace))];
  await each(namespaces, (name) => api.post("/api/v1/namespaces", { metadata: { name } }));
  // Pods come before the last write of what they see: only such pods can be stale.
  await each(all, (one) => writeRunning(api, one, stamped.get(keyOf(one))));
  await each(all, async (one) => {
    const root = `/api/v1/namespaces/${one.namespace}`;
    const written = configMap(one, size);
    await api.post(`${root}/configmaps`, one.isEdited ? { ...written, data: { MODE: "edited" } } : written);
    for (const secret of secrets(one)) await api.post(`${root}/secrets`, secret);
  });
  await each(namespaces, (name) => api.post(`/api/v1/namespaces/${name}/secrets`, RELEASE));
  const edited = all.filter(({ isEdited }) => isEdited);
  return {
    lists: {
      deployments: all.length,
      replicasets: all.length * REVISIONS,
      pods: podsOf(all),
      configmaps: all.length,
      secrets: all.filter(({ hasSecret }) => hasSecret).length,
    },
    stale: edited.map(keyOf).sort(),
    stalePods: podsOf(edited),
  };
}

function application(index: number, { namespaces, deployments, pods, editedEvery }: CrowdSize): Application {
  return {
    namespace: `team-${index % namespaces}`,
    name: `app-${index}`,
    replicas: Math.floor(((index + 1) * pods) / deployments) - Math.floor((index * pods) / deployments),
    hasSecret: index % 2 === 0,
    isEdited: index % editedEvery === 0,
  };
}

const keyOf = ({ namespace, name }: Application): string => `${namespace}/${name}`;
const podsOf = (all: readonly Application[]): number => all.reduce((sum, { replicas }) => sum + replicas, 0);
// JSON, a document a line: thousands are written and read in no time.
const document = (object: unknown): string => `---\n${JSON.stringify(object)}\n`;

function configMap({ namespace, name }: Application, { content }: CrowdSize): object {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace, name, labels: { app: name } },
    data: { MODE: "plain", FILE: `${name}\n`.repeat(content / (name.length + 1)) },
  };
}

function secrets({ namespace, name, hasSecret }: Application): readonly object[] {
  const data = { password: Buffer.from(`${CROWD_SECRET} ${name}`).toString("base64") };
  return hasSecret ? [{ apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data }] : [];
}

/** As large as releases are; whoever reads them all has read a lot for nothing. */
const RELEASE = {
  metadata: { name: "sh.helm.release.v1.app.v1" },
  type: "helm.sh/release.v1",
  data: { release: Buffer.alloc(200_000, "r").toString("base64") },
};

/** A Deployment of usual length: probes, resources, and what else nobody has to keep. */
function deployment({ namespace, name, replicas, hasSecret }: Application): object {
  const labels = { "app.kubernetes.io/name": name, "app.kubernetes.io/part-of": namespace };
  const probe = { httpGet: { path: "/healthz", port: 8080 }, periodSeconds: 10, timeoutSeconds: 2 };
  const container = {
    name: "app",
    image: `registry.example/${namespace}/${name}:1.0.0`,
    args: ["--listen=:8080", "--log-format=json", `--name=${name}`],
    ports: [{ name: "http", containerPort: 8080 }],
    env: Array.from({ length: 8 }, (_, index) => ({ name: `SETTING_${index}`, value: `value ${index} of ${name}` })),
    envFrom: [{ configMapRef: { name } }, ...(hasSecret ? [{ secretRef: { name } }] : [])],
    resources: { requests: { cpu: "100m", memory: "128Mi" }, limits: { memory: "256Mi" } },
    livenessProbe: probe,
    readinessProbe: probe,
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}

/** namespace/name → the Deployment's pod template. */
function templates(text: string): ReadonlyMap<string, unknown> {
  const objects = text
    .split("---\n")
    .filter((one) => one !== "")
    .map((one): unknown => JSON.parse(one));
  return new Map(
    objects
      .filter((object) => textAt(object, "kind") === "Deployment")
      .map((object) => [
        `${textAt(object, "metadata", "namespace")}/${textAt(object, "metadata", "name")}`,
        fieldAt(object, "spec", "template"),
      ]),
  );
}

/** A Deployment that has rolled out, its ReplicaSets, and the pods of the last one. */
async function writeRunning(api: Api, one: Application, template: unknown): Promise<void> {
  const { namespace, name, replicas } = one;
  const apps = `/apis/apps/v1/namespaces/${namespace}`;
  const written = deployment(one);
  const spec = fieldAt(written, "spec");
  const made = await api.post(`${apps}/deployments`, { ...written, spec: { ...asObject(spec), template } });
  await api.patch(`${apps}/deployments/${name}/status`, {
    status: { observedGeneration: 1, replicas, updatedReplicas: replicas, readyReplicas: replicas },
  });
  let last: unknown = made;
  for (let revision = 1; revision <= REVISIONS; revision++) {
    const hash = { "pod-template-hash": `hash${revision}` };
    last = await api.post(`${apps}/replicasets`, {
      metadata: { name: `${name}-${revision}`, labels: hash, ...owner("apps/v1", "Deployment", made) },
      spec: { replicas: 0, selector: { matchLabels: hash }, template: withLabels(template, hash) },
    });
  }
  const metadata = { ...asObject(fieldAt(template, "metadata")), ...owner("apps/v1", "ReplicaSet", last) };
  for (let pod = 1; pod <= replicas; pod++) {
    await api.post(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { ...metadata, name: `${name}-${REVISIONS}-${pod}` },
      spec: fieldAt(template, "spec"),
    });
  }
}

function withLabels(template: unknown, labels: object): unknown {
  return { ...asObject(template), metadata: { ...asObject(fieldAt(template, "metadata")), labels } };
}

function owner(apiVersion: string, kind: string, of: unknown): object {
  const metadata = { name: textAt(of, "metadata", "name"), uid: textAt(of, "metadata", "uid") };
  return { ownerReferences: [{ apiVersion, kind, ...metadata, controller: true }] };
}

function asObject(value: unknown): object {
  return typeof value === "object" && value !== null ? value : {};
}

/** One after the other, some at a time. */
async function each<T>(all: readonly T[], work: (one: T) => Promise<unknown>): Promise<void> {
  const left = all.values();
  const worker = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
