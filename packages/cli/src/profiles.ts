import { readdir, readFile, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "./exit-code.ts";
import { replaceFile } from "./replace-file.ts";

/** A profile's content: one instance, and either the cookie of a session there and whose it is, or an API key. */
export type Credentials = { readonly url: string } & (
  | { readonly kind: "session"; readonly email: string; readonly cookie: string }
  | { readonly kind: "apiKey"; readonly key: string }
);

/** A profile that was kept. Its `credentials` are `undefined` where its file is damaged. */
export interface Profile {
  readonly name: string;
  readonly credentials: Credentials | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Names are names of files too, on file systems without upper and lower case as well. */
const namePattern = /^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$/;

/** `$XDG_CONFIG_HOME/sealpost`, by default `~/.config/sealpost` (XDG Base Directory: a relative path is ignored). */
export function configurationFolder({ XDG_CONFIG_HOME: folder }: Environment): string {
  return join(folder?.startsWith("/") ? folder : join(homedir(), ".config"), "sealpost");
}

export function profilePath(environment: Environment, name: string): string {
  return join(configurationFolder(environment), "profiles", `${name}.json`);
}

function currentPath(environment: Environment): string {
  return join(configurationFolder(environment), "current-profile");
}

/** Throws a `CommandError` for what no profile can be called. */
export function parseProfileName(text: string): string {
  if (namePattern.test(text)) return text;
  throw new CommandError(
    "usage",
    `Not a profile name: ${text}. Names are lower-case letters, digits, dots, dashes and underscores, 100 at most`,
  );
}

/** The name of an instance's first profile: its host, with its port where it has one. */
export function nameOfInstance(url: string): string {
  const words = new URL(url).host.toLowerCase().match(/[a-z0-9._-]+/g) ?? [];
  // Room for the number of a further one.
  return words.join("-").slice(0, 90);
}

/** All that are kept, by name. */
export async function listProfiles(environment: Environment): Promise<readonly Profile[]> {
  const files = await whereItExists(readdir(dirname(profilePath(environment, "any"))));
  const names = (files ?? []).flatMap((file) => (file.endsWith(".json") ? [file.slice(0, -".json".length)] : []));
  const kept = await Promise.all(
    names.filter((name) => namePattern.test(name)).map((name) => findProfile(environment, name)),
  );
  return kept.filter((profile) => profile !== undefined).sort((one, other) => (one.name < other.name ? -1 : 1));
}

export async function findProfile(environment: Environment, name: string): Promise<Profile | undefined> {
  const text = await whereItExists(readFile(profilePath(environment, name), "utf8"));
  return text === undefined ? undefined : { name, credentials: parseCredentials(text) };
}

/** The profile that commands use where none is named. */
export async function findCurrentName(environment: Environment): Promise<string | undefined> {
  const name = (await whereItExists(readFile(currentPath(environment), "utf8")))?.trim();
  return name !== undefined && namePattern.test(name) ? name : undefined;
}

/** Keeps a profile for this user alone (mode 0600), in one step: a crash leaves the former one or this one. Gives the file's path. */
export async function storeProfile(environment: Environment, name: string, credentials: Credentials): Promise<string> {
  const path = profilePath(environment, name);
  await replaceFile(path, `${JSON.stringify(credentials, null, 2)}\n`);
  return path;
}

/**
 * Keeps another cookie of a profile's session. It stays out of a profile that meanwhile has another session, or is gone: commands run at
 * the same time, and one of them may sign in or out.
 */
export async function replaceCookie(
  environment: Environment,
  name: string,
  { former, cookie }: { readonly former: string; readonly cookie: string },
): Promise<void> {
  const credentials = (await findProfile(environment, name))?.credentials;
  if (credentials?.kind === "session" && credentials.cookie === former)
    await storeProfile(environment, name, { ...credentials, cookie });
}

/** Makes a profile the current one; `undefined`: none is. */
export async function storeCurrentName(environment: Environment, name: string | undefined): Promise<void> {
  if (name === undefined) await rm(currentPath(environment), { force: true });
  else await replaceFile(currentPath(environment), `${name}\n`);
}

/** Forgets a profile. Where it was the current one, none is: no command may turn to another instance unasked. */
export async function removeProfile(environment: Environment, name: string): Promise<void> {
  await rm(profilePath(environment, name), { force: true });
  if ((await findCurrentName(environment)) === name) await storeCurrentName(environment, undefined);
}

/** The credentials of a profile. If they can't be read it throws a `CommandError` that doesn't show them. */
export function credentialsOf(environment: Environment, { name, credentials }: Profile): Credentials {
  if (credentials !== undefined) return credentials;
  const path = profilePath(environment, name);
  throw new CommandError("unauthorized", `${path} is damaged: sign in again with \`sealpost login\``);
}

async function whereItExists<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

function parseCredentials(text: string): Credentials | undefined {
  let value: Partial<Record<string, unknown>>;
  try {
    value = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { url, kind, email, cookie, key } = value;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  if (kind === "session" && typeof email === "string" && typeof cookie === "string")
    return { url, kind, email, cookie };
  if (kind === "apiKey" && typeof key === "string") return { url, kind, key };
  return undefined;
}
