import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import type { DeviceRequestTable } from "../database/personal-key-tables.ts";
import { createRowId } from "../database/row-id.ts";
import { createRowRemoval } from "../database/row-removal.ts";
import {
  type DeviceAnswer,
  type DeviceChallenge,
  type DeviceRequest,
  type DeviceReveal,
  deviceRequestMilliseconds,
} from "./device-request.ts";

interface Sender {
  readonly personId: AccountId;
  readonly sessionId: string;
  readonly requestId: string;
  readonly now: number;
}

/** `other`: something else was sent here before, it is another device's turn, or it is not time for it yet. */
type Outcome = "sent" | "repeated" | "missing" | "other";

/** At most one for each person. Everything in it is written once, each part by the session whose turn it is. */
export interface DeviceRequestStore {
  /** Ends the one before. */
  create(personId: AccountId, sessionId: string, commitment: string, now: number): Promise<DeviceRequest>;
  find(personId: AccountId, now: number): Promise<DeviceRequest | undefined>;
  challenge(sender: Sender, challenge: DeviceChallenge): Promise<Outcome>;
  reveal(sender: Sender, reveal: DeviceReveal): Promise<Outcome>;
  answer(transaction: DatabaseTransaction, sender: Sender, answer: DeviceAnswer): Promise<Outcome>;
  remove(personId: AccountId, requestId: string): Promise<void>;
  purge(now: number): Promise<boolean>;
}

export function createDeviceRequestStore(database: Database): DeviceRequestStore {
  return {
    create: (personId, sessionId, commitment, now) =>
      database.transaction().execute(async (transaction) => {
        await lockPerson(transaction, personId);
        await transaction.deleteFrom("device_request").where("person_id", "=", personId).execute();
        const row = {
          ...{ id: createRowId("dev", now), person_id: personId, session_id: sessionId, commitment },
          expires_at: now + deviceRequestMilliseconds,
          ...{ giving_session_id: null, challenge: null, reveal: null, answer: null },
        };
        await transaction.insertInto("device_request").values(row).execute();
        return parseRow(row);
      }),

    async find(personId, now) {
      const row = await selectOpen(database, personId, now).selectAll().executeTakeFirst();
      return row && parseRow(row);
    },

    challenge: (sender, challenge) =>
      database.transaction().execute((transaction) =>
        write(transaction, sender, (request) => {
          if (request.sessionId === sender.sessionId) return undefined;
          const isOther = request.givingSessionId !== undefined && request.givingSessionId !== sender.sessionId;
          const columns = { challenge: JSON.stringify(challenge), giving_session_id: sender.sessionId };
          return isOther ? undefined : { before: request.challenge, after: challenge, columns };
        }),
      ),

    reveal: (sender, reveal) =>
      database.transaction().execute((transaction) =>
        write(transaction, sender, (request) => {
          if (request.sessionId !== sender.sessionId || request.challenge === undefined) return undefined;
          return { before: request.reveal, after: reveal, columns: { reveal: JSON.stringify(reveal) } };
        }),
      ),

    answer: (transaction, sender, answer) =>
      write(transaction, sender, (request) => {
        if (request.givingSessionId !== sender.sessionId || request.reveal === undefined) return undefined;
        return { before: request.answer, after: answer, columns: { answer: JSON.stringify(answer) } };
      }),

    remove: (personId, requestId) =>
      database.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom("device_request")
          .where("person_id", "=", personId)
          .where("id", "=", requestId)
          .execute();
      }),

    purge: createRowRemoval(database, {
      table: "device_request",
      key: ["id"],
      by: "expires_at",
      isDue: (now, name) => sql`${name("expires_at")} <= ${now}`,
    }),
  };
}

function selectOpen(target: Database | DatabaseTransaction, personId: AccountId, now: number) {
  return target.selectFrom("device_request").where("person_id", "=", personId).where("expires_at", ">", now);
}

/** Writes what `plan` allows, once; the same again changes nothing. */
async function write(
  transaction: DatabaseTransaction,
  { personId, requestId, now }: Sender,
  plan: (request: DeviceRequest) =>
    | {
        readonly before: object | undefined;
        readonly after: object;
        readonly columns: Partial<Pick<DeviceRequestTable, "challenge" | "giving_session_id" | "reveal" | "answer">>;
      }
    | undefined,
): Promise<Outcome> {
  await lockPerson(transaction, personId);
  const row = await selectOpen(transaction, personId, now).selectAll().where("id", "=", requestId).executeTakeFirst();
  if (row === undefined) return "missing";
  const planned = plan(parseRow(row));
  if (planned === undefined) return "other";
  const { before, after, columns } = planned;
  if (before !== undefined) return JSON.stringify(before) === JSON.stringify(after) ? "repeated" : "other";
  await transaction.updateTable("device_request").set(columns).where("id", "=", requestId).execute();
  return "sent";
}

function parseRow(row: Selectable<DeviceRequestTable>): DeviceRequest {
  // Only this file writes there, what its types say.
  const parse = (text: string | null) => (text === null ? undefined : JSON.parse(text));
  return {
    id: row.id,
    sessionId: row.session_id,
    commitment: row.commitment,
    expiresAt: Number(row.expires_at),
    givingSessionId: row.giving_session_id ?? undefined,
    challenge: parse(row.challenge),
    reveal: parse(row.reveal),
    answer: parse(row.answer),
  };
}
