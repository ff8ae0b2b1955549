import type { Config } from "../config/config.ts";
import { describeKey } from "../instance/open-key-ring.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import { describeSecretLock, loadSecrets, type SecretLock, takeSecretLock } from "../instance/secret-file.ts";
import type { SecretKeyRecord } from "../instance/secret-key-store.ts";

type SecretConfig = Pick<Config, "secrets" | "dataFolder">;

/**
 * Does `work`, after which the database counts on the secret of `key`, while nobody changes the place from which the next start reads it.
 * Throws a sentence for the operator where the secret is not there; `undefined`, and nothing is done, while another process changes the file.
 */
export type WhileKept = <Result>(key: SecretKeyRecord, work: () => Promise<Result>) => Promise<Result | undefined>;

/** As long as a service holds the lock for one of its steps. */
const stepMilliseconds = 1_000;

/** The work of a command that changes the secret. Throws a sentence for the operator where another one is under way. */
export async function withSecretLock<Result>(
  { secrets, dataFolder }: SecretConfig,
  work: (lock: SecretLock | undefined) => Promise<Result>,
): Promise<Result> {
  // Nobody but the operator changes a configured one.
  if (secrets !== undefined) return work(undefined);
  const lock = takeSecretLock(dataFolder, stepMilliseconds);
  if (lock === undefined) throw new Error(describeSecretLock(dataFolder));
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/** For a command that has the lock. */
export function createKeptForCommand(config: SecretConfig): WhileKept {
  return async (key, work) => {
    requireKept(config, key);
    return work();
  };
}

/** For a service: a command that has the lock takes the step itself, and where it is killed the lock is free. */
export function createKeptForService(config: SecretConfig): WhileKept {
  return async (key, work) => {
    const lock = config.secrets === undefined ? takeSecretLock(config.dataFolder) : undefined;
    if (lock === undefined && config.secrets === undefined) return undefined;
    try {
      requireKept(config, key);
      return await work();
    } finally {
      lock?.release();
    }
  };
}

/** Reads the file again: memory may have a secret that no file has any more. */
function requireKept({ secrets, dataFolder }: SecretConfig, key: SecretKeyRecord): void {
  if (loadSecrets(secrets, dataFolder).some((secret) => keyCheckOf(secret) === key.check)) return;
  const place = secrets === undefined ? `The file \`secret\` in ${dataFolder}` : "SEALPOST_SECRET";
  throw new Error(
    `${place} lacks the secret of ${describeKey(key)}, so nothing was changed: write that secret there, or run \`sealpost-server secret rotate\` again`,
  );
}
