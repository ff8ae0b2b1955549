import { accessSync, chmodSync, constants, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { copyFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.ts";
import { copyInstance } from "../copy/copy.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { explainFolderFailure } from "../database/folder-failure.ts";
import { describePuttingAside, requireNoLeftOverLog, requireNothingInLog } from "../database/left-over-log.ts";
import { migrate, migrations } from "../database/migrate.ts";
import { openSqlite, sqliteFile } from "../database/open-sqlite.ts";
import { requireOwnBaselineOfBackup } from "../database/own-baseline.ts";
import { printOwnSchema } from "../database/own-schema.ts";
import { isMarkedRestoring, markRestoring, unmarkRestoring } from "../database/restoring.ts";
import { takeServingLock } from "../database/serving-lock.ts";
import { copiedTables } from "../database/table-records.ts";
import { isUnusedDatabase, removeDatabase } from "../database/unused-database.ts";
import { createDeliveryStore } from "../deliveries/delivery-store.ts";
import { findSecretsError, matchSecrets } from "../instance/open-key-ring.ts";
import { createSecretBox, type SecretBox } from "../instance/secret-box.ts";
import { describeSecretLock, readSecrets, secretFileOf, takeSecretLock } from "../instance/secret-file.ts";
import { parseSecretKeys, type SecretKeyRecord } from "../instance/secret-key-store.ts";
import { checkDigest } from "./backup.ts";
import { openBackupFile } from "./backup-file.ts";
import { flush } from "./flush.ts";
import {
  endRestoredAccess,
  type RestoredAccess,
  type RestoredApiKey,
  type RestoredDeletion,
  type RestoredMember,
  type RestoredMove,
  type RestoredSignIn,
  tellRestored,
  type WorkingAgain,
} from "./restored-access-store.ts";

export interface RestoreProgress {
  readonly step: "checking" | "copying" | "comparing";
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

export interface RestoreOptions {
  readonly config: Pick<Config, "dataFolder" | "databaseUrl" | "secrets">;
  readonly from: string;
  /** A file with the secret, when it is neither configured nor in the data folder. */
  readonly secretFile: string | undefined;
  /** Revoke the API keys that it brings back. */
  readonly revokesKeys?: boolean;
  /** In milliseconds: the audit log of each account tells it. */
  readonly now: number;
  readonly onProgress: (progress: RestoreProgress) => void;
}

export interface Restored {
  readonly rows: number;
  readonly createdAt: number;
  /** The keys that the backup had; revoked if that was asked for. */
  readonly apiKeys: readonly RestoredApiKey[];
  /** Members of the organizations that have more than one. */
  readonly members: readonly RestoredMember[];
  readonly signIns: readonly RestoredSignIn[];
  /** Addresses of the operators of the instance, and of the disabled accounts of then. */
  readonly operators: readonly string[];
  readonly disabled: readonly string[];
  readonly moves: readonly RestoredMove[];
  /** Deletions that were asked for: called off. */
  readonly deletions: readonly RestoredDeletion[];
  /** Credentials that work again because the restore does not end them. */
  readonly workingAgain: readonly WorkingAgain[];
}

/**
 * Makes an instance of a backup: in a data folder without a database, or in an empty PostgreSQL. The backup is copied
 * first and the copy is what gets checked, against the counts and sums that the backup names, and then becomes the
 * instance. Throws a sentence for the operator; what is there already is never touched.
 */
export async function restore(options: RestoreOptions): Promise<Restored> {
  checkReadable(options.from);
  requireOwnBaselineOfBackup(options.from);
  if (options.secretFile !== undefined) checkReadable(options.secretFile);
  try {
    return await write(options);
  } catch (error) {
    // Where the backup is checked, also when it goes to PostgreSQL.
    throw explainFolderFailure(error, options.config.dataFolder);
  }
}

function checkReadable(file: string): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new Error(`There is no file ${file}`);
  if (stats.isDirectory()) throw new Error(`${file} is a folder: write the name of a file`);
  try {
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw new Error(`This user may not read ${file}: run as its owner, or give it to this user`, { cause });
  }
}

async function write({
  config,
  from,
  secretFile,
  revokesKeys = false,
  now,
  onProgress,
}: RestoreOptions): Promise<Restored> {
  const place = join(config.dataFolder, sqliteFile);
  const lock = takeServingLock(config.dataFolder);
  const folder = join(config.dataFolder, "restoring");
  // One that was killed may have left something in a database: whatever ends this one early, the mark stays.
  const wasMarked = isMarkedRestoring(config.dataFolder);
  let isWhole = false;
  try {
    const secrets = loadSecrets(config, secretFile);
    if (config.databaseUrl === undefined) requireFree(place);
    markRestoring(config.dataFolder);
    await flush(config.dataFolder);
    // One that was ended may have left its folder; the lock says that no other is at work.
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { mode: 0o700 });
    const part = join(folder, sqliteFile);
    await copyFile(from, part, constants.COPYFILE_FICLONE);
    chmodSync(part, 0o600);
    const { manifest, rows, secretBox, keys } = await checkBackup(part, secrets, onProgress);
    const { createdAt } = manifest;
    const access = await prepare(folder, secretBox, createdAt, revokesKeys);
    const tell = (transaction: DatabaseTransaction) =>
      tellRestored(transaction, access, { createdAt, now, revokesKeys });
    const atEnd = async (transaction: DatabaseTransaction) => {
      await tell(transaction);
      // From here to the commit the unfinished copy in the database says the same.
      unmarkRestoring(config.dataFolder);
    };
    if (config.databaseUrl === undefined) {
      await tellInFile(folder, tell);
      requireNothingInLog(part);
      await flush(part);
      requireFree(place);
      keepSecrets(config, secrets, keys);
      await rename(part, place);
      await flush(config.dataFolder);
    } else {
      await copyInstance({ fromFolder: folder, toUrl: config.databaseUrl, onProgress, atEnd });
    }
    isWhole = true;
    const { accounts: _restored, ...named } = access;
    return { rows, createdAt, ...named };
  } finally {
    rmSync(folder, { recursive: true, force: true });
    if (isWhole || !wasMarked) unmarkRestoring(config.dataFolder);
    lock.release();
  }
}

/** A log that another database left would be replayed over the restored one, by its name alone. */
function requireFree(place: string): void {
  if (isUnusedDatabase(place)) removeDatabase(place);
  if (existsSync(place))
    throw new Error(
      `There is a database in ${dirname(place)} already: nothing is restored over it. To put it aside, ${describePuttingAside(place)}`,
    );
  requireNoLeftOverLog(place);
}

function loadSecrets(
  { secrets, dataFolder, databaseUrl }: RestoreOptions["config"],
  secretFile: string | undefined,
): RestoreSecrets {
  const kept = secretFileOf(dataFolder);
  const given =
    secretFile === undefined
      ? undefined
      : { secrets: readSecrets(secretFile), place: `${secretFile} (--secret-file)`, advice: "name another file" };
  if (secrets !== undefined) return { given, served: { secrets, ...configuredPlace } };
  if (databaseUrl === undefined && existsSync(kept))
    return { given, served: { secrets: readSecrets(kept), ...keptPlace(kept) } };
  if (given !== undefined) return { given, served: undefined };
  throw new Error(
    "A backup does not hold the secret of its instance: name its file by --secret-file, or set SEALPOST_SECRET",
  );
}

interface PlacedSecrets {
  readonly secrets: readonly Uint8Array[];
  /** For the operator, as is how it is put right. */
  readonly place: string;
  readonly advice: string;
}

interface RestoreSecrets {
  /** The content of `--secret-file`. */
  readonly given: PlacedSecrets | undefined;
  /** With which a service starts on what is restored; `undefined` where it will be what is given. */
  readonly served: PlacedSecrets | undefined;
}

const configuredPlace = {
  place: "SEALPOST_SECRET",
  advice: "the service would start with it and with no other, so set it to the secret of the backup first",
};

const keptPlace = (file: string) => ({
  place: file,
  advice: "the service would start with it and with no other, so move it out of the data folder first, and keep it",
});

/** The secrets that a service will use. Throws unless these, and those of `--secret-file`, open everything in the backup. */
function requireRight(keys: readonly SecretKeyRecord[], { given, served }: RestoreSecrets): readonly Uint8Array[] {
  let used: readonly Uint8Array[] = [];
  for (const placed of [given, served]) {
    if (placed === undefined) continue;
    const error = findSecretsError(keys, placed.secrets, placed.place);
    if (error !== undefined) throw new Error(`${error}. Nothing was restored: ${placed.advice}`);
    used = placed.secrets;
  }
  return used;
}

/** The file that a service on this folder will look for, unless the secret is configured. */
function keepSecrets(
  { secrets, dataFolder }: RestoreOptions["config"],
  { given, served }: RestoreSecrets,
  keys: readonly SecretKeyRecord[],
): void {
  if (secrets !== undefined) return;
  const file = secretFileOf(dataFolder);
  const lock = takeSecretLock(dataFolder, keepMilliseconds);
  if (lock === undefined) throw new Error(describeSecretLock(dataFolder));
  try {
    // Another may have been put there since it was looked for.
    if (existsSync(file)) requireRight(keys, { given, served: { secrets: readSecrets(file), ...keptPlace(file) } });
    else lock.write((served ?? given)?.secrets ?? []);
  } finally {
    lock.release();
  }
}

const keepMilliseconds = 20_000;

/** Before anything is written to the copy: what somebody put into it, a trigger say, would run. */
async function checkBackup(part: string, secrets: RestoreSecrets, onProgress: RestoreOptions["onProgress"]) {
  const file = openBackupFile(part);
  try {
    const manifest = file.manifest();
    if (manifest === undefined) throw new Error("The file is a SQLite database, but not a backup of Sealpost");
    if (manifest.format !== 1 || !Object.hasOwn(migrations, manifest.migration))
      throw new Error(
        `The backup was made by version ${manifest.version}: restore it with that version or a newer one`,
      );
    const own = await printOwnSchema(migrations, manifest.migration);
    file.checkObjects(own);
    file.checkPages();
    let rows = 0;
    // A table that this version has and the backup's has not is empty.
    for (const table of copiedTables.filter((name) => own.required.some((object) => object.name === name))) {
      const expected = manifest.tables[table];
      if (expected === undefined)
        throw new Error(`The backup was altered: it does not say what is in its table ${table}`);
      checkDigest(table, file.digest(table), expected);
      rows += expected.rows;
      onProgress({ step: "checking", table, rows: expected.rows, total: expected.rows });
    }
    const keys = parseSecretKeys(file.instanceRows());
    const used = requireRight(keys, secrets);
    file.removeManifest();
    return { manifest, rows, keys, secretBox: createSecretBox(matchSecrets(keys, used)) };
  } finally {
    file.close();
  }
}

/** Brings an older version's tables forward, ends what lets somebody in or deletes, and frees the deliveries that the backed-up processes were sending. */
async function prepare(
  folder: string,
  secretBox: SecretBox,
  createdAt: number,
  revokesKeys: boolean,
): Promise<RestoredAccess> {
  const database = openSqlite(folder);
  try {
    await migrate(database);
    // At the backup's own time, so that a restore to PostgreSQL that is run again copies the same rows.
    await createDeliveryStore(database, secretBox).releaseAll(createdAt);
    return await endRestoredAccess(database, { createdAt, revokesKeys });
  } finally {
    await database.destroy();
  }
}

async function tellInFile(folder: string, tell: (transaction: DatabaseTransaction) => Promise<void>): Promise<void> {
  const database = openSqlite(folder);
  try {
    await database.transaction().execute(tell);
  } finally {
    await database.destroy();
  }
}
