import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CommandError } from "./exit-code.ts";

/** The file of `sealpost login`: one instance, and either the cookie of a session there or an API key. */
export type Credentials = { readonly url: string } & (
  | { readonly kind: "session"; readonly cookie: string }
  | { readonly kind: "apiKey"; readonly key: string }
);

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CONFIG_HOME/sealpost/credentials.json`, by default below `~/.config` (XDG Base Directory: a relative path is ignored). */
export function credentialsPath({ XDG_CONFIG_HOME: folder }: Environment): string {
  return join(folder?.startsWith("/") ? folder : join(homedir(), ".config"), "sealpost", "credentials.json");
}

/** The credentials of the last `sealpost login`, or `undefined`. */
export async function findCredentials(environment: Environment): Promise<Credentials | undefined> {
  const path = credentialsPath(environment);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const credentials = parseCredentials(text);
  if (credentials === undefined)
    throw new CommandError("unauthorized", `${path} is damaged: sign in again with \`sealpost login\``);
  return credentials;
}

/** Keeps credentials for this user alone (mode 0600), in one step: a crash leaves the old ones or the new ones. */
export async function storeCredentials(environment: Environment, credentials: Credentials): Promise<string> {
  const path = credentialsPath(environment);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  const file = await open(temporary, "wx", 0o600);
  try {
    await file.writeFile(`${JSON.stringify(credentials, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await chmod(temporary, 0o600);
  await rename(temporary, path);
  return path;
}

export async function removeCredentials(environment: Environment): Promise<void> {
  await rm(credentialsPath(environment), { force: true });
}

function parseCredentials(text: string): Credentials | undefined {
  let value: Partial<Record<string, unknown>>;
  try {
    value = Object(JSON.parse(text));
  } catch {
    return undefined;
  }
  const { url, kind, cookie, key } = value;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  if (kind === "session" && typeof cookie === "string") return { url, kind, cookie };
  if (kind === "apiKey" && typeof key === "string") return { url, kind, key };
  return undefined;
}
