import type { AccountId } from "@sealpost/wire";
import type { FastifyRequest } from "fastify";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { RecordReading } from "../audit-log/owed-entries.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import type { Clock } from "../time/clock.ts";
import type { DeviceRequestStore } from "./device-request-store.ts";
import type { FormerKeyStore } from "./former-key-store.ts";
import type { KeyChange, Way } from "./personal-key.ts";
import type { PersonalKeyStore } from "./personal-key-store.ts";

export interface PersonalKeyRouteDependencies {
  readonly personalKeys: PersonalKeyStore;
  readonly formerKeys: FormerKeyStore;
  readonly deviceRequests: DeviceRequestStore;
  /** Throws where a second factor is required, and the person has one that this session was not confirmed with. */
  readonly requireOwnFactor: (session: SessionPrincipal) => Promise<void>;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly recordReading: RecordReading;
  readonly clock: Clock;
}

type SessionPrincipal = ReturnType<typeof sessionOf>;

/** The person who asks, and the beginning of the entry about it. */
export interface ByPerson {
  readonly personId: AccountId;
  readonly sessionId: string;
  readonly now: number;
  readonly entry: Omit<NewAuditEntry, "action">;
}

/** The rules of everything about one's own key and its copies, and how it is recorded. */
export function createKeyChanges({
  requireOwnFactor,
  sendSecurityMail,
  database,
  clock,
}: Omit<PersonalKeyRouteDependencies, "personalKeys" | "formerKeys" | "deviceRequests" | "recordReading">) {
  return {
    requireMayRead,

    /** Does what may be done by a session that is fresh, in one transaction. `record` adds what happened to it, in the log and by email. */
    async change<Result>(
      request: FastifyRequest,
      work: (
        transaction: DatabaseTransaction,
        by: ByPerson,
        record: (change: KeyChange, ways: readonly Way[]) => Promise<void>,
      ) => Promise<Result>,
    ): Promise<Result> {
      // Otherwise anyone who signs up with somebody else's address could leave a key of theirs in the account.
      requireVerifiedAddress(request);
      requireFreshSession(request, clock.now());
      const by = await requireMayRead(request);
      return database
        .transaction()
        .execute((transaction) =>
          work(transaction, by, (change, ways) => record(transaction, by.entry, { change, ways })),
        );
    },
  };

  /** Where a second factor is required, the password alone is not enough for a sealed copy either. */
  async function requireMayRead(request: FastifyRequest): Promise<ByPerson> {
    const session = sessionOf(request);
    await requireOwnFactor(session);
    const { personId, sessionId } = session;
    const now = clock.now();
    return {
      ...{ personId, sessionId, now },
      entry: { accountId: personId, actor: { type: "session", id: sessionId, personId }, occurredAt: now },
    };
  }

  /** Without the names of copies, which are the person's own words: members of an organization may read its log. */
  async function record(
    transaction: DatabaseTransaction,
    { accountId, actor, occurredAt }: Omit<NewAuditEntry, "action">,
    { change, ways }: { readonly change: KeyChange; readonly ways: readonly Way[] },
  ): Promise<void> {
    const details = { details: { changes: [{ setting: "ways", from: null, to: ways }] } };
    const entry = { accountId, actor, occurredAt, action: actions[change] };
    await recordAction(transaction, { ...entry, ...(ways.length > 0 && details) });
    await sendSecurityMail(transaction, { accountId, occurredAt, event: change });
  }
}

/** The audit log's words for what the emails are about. */
const actions = {
  personal_key_made: "personal_key.made",
  personal_key_replaced: "personal_key.replaced",
  personal_key_restored: "personal_key.restored",
  personal_key_given: "personal_key.given",
  key_copy_added: "key_copy.added",
  key_copy_removed: "key_copy.removed",
  key_copy_restored: "key_copy.restored",
} as const satisfies Record<KeyChange, NewAuditEntry["action"]>;
