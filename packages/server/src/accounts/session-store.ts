import type { AccountId } from "@sealpost/wire";
import { type BrowserLabel, parseLabel } from "../authentication/browser-label.ts";
import { isSessionOver, type SessionLimits } from "../config/session-limits.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRow, selectForUpdateSkipLocked } from "../database/lock.ts";

/** A person's session, as they see it. */
export interface ListedSession {
  readonly id: string;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly expiresAt: number;
  /** The end of a session that an identity provider opened. */
  readonly endsAt: number | undefined;
  readonly label: BrowserLabel | undefined;
}

export interface SessionStore {
  /** The sessions that have not ended, the newest first. */
  list(personId: AccountId, now: number): Promise<readonly ListedSession[]>;
  /** False when it is no session of the person. */
  end(transaction: DatabaseTransaction, personId: AccountId, sessionId: string): Promise<boolean>;
  /** How many there were. */
  endOthers(transaction: DatabaseTransaction, personId: AccountId, sessionId: string): Promise<number>;
  /** Ends it if a limit has passed. */
  endIfOver(sessionId: string, now: number): Promise<void>;
  /** Writes the use unless one of after `since` is there; one from later was written by a clock that was wrong. */
  noteUse(sessionId: string, at: number, since: number): Promise<void>;
}

export function createSessionStore(database: Database, limits: SessionLimits): SessionStore {
  const rows = (target: Database | DatabaseTransaction = database) =>
    target.selectFrom("session").select(["id", "created_at", "expires_at", "last_used_at", "ends_at", "browser"]);
  return {
    async list(personId, now) {
      const all = await rows().where("person_id", "=", personId).orderBy("created_at", "desc").orderBy("id").execute();
      return all.map(parseSession).filter((session) => session.expiresAt > now && !isSessionOver(session, now, limits));
    },
    async end(transaction, personId, sessionId) {
      const { numDeletedRows } = await transaction
        .deleteFrom("session")
        .where("person_id", "=", personId)
        .where("id", "=", sessionId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async endOthers(transaction, personId, sessionId) {
      const { numDeletedRows } = await transaction
        .deleteFrom("session")
        .where("person_id", "=", personId)
        .where("id", "<>", sessionId)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
    async endIfOver(sessionId, now) {
      const isOver = (row: Parameters<typeof parseSession>[0] | undefined) =>
        row !== undefined && isSessionOver(parseSession(row), now, limits);
      if (!isOver(await rows().where("id", "=", sessionId).executeTakeFirst())) return;
      await database.transaction().execute(async (transaction) => {
        // Again: another request may have used it since.
        const row = await lockRow(transaction, rows(transaction).where("id", "=", sessionId)).executeTakeFirst();
        if (isOver(row)) await transaction.deleteFrom("session").where("id", "=", sessionId).execute();
      });
    },
    async noteUse(sessionId, at, since) {
      const noted = database
        .selectFrom("session")
        .select("id")
        .where("id", "=", sessionId)
        .where(({ eb, or }) => or([eb("last_used_at", "<", since), eb("last_used_at", ">", at)]));
      // One that is locked is being ended, or noted: nobody's connection waits for that.
      await database
        .updateTable("session")
        .set({ last_used_at: at })
        .where("id", "in", selectForUpdateSkipLocked(database, noted, "session"))
        .execute();
    },
  };
}

function parseSession(row: {
  readonly id: string;
  readonly created_at: string | Date;
  readonly expires_at: string | Date;
  readonly last_used_at: number;
  readonly ends_at: number | null;
  readonly browser: string;
}): ListedSession {
  return {
    id: row.id,
    createdAt: new Date(row.created_at).getTime(),
    lastUsedAt: Number(row.last_used_at),
    expiresAt: Math.min(new Date(row.expires_at).getTime(), row.ends_at ?? Number.POSITIVE_INFINITY),
    endsAt: row.ends_at ?? undefined,
    label: parseLabel(row.browser),
  };
}
