import { kindKey } from "../../base/identity.ts";
import { getString } from "../../yaml/read/node.ts";
import type { Item } from "../../yaml/read/items.ts";

// Fields outside of pod templates that say which images the pods of a custom kind run: its operator replaces the pods for
// another one. From the API types of each operator.

const ELASTIC = ["spec.version", "spec.image"];
const STRIMZI = ["spec.version", "spec.image"];

/** By group and kind. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  "acid.zalan.do/postgresql": ["spec.dockerImage", "spec.postgresql.version"],
  "agent.k8s.elastic.co/Agent": ELASTIC,
  "apm.k8s.elastic.co/ApmServer": ELASTIC,
  "beat.k8s.elastic.co/Beat": ELASTIC,
  "elasticsearch.k8s.elastic.co/Elasticsearch": ELASTIC,
  "enterprisesearch.k8s.elastic.co/EnterpriseSearch": ELASTIC,
  "grafana.integreatly.org/Grafana": ["spec.version"],
  "k8s.keycloak.org/Keycloak": ["spec.image"],
  "k8s.mariadb.com/MariaDB": ["spec.image"],
  "kafka.strimzi.io/Kafka": ["spec.kafka.version", "spec.kafka.image"],
  "kafka.strimzi.io/KafkaBridge": ["spec.image"],
  "kafka.strimzi.io/KafkaConnect": STRIMZI,
  "kafka.strimzi.io/KafkaMirrorMaker2": STRIMZI,
  "kibana.k8s.elastic.co/Kibana": ELASTIC,
  "logstash.k8s.elastic.co/Logstash": ELASTIC,
  "maps.k8s.elastic.co/ElasticMapsServer": ELASTIC,
  "mongodbcommunity.mongodb.com/MongoDBCommunity": ["spec.version"],
  "opentelemetry.io/OpenTelemetryCollector": ["spec.image"],
  "postgresql.cnpg.io/Cluster": ["spec.imageName"],
  "rabbitmq.com/RabbitmqCluster": ["spec.image"],
};

/** An image, or the version of one, that differs. */
export interface ChangedImage {
  readonly path: string;
  /** Null if the operator chooses it. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The images that differ between two revisions of an object; none if its kind is not in the table. */
export function changedImages(from: Item, to: Item): ChangedImage[] {
  const key = kindKey(to);
  const paths = Object.hasOwn(FIELDS, key) ? FIELDS[key] : undefined;
  return (paths ?? []).flatMap((path) => {
    const [before, after] = [from, to].map(({ tree, node }) => getString(tree, node, ...path.split(".")) ?? null);
    return before === undefined || after === undefined || before === after ? [] : [{ path, from: before, to: after }];
  });
}
