// A chart repository and a registry on this machine, for helm.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { writeTar } from "../../src/applications/tools/tar-archive.ts";
import type { Files } from "../support/folders.ts";

export interface ChartServer {
  /** The host and port. */
  readonly host: string;
  /** The paths that were asked for, in their order; whoever counts takes them away. */
  readonly asked: string[];
  readonly close: () => void;
}

/** A packed chart. */
export function packed(name: string, files: Files): Buffer {
  const all = Object.entries(files).map(([path, text]) => ({ name: `${name}/${path}`, bytes: Buffer.from(text) }));
  return gzipSync(writeTar(all));
}

interface Answer {
  readonly type: string;
  readonly body: Buffer | string;
}

/** Serves versions of a chart: below /charts as a repository has them, below /v2/oci as a registry; `latest` is the last. */
export async function chartServer(name: string, versions: Readonly<Record<string, Buffer>>): Promise<ChartServer> {
  const answers = new Map<string, Answer>();
  const json = (path: string, body: unknown, type = "application/json"): string => {
    const text = JSON.stringify(body);
    answers.set(path, { type, body: text });
    return text;
  };
  const blob = (body: Buffer | string): { readonly digest: string; readonly size: number } => {
    const digest = `sha256:${createHash("sha256").update(body).digest("hex")}`;
    answers.set(`/v2/oci/${name}/blobs/${digest}`, { type: "application/octet-stream", body });
    return { digest, size: Buffer.byteLength(body) };
  };
  const rows = Object.entries(versions).map(([version, archive]) => {
    const url = `${name}-${version}.tgz`;
    answers.set(`/charts/${url}`, { type: "application/gzip", body: archive });
    const manifest = {
      schemaVersion: 2,
      mediaType: MANIFEST,
      config: {
        mediaType: "application/vnd.cncf.helm.config.v1+json",
        ...blob(JSON.stringify({ name, version, apiVersion: "v2" })),
      },
      layers: [{ mediaType: "application/vnd.cncf.helm.chart.content.v1.tar+gzip", ...blob(archive) }],
    };
    for (const tag of [version, "latest"]) {
      const text = json(`/v2/oci/${name}/manifests/${tag}`, manifest, MANIFEST);
      const digest = `sha256:${createHash("sha256").update(text).digest("hex")}`;
      json(`/v2/oci/${name}/manifests/${digest}`, manifest, MANIFEST);
    }
    return { apiVersion: "v2", name, version, urls: [url] };
  });
  json("/charts/index.yaml", { apiVersion: "v1", entries: { [name]: rows } });
  json("/v2/", {});
  json(`/v2/oci/${name}/tags/list`, { name: `oci/${name}`, tags: [...Object.keys(versions), "latest"] });
  const asked: string[] = [];
  const server = createServer(({ url = "", method }, response) => {
    asked.push(url);
    const [path = ""] = url.split("?");
    const answer = answers.get(path);
    if (answer === undefined) return response.writeHead(404).end("there is no such thing");
    const digest = `sha256:${createHash("sha256").update(answer.body).digest("hex")}`;
    response.writeHead(200, {
      "Content-Type": answer.type,
      "Content-Length": Buffer.byteLength(answer.body),
      "Docker-Content-Digest": digest,
    });
    return response.end(method === "HEAD" ? undefined : answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, asked, close: () => server.close() };
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
