import type { Config } from "../config/config.ts";
import { isLoopback } from "../config/config-values.ts";

/** The origins under which this service is its own: for links, cookies and the check of who calls. */
export interface OwnAddress {
  /** The public origin, without a trailing slash. */
  baseUrl(): string;
  /** Whether a browser's `Origin` is the service itself. */
  isOwn(origin: string): boolean;
  readonly isHttps: boolean;
  /** Whether nobody but this machine can be talking: the host, the base URL are loopback, and no proxy stands before us. */
  readonly isLoopbackOnly: boolean;
  /** Says which port was got, once the service listens. */
  listeningOn(port: number): void;
}

/** While no base URL is configured, `localhost` and `127.0.0.1` both count as own (contract, section 12.2). */
export function createOwnAddress(config: Pick<Config, "host" | "port" | "baseUrl" | "trustedProxies">): OwnAddress {
  let { port } = config;
  const origins = () =>
    config.baseUrl === undefined ? [`http://localhost:${port}`, `http://127.0.0.1:${port}`] : [config.baseUrl];
  return {
    baseUrl: () => config.baseUrl ?? `http://localhost:${port}`,
    isOwn: (origin) => origins().includes(origin),
    isHttps: config.baseUrl?.startsWith("https:") ?? false,
    isLoopbackOnly:
      isLoopback(config.host) &&
      (config.baseUrl === undefined || isLoopback(new URL(config.baseUrl).hostname)) &&
      config.trustedProxies.length === 0,
    listeningOn(actual) {
      port = actual;
    },
  };
}
