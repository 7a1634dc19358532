import { kindKey } from "../../base/identity.ts";
import { fieldsOf } from "../../yaml/read/json.ts";
import { getPath, getString, toJson, type Json } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";
import { compare, type Change } from "./compare.ts";
import { fieldType, typeOf, ANY } from "./pod-types.ts";

// Fields of custom kinds, outside of pod templates, that say which images their pods run and what these pods need: the
// operator replaces the pods for others. From the API types of each operator.

interface PodFields {
  /** The path of what has these fields. */
  readonly at: string;
  /** The paths of images, or of their versions, below it. */
  readonly images: readonly string[];
}

const fields = (at: string, ...images: string[]): PodFields => ({ at, images });
const ELASTIC = fields("spec", "version", "image");
const STRIMZI = fields("spec", "version", "image");

/** By group and kind. */
const FIELDS: Readonly<Record<string, PodFields>> = {
  "acid.zalan.do/postgresql": fields("spec", "dockerImage", "postgresql.version"),
  "agent.k8s.elastic.co/Agent": ELASTIC,
  "apm.k8s.elastic.co/ApmServer": ELASTIC,
  "beat.k8s.elastic.co/Beat": ELASTIC,
  "elasticsearch.k8s.elastic.co/Elasticsearch": ELASTIC,
  "enterprisesearch.k8s.elastic.co/EnterpriseSearch": ELASTIC,
  "grafana.integreatly.org/Grafana": fields("spec", "version"),
  "k8s.keycloak.org/Keycloak": fields("spec", "image"),
  "k8s.mariadb.com/MariaDB": fields("spec", "image"),
  "kafka.strimzi.io/Kafka": fields("spec.kafka", "version", "image"),
  "kafka.strimzi.io/KafkaBridge": fields("spec", "image"),
  "kafka.strimzi.io/KafkaConnect": STRIMZI,
  "kafka.strimzi.io/KafkaMirrorMaker2": STRIMZI,
  "kafka.strimzi.io/KafkaNodePool": fields("spec"),
  "kibana.k8s.elastic.co/Kibana": ELASTIC,
  "logstash.k8s.elastic.co/Logstash": ELASTIC,
  "maps.k8s.elastic.co/ElasticMapsServer": ELASTIC,
  "mongodbcommunity.mongodb.com/MongoDBCommunity": fields("spec", "version"),
  "opentelemetry.io/OpenTelemetryCollector": fields("spec", "image"),
  "postgresql.cnpg.io/Cluster": fields("spec", "imageName"),
  "rabbitmq.com/RabbitmqCluster": fields("spec", "image"),
};

/** Fields that operators copy to the pods under the same names. `env` is one of a container. */
const COPIED = ["affinity", "env", "nodeSelector", "resources", "tolerations"];

/** The fields of the pods that differ between two revisions of an object; none if its kind is not in the table. */
export function changedPodFields(from: Item, to: Item): Change[] {
  const key = kindKey(to);
  const row = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  if (row === undefined) return [];
  const { at, images } = row;
  const copied = compare(typeOf("PodSpec"), copiedIn(from, at), copiedIn(to, at), { quantitiesByText: false });
  return [
    ...images.flatMap((image) => changedImage(from, to, `${at}.${image}`)),
    ...copied.map((change) => ({ ...change, path: `${at}.${change.path}` })),
  ];
}

const IMAGE = { struct: "Container", name: "image" };

/** Another image, or the version of one; null if the operator chooses it. */
function changedImage(from: Item, to: Item, path: string): Change[] {
  const [before = null, after = null] = [from, to].map(({ tree, node }) => getString(tree, node, ...path.split(".")));
  if (before === after) return [];
  return [{ path, from: before, to: after, type: fieldType(IMAGE.struct, IMAGE.name) ?? ANY, field: IMAGE }];
}

function copiedIn({ tree, node }: Item, path: string): { [name: string]: Json } {
  const all = fieldsOf(toJson(tree, getPath(tree, node, path.split("."))));
  return Object.fromEntries(COPIED.map((name) => [name, all[name] ?? null]));
}
