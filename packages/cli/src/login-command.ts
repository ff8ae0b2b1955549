import { ApiError } from "@sealpost/sdk";
import type { Command } from "commander";
import { chooseProfile } from "./choose-profile.ts";
import { checkToken, createCheckedClient } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { parseInstanceUrl } from "./instance-url.ts";
import { planLogin } from "./plan-login.ts";
import {
  type Credentials,
  findCurrentName,
  listProfiles,
  removeProfile,
  storeCurrentName,
  storeProfile,
} from "./profiles.ts";
import { ask, readSecretLine, readSecretLines } from "./prompt.ts";
import { createSessionTokens, signIn, signOut } from "./session.ts";

interface LoginOptions {
  readonly email?: string;
  readonly passwordStdin?: boolean;
  readonly apiKeyStdin?: boolean;
}

export function addLoginCommands(program: Command, context: Context): void {
  program
    .command("login")
    .summary("sign in to an instance")
    .description(
      "Signs in to an instance with email address and password, and keeps the session in a file that only you can read. " +
        "If the account has a second factor, asks for the code of the authenticator app, or a backup code.\n\n" +
        "Each instance, and each account there, has its own profile: another login does not replace it. Its name is the host of the instance, " +
        "or the one that --profile gives, and commands use the one that you signed in to last. `sealpost profiles` shows and changes which one.\n\n" +
        "On a machine, keep an API key instead; every command accepts one except `keys`, `members`, `organizations`, `sessions`, `forms hand-over`, `hold` and `release`, and `verify-log` for an address.",
    )
    .argument("<url>", "address of the instance, such as https://forms.example.org")
    .option("--email <address>", "email address of the account; asked for if omitted")
    .option(
      "--password-stdin",
      "read the password from standard input instead of asking for it, and the code from a second line",
    )
    .option("--api-key-stdin", "read an API key from standard input and keep it instead of a session")
    .addHelpText(
      "after",
      `
Examples:
  $ sealpost login https://forms.example.org
  $ sealpost login https://forms.example.org --api-key-stdin < key.txt
  $ sealpost login https://forms.example.org --profile clinic`,
    )
    .action((url: string, options: LoginOptions) => login(context, url, options));

  program
    .command("logout")
    .summary("end the session and forget it")
    .description("Ends the session on the server, and removes the profile in use from this machine.")
    .action(() => logout(context));
}

async function login(context: Context, address: string, options: LoginOptions): Promise<void> {
  const url = parseInstanceUrl(address);
  if (options.apiKeyStdin) {
    const key = await readSecretLine(context);
    checkToken(key, "What came on standard input");
    const plan = await planLogin(context, { url, kind: "apiKey", key });
    await checkApiKey(context, url, key);
    return keep(context, plan, { url, kind: "apiKey", key }, `Kept the API key for ${url}`);
  }
  const email = options.email ?? (await ask(context, "Email address")).trim();
  const plan = await planLogin(context, { url, kind: "session", email });
  const cookie = await signInWith(context, { url, email, ...options });
  await createSessionTokens(url, cookie, context.now)();
  await keep(context, plan, { url, kind: "session", email, cookie }, `Signed in to ${url} as ${email}`);
}

async function signInWith(
  context: Context,
  { url, email, passwordStdin }: LoginOptions & { readonly url: string; readonly email: string },
): Promise<string> {
  const [password, code = ""] = passwordStdin ? await readSecretLines(context) : [await ask(context, "Password", true)];
  return signIn(url, email, password, async () => {
    if (code !== "") return code;
    if (passwordStdin)
      throw new CommandError("usage", "The account has a second factor: send a code as the second line");
    return ask(context, "Code of the authenticator app, or a backup code");
  });
}

/** Stores the credentials and makes their profile the current one. Mentions profiles only to somebody who has several. */
async function keep(
  context: Context,
  { name, note }: Awaited<ReturnType<typeof planLogin>>,
  credentials: Credentials,
  done: string,
): Promise<void> {
  const { environment } = context;
  const before = await findCurrentName(environment);
  await storeProfile(environment, name, credentials);
  await storeCurrentName(environment, name);
  const others = (await listProfiles(environment)).filter((profile) => profile.name !== name);
  say(context, [done, ...(note === undefined ? [] : [note])].join("\n"));
  if (before === name || others.length === 0) return;
  const back = others.some((other) => other.name === before)
    ? `, and no longer ${before}: \`sealpost profiles use ${before}\` goes back`
    : "";
  say(context, `${name} is the current profile now${back}`);
}

/** One request tells a mistyped key from a good one; a good one may lack the permission for it. */
async function checkApiKey(context: Context, url: string, key: string): Promise<void> {
  try {
    await createCheckedClient(context, { baseUrl: url, token: key }).forms.list({ limit: 1 });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
}

async function logout(context: Context): Promise<void> {
  const { environment } = context;
  const { name, credentials } = await chooseProfile(context);
  // The profile is the only way to the session: it stays until that has ended.
  if (credentials?.kind === "session") await endSession(credentials);
  await removeProfile(environment, name);
  say(context, credentials === undefined ? `Removed the damaged profile ${name}` : `Signed out of ${credentials.url}`);
  const isUnchosen = (await findCurrentName(environment)) === undefined;
  if (isUnchosen && (await listProfiles(environment)).length > 0)
    say(context, "There is no current profile now: choose one with `sealpost profiles use <name>`");
}

async function endSession({ url, cookie }: { readonly url: string; readonly cookie: string }): Promise<void> {
  try {
    await signOut(url, cookie);
  } catch (error) {
    // It has ended before.
    if (error instanceof ApiError && error.status === 401) return;
    throw error;
  }
}
