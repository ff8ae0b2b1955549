/** The most characters of a webhook URL, as given and as normalised. */
const urlCharactersMax = 2048;

const notHttps = "Must be a valid HTTPS URL";
/** For those who try it with a program on their own computer: the second thing that they would learn is said with the first. */
const plainHttp =
  "Must be a valid HTTPS URL: one that begins with https:// and leads to a public address. The server's operator can allow others with SEALPOST_WEBHOOK_ALLOW_NETWORKS";

/** Whether a webhook URL may be saved, and as what (`showHost`), or the message for `details`. */
export type CheckWebhookUrl = (
  text: string,
) => Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly message: string }>;

/**
 * The webhook URL in `text`, or the message that says what is wrong with it. Says nothing about where its name leads: that
 * is checked at save (`CheckWebhookUrl`) and again at every request.
 */
export function parseWebhookUrl(text: string): URL | string {
  if (text.length > urlCharactersMax) return `Must be at most ${urlCharactersMax} characters`;
  // Refused before parsing, since `new URL` would drop some of them silently and save another text than was given.
  if (misleading.test(text)) return notHttps;
  const url = URL.parse(text);
  if (url?.protocol === "http:") return plainHttp;
  if (url === null || url.protocol !== "https:") return notHttps;
  if (url.href.length > urlCharactersMax) return `Must be at most ${urlCharactersMax} characters`;
  if (url.username !== "" || url.password !== "") return "Must not contain a user name or password";
  if (url.port === "0" || hostnameOf(url) === "") return notHttps;
  return url;
}

/**
 * What is not seen, turns the text around it, or is read in two ways: of `https://one.example\\@two.example/` browsers say that it leads to
 * the first host, and others that it leads to the second.
 */
const misleading = /[\s\\\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The form in which a webhook URL is stored and shown: as it was written, but for a host that is not plain ASCII, which is shown by its ASCII name.
 * Letters of another script look like those of a host that it is not.
 */
export function showHost(text: string, { host }: URL): string {
  const [, scheme = "", written = "", rest = ""] = /^(https:\/*)([^/?#]*)(.*)$/isu.exec(text) ?? [];
  return /^[a-z0-9.:[\]_-]*$/i.test(written) ? text : `${scheme}${host}${rest}`;
}

/**
 * Where a redirect leads (RFC 9110 section 10.2.2: relative to the URL that was asked), or `undefined` when webhooks cannot
 * follow it: absent, empty, not HTTPS, with user-info, too long, not a URL.
 */
export function resolveRedirect(base: string, location: string | undefined): string | undefined {
  if (location === undefined || location === "" || location.length > urlCharactersMax || hasControlOrSpace(location))
    return undefined;
  const target = URL.parse(location, base);
  const url = target === null ? notHttps : parseWebhookUrl(target.href);
  if (typeof url === "string") return undefined;
  url.hash = "";
  return url.href;
}

/** The key of the limits for this URL's host: host:port in lower case, without dots at the end of the name. */
export function hostOf(url: URL): string {
  // With dots after it a name is the same host, and would have limits of its own.
  return `${url.hostname.replace(/\.+$/, "")}:${url.port === "" ? "443" : url.port}`;
}

/** The host as an IP address without brackets, or as a name without trailing dots. */
export function hostnameOf(url: URL): string {
  return url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname.replace(/\.+$/, "");
}

function hasControlOrSpace(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this looks for
  return /[\u0000-\u0020\u007f]/.test(text);
}
