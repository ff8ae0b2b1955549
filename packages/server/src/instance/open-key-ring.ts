import { ConfigError } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { createKeyRing, type KeyRing, type NumberedSecret } from "./key-ring.ts";
import { keyCheckOf } from "./secret-box.ts";
import { addFirstSecretKey, listSecretKeys, type SecretKeyRecord } from "./secret-key-store.ts";

/**
 * The secrets of this process with the numbers that the database has for them. The first secret of a new database is number 1.
 * Throws a ConfigError that names the missing one when something is sealed with a secret that is not among them: starting
 * all the same would lose every webhook secret and second factor that is sealed with it.
 */
export async function openKeyRing(database: Database, secrets: readonly Uint8Array[], now: number): Promise<KeyRing> {
  const [newest] = secrets;
  if (newest !== undefined && (await listSecretKeys(database)).length === 0)
    await addFirstSecretKey(database, keyCheckOf(newest), now);
  return matchSecrets(await listSecretKeys(database), secrets);
}

/** The ring of an instance with these keys; throws as above. `place` is where the operator wrote the secrets. */
export function matchSecrets(
  keys: readonly SecretKeyRecord[],
  secrets: readonly Uint8Array[],
  place: string = secretPlace,
): KeyRing {
  const error = findSecretsError(keys, secrets, place);
  if (error !== undefined) throw new ConfigError([error]);
  const active = keys.find(({ state }) => state === "active");
  return createKeyRing(numberSecrets(keys, secrets), active?.number ?? 0);
}

/** Numbers the secrets that the instance uses; one that is new to it, or was dropped, is left out. */
export function numberSecrets(
  keys: readonly SecretKeyRecord[],
  secrets: readonly Uint8Array[],
): readonly NumberedSecret[] {
  return secrets.flatMap((secret) => {
    const key = findKey(keys, secret);
    return key === undefined || key.state === "dropped" ? [] : [{ number: key.number, secret }];
  });
}

export function findKey(keys: readonly SecretKeyRecord[], secret: Uint8Array): SecretKeyRecord | undefined {
  const check = keyCheckOf(secret);
  return keys.find((key) => key.check === check);
}

const secretPlace = "SEALPOST_SECRET (or the file `secret` in the data folder)";

/** A sentence for the operator; `undefined` where these secrets open everything. */
export function findSecretsError(
  keys: readonly SecretKeyRecord[],
  secrets: readonly Uint8Array[],
  place: string = secretPlace,
): string | undefined {
  const held = secrets.map((secret) => findKey(keys, secret));
  for (const key of keys.filter(({ state }) => state === "active" || state === "former").toReversed()) {
    if (held.includes(key)) continue;
    if (keys.length === 1) return `${place} is not the one that this database was made with`;
    return key.state === "active"
      ? `${place} lacks the secret of ${describeKey(key)}, with which this database is sealed since ${dateOf(key)}`
      : `${place} lacks the former secret, of ${describeKey(key)}, with which something is still sealed: write it after the current one until \`sealpost-server secret status\` says that it can be dropped`;
  }
  // The first may be the next one, of a rotation that is yet to begin.
  const unknown = held.findIndex((key, index) => index > 0 && key === undefined);
  return unknown === -1
    ? undefined
    : `${place}: number ${unknown + 1} of its ${secrets.length} secrets is not a secret that this database ever had. The newest comes first, then the former ones`;
}

/** Names a key in what operators read: they can tell by it which of their secrets it is. */
export function describeKey({ number, check }: SecretKeyRecord): string {
  return `key ${number} (check ${check.slice(0, 8)})`;
}

function dateOf({ since }: SecretKeyRecord): string {
  return new Date(since).toISOString();
}
