import type { Config } from "../config/config.ts";
import { isLoopback } from "../config/config-values.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** Findings from the settings alone. They were parsed, so each is well-formed. */
export function checkConfig(config: Config): readonly Finding[] {
  return [checkBaseUrl(config), ...checkProxies(config), ...checkNetworks(config)];
}

function checkBaseUrl({ baseUrl, host }: Config): Finding {
  if (baseUrl === undefined) {
    return isLoopback(host)
      ? ok("configuration", "SEALPOST_BASE_URL is not set: the service is for this machine alone")
      : problem(
          "configuration",
          `The service listens on ${host}, and its pages and embed codes say localhost`,
          "Set SEALPOST_BASE_URL to the public origin, like https://forms.example.com",
        );
  }
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === "https:" || isLoopback(hostname)) return ok("configuration", `The public origin is ${baseUrl}`);
  return problem(
    "configuration",
    `${baseUrl} is not HTTPS: browsers seal nothing on such a page, and passwords travel in clear`,
    "Put a reverse proxy with a certificate before the service (deploy/Caddyfile) and set SEALPOST_BASE_URL to its https:// origin",
  );
}

function checkProxies({ baseUrl, host, trustedProxies }: Config): readonly Finding[] {
  const hasProxy = baseUrl?.startsWith("https:") ?? false;
  if (!hasProxy) return [];
  if (trustedProxies.length === 0)
    return [
      problem(
        "proxy",
        "The public origin is HTTPS, so a proxy stands before the service, but SEALPOST_TRUSTED_PROXIES is empty: all visitors together count as one address in the rate limits",
        "Set SEALPOST_TRUSTED_PROXIES to the proxy's address, like 127.0.0.1/32 for one on this machine",
      ),
    ];
  const isLocalProxyTrusted = trustedProxies.some(({ address }) => isLoopback(address));
  if (isLoopback(host) && !isLocalProxyTrusted)
    return [
      problem(
        "proxy",
        `The service listens on ${host}, where only a proxy on this machine reaches it, and SEALPOST_TRUSTED_PROXIES does not have that address`,
        "Add 127.0.0.1/32 (and ::1/128) to SEALPOST_TRUSTED_PROXIES",
      ),
    ];
  const networks = trustedProxies.map(({ address, bits }) => `${address}/${bits}`).join(", ");
  return [ok("proxy", `Client addresses are taken from proxies in ${networks}`)];
}

function checkNetworks({ webhookAllowNetworks }: Config): readonly Finding[] {
  if (webhookAllowNetworks.length === 0) return [];
  const networks = webhookAllowNetworks.map(({ address, bits }) => `${address}/${bits}`).join(", ");
  return [
    warning(
      "configuration",
      `Everybody with an account may send webhooks into ${networks}`,
      "Keep SEALPOST_WEBHOOK_ALLOW_NETWORKS to the addresses of receivers that you run yourself",
    ),
  ];
}
