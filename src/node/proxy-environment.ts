import { BlockList, isIP } from "node:net";
import type { Environment } from "../platform/ports/environment.ts";

/**
 * The proxy that the environment names for a server: HTTPS_PROXY or HTTP_PROXY, unless NO_PROXY names the server. The rules
 * are those of Go (golang.org/x/net/http/httpproxy), which kubectl uses.
 */
export function environmentProxy(server: string, environment: Environment): string | undefined {
  if (!URL.canParse(server)) return undefined;
  const { protocol, hostname, port } = new URL(server);
  const value = (name: string): string => environment[name] || environment[name.toLowerCase()] || "";
  const proxy = value(protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY");
  const host = hostname.replace(/^\[|\]$/gu, "");
  const isDirect = value("NO_PROXY")
    .split(",")
    .some((entry) => names(entry.trim().toLowerCase(), host, port || (protocol === "https:" ? "443" : "80")));
  if (proxy === "" || isDirect || host === "localhost" || LOOPBACK.some((net) => isInside(host, net))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

const LOOPBACK = ["127.0.0.0/8", "::1/128"];

/** Whether an entry of NO_PROXY names a host: `*`, a network, an address, a domain with its subdomains, or only these (`.x`). */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInside(host, entry);
  const [, bracketed, plain, ofPort = port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/u.exec(entry) ?? [];
  const named = (bracketed ?? plain ?? entry).replace(/^\*(?=\.)/u, "");
  if (named === "" || ofPort !== port) return false;
  return host === named || (isIP(host) === 0 && host.endsWith(named.startsWith(".") ? named : `.${named}`));
}

function isInside(host: string, network: string): boolean {
  const [, address = "", length] = /^(.*)\/(\d{1,3})$/u.exec(network) ?? [];
  const version = isIP(address);
  if (version === 0 || version !== isIP(host) || Number(length) > (version === 4 ? 32 : 128)) return false;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, Number(length), family);
  return list.check(host, family);
}
