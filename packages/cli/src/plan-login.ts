import { describeAccount } from "./choose-profile.ts";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import {
  type Credentials,
  findProfile,
  listProfiles,
  nameOfInstance,
  type Profile,
  parseProfileName,
} from "./profiles.ts";

/** Who is about to sign in where. */
type Account = { readonly url: string } & (
  | { readonly kind: "session"; readonly email: string }
  | { readonly kind: "apiKey"; readonly key: string }
);

interface LoginPlan {
  readonly name: string;
  /** A sentence about the profile, once that has happened. */
  readonly note?: string;
}

/**
 * The profile in which a login will be kept. Only the same account's is renewed, and an API key by another one only where the
 * profile was named; anything else gets a profile of its own. Throws a `CommandError`, before any password is asked for, where the
 * profile that was named is another's.
 */
export async function planLogin({ environment }: Context, account: Account): Promise<LoginPlan> {
  if (environment.SEALPOST_PROFILE)
    return planNamed(environment, parseProfileName(environment.SEALPOST_PROFILE), account);
  const all = await listProfiles(environment);
  const same = all.find(({ credentials }) => credentials !== undefined && isSame(credentials, account));
  if (same !== undefined) return { name: same.name };
  const name = findFreeName(all, nameOfInstance(account.url));
  const others = all.flatMap(({ credentials }) => (credentials?.url === account.url ? [credentials] : []));
  if (all.length === 0) return { name };
  const reason = others.length === 0 ? "" : ` in addition to that of ${others.map(describeAccount).join(", ")}`;
  return { name, note: `Made the profile ${name}${reason}` };
}

async function planNamed(environment: Context["environment"], name: string, account: Account): Promise<LoginPlan> {
  const credentials = (await findProfile(environment, name))?.credentials;
  if (credentials === undefined) return { name, note: `Made the profile ${name}` };
  if (isSame(credentials, account)) return { name };
  if (credentials.kind === "apiKey" && account.kind === "apiKey" && credentials.url === account.url)
    return { name, note: `It replaces ${describeAccount(credentials)} in the profile ${name}` };
  throw new CommandError(
    "usage",
    `The profile ${name} is for ${credentials.url}, ${describeAccount(credentials)}. Give another name with --profile, or first \`sealpost profiles remove ${name}\``,
  );
}

function isSame(credentials: Credentials, account: Account): boolean {
  if (credentials.url !== account.url) return false;
  if (credentials.kind === "session")
    return account.kind === "session" && credentials.email.toLowerCase() === account.email.toLowerCase();
  return account.kind === "apiKey" && credentials.key === account.key;
}

/** One that is damaged is made again under its name. */
function findFreeName(all: readonly Profile[], host: string): string {
  const taken = new Set(all.flatMap(({ name, credentials }) => (credentials === undefined ? [] : [name])));
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host}-${number}`;
    if (!taken.has(name)) return name;
  }
}
