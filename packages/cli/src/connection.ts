import { type Client, createClient } from "@sealpost/sdk";
import { guardAnswer } from "./answer-guard.ts";
import { chooseProfile } from "./choose-profile.ts";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { parseInstanceUrl } from "./instance-url.ts";
import { type Credentials, credentialsOf, findCurrentName, listProfiles, replaceCookie } from "./profiles.ts";
import { createSessionTokens } from "./session.ts";

/** The instance and the credential for it: an API key, a session token, or what gives one. */
interface Connection {
  readonly baseUrl: string;
  readonly token: string | (() => Promise<string>);
}

type Asking = Pick<Context, "environment" | "now" | "asked">;

/**
 * A client that gives no answer of another kind than the document says, and says so when a command reads a member that is missing, as
 * it may be in an older server's answer.
 */
export function createCheckedClient({ asked }: Pick<Context, "asked">, connection: Connection): Client {
  if (asked !== undefined) asked.baseUrl = connection.baseUrl;
  return createClient({ ...connection, onAnswer: guardAnswer });
}

/** The client for the credential to use: SEALPOST_TOKEN goes before what `sealpost login` kept. */
export async function connect(context: Asking): Promise<Client> {
  return createCheckedClient(context, await findConnection(context));
}

/** The same for what an API key cannot do. Gives the instance's origin too. */
export async function connectWithSession(
  context: Asking,
): Promise<{ readonly client: Client; readonly baseUrl: string }> {
  const connection = await findConnection(context);
  const { baseUrl, token } = connection;
  if (typeof token === "string" && token.startsWith("sp_"))
    throw new CommandError(
      "unauthorized",
      "This needs a session; an API key is not enough. Sign in with `sealpost login <url>`, without SEALPOST_TOKEN.",
    );
  return { client: createCheckedClient(context, connection), baseUrl };
}

/** A profile named on the command line is all of it: `program.ts` hides the two variables then. */
async function findConnection({ environment, now }: Pick<Context, "environment" | "now">): Promise<Connection> {
  const { SEALPOST_URL: url, SEALPOST_TOKEN: token } = environment;
  if (token) checkToken(token, "SEALPOST_TOKEN");
  if (url && token) return { baseUrl: parseInstanceUrl(url), token };
  if (token && !(await hasProfile(environment)))
    throw new CommandError("usage", "SEALPOST_TOKEN is set, but SEALPOST_URL is not");
  const profile = await chooseProfile({ environment });
  const credentials = credentialsOf(environment, profile);
  if (token) await checkOneInstance(environment);
  const keepCookie = (former: string, cookie: string) =>
    // The session works as before where its file can't be written.
    replaceCookie(environment, profile.name, { former, cookie }).catch(() => {});
  return { baseUrl: credentials.url, token: token || tokenOf(credentials, now, keepCookie) };
}

/**
 * Throws a `CommandError` where there are profiles of more than one instance: a token does not say which of them it is for, and none
 * gets another's, whichever profile is the current one or is named by a variable that may have been set for something else.
 */
async function checkOneInstance(environment: Context["environment"]): Promise<void> {
  const instances = new Set((await listProfiles(environment)).map(({ credentials }) => credentials?.url));
  if (instances.size > 1)
    throw new CommandError(
      "usage",
      "SEALPOST_TOKEN is set, and your profiles are for several instances. Set SEALPOST_URL to the one that the token is for",
    );
}

async function hasProfile(environment: Context["environment"]): Promise<boolean> {
  if (environment.SEALPOST_PROFILE) return true;
  const current = await findCurrentName(environment);
  return (await listProfiles(environment)).some(({ name }) => name === current);
}

/** Throws a `CommandError`, without the value, for what no header can carry: a key as a list shows it, shortened with …, above all. */
export function checkToken(token: string, what: string): void {
  if (/^[\x21-\x7e]+$/.test(token)) return;
  throw new CommandError(
    "usage",
    `${what} is not a complete API key: keys consist of letters, digits and signs, without spaces. A list shows only the beginning of a key; the complete key was shown when it was created.`,
  );
}

function tokenOf(
  stored: Credentials,
  now: () => number,
  keepCookie: (former: string, cookie: string) => Promise<void>,
): string | (() => Promise<string>) {
  switch (stored.kind) {
    case "apiKey":
      return stored.key;
    case "session":
      return createSessionTokens(stored.url, stored.cookie, now, (cookie) => keepCookie(stored.cookie, cookie));
    default:
      return stored satisfies never;
  }
}
