import { existsSync } from "node:fs";
import { uptime } from "node:os";
import { join } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config/config.ts";
import { requireNotCopied } from "../database/copied-away.ts";
import { type Database, openOnHosts } from "../database/database.ts";
import { requireWholeSpread } from "../database/distributed-tables.ts";
import { createReport } from "../database/failed-rows.ts";
import { startHostWatch } from "../database/host-watch.ts";
import { createHosts, type Hosts } from "../database/hosts.ts";
import { kindOf } from "../database/kind.ts";
import { migrate, type TableVersion } from "../database/migrate.ts";
import { createNotifications, type Notifications } from "../database/notifications.ts";
import { openOwnSqlite, sqliteFile } from "../database/open-sqlite.ts";
import { requireOwnBaselineOfFile } from "../database/own-baseline.ts";
import { requireNoRestore } from "../database/restoring.ts";
import { takeServingLock } from "../database/serving-lock.ts";
import { createSharedClock } from "../database/shared-clock.ts";
import { isUnusedDatabase, removeDatabase } from "../database/unused-database.ts";
import { createWriterThread, type WriterThread } from "../database/writer-thread.ts";
import { openInstance } from "../instance/instance.ts";
import type { KeyRing } from "../instance/key-ring.ts";
import { createOwnAddress, type OwnAddress } from "../instance/own-address.ts";
import { packKeyRing } from "../instance/ring-thread.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { loadSecrets, secretFileOf, takeSecretLock } from "../instance/secret-file.ts";
import { createSendSecurityMail } from "../mail/security-mail-store.ts";
import { createSecretWatch, type SecretWatch } from "../operators/secret-watch.ts";
import { findClockSeen, isClockTrusted } from "../retention/clock-guard-store.ts";
import { createGuardedClock, type GuardedClock } from "../retention/guarded-clock.ts";
import type { HeldBack } from "../retention/held-back.ts";
import { beginHeldBack } from "../retention/held-back-store.ts";
import { type Clock, systemClock } from "../time/clock.ts";

/** Functions that close what was opened. They are called in reverse. */
export type Closers = (() => Promise<void>)[];

/** The foundation of everything else. */
export interface Ground {
  readonly config: Config;
  readonly database: Database;
  /** Writes to SQLite, which makes its caller wait for the disk. */
  readonly writer: WriterThread | undefined;
  readonly secretBox: SecretBox;
  readonly keyRing: KeyRing;
  readonly secretWatch: SecretWatch;
  readonly instanceId: string;
  /** By which rows are dated: it continues where the machine's or database's is set back, until that is believed. */
  readonly clock: GuardedClock;
  /** The machine's or database's own, for what others compare with theirs. */
  readonly timeOfDay: Clock;
  /** Whether the clock may say what is too old. */
  readonly isClockTrusted: (now: number) => Promise<boolean>;
  /** The wait after a restore, which the first look begins. */
  readonly findHeldBack: (now: number) => Promise<HeldBack | undefined>;
  /** Whether what is too old may be deleted: the clock is trusted, and nothing is held back. */
  readonly mayDeleteOld: (now: number) => Promise<boolean>;
  /** The same as far as this process has looked. */
  readonly mayDropOld: () => boolean;
  readonly address: OwnAddress;
  /** The hosts of a PostgreSQL database. */
  readonly hosts: Hosts | undefined;
  /** The same with no pooler between, where the operator says how they are reached. */
  readonly directHosts: Hosts | undefined;
  /** Between the processes of an instance; `undefined` where there is only one. */
  readonly notifications: Notifications | undefined;
  readonly log: FastifyBaseLogger;
  /** Lines of the log that could not be written. */
  readonly countDropped: () => number;
  readonly closers: Closers;
}

export type GroundOptions = Pick<Ground, "config" | "log" | "countDropped" | "closers"> & {
  readonly clock: Clock & {
    /** The time that passes, whatever the clock is set to; that of the machine for the system's clock. */
    readonly steady?: Clock;
  };
  /** How often a process looks whether the secret is being changed, where it is not the usual. */
  readonly secretMilliseconds?: number | undefined;
  /** This program's own when omitted. */
  readonly tables?: TableVersion | undefined;
  /** The same. */
  readonly writerEntry?: URL | undefined;
};

/** The data folder or the server, the database as this version wants it, and what makes this instance itself. */
export async function openGround(options: GroundOptions): Promise<Ground> {
  const { config, clock: ownClock, log, countDropped, closers, secretMilliseconds, tables } = options;
  requireNoRestore(config);
  requireNotCopied(config);
  if (config.databaseUrl === undefined) requireOwnBaselineOfFile(join(config.dataFolder, sqliteFile));
  let isInstance = false;
  const hadSecret = existsSync(secretFileOf(config.dataFolder));
  const secrets = loadSecrets(config.secrets, config.dataFolder);
  if (config.databaseUrl === undefined) {
    const lock = takeServingLock(config.dataFolder);
    closers.push(async () => lock.release());
    // Only who has the lock has made it. Otherwise a start without room leaves something that a restore takes for an instance.
    if (!existsSync(join(config.dataFolder, sqliteFile)))
      closers.push(async () => {
        if (!isInstance) removeBeginning(config.dataFolder, hadSecret);
      });
  }
  const hosts = config.databaseUrl === undefined ? undefined : createHosts(config.databaseUrl);
  const database = hosts === undefined ? openOwnSqlite(config.dataFolder) : openOnHosts(hosts);
  closers.push(() => database.destroy());
  await migrate(database, tables?.migrations);
  if (hosts !== undefined) await requireWholeSpread(database);
  const { id: instanceId, keyRing, secretBox } = await openInstance(database, secrets, ownClock.now());
  isInstance = true;
  const writer = hosts === undefined ? createSqliteWriter(config, keyRing, options.writerEntry) : undefined;
  closers.push(async () => writer?.stop());
  const timeOfDay = await shareClock(database, ownClock, closers);
  const clock = createGuardedClock(timeOfDay, ownClock === systemClock ? machineUptime : ownClock.steady);
  clock.adopt(await findClockSeen(database));
  const age = await openAge(config, database, clock);
  const secretWatch = createSecretWatch({
    ...{ config, database, keyRing, secretBox, writer, now: clock.now, everyMilliseconds: secretMilliseconds },
    report: createReport(log, "secret"),
  });
  await secretWatch.register();
  closers.push(() => secretWatch.stop());
  const directHosts = config.databaseDirectUrl === undefined ? hosts : createHosts(config.databaseDirectUrl);
  const notifications = hosts && directHosts && openNotifications(database, hosts, directHosts, closers);
  return {
    config,
    database,
    writer,
    secretBox,
    keyRing,
    secretWatch,
    instanceId,
    clock,
    timeOfDay,
    ...age,
    address: createOwnAddress(config),
    hosts,
    directHosts,
    notifications,
    log,
    countDropped,
    closers,
  };
}

/** Removes what a start that failed has made in a folder without a database. */
function removeBeginning(folder: string, keepsSecret: boolean): void {
  const place = join(folder, sqliteFile);
  // A command may have completed it meanwhile. Without room nobody can look, and nobody could have written.
  if (isUnusedDatabase(place) === false) return;
  removeDatabase(place);
  // A database is never made before its secret, and this one opens nothing.
  if (keepsSecret || !existsSync(secretFileOf(folder))) return;
  const lock = takeSecretLock(folder);
  lock?.remove();
  lock?.release();
}

/** The questions that are asked before something is deleted for its age. */
async function openAge(config: Config, database: Database, clock: GuardedClock) {
  const sendSecurityMail = createSendSecurityMail({ hasMail: config.mail !== undefined });
  let heldBack: HeldBack | undefined;
  const findHeldBack = async (now: number) => {
    heldBack = await beginHeldBack(database, now, sendSecurityMail);
    return heldBack;
  };
  const isTrusted = (now: number) => isClockTrusted(database, now, clock);
  await findHeldBack(clock.now());
  return {
    findHeldBack,
    isClockTrusted: isTrusted,
    mayDeleteOld: async (now: number) => (await isTrusted(now)) && (await findHeldBack(now)) === undefined,
    mayDropOld: () => clock.isTrusted() && heldBack === undefined,
  };
}

const writerEntry = new URL("./writer-thread-entry.ts", import.meta.url);

/** The thread that writes to the SQLite database in the data folder. */
export function createSqliteWriter({ dataFolder }: Pick<Config, "dataFolder">, keyRing: KeyRing, entry = writerEntry) {
  // Read at each start of the thread, so that one that takes the place of another has the secrets of then.
  return createWriterThread(entry, () => ({ dataFolder, ...packKeyRing(keyRing) }));
}

function openNotifications(database: Database, hosts: Hosts, directHosts: Hosts, closers: Closers): Notifications {
  const notifications = createNotifications(database, directHosts);
  closers.push(() => notifications.stop());
  if (hosts.wantsPrimary) {
    const watch = startHostWatch(hosts);
    closers.push(async () => watch.stop());
  }
  return notifications;
}

/** Advances while the machine sleeps, other than `performance.now()`. */
const machineUptime: Clock = { now: () => uptime() * 1000 };

/** Several machines share a PostgreSQL database and its due times, so they go by its clock; a clock of a test's own is kept. */
async function shareClock(database: Database, clock: Clock, closers: Closers): Promise<Clock> {
  if (kindOf(database) === "sqlite" || clock !== systemClock) return clock;
  const shared = createSharedClock(database, clock);
  await shared.start();
  closers.push(async () => shared.stop());
  return shared;
}
