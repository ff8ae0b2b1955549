import { createHash, randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { giveProvenRoles, lockProof } from "../database/membership.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import { dayMilliseconds } from "../time/clock.ts";

/** How long the links work that confirm a move. */
export const confirmMilliseconds = dayMilliseconds;
/** How long the address before can undo it, and nobody else gets that address. */
export const undoMilliseconds = 7 * dayMilliseconds;
/** Somebody who moves an account away is likely to have been in it for a while: this long before is taken back as well. */
export const suspectMilliseconds = dayMilliseconds;
/** No move takes back a change that is older than this. */
export const takenBackMilliseconds = suspectMilliseconds + confirmMilliseconds + undoMilliseconds;

type Target = Database | DatabaseTransaction;

/** The first letter of a token says what its link is for, to the page that it leads to. */
export type MoveLink = "old" | "new" | "undo";
const columns = { old: "old_hash", new: "new_hash", undo: "undo_hash" } as const;

export interface AddressMove {
  readonly personId: AccountId;
  readonly oldEmail: string;
  readonly newEmail: string;
  readonly begunAt: number;
  readonly expiresAt: number;
  readonly movedAt: number | undefined;
  /** The addresses that have not confirmed it. The one before has no part in it as long as nobody has verified it (`isConfirmed`). */
  readonly unconfirmed: readonly ("old" | "new")[];
}

/** Those among these ids of organizations that are also a person's. */
export async function listPersons(transaction: DatabaseTransaction, ids: ReadonlySet<AccountId>) {
  if (ids.size === 0) return [];
  const rows = await transaction
    .selectFrom("person")
    .select("id")
    .where(isOneOf(transaction, "id", [...ids]))
    .execute();
  return rows.map((row) => row.id as AccountId); // only ids are written there
}

/** The move of a person's account that waits, or whose address before can still undo it. */
export async function findMove(target: Target, personId: AccountId): Promise<AddressMove | undefined> {
  const row = await target.selectFrom("address_move").selectAll().where("person_id", "=", personId).executeTakeFirst();
  return row && parseMove(row);
}

/** Replaces a move that waits. */
export async function saveMove(
  transaction: DatabaseTransaction,
  move: {
    readonly personId: AccountId;
    readonly oldEmail: string;
    readonly newEmail: string;
    readonly oldToken: string;
    readonly newToken: string;
  },
  now: number,
): Promise<void> {
  await deleteMove(transaction, move.personId);
  await transaction
    .insertInto("address_move")
    .values({
      person_id: move.personId,
      old_email: move.oldEmail,
      new_email: move.newEmail,
      old_hash: hashOf(move.oldToken),
      new_hash: hashOf(move.newToken),
      undo_hash: null,
      created_at: now,
      expires_at: now + confirmMilliseconds,
      moved_at: null,
    })
    .execute();
}

/**
 * Ends the move that waits without the word of an address that is about to be verified. Somebody else may have begun it; and nobody has
 * a link with which that address could confirm or refuse it.
 */
export async function endUnheardMove(target: Target, personId: AccountId): Promise<void> {
  await target
    .deleteFrom("address_move")
    .where("moved_at", "is", null)
    .where("person_id", "in", ({ selectFrom }) =>
      selectFrom("person").select("id").where("id", "=", personId).where("verification", "=", "needed"),
    )
    .execute();
}

export async function deleteMove(target: Target, personId: AccountId): Promise<boolean> {
  const { numDeletedRows } = await target
    .deleteFrom("address_move")
    .where("person_id", "=", personId)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

export interface FoundLink {
  readonly link: MoveLink;
  readonly move: AddressMove;
}

/** Whose link it is, and which; `undefined` for one that was used, replaced, or is too old. Nobody else uses it until the transaction ends. */
export async function findLink(
  transaction: DatabaseTransaction,
  token: string,
  now: number,
): Promise<FoundLink | undefined> {
  const found = await findLinked(transaction, token, now);
  if (found === undefined) return undefined;
  // A write that changes nothing locks the row on every database.
  await transaction
    .updateTable("address_move")
    .set(({ ref }) => ({ created_at: ref("created_at") }))
    .where("person_id", "=", found.move.personId)
    .execute();
  return findLinked(transaction, token, now);
}

/** The same without a lock: it says whose rights to lock first. */
export async function findLinked(
  transaction: DatabaseTransaction,
  token: string,
  now: number,
): Promise<FoundLink | undefined> {
  const link = linkOf(token);
  if (link === undefined) return undefined;
  const row = await transaction
    .selectFrom("address_move")
    .selectAll()
    .where(columns[link], "=", hashOf(token))
    .executeTakeFirst();
  const move = row && parseMove(row);
  if (move === undefined) return undefined;
  const isOpen = link === "undo" ? (move.movedAt ?? 0) + undoMilliseconds > now : move.expiresAt > now;
  return isOpen ? { link, move } : undefined;
}

/**
 * Whether every address that has a part in the move has confirmed it. Asked when the move is made, not when it was begun: the address
 * before may have been verified since.
 */
export function isConfirmed({ unconfirmed }: Pick<AddressMove, "unconfirmed">, isOldKnown: boolean): boolean {
  return unconfirmed.every((link) => link === "old" && !isOldKnown);
}

/** Uses up the link of one address. */
export async function confirmMove(
  transaction: DatabaseTransaction,
  personId: AccountId,
  link: "old" | "new",
): Promise<AddressMove> {
  const row = await transaction
    .updateTable("address_move")
    .set({ [columns[link]]: null })
    .where("person_id", "=", personId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return parseMove(row);
}

/** The account has the other address from now on, and that one is verified. Returns the token for the link to undo it. */
export async function completeMove(
  transaction: DatabaseTransaction,
  { personId, newEmail }: Pick<AddressMove, "personId" | "newEmail">,
  now: number,
): Promise<string> {
  const token = createToken("undo");
  await setAddress(transaction, personId, newEmail);
  await transaction
    .updateTable("address_move")
    .set({ old_hash: null, new_hash: null, undo_hash: hashOf(token), moved_at: now })
    .where("person_id", "=", personId)
    .execute();
  return token;
}

export async function setAddress(transaction: DatabaseTransaction, personId: AccountId, email: string): Promise<void> {
  await lockProof(transaction, personId);
  await transaction
    .updateTable("person")
    .set({ email, email_verified: sql<boolean>`(1 = 1)`, verification: "trusted" })
    .where("id", "=", personId)
    .execute();
  await giveProvenRoles(transaction, personId);
  // Their links lead to the account, and their recipient is another one.
  await transaction
    .deleteFrom("mail")
    .where("account_id", "=", personId)
    .where("kind", "in", ["password_reset", "verify_email"])
    .execute();
}

/** Nobody signs in with a password before another one was set by a mailed link. */
export async function forgetPassword(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  await transaction.updateTable("credential").set({ password: null }).where("person_id", "=", personId).execute();
  // Nor with a sign-in at a provider, or a passkey, that a stranger may have linked.
  for (const table of ["identity", "passkey"] as const)
    await transaction.deleteFrom(table).where("person_id", "=", personId).execute();
}

/** Whether an account has the address, or had it until a move that it can still undo. */
export async function isAddressTaken(target: Target, email: string, but?: AccountId | undefined): Promise<boolean> {
  const account = await target
    .selectFrom("person")
    .select("id")
    .where("email", "=", lowerAddress(email))
    .executeTakeFirst();
  return (account !== undefined && account.id !== but) || isAddressReserved(target, email, but);
}

/**
 * Whether an account had the address until a move that it can still undo: until the purge has removed the move, which asks whether the clock may
 * say that it is too old. By a clock that is ahead somebody else could take the address, and nobody could undo the move.
 */
export async function isAddressReserved(target: Target, email: string, but?: AccountId | undefined): Promise<boolean> {
  const reserved = await target
    .selectFrom("address_move")
    .select("person_id")
    .where("old_email", "=", lowerAddress(email))
    .where("moved_at", "is not", null)
    .executeTakeFirst();
  return reserved !== undefined && reserved.person_id !== but;
}

/** Whether the address before can still take the account back. */
export async function isUndoable(target: Target, personId: AccountId, now: number): Promise<boolean> {
  const { movedAt } = (await findMove(target, personId)) ?? {};
  return movedAt !== undefined && movedAt + undoMilliseconds > now;
}

/** The current address of a person, and whether it was ever shown to be theirs. */
export async function findAddress(target: Target, personId: AccountId) {
  const { email, verification } = await target
    .selectFrom("person")
    .select(["email", "verification"])
    .where("id", "=", personId)
    .executeTakeFirstOrThrow();
  return { email, isKnown: verification !== "needed" };
}

export async function isDisabled(target: Target, personId: AccountId): Promise<boolean> {
  const row = await target.selectFrom("person").select("disabled_at").where("id", "=", personId).executeTakeFirst();
  return row?.disabled_at != null;
}

/** Removes moves that can neither be confirmed nor undone any more. */
export const createRemoveOldMoves = (database: Database) =>
  createRowRemoval(database, {
    table: "address_move",
    key: ["person_id"],
    by: "created_at",
    isDue: (now, name) => sql`(${name("moved_at")} < ${now - undoMilliseconds}
      or (${name("moved_at")} is null and ${name("expires_at")} < ${now}))`,
  });

export function createToken(link: MoveLink): string {
  return `${link[0]}${randomBytes(24).toString("base64url")}`;
}

function linkOf(token: string): MoveLink | undefined {
  return (["old", "new", "undo"] as const).find((link) => token.startsWith(link.slice(0, 1)));
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function parseMove(row: {
  readonly person_id: string;
  readonly old_email: string;
  readonly new_email: string;
  readonly old_hash: string | null;
  readonly new_hash: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly moved_at: number | null;
}): AddressMove {
  return {
    personId: row.person_id as AccountId, // only ids are written there
    oldEmail: row.old_email,
    newEmail: row.new_email,
    begunAt: Number(row.created_at),
    expiresAt: Number(row.expires_at),
    movedAt: row.moved_at === null ? undefined : Number(row.moved_at),
    unconfirmed: (["old", "new"] as const).filter((link) => row[columns[link]] !== null),
  };
}
