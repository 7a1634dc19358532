// Used to bundle the reader of kubeconfigs (docs/why/decisions.md).

// The kubeconfig module needs these two only for its own API client, which is not used: requests use node:https.
// undici 8 does not load in Node 20, and the generated client is 20 times as large as the rest.
const LEFT_OUT = {
  undici: "export class Agent {} export class ProxyAgent {}",
  "./gen/index.js": "export const createConfiguration = undefined; export class ServerConfiguration {}",
};

/** A plugin for esbuild that leaves them out. */
export const clusterClient = {
  name: "leave-out",
  setup(plugin) {
    plugin.onResolve({ filter: /^(?:undici|\.\/gen\/index\.js)$/ }, ({ path }) => ({ path, namespace: "left-out" }));
    plugin.onLoad({ filter: /./, namespace: "left-out" }, ({ path }) => ({ contents: LEFT_OUT[path] }));
  },
};
