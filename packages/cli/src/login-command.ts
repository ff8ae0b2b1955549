import { ApiError, createClient } from "@sealpost/sdk";
import type { Command } from "commander";
import { checkToken, parseInstanceUrl } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { findCredentials, removeCredentials, storeCredentials } from "./credentials.ts";
import { CommandError } from "./exit-code.ts";
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
        "For a machine, keep an API key instead; all commands accept one but `keys`, `members`, `organizations`, `sessions`, `forms hand-over`, `hold` and `release`, and `verify-log` for an address.",
    )
    .argument("<url>", "address of the instance, such as https://forms.example.org")
    .option("--email <address>", "email address of the account; asked for if omitted")
    .option(
      "--password-stdin",
      "read the password from standard input instead of asking for it, and from a second line the code",
    )
    .option("--api-key-stdin", "read an API key from standard input and keep it instead of a session")
    .addHelpText(
      "after",
      "\nExamples:\n  $ sealpost login https://forms.example.org\n  $ sealpost login https://forms.example.org --api-key-stdin < key.txt",
    )
    .action((url: string, options: LoginOptions) => login(context, url, options));

  program
    .command("logout")
    .summary("end the session and forget it")
    .description("Ends the session on the server and removes what `login` kept on this machine.")
    .action(() => logout(context));
}

async function login(context: Context, address: string, options: LoginOptions): Promise<void> {
  const { environment, now } = context;
  const url = parseInstanceUrl(address);
  if (options.apiKeyStdin) {
    const key = await readSecretLine(context);
    checkToken(key, "What came on standard input");
    await checkApiKey(url, key);
    await storeCredentials(environment, { url, kind: "apiKey", key });
    return say(context, `Kept the API key for ${url}`);
  }
  const email = options.email ?? (await ask(context, "Email address")).trim();
  const [password, code = ""] = options.passwordStdin
    ? await readSecretLines(context)
    : [await ask(context, "Password", true)];
  const cookie = await signIn(url, email, password, async () => {
    if (code !== "") return code;
    if (options.passwordStdin)
      throw new CommandError("usage", "The account has a second factor: send a code as a second line");
    return ask(context, "Code of the authenticator app, or a backup code");
  });
  await createSessionTokens(url, cookie, now)();
  await storeCredentials(environment, { url, kind: "session", cookie });
  say(context, `Signed in to ${url} as ${email}`);
}

/** One request tells a mistyped key from a good one; a good one may lack the permission for it. */
async function checkApiKey(url: string, key: string): Promise<void> {
  try {
    await createClient({ baseUrl: url, token: key }).forms.list({ limit: 1 });
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
  }
}

async function logout(context: Context): Promise<void> {
  const credentials = await findCredentials(context.environment);
  if (credentials === undefined) throw new CommandError("unauthorized", "You are not signed in");
  await removeCredentials(context.environment);
  if (credentials.kind === "session") await signOut(credentials.url, credentials.cookie);
  say(context, `Signed out of ${credentials.url}`);
}
