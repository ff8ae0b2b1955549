/** The most characters of a webhook URL, as given and as normalised. */
const urlCharactersMax = 2048;

const notHttps = "Must be a valid HTTPS URL";
/** For those who try it with a program on their own computer: the second thing that they would learn is said with the first. */
const plainHttp =
  "Must be a valid HTTPS URL: one that begins with https:// and leads to a public address. The server's operator can allow others with SEALPOST_WEBHOOK_ALLOW_NETWORKS";

/** Whether a webhook URL may be saved, as it was written, or the message for `details`. */
export type CheckWebhookUrl = (
  text: string,
) => Promise<{ readonly ok: true; readonly url: string } | { readonly ok: false; readonly message: string }>;

/**
 * The webhook URL in `text`, or the message that says what is wrong with it. Says nothing about where its name leads: that
 * is checked at save (`CheckWebhookUrl`) and again at every request.
 */
export function parseWebhookUrl(text: string): URL | string {
  if (text.length > urlCharactersMax) return `Must be at most ${urlCharactersMax} characters`;
  // Refused before parsing, since `new URL` would drop them silently and save another text than was given.
  if (hasControlOrSpace(text)) return notHttps;
  const url = URL.parse(text);
  if (url?.protocol === "http:") return plainHttp;
  if (url === null || url.protocol !== "https:") return notHttps;
  if (url.href.length > urlCharactersMax) return `Must be at most ${urlCharactersMax} characters`;
  if (url.username !== "" || url.password !== "") return "Must not contain a user name or password";
  if (url.port === "0" || hostnameOf(url) === "") return notHttps;
  return url;
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
