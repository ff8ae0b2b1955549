import { type Client, createClient } from "@sealpost/sdk";
import type { Context } from "./context.ts";
import { type Credentials, findCredentials } from "./credentials.ts";
import { CommandError } from "./exit-code.ts";
import { createSessionTokens } from "./session.ts";

const howToSignIn = "Sign in with `sealpost login <url>`, or set SEALPOST_URL and SEALPOST_TOKEN.";

/** The instance and the credential for it: an API key, a session token, or what gives one. */
interface Connection {
  readonly baseUrl: string;
  readonly token: string | (() => Promise<string>);
}

/** The client for the credential to use: SEALPOST_URL and SEALPOST_TOKEN go before what `sealpost login` kept. */
export async function connect(context: Pick<Context, "environment" | "now">): Promise<Client> {
  return createClient(await findConnection(context));
}

/** The same for what an API key cannot do. Gives the instance's origin too. */
export async function connectWithSession(
  context: Pick<Context, "environment" | "now">,
): Promise<{ readonly client: Client; readonly baseUrl: string }> {
  const connection = await findConnection(context);
  const { baseUrl, token } = connection;
  if (typeof token === "string" && token.startsWith("sp_"))
    throw new CommandError(
      "unauthorized",
      "This needs a session, which an API key is not. Sign in with `sealpost login <url>`, without SEALPOST_TOKEN.",
    );
  return { client: createClient(connection), baseUrl };
}

async function findConnection({ environment, now }: Pick<Context, "environment" | "now">): Promise<Connection> {
  const { SEALPOST_URL: url, SEALPOST_TOKEN: token } = environment;
  if (token) checkToken(token, "SEALPOST_TOKEN");
  if (url && token) return { baseUrl: parseInstanceUrl(url), token };
  const stored = await findCredentials(environment);
  if (token) {
    if (stored === undefined) throw new CommandError("usage", "SEALPOST_TOKEN is set, SEALPOST_URL is not");
    return { baseUrl: stored.url, token };
  }
  if (stored === undefined) throw new CommandError("unauthorized", `You are not signed in. ${howToSignIn}`);
  // A credential goes only to the instance that it was given for.
  if (url && parseInstanceUrl(url) !== stored.url)
    throw new CommandError("unauthorized", `You are signed in to ${stored.url}, not to ${url}. ${howToSignIn}`);
  return { baseUrl: stored.url, token: tokenOf(stored, now) };
}

/** Throws a `CommandError`, without the value, for what no header can carry: a key as a list shows it, shortened with …, above all. */
export function checkToken(token: string, what: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(
    "usage",
    `${what} is no whole API key: keys are letters, digits and signs without blanks. A list shows only the beginning of a key; the whole was shown when it was created.`,
  );
}

function tokenOf(stored: Credentials, now: () => number): string | (() => Promise<string>) {
  switch (stored.kind) {
    case "apiKey":
      return stored.key;
    case "session":
      return createSessionTokens(stored.url, stored.cookie, now);
    default:
      return stored satisfies never;
  }
}

/** The origin of an instance. Throws a `CommandError` for anything else, and for http unless it stays on this machine. */
export function parseInstanceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.pathname !== "/")
    throw new CommandError("usage", `Not the address of an instance, such as https://forms.example.org: ${text}`);
  const isLocal = url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname);
  if (url.protocol === "http:" && !isLocal)
    throw new CommandError("usage", `${url.origin} is not encrypted: credentials are only sent over https://`);
  return url.origin;
}
