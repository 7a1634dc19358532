// Which parts of a message from the cluster are shown, and which are hidden. The messages are those of Kubernetes 1.34,
// with planted text that must not be visible.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clusterWords, shownReason } from "../../../src/reports/status/cluster-words.ts";

describe("the words of a cluster", () => {
  const whole: readonly string[] = [
    "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 2 Insufficient memory. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
    "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate",
    '0/1 nodes are available: persistentvolumeclaim "data-db-0" not found.',
    'pods "web-5d8f9c7b6d-x2k4j" is forbidden: exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3',
    'pods "web-5d8f9c7b6d-" is forbidden: error looking up service account shop/web: serviceaccount "web" not found',
    'pods "a" is forbidden: exceeded quota: q, requested: limits.memory=2Gi,requests.cpu=500m, limited: limits.memory=4Gi',
    "rpc error: code = Unknown desc = HTTP 403: TLS: bad",
    'Back-off pulling image "registry.example.com:5000/shop/web:v1.2.3"',
    'failed to pull and unpack image "docker.io/library/web:nope": failed to resolve reference "docker.io/library/web:nope": not found',
    'secret "db-login" not found',
    "couldn't find key password in Secret shop/db-login",
    'MountVolume.SetUp failed for volume "tls" : configmap "tls-config" not found',
    "Deployment does not have minimum availability.",
    'ReplicaSet "web-5d8f9c7b6d" has timed out progressing.',
  ];
  for (const message of whole) it(`shows ${message}`, () => assert.equal(clusterWords(message), message));

  const cut: readonly (readonly [message: string, shown: string])[] = [
    [
      'Pod "web-1" is invalid: spec.containers[0].env[0].value: Invalid value: "planted": must be short',
      'Pod "web-1" is invalid: spec.containers[0].env[0].value: Invalid value: …',
    ],
    ['spec: Unsupported value: "planted": supported values: "a"', "spec: Unsupported value: …"],
    [
      'admission webhook "check.example" denied the request: env PASSWORD is "planted"',
      'admission webhook "check.example" denied the request: env PASSWORD is "…"',
    ],
    [
      "denied the request: container app has env DB_PASS=planted here",
      "denied the request: container app has env DB_PASS=… here",
    ],
    ["denied the request: env DB_PASS: planted", "denied the request: env DB_PASS: …"],
    ["denied the request: env DSN=postgres://planted@db", "denied the request: env DSN=…"],
    ["denied: password=planted, retry", "denied: password=… retry"],
    ["denied: db_token: planted", "denied: db_token: …"],
    ["401 from https://me:planted@registry.example/v2/", "401 from https://…@registry.example/v2/"],
    ["GET https://auth.example/token?service=r&sig=planted failed", "GET https://auth.example/token?… failed"],
    ["Authorization: Bearer planted refused", "Authorization: Bearer … refused"],
    ["denied: eyJhbGciOiJIUzI1NiJ9.planted0123456789", "denied: …"],
    ["first line\nplanted", "first line"],
    ["it's `planted` here", "it's `…` here"],
    ["it didn't take 'planted' here", "it didn't take '…' here"],
    ["user'planted' here", "user'…' here"],
    ['an open "planted', 'an open "…"'],
  ];
  for (const [message, shown] of cut) {
    it(`cuts ${JSON.stringify(message)}`, () => {
      assert.equal(clusterWords(message), shown);
      assert.ok(!clusterWords(message).includes("planted"));
    });
  }

  it("cuts long messages", () => assert.equal(clusterWords("word ".repeat(1000)).length, 301));

  it("is done in time, whatever the message", () => {
    const start = process.cpuUsage();
    for (const part of ['"', "'", "a:", "https://", "token=", "a/", "a-", "\\", "@", "…"])
      clusterWords(part.repeat(100_000));
    assert.ok(process.cpuUsage(start).user < 2e6);
  });

  it("shows a message only with reasons whose messages are known", () => {
    assert.deepEqual(shownReason({ reason: "Unhealthy", message: "Readiness probe failed: planted" }), {
      reason: "Unhealthy",
    });
    assert.deepEqual(shownReason({ reason: "SomethingNew", message: "planted" }), { reason: "SomethingNew" });
    assert.deepEqual(shownReason({ reason: "no word: planted", message: "planted" }), { reason: "Unknown" });
    assert.deepEqual(shownReason({ reason: "FailedCreate", message: "" }), { reason: "FailedCreate" });
  });
});
