/** The mail server that accepts our emails, and their sender. */
export interface SmtpTarget {
  readonly host: string;
  readonly port: number;
  /**
   * `implicit`: TLS from the first byte. `starttls`: TLS before anything is said, or nothing is sent. `off`: none, for a
   * relay on the same machine or network.
   */
  readonly tls: "implicit" | "starttls" | "off";
  readonly login: { readonly user: string; readonly password: string } | undefined;
}

export interface Mailbox {
  readonly name: string;
  readonly address: string;
}

/** `smtp://user:password@host:587`, `smtps://…`; `?tls=off` for no TLS. `undefined` for anything else. */
export function parseSmtpUrl(text: string): SmtpTarget | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^smtps?:$/.test(url.protocol) || url.hostname === "") return undefined;
  if (!/^\/?$/.test(url.pathname) || url.hash !== "" || !/^(\?tls=off)?$/.test(url.search)) return undefined;
  const isImplicit = url.protocol === "smtps:";
  const isOff = url.search !== "";
  if (isImplicit && isOff) return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === undefined || password === undefined || (user === "") !== (password === "")) return undefined;
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port),
    tls: isImplicit ? "implicit" : isOff ? "off" : "starttls",
    login: user === "" ? undefined : { user, password },
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** `forms@example.com` or `Forms <forms@example.com>`. Letters that would end a header, or open another, are in neither. */
export function parseMailbox(text: string): Mailbox | undefined {
  const named = /^([^<>"\p{Cc}]{1,100}?) *<([^<>]+)>$/u.exec(text);
  const [name, address] = named === null ? ["", text] : [named[1]?.trim() ?? "", named[2] ?? ""];
  return /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(address)
    ? { name, address }
    : undefined;
}
