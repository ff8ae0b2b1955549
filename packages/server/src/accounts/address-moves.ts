import type { AccountId } from "@sealpost/wire";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganizations, lockPerson } from "../database/lock.ts";
import { lockProof, shareProof } from "../database/membership.ts";
import { lockRightsOfAll } from "../database/right-lock.ts";
import type { AddressMail } from "../mail/emails.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { AccountStore } from "./account-store.ts";
import {
  completeMove,
  confirmMove,
  createToken,
  deleteMove,
  findAddress,
  findLink,
  findLinked,
  findMove,
  forgetPassword,
  isAddressReserved,
  isAddressTaken,
  isConfirmed,
  isDisabled,
  listPersons,
  saveMove,
  setAddress,
  suspectMilliseconds,
  undoMilliseconds,
} from "./address-move-store.ts";
import { endInvitationsOf } from "./ended-invitation-store.ts";
import { endUndoneMove } from "./undone-move-store.ts";

export interface AddressMoveDependencies {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, "endSessions" | "endPending" | "removeSecondFactor">;
  /**
   * Reverts changes to members of organizations made since then in the person's name, or by people let in that way, where no owner is left
   * who could. Returns these organizations.
   */
  readonly undoChanges: (
    transaction: DatabaseTransaction,
    move: { readonly personId: AccountId; readonly begunAt: number; readonly since: number; readonly undoneAt: number },
    actor: AuditActor,
  ) => Promise<ReadonlySet<AccountId>>;
  /** Organizations whose members may have been changed since then in the person's name, or may yet be by what the person made. */
  readonly listConcerned: (
    transaction: DatabaseTransaction,
    personId: AccountId,
    since: number,
  ) => Promise<readonly AccountId[]>;
  /** Cancel deletions requested since then: the account's, and those of the given organizations that the person owns. */
  readonly deletions: {
    keepAccountSince(
      transaction: DatabaseTransaction,
      personId: AccountId,
      since: number,
      actor: AuditActor,
    ): Promise<void>;
    keepOrganizationsSince(
      transaction: DatabaseTransaction,
      owned: { readonly by: AccountId; readonly among: ReadonlySet<AccountId> },
      since: number,
      actor: AuditActor,
    ): Promise<void>;
  };
  readonly apiKeys: Pick<ApiKeyStore, "revokeAll">;
  /** Queues an email to one of the two addresses; false when there were too many. `undefined` on an instance that sends none. */
  readonly addAddressMail:
    | ((transaction: DatabaseTransaction, personId: AccountId, mail: AddressMail) => Promise<boolean>)
    | undefined;
  /** Called after a commit that left emails to send. */
  readonly wakeMail: () => void;
  readonly clock: Clock;
}

/**
 * Moves of accounts to another address. Both addresses confirm a move by a mailed link; the one before can refuse it, and undo it for
 * seven days, in which nobody else gets that address. An address that nobody has verified has no part in it; once it was verified, what
 * was begun before ends. What is answered never says whether an address has an account.
 */
export interface AddressMoves {
  begin(personId: AccountId, actor: AuditActor, email: string): Promise<void>;
  cancel(personId: AccountId): Promise<boolean>;
  /** Takes a link's token, within a session of the account: a stranger could ask for the address of somebody who opens every link. */
  confirm(token: string, personId: AccountId): Promise<"moved" | "waiting">;
  /** Takes the token of the link to the former address: ends a move that waits, or takes back one that was made. */
  refuse(token: string): Promise<"refused" | "undone">;
}

export function createAddressMoves(dependencies: AddressMoveDependencies): AddressMoves {
  const { database, accounts, apiKeys, undoChanges, deletions, addAddressMail, wakeMail, clock } = dependencies;
  const { listConcerned } = dependencies;

  return {
    begin: (personId, actor, given) =>
      mailing(async (transaction) => {
        if (addAddressMail === undefined)
          throw new Problem(
            "conflict",
            "This instance sends no emails: ask its operator to move your account (sealpost-server account move)",
          );
        const now = clock.now();
        const newEmail = lowerAddress(given.trim());
        const { email: oldEmail, isKnown } = await findAddress(transaction, personId);
        refuseInvalid({ email: newEmail === oldEmail ? "Must be another address than the account has" : undefined });
        const before = await findMove(transaction, personId);
        // Until the purge has removed it, which asks whether the clock may say so: by one that is ahead the address before would lose its link.
        if (before?.movedAt !== undefined)
          throw new Problem(
            "conflict",
            `The address was changed within the last ${undoMilliseconds / dayMilliseconds} days: it can be changed again after that`,
          );
        const [oldToken, newToken] = [createToken("old"), createToken("new")];
        await saveMove(transaction, { personId, oldEmail, newEmail, oldToken, newToken }, now);
        const isTaken = await isAddressTaken(transaction, newEmail, personId);
        const isDue = await addAddressMail(transaction, personId, {
          ...(isTaken ? { step: "taken" } : { step: "confirm_new", token: newToken }),
          address: newEmail,
          other: oldEmail,
        });
        const toOld = { step: "confirm_old", token: oldToken, address: oldEmail, other: newEmail } as const;
        // Both or none: a move whose second email is left out waits for a link that nobody has.
        if (!isDue || (isKnown && !(await addAddressMail(transaction, personId, toOld))))
          throw new Problem("rate_limited", "Too many requests. Please try again later.", { retryAfter: 3600 });
        await recordAction(transaction, {
          accountId: personId,
          actor,
          action: "account.address_move_requested",
          occurredAt: now,
        });
      }),
    cancel: (personId) =>
      database.transaction().execute(async (transaction) => {
        const move = await findMove(transaction, personId);
        return move !== undefined && move.movedAt === undefined && deleteMove(transaction, personId);
      }),
    confirm: (token, asking) =>
      mailing(async (transaction) => {
        const now = clock.now();
        // Before the row of the move, which somebody who proves the address locks afterwards.
        await lockProof(transaction, asking);
        const found = await findLink(transaction, token, now);
        if (found === undefined || found.link === "undo") throw linkUnknown();
        if (found.move.personId !== asking)
          throw new Problem("bad_request", "This link is for another account: sign out, and sign in with its address.");
        const move = await confirmMove(transaction, found.move.personId, found.link);
        const { personId, oldEmail, newEmail } = move;
        const { isKnown } = await findAddress(transaction, personId);
        if (!isConfirmed(move, isKnown)) return "waiting";
        // Both links were opened by somebody with both mailboxes, so this says nothing that they do not know.
        if (await isAddressTaken(transaction, newEmail, personId)) throw addressTaken();
        // An address that nobody has confirmed may be a stranger's, whom a reservation would keep out: it is free at once.
        const undoToken = isKnown ? await completeMove(transaction, move, now) : undefined;
        if (undoToken === undefined) {
          await setAddress(transaction, personId, newEmail);
          await deleteMove(transaction, personId);
        }
        // Again, now that the address is written, which waits for a move of its owner's.
        if (await isAddressReserved(transaction, newEmail, personId)) throw addressTaken();
        await accounts.endPending(transaction, personId);
        await recordAction(transaction, {
          accountId: personId,
          actor: { type: "nobody" },
          action: "account.address_moved",
          occurredAt: now,
        });
        if (undoToken !== undefined)
          await addAddressMail?.(transaction, personId, {
            step: "moved",
            token: undoToken,
            address: oldEmail,
            other: newEmail,
          });
        return "moved";
      }),
    refuse: (token) =>
      mailingLocked(token, async (transaction) => {
        const now = clock.now();
        const found = await findLink(transaction, token, now);
        if (found === undefined || found.link === "new") throw linkUnknown();
        const { personId, oldEmail } = found.move;
        const by = { actor: { type: "nobody" }, occurredAt: now } as const;
        if (found.link === "old") {
          await deleteMove(transaction, personId);
          await recordAction(transaction, { ...by, accountId: personId, action: "account.address_move_refused" });
          return "refused";
        }
        // Somebody else knew the password: nothing that they could have made stays.
        await setAddress(transaction, personId, oldEmail);
        await endUndoneMove(transaction, found.move, now);
        await forgetPassword(transaction, personId);
        await accounts.endSessions(transaction, personId);
        await accounts.endPending(transaction, personId);
        await endInvitationsOf(transaction, personId, by);
        await revokeApiKeys(transaction, apiKeys, personId, by);
        const since = found.move.begunAt - suspectMilliseconds;
        if (await accounts.removeSecondFactor(transaction, personId, since))
          await recordAction(transaction, { ...by, accountId: personId, action: "second_factor.reset" });
        // An operator decides about an account that an operator has disabled, and about what was done in it.
        if (!(await isDisabled(transaction, personId))) {
          // First: an owner who is about to leave does not count as one who stays.
          await deletions.keepAccountSince(transaction, personId, since, by.actor);
          const among = await undoChanges(
            transaction,
            { personId, begunAt: found.move.begunAt, since, undoneAt: now },
            by.actor,
          );
          await deletions.keepOrganizationsSince(transaction, { by: personId, among }, since, by.actor);
        }
        await recordAction(transaction, { ...by, accountId: personId, action: "account.address_move_undone" });
        return "undone";
      }),
  };

  /**
   * With all locks for the move of this link before anything is written. Where locks of further organizations turn out to be needed it
   * begins again, with these as well; a few times, or somebody who joins one after the other would put it off.
   */
  async function mailingLocked<Result>(
    token: string,
    work: (transaction: DatabaseTransaction) => Promise<Result>,
  ): Promise<Result> {
    const known = new Set<AccountId>();
    for (let attempt = 1; ; attempt++) {
      const outcome = await mailing(async (transaction) => {
        const isLocked = await lockAll(transaction, token, known);
        return isLocked || attempt === lockAttemptsMax ? { result: await work(transaction) } : undefined;
      });
      if (outcome !== undefined) return outcome.result;
    }
  }

  /** False where there are more organizations now. `known`: those that are locked in any case; what is found is added. */
  async function lockAll(transaction: DatabaseTransaction, token: string, known: Set<AccountId>): Promise<boolean> {
    const linked = await findLinked(transaction, token, clock.now());
    if (linked === undefined) return true;
    const { personId, begunAt } = linked.move;
    const find = async () =>
      linked.link === "undo" ? listConcerned(transaction, personId, begunAt - suspectMilliseconds) : [];
    for (const id of await find()) known.add(id);
    // Who leaves the organization with their id gets another one.
    const personIds = new Set([personId, ...(await listPersons(transaction, known))]);
    await lockRightsOfAll(transaction, { organizationIds: known, personIds });
    const before = known.size;
    for (const id of await find()) known.add(id);
    if (known.size > before) return false;
    const sorted = [...personIds].toSorted();
    for (const id of sorted) await (id === personId ? lockProof : shareProof)(transaction, id);
    for (const id of sorted) await lockPerson(transaction, id);
    await lockOrganizations(transaction, [...known]);
    return true;
  }

  async function mailing<Result>(work: (transaction: DatabaseTransaction) => Promise<Result>): Promise<Result> {
    const result = await database.transaction().execute(work);
    wakeMail();
    return result;
  }
}

/** How often an undo begins again with more locks. */
const lockAttemptsMax = 10;

function addressTaken(): Problem {
  return new Problem("conflict", "There is an account with this email address already");
}

function linkUnknown(): Problem {
  return new Problem("bad_request", "This link was used or refused, or is too old. Begin again, or sign in.");
}
