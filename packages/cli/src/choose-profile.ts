import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { parseInstanceUrl } from "./instance-url.ts";
import {
  type Credentials,
  findCurrentName,
  findProfile,
  listProfiles,
  type Profile,
  parseProfileName,
} from "./profiles.ts";

export const howToSignIn = "Sign in with `sealpost login <url>`, or set SEALPOST_URL and SEALPOST_TOKEN.";

/**
 * The profile that a command uses: the one that is named, else that of SEALPOST_URL, else the current one. Throws a `CommandError`
 * where there is none, and where it is of another instance than SEALPOST_URL: a credential goes only to the instance that it was
 * given for.
 */
export async function chooseProfile({ environment }: Pick<Context, "environment">): Promise<Profile> {
  const url = environment.SEALPOST_URL ? parseInstanceUrl(environment.SEALPOST_URL) : undefined;
  const profile = await findNamed(environment, url);
  const elsewhere = profile.credentials?.url;
  if (url === undefined || elsewhere === undefined || elsewhere === url) return profile;
  throw new CommandError("unauthorized", `You are signed in to ${elsewhere}, not to ${url}. ${howToSignIn}`);
}

async function findNamed(environment: Context["environment"], url: string | undefined): Promise<Profile> {
  const named = environment.SEALPOST_PROFILE;
  if (named) return findExisting(environment, named);
  const current = await findCurrentName(environment);
  const all = await listProfiles(environment);
  const usual = all.find(({ name }) => name === current);
  if (url !== undefined && usual?.credentials?.url !== url) {
    const [first, ...more] = all.filter(({ credentials }) => credentials?.url === url);
    if (first !== undefined && more.length === 0) return first;
    if (first !== undefined)
      throw new CommandError(
        "usage",
        `There are several profiles for ${url}. Name one with --profile: ${namesOf([first, ...more])}`,
      );
  }
  if (usual !== undefined) return usual;
  if (all.length === 0) throw new CommandError("unauthorized", `You are not signed in. ${howToSignIn}`);
  throw new CommandError(
    "unauthorized",
    `There is no current profile. Choose one with \`sealpost profiles use <name>\`, or name it with --profile: ${namesOf(all)}`,
  );
}

/** The profile with this name. Throws a `CommandError` if there isn't one. */
export async function findExisting(environment: Context["environment"], text: string): Promise<Profile> {
  const name = parseProfileName(text);
  const profile = await findProfile(environment, name);
  if (profile !== undefined) return profile;
  throw new CommandError(
    "usage",
    `There is no profile ${name}. \`sealpost profiles list\` shows yours, and \`sealpost login <url> --profile ${name}\` makes it`,
  );
}

/** The account or API key, as people are shown it. It can't be used to sign in. */
export function describeAccount(credentials: Credentials): string {
  // A list of API keys shows as much of each.
  return credentials.kind === "session" ? credentials.email : `API key ${credentials.key.slice(0, 10)}…`;
}

function namesOf(profiles: readonly Profile[]): string {
  return profiles.map(({ name }) => name).join(", ");
}
