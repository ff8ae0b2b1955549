import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";
import { createSharedClock } from "../database/shared-clock.ts";
import { openInstance } from "../instance/instance.ts";
import { describeKey, findKey, numberSecrets } from "../instance/open-key-ring.ts";
import { keyCheckOf } from "../instance/secret-box.ts";
import { loadSecrets, type SecretLock } from "../instance/secret-file.ts";
import { addWaitingSecretKey, listSecretKeys, type SecretKeyRecord } from "../instance/secret-key-store.ts";
import { withDatabase } from "../instance/with-database.ts";
import { systemClock } from "../time/clock.ts";
import { createKeptForCommand, withSecretLock } from "./kept-secret.ts";
import type { Pass } from "./sealed-value-store.ts";
import {
  continueRotation,
  countSecretUse,
  dropSpentKeys,
  type RotationStep,
  type SecretUse,
  sum,
} from "./secret-rotation.ts";

export interface RotateOptions {
  /** A line about each step, and what it waits for. */
  readonly onStep: (line: string) => void;
  readonly onBatch: (pass: Pass) => void;
  /** How long processes that lack the new secret are waited for. */
  readonly patienceMilliseconds?: number;
}

const pauseMilliseconds = 500;
const defaultPatience = 90_000;

/**
 * Changes the secret while the service runs, or continues a change that was interrupted. Resolves when nothing is sealed with
 * a former one. Throws a sentence for the operator.
 */
export function rotateSecret(config: Config, options: RotateOptions): Promise<readonly SecretKeyRecord[]> {
  const { onStep, onBatch, patienceMilliseconds = defaultPatience } = options;
  const whileKept = createKeptForCommand(config);
  return withLockedSecret(config, async (database, lock) => {
    const now = await openClock(database);
    const { keyRing, secretBox } = await openInstance(database, loadSecrets(config.secrets, config.dataFolder), now());
    const secrets = await begin(config, lock, database, now());
    let said = "";
    // By a clock that nobody sets.
    for (let waitedSince = performance.now(); ; ) {
      const keys = await listSecretKeys(database);
      const active = keys.find(({ state }) => state === "active");
      if (active !== undefined) keyRing.replace(numberSecrets(keys, secrets), active.number);
      const step = await continueRotation({ database, secretBox, now, whileKept, onBatch });
      if (step.step === "none" || step.step === "spent")
        return (await listSecretKeys(database)).filter(({ state }) => state === "spent");
      const line = describeStep(step);
      if (line !== said) {
        onStep(line);
        waitedSince = performance.now();
      }
      said = line;
      if (isWaiting(step)) {
        if (performance.now() - waitedSince > patienceMilliseconds)
          throw new Error(`${line}. Nothing is lost: ${explainWait(step)}`);
        await wait(pauseMilliseconds);
      }
    }
  });
}

/** Nobody else changes the file, from before it is read until the last step. */
function withLockedSecret<Result>(
  config: Config,
  work: (database: Database, lock: SecretLock | undefined) => Promise<Result>,
): Promise<Result> {
  return withDatabase(config, (database) => withSecretLock(config, (lock) => work(database, lock)));
}

/** The secrets of which the first is the next one, or in use already. */
async function begin(
  config: Config,
  lock: SecretLock | undefined,
  database: Database,
  now: number,
): Promise<readonly Uint8Array[]> {
  const secrets = loadSecrets(config.secrets, config.dataFolder);
  const keys = await listSecretKeys(database);
  const [newest] = secrets;
  const known = newest && findKey(keys, newest);
  if (newest === undefined || known === undefined) {
    // It waits in the place of one that has waited before: only one can be the next.
    if (newest !== undefined) await addWaiting(database, newest, now);
    return secrets;
  }
  const waiting = keys.find(({ state }) => state === "waiting");
  if (waiting !== undefined && waiting !== known)
    throw new Error(
      `A rotation to ${describeKey(waiting)} has begun: write its secret first, before ${describeKey(known)}`,
    );
  if (known.state !== "active") {
    if (known.state === "waiting") return secrets;
    throw new Error(`The first secret is that of ${describeKey(known)}, which is a former one: write the newest first`);
  }
  // One that was interrupted, which the service may have ended meanwhile: another begins once its former secret is dropped.
  if (keys.some(({ state }) => state === "former" || state === "spent")) return secrets;
  if (lock === undefined) throw new Error(howToConfigure);
  const made: readonly Uint8Array[] = [
    randomBytes(32),
    ...secrets.filter((secret) => findKey(keys, secret)?.state !== "dropped"),
  ];
  lock.write(made);
  await addWaiting(database, made[0] ?? newest, now);
  return made;
}

async function addWaiting(database: Database, secret: Uint8Array, now: number): Promise<void> {
  if (await addWaitingSecretKey(database, keyCheckOf(secret), now)) return;
  throw new Error("Another command is changing the secret: wait until it has ended, and run this command again");
}

const howToConfigure = `SEALPOST_SECRET has no new secret. First:
  1. make one: openssl rand -base64 32
  2. write it before the one so far, in SEALPOST_SECRET (with a comma between) or in its file (on a line of its own)
  3. start each process of the service again with both
Then run this command again, with the same SEALPOST_SECRET`;

function isWaiting(step: RotationStep): boolean {
  return (
    step.step === "spreading" || step.step === "elsewhere" || (step.step === "sealing" && sum(step.pass.found) === 0)
  );
}

function explainWait(step: RotationStep): string {
  return step.step === "spreading" && step.lacking.length > 0
    ? "start them again with both secrets, and run this command again"
    : "run this command again to continue";
}

function describeStep(step: Exclude<RotationStep, { readonly step: "none" | "spent" }>): string {
  switch (step.step) {
    case "spreading": {
      const names = [...step.lacking, ...step.silent].map(({ name }) => name).join(", ");
      return step.lacking.length > 0
        ? `These lack the secret of ${describeKey(step.key)}: ${names}`
        : `Waiting for an answer of ${names}`;
    }
    case "elsewhere":
      return `Waiting for another command, which changes ${describeKey(step.key)}`;
    case "activated":
      return `Everything new is sealed with ${describeKey(step.key)}`;
    case "sealing":
      return sum(step.pass.found) > 0
        ? "Sealing again what was sealed with the former secret"
        : `Waiting until the new secret is in use by ${step.processes.map(({ name }) => name).join(", ")}`;
    default:
      throw new Error(`Unknown step: ${JSON.stringify(step satisfies never)}`);
  }
}

export interface SecretStatus {
  readonly uses: readonly SecretUse[];
  /** Whether a secret is in place that the instance does not use yet. */
  readonly hasNext: boolean;
}

export function readSecretStatus(config: Config): Promise<SecretStatus> {
  return withDatabase(config, async (database) => {
    const secrets = loadSecrets(config.secrets, config.dataFolder);
    await openInstance(database, secrets, systemClock.now());
    const uses = await countSecretUse(database);
    const keys = uses.map(({ key }) => key);
    return { uses, hasNext: secrets.some((secret) => findKey(keys, secret) === undefined) };
  });
}

/** Ends the use of former secrets, and takes them out of the file in the data folder. */
export function dropFormerSecrets(config: Config): Promise<readonly SecretKeyRecord[]> {
  return withLockedSecret(config, async (database, lock) => {
    const now = await openClock(database);
    const { secretBox } = await openInstance(database, loadSecrets(config.secrets, config.dataFolder), now());
    const dropped = await dropSpentKeys({ database, secretBox, now, whileKept: createKeptForCommand(config) });
    const keys = await listSecretKeys(database);
    const secrets = loadSecrets(config.secrets, config.dataFolder);
    const kept = secrets.filter((secret) => findKey(keys, secret)?.state !== "dropped");
    if (kept.length < secrets.length) lock?.write(kept);
    return dropped;
  });
}

/** The clock that the processes of the instance share. */
async function openClock(database: Database): Promise<() => number> {
  if (kindOf(database) === "sqlite") return systemClock.now;
  const clock = createSharedClock(database, systemClock);
  await clock.adjust();
  return clock.now;
}
