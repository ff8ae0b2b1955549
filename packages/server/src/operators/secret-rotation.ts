import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import { toLibrarySecrets } from "../authentication/library-keys.ts";
import type { Database } from "../database/database.ts";
import { keyPurposes } from "../instance/key-purposes.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import {
  activateSecretKey,
  listSecretKeys,
  listServingProcesses,
  moveSecretKey,
  removeTokenKeys,
  type SecretKeyRecord,
  type ServingProcess,
  setRotationTimesRight,
} from "../instance/secret-key-store.ts";
import type { WhileKept } from "./kept-secret.ts";
import { type Pass, passSealedValues, type SealAgain } from "./sealed-value-store.ts";

/** How long a process that has said nothing is waited for: it looks every few seconds. Then it is taken for gone. */
export const silenceMilliseconds = 30_000;

export type RotationStep =
  /** Nothing is left to do. */
  | { readonly step: "none" }
  /** Some processes lack the new secret, or have not said yet whether they have it. */
  | {
      readonly step: "spreading";
      readonly key: SecretKeyRecord;
      readonly lacking: readonly ServingProcess[];
      readonly silent: readonly ServingProcess[];
    }
  /** Another process is changing the secret, or was faster: it takes this step. */
  | { readonly step: "elsewhere"; readonly key: SecretKeyRecord }
  /** Everything new is now sealed with this key. */
  | { readonly step: "activated"; readonly key: SecretKeyRecord }
  /** Values were sealed again; another pass follows until one finds none, and no process seals with a former key. */
  | { readonly step: "sealing"; readonly pass: Pass; readonly processes: readonly ServingProcess[] }
  /** Nothing is sealed with these keys any more. */
  | { readonly step: "spent"; readonly keys: readonly SecretKeyRecord[]; readonly unreadable: number };

export interface RotationDependencies {
  readonly database: Database;
  /** Has the secrets of all keys that anything is sealed with. */
  readonly secretBox: SecretBox;
  readonly now: () => number;
  readonly whileKept: WhileKept;
  readonly onBatch?: (pass: Pass) => void;
}

/**
 * Takes a rotation one step on. All that it knows is in the database: anyone may take the next step, and two who do
 * it at once do the same.
 */
export async function continueRotation(dependencies: RotationDependencies): Promise<RotationStep> {
  const { database, secretBox, now, onBatch } = dependencies;
  await setRotationTimesRight(database, now());
  const keys = await listSecretKeys(database);
  const waiting = keys.find(({ state }) => state === "waiting");
  if (waiting !== undefined) return activate(dependencies, waiting);
  const active = keys.find(({ state }) => state === "active");
  const former = keys.filter(({ state }) => state === "former");
  if (active === undefined || former.length === 0) return { step: "none" };
  // Before the pass: what a process seals with a former key after it has begun may be where it has been.
  const processes = await listLiving(database, active.since, now());
  const late = processes.filter(({ seenAt, sealsWith }) => seenAt < active.since || sealsWith !== active.number);
  const numbers = former.map(({ number }) => number);
  const pass = await passSealedValues(database, numbers, createSealAgain(secretBox), onBatch);
  if (sum(pass.found) > 0 || late.length > 0) return { step: "sealing", pass, processes: late };
  for (const { number } of former) await moveSecretKey(database, number, "former", "spent", now());
  return { step: "spent", keys: former, unreadable: pass.unreadable };
}

async function activate(
  { database, now, whileKept }: RotationDependencies,
  key: SecretKeyRecord,
): Promise<RotationStep> {
  const processes = await listLiving(database, key.since, now());
  const silent = processes.filter(({ seenAt }) => seenAt < key.since);
  const lacking = processes.filter(({ seenAt, checks }) => seenAt >= key.since && !checks.includes(key.check));
  if (silent.length > 0 || lacking.length > 0) return { step: "spreading", key, lacking, silent };
  const isActivated = await whileKept(key, () => activateSecretKey(database, key, now()));
  return { step: isActivated === true ? "activated" : "elsewhere", key };
}

/** The processes that may still seal something. */
async function listLiving(database: Database, since: number, now: number): Promise<readonly ServingProcess[]> {
  const processes = await listServingProcesses(database);
  return processes.filter(({ seenAt }) => seenAt >= now - silenceMilliseconds || now - since < silenceMilliseconds);
}

function createSealAgain(secretBox: SecretBox): SealAgain {
  return async ({ purpose, table }, rowKey, sealed) => {
    const { kind } = keyPurposes[purpose];
    if (kind === "library") {
      const key = toLibrarySecrets(secretBox.libraryKeys());
      return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: sealed }) });
    }
    if (purpose === "webhooks" || purpose === "mail")
      return secretBox.sealer(purpose).sealAgain(sealed, `${table}/${rowKey}`);
    throw new Error(`Nothing of ${purpose} is in a column`);
  };
}

export interface SecretUse {
  readonly key: SecretKeyRecord;
  /** Values that need it; `undefined` for the active key, which is not counted. */
  readonly values: number | undefined;
}

/** Each key with how many stored values still need it. */
export async function countSecretUse(database: Database): Promise<readonly SecretUse[]> {
  const keys = await listSecretKeys(database);
  const counted = keys.filter(({ state }) => state !== "active" && state !== "waiting");
  const { found } = await passSealedValues(
    database,
    counted.map(({ number }) => number),
  );
  return keys.map((key) => ({ key, values: found.get(key.number) }));
}

/**
 * Ends the use of former secrets: links, cookies and sessions that only they vouch for end. Throws a sentence where something is
 * still sealed with one. Gives the keys that were dropped.
 */
export async function dropSpentKeys({
  database,
  secretBox,
  now,
  whileKept,
}: RotationDependencies): Promise<readonly SecretKeyRecord[]> {
  const keys = await listSecretKeys(database);
  const former = keys.filter(({ state }) => state === "former");
  const spent = keys.filter(({ state }) => state === "spent");
  const active = keys.find(({ state }) => state === "active");
  if (former.length > 0)
    throw new Error(
      `Something is still sealed with key ${former.map(({ number }) => number).join(", ")}: run \`sealpost-server secret rotate\` first`,
    );
  if (spent.length === 0 || active === undefined) return [];
  const numbers = spent.map(({ number }) => number);
  // A process that stood still for long may have written one afterwards: it is sealed again here, and looked for again.
  for (let passes = 0; sum((await passSealedValues(database, numbers, createSealAgain(secretBox))).found) > 0; passes++)
    if (passes > 2)
      throw new Error(
        "Values are still being sealed with a former secret: is a service running that lacks the new one?",
      );
  const dropped = await whileKept(active, async () => {
    // Anyone who had the former secret and a copy of the database may know the key that signs session tokens.
    await removeTokenKeys(database, active.since, now());
    for (const { number } of spent) await moveSecretKey(database, number, "spent", "dropped", now());
    return spent;
  });
  return dropped ?? [];
}

export function sum(counts: ReadonlyMap<number, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
