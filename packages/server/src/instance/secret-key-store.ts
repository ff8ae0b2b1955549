import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { aheadMilliseconds, isFromAhead } from "../time/clock.ts";
import { keyNumberMax } from "./key-ring.ts";

/** A key number of this instance, as the database knows it: never the secret itself. */
export interface SecretKeyRecord {
  readonly number: number;
  /** `keyCheckOf` its secret. */
  readonly check: string;
  /**
   * `waiting`: nothing is sealed with it before every process has its secret · `active`: everything new is · `former`: something
   * may still be · `spent`: nothing is, and what others keep still opens · `dropped`: its secret is not used any more.
   */
  readonly state: "waiting" | "active" | "former" | "spent" | "dropped";
  /** When it became this, in milliseconds. */
  readonly since: number;
}

/** A process that serves this instance. */
export interface ServingProcess {
  readonly id: string;
  /** For the operator: the process and its machine. */
  readonly name: string;
  /** `keyCheckOf` each secret that it was given. */
  readonly checks: readonly string[];
  /** The key number with which it seals. */
  readonly sealsWith: number;
  readonly seenAt: number;
}

/** Rows of `instance`: there are few, and a backup or a copy takes them along. */
const keyPrefix = "secret_key/";
const processPrefix = "serving_process/";

const rowOf = (number: number) => `${keyPrefix}${String(number).padStart(4, "0")}`;

type Parsed<Record> = Record & { readonly row: { readonly key: string; readonly value: string } };

async function listRows<Record>(database: Database, prefix: string): Promise<readonly Parsed<Record>[]> {
  const rows = await database
    .selectFrom("instance")
    .selectAll()
    .where("key", "like", `${prefix}%`)
    .orderBy("key")
    .execute();
  return rows.map((row) => ({ ...(JSON.parse(row.value) as Record), row })); // written below
}

/** In the order of their numbers. */
export async function listSecretKeys(database: Database): Promise<readonly SecretKeyRecord[]> {
  const rows = await database
    .selectFrom("instance")
    .selectAll()
    .where("key", "like", `${keyPrefix}%`)
    .orderBy("key")
    .execute();
  return parseSecretKeys(rows);
}

export function listServingProcesses(database: Database): Promise<readonly ServingProcess[]> {
  return listRows<ServingProcess>(database, processPrefix);
}

/** `rows`: of the table `instance`, here or in a backup. Throws a sentence for the operator where one is not as `addFirstSecretKey` writes it. */
export function parseSecretKeys(rows: Iterable<{ readonly key: string; readonly value: string }>) {
  return [...rows]
    .filter(({ key }) => key.startsWith(keyPrefix))
    .map(({ key, value }) => parseSecretKey(key, value))
    .toSorted((one, other) => one.number - other.number);
}

const states: readonly string[] = [
  "waiting",
  "active",
  "former",
  "spent",
  "dropped",
] satisfies SecretKeyRecord["state"][];

function parseSecretKey(key: string, value: string): SecretKeyRecord {
  const { number, check, state, since } = parseObject(value);
  const isOurs =
    typeof number === "number" &&
    Number.isInteger(number) &&
    rowOf(number) === key &&
    typeof check === "string" &&
    typeof state === "string" &&
    states.includes(state) &&
    typeof since === "number" &&
    !Number.isNaN(new Date(since).getTime());
  if (!isOurs)
    throw new Error(
      `The row ${JSON.stringify(key)} of the table instance is not as this program writes it: the database was altered, so restore a backup that you trust`,
    );
  return { number, check, state: state as SecretKeyRecord["state"], since }; // one of the states
}

function parseObject(value: string): Partial<Record<string, unknown>> {
  try {
    return Object(JSON.parse(value));
  } catch {
    return {};
  }
}

/** The first key is `active` at once. Nothing happens where another process was faster. */
export async function addFirstSecretKey(database: Database, check: string, now: number): Promise<void> {
  await insert(database, { number: 1, check, state: "active", since: now });
}

/** A key that waits; in place of one that waited and was never used. False, and nothing is changed, when another process was faster. */
export function addWaitingSecretKey(database: Database, check: string, now: number): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const keys = await listRows<SecretKeyRecord>(transaction, keyPrefix);
    for (const { state, row } of keys) if (state === "waiting" && !(await removeRow(transaction, row))) return false;
    const number = (keys.findLast(({ state }) => state !== "waiting")?.number ?? 0) + 1;
    if (number > keyNumberMax) throw new Error(`There is no key number above ${keyNumberMax}`);
    return insert(transaction, { number, check, state: "waiting", since: now });
  });
}

/** Has everything new sealed with it. False when another process was faster, or another secret has got the number meanwhile. */
export function activateSecretKey(
  database: Database,
  { number, check }: Pick<SecretKeyRecord, "number" | "check">,
  now: number,
): Promise<boolean> {
  return database.transaction().execute(async (transaction) => {
    const keys = await listRows<SecretKeyRecord>(transaction, keyPrefix);
    const next = keys.find((key) => key.number === number && key.check === check && key.state === "waiting");
    if (next === undefined || !(await change(transaction, next, "active", now))) return false;
    for (const key of keys) if (key.state === "active") await change(transaction, key, "former", now);
    return true;
  });
}

/** False when it was in another state. */
export async function moveSecretKey(
  database: Database,
  number: number,
  from: SecretKeyRecord["state"],
  to: SecretKeyRecord["state"],
  now: number,
): Promise<boolean> {
  const keys = await listRows<SecretKeyRecord>(database, keyPrefix);
  const key = keys.find((one) => one.number === number && one.state === from);
  return key !== undefined && change(database, key, to, now);
}

async function change(
  database: Database | DatabaseTransaction,
  { number, check, row }: Parsed<SecretKeyRecord>,
  state: SecretKeyRecord["state"],
  now: number,
): Promise<boolean> {
  return replaceValue(database, row, { number, check, state, since: now });
}

/** False when somebody else has changed the row meanwhile. */
async function replaceValue(
  database: Database | DatabaseTransaction,
  row: Parsed<unknown>["row"],
  record: SecretKeyRecord | ServingProcess,
): Promise<boolean> {
  const { numUpdatedRows } = await database
    .updateTable("instance")
    .set({ value: JSON.stringify(record) })
    .where("key", "=", row.key)
    .where("value", "=", row.value)
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** The same. */
async function removeRow(database: DatabaseTransaction, row: Parsed<unknown>["row"]): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom("instance")
    .where("key", "=", row.key)
    .where("value", "=", row.value)
    .executeTakeFirstOrThrow();
  return numDeletedRows === 1n;
}

/** The same. */
async function insert(database: Database, record: SecretKeyRecord): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto("instance")
    .values({ key: rowOf(record.number), value: JSON.stringify(record) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function writeServingProcess(database: Database, serving: ServingProcess): Promise<void> {
  const value = JSON.stringify(serving);
  await database
    .insertInto("instance")
    .values({ key: `${processPrefix}${serving.id}`, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

export async function removeServingProcess(database: Database, id: string): Promise<void> {
  await database.deleteFrom("instance").where("key", "=", `${processPrefix}${id}`).execute();
}

/** Rows of processes that have said nothing since `before`. */
export async function removeServingProcesses(database: Database, before: number): Promise<void> {
  for (const { id, seenAt } of await listServingProcesses(database))
    if (seenAt < before) await removeServingProcess(database, id);
}

/**
 * Times that a clock which was ahead has written become those of now: no process can have said anything since, and one that was killed would
 * count as there until the clock has passed them. A row that is changed at the same time gets a right one.
 */
export async function setRotationTimesRight(database: Database, now: number): Promise<void> {
  for (const { row, ...key } of await listRows<SecretKeyRecord>(database, keyPrefix))
    if (isFromAhead(key.since, now)) await replaceValue(database, row, { ...key, since: now });
  // Dated by the same clock, one that was made before would seem to be made since, as soon as its time has come.
  await removeTokenKeys(database, 0, now + aheadMilliseconds);
  for (const { row, ...serving } of await listRows<ServingProcess>(database, processPrefix))
    if (isFromAhead(serving.seenAt, now)) await replaceValue(database, row, { ...serving, seenAt: now });
}

/**
 * Signing keys of session tokens that were made before, and those dated later than now: a clock that was ahead may have made them before.
 * The sign-in library makes another with the next token.
 */
export async function removeTokenKeys(database: Database, before: number, now: number): Promise<void> {
  const [start, end] = [before, now].map((time) => new Date(time).toISOString());
  await sql`delete from jwks where created_at < ${start} or created_at > ${end}`.execute(database);
}
