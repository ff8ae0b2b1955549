import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { isDatabaseUnavailable } from "../database/errors.ts";
import { kindOf } from "../database/kind.ts";
import type { WriterThread } from "../database/writer-thread.ts";
import type { KeyRing } from "../instance/key-ring.ts";
import { numberSecrets } from "../instance/open-key-ring.ts";
import { hand } from "../instance/ring-thread.ts";
import { keyCheckOf, type SecretBox } from "../instance/secret-box.ts";
import { loadSecrets } from "../instance/secret-file.ts";
import {
  listSecretKeys,
  listServingProcesses,
  removeServingProcess,
  removeServingProcesses,
  type SecretKeyRecord,
  setRotationTimesRight,
  writeServingProcess,
} from "../instance/secret-key-store.ts";
import { createLoop } from "../time/loop.ts";
import { createKeptForService } from "./kept-secret.ts";
import { continueRotation, silenceMilliseconds, sum } from "./secret-rotation.ts";

/** Lets a serving process take part in a rotation of the secret: it says which it has, takes new ones up, and seals again. */
export interface SecretWatch {
  /** Before anything is sealed. */
  register(): Promise<void>;
  start(log: SecretWatchLog): void;
  stop(): Promise<void>;
}

export interface SecretWatchLog {
  info(message: string): void;
  error(message: string): void;
}

export interface SecretWatchOptions {
  readonly config: Pick<Config, "secrets" | "dataFolder">;
  readonly database: Database;
  readonly keyRing: KeyRing;
  readonly secretBox: SecretBox;
  readonly writer: WriterThread | undefined;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
  readonly everyMilliseconds?: number | undefined;
}

/** How often a process says that it is there while the secret is not being changed. */
const renewMilliseconds = 12 * 3_600_000;

export function createSecretWatch(options: SecretWatchOptions): SecretWatch {
  const { config, database, keyRing, secretBox, writer, now, report, everyMilliseconds = 5_000 } = options;
  const id = randomUUID();
  const whileKept = createKeptForService(config);
  let secrets = loadSecrets(config.secrets, config.dataFolder);
  let followed = "";
  let isLacking = false;
  let registeredAt = 0;
  let log: SecretWatchLog | undefined;

  async function register(): Promise<void> {
    registeredAt = now();
    await writeServingProcess(database, {
      id,
      name: `process ${process.pid} on ${hostname()}`,
      checks: secrets.map(keyCheckOf),
      sealsWith: isLacking ? 0 : keyRing.active().number,
      seenAt: registeredAt,
    });
  }

  /** A process that can't read the file says that it lacks the secret, so that nobody takes it for gone. */
  function readAgain(): void {
    try {
      secrets = loadSecrets(config.secrets, config.dataFolder);
    } catch (error) {
      report(error);
    }
  }

  async function follow(keys: readonly SecretKeyRecord[]): Promise<void> {
    const isKnown = ({ check }: SecretKeyRecord) => secrets.some((secret) => keyCheckOf(secret) === check);
    // A file in the data folder is written by the command; what is configured comes with a restart.
    if (!keys.every((key) => key.state === "dropped" || isKnown(key))) readAgain();
    const state = JSON.stringify([keys, secrets.map(keyCheckOf)]);
    if (state === followed) return;
    const active = keys.find((key) => key.state === "active");
    isLacking = active === undefined || !isKnown(active);
    if (active === undefined || isLacking) {
      // It seals nothing from now on: nobody waits for what it would seal with a former key.
      keyRing.close(active?.number ?? 0);
      log?.error(`secret: this process lacks the secret of key ${active?.number}: start it again with that secret`);
    } else keyRing.replace(numberSecrets(keys, secrets), active.number);
    if (writer !== undefined && !isLacking) await hand(writer, keyRing);
    followed = state;
  }

  async function run(): Promise<void> {
    const keys = await listSecretKeys(database);
    await follow(keys);
    if (isLacking) return;
    const isUnderWay = keys.some(({ state }) => state === "waiting" || state === "former");
    if (isUnderWay || Math.abs(now() - registeredAt) > renewMilliseconds) await register();
    if (!isUnderWay) return;
    // Before the first of them is chosen: one that was killed while the clock was ahead may be it.
    await setRotationTimesRight(database, now());
    if (await isFirst()) await rotate();
  }

  /** One process of all does the work, so that it is done once. Two do no harm. */
  async function isFirst(): Promise<boolean> {
    const processes = await listServingProcesses(database);
    const living = processes.filter(({ seenAt }) => seenAt >= now() - silenceMilliseconds);
    return !living.some((other) => other.id < id);
  }

  async function rotate(): Promise<void> {
    const step = await continueRotation({ database, secretBox, now, whileKept });
    switch (step.step) {
      case "activated":
        log?.info(`secret: everything new is sealed with key ${step.key.number}`);
        return loop.wake();
      case "sealing":
        log?.info(`secret: ${step.pass.sealedAgain} values were sealed again`);
        if (sum(step.pass.found) > 0) loop.wake();
        return;
      case "spent":
        return log?.info(
          `secret: nothing is sealed with key ${step.keys.map((key) => key.number).join(", ")} any more`,
        );
      case "none":
      case "spreading":
      case "elsewhere":
        return;
      default:
        step satisfies never;
    }
  }

  const loop = createLoop({ everyMilliseconds, run, report });
  return {
    async register() {
      // Rows of processes that were killed. SQLite is served by one process.
      await removeServingProcesses(database, kindOf(database) === "sqlite" ? Infinity : now() - 4 * renewMilliseconds);
      await register();
      // A rotation may have continued since the secrets were read.
      await follow(await listSecretKeys(database));
    },
    start(to) {
      log = to;
      loop.start();
    },
    async stop() {
      await loop.stop();
      try {
        await removeServingProcess(database, id);
      } catch (error) {
        // A service stops without its database too; others forget the row by its age.
        if (!isDatabaseUnavailable(error)) throw error;
      }
    },
  };
}
