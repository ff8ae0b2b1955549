import { isAddressReserved, isAddressTaken } from "../accounts/address-move-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { instanceLog, type OperatorActor } from "../audit-log/operator-entries.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { AddInvitationMail } from "../mail/emails.ts";
import { mayMailTo } from "../organizations/invitation-store.ts";
import type { InvitationId } from "../organizations/organization.ts";
import { Problem } from "../problems/problem.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import type { InstanceInvitation, InstanceInvitationStore } from "./instance-invitation-store.ts";

/** Invitations to the instance that may be open at once, and that may be made within a day. */
export const pendingInstanceInvitationsMax = 200;
export const instanceInvitationsPerDay = 100;

export interface InstanceInvitationDependencies {
  readonly database: Database;
  readonly instanceInvitations: InstanceInvitationStore;
  /** Queues the email with the link. `undefined` on an instance that sends no emails. */
  readonly addInvitationMail: AddInvitationMail | undefined;
  readonly clock: Clock;
}

export interface CreatedInstanceInvitation {
  readonly invitation: InstanceInvitation;
  /** In the link that is shown; the emailed link has another. */
  readonly token: string;
  readonly isMailed: boolean;
}

/** Inviting people to make an account. Each is in the instance's log, without the address. */
export interface InstanceInvitations {
  /** It replaces one that waits for the same address. Throws where the address has an account, or somebody may take it back. */
  create(actor: OperatorActor, email: string): Promise<CreatedInstanceInvitation>;
  /** False when there is none. */
  revoke(actor: OperatorActor, id: InvitationId): Promise<boolean>;
}

export function createInstanceInvitations(dependencies: InstanceInvitationDependencies): InstanceInvitations {
  const { database, instanceInvitations: invitations, addInvitationMail, clock } = dependencies;

  return {
    create: (actor, email) =>
      database.transaction().execute(async (transaction) => {
        const now = clock.now();
        await invitations.lock(transaction);
        await refuseTaken(transaction, email);
        for (const id of await invitations.endFor(transaction, email, now))
          await tell(transaction, actor, "account.invitation_ended", id);
        await requireBounds(transaction, now);
        const isMailed = addInvitationMail !== undefined && (await mayMailTo(transaction, email, now));
        const made = await invitations.create(transaction, { email, invitedBy: actor.personId, isMailed }, now);
        await tell(transaction, actor, "account.invited", made.invitation.id);
        if (made.mailToken !== undefined) await addInvitationMail?.(transaction, made.invitation, made.mailToken);
        return { ...made, isMailed };
      }),
    revoke: (actor, id) =>
      database.transaction().execute(async (transaction) => {
        const now = clock.now();
        if ((await invitations.find(transaction, id, now)) === undefined) return false;
        if (!(await invitations.end(transaction, id, now))) return false;
        await tell(transaction, actor, "account.invitation_ended", id);
        return true;
      }),
  };

  async function refuseTaken(transaction: DatabaseTransaction, email: string): Promise<void> {
    if (!(await isAddressTaken(transaction, email))) return;
    if (await isAddressReserved(transaction, email))
      throw new Problem(
        "conflict",
        "An account was moved away from this address within the last 7 days, which its owner can still undo: invite it after that",
      );
    throw new Problem("conflict", "There is an account with this email address already");
  }

  async function requireBounds(transaction: DatabaseTransaction, now: number): Promise<void> {
    if ((await invitations.countPending(transaction, now)) >= pendingInstanceInvitationsMax)
      throw new Problem(
        "conflict",
        `An instance has at most ${pendingInstanceInvitationsMax} open invitations. Take one back first.`,
      );
    if ((await invitations.countOfDay(transaction, now)) >= instanceInvitationsPerDay)
      throw new Problem(
        "rate_limited",
        `An instance makes at most ${instanceInvitationsPerDay} invitations within a day`,
        {
          retryAfter: dayMilliseconds / 24 / 1000,
        },
      );
  }

  function tell(
    transaction: DatabaseTransaction,
    actor: OperatorActor,
    action: "account.invited" | "account.invitation_ended",
    id: InvitationId,
  ): Promise<void> {
    const target = { type: "invitation", id } as const;
    return recordAction(transaction, { accountId: instanceLog, actor, action, occurredAt: clock.now(), target });
  }
}
