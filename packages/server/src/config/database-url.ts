/** One server of a database's URL. */
export interface DatabaseHost {
  /** For messages: without user and password. */
  readonly name: string;
  /** The URL with this host alone. */
  readonly url: string;
}

export interface DatabaseUrl {
  readonly hosts: readonly [DatabaseHost, ...DatabaseHost[]];
  /** Whether a connection has to be one to a server that accepts writes. */
  readonly wantsPrimary: boolean;
}

const defaultPort = "5432";
const schemes = /^postgres(?:ql)?:\/\//i;
const hostAndPort = /^(\[[0-9a-f:.%]+\]|[^:[\],]+)(?::([0-9]{0,5}))?$/i;
/** The values of libpq's `target_session_attrs` that only a server that accepts writes satisfies. */
const writable = ["read-write", "primary"];

/**
 * The URL of a PostgreSQL database as libpq reads it (section 32.1.1.2 of PostgreSQL's manual): one host, or several
 * separated by commas, each with its own port. `undefined` when it is not such a URL, or asks for a server that accepts no writes.
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | undefined {
  const [scheme] = schemes.exec(text) ?? [];
  if (scheme === undefined) return undefined;
  const { user, hostList, path, query } = split(text.slice(scheme.length));
  const parameters = query.split("&");
  const attributes = parameters.filter((parameter) => parameter.startsWith("target_session_attrs="));
  if (!attributes.every((parameter) => writable.includes(parameter.split("=")[1] ?? ""))) return undefined;
  const others = parameters.filter((parameter) => parameter !== "" && !attributes.includes(parameter)).join("&");
  const rest = `${path}${others === "" ? "" : `?${others}`}`;
  const hosts = new Map<string, DatabaseHost>();
  for (const part of hostList.split(",")) {
    const url = `${scheme}${user}${part}${rest}`;
    // A URL without a host here has it in the query, as a socket's folder, or leaves it to the driver.
    if (!URL.canParse(url) || /(?:^|&)host=[^&]*,/.test(others)) return undefined;
    const [, host, port] = hostAndPort.exec(part) ?? [];
    if (host === undefined && (part !== "" || hostList !== "")) return undefined;
    const name = host === undefined ? "the default host" : `${host}:${port || defaultPort}`;
    if (!hosts.has(name)) hosts.set(name, { name, url });
  }
  const [first, ...more] = hosts.values();
  if (first === undefined) return undefined;
  return { hosts: [first, ...more], wantsPrimary: more.length > 0 || attributes.length > 0 };
}

/** The parts of `user:password@hosts/path?query#fragment`. A regular expression would take long for some texts. */
function split(text: string) {
  const [withoutFragment = ""] = text.split("#", 1);
  const [beforeQuery = ""] = withoutFragment.split("?", 1);
  const [authority = ""] = beforeQuery.split("/", 1);
  const hostsStart = authority.lastIndexOf("@") + 1;
  return {
    user: authority.slice(0, hostsStart),
    hostList: authority.slice(hostsStart),
    path: beforeQuery.slice(authority.length),
    query: withoutFragment.slice(beforeQuery.length + 1),
  };
}
