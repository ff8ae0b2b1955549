import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { instanceLog } from "../audit-log/operator-entries.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/**
 * Ends the invitations that a person made and nobody has accepted yet, to all organizations and to the instance: an intruder in the
 * account may have invited themselves. Each log gets an entry.
 */
export async function endInvitationsOf(
  target: Database | DatabaseTransaction,
  personId: AccountId,
  { actor, occurredAt }: { readonly actor: AuditActor; readonly occurredAt: number },
): Promise<void> {
  const ended = await target
    .updateTable("invitation")
    .set({ ended_at: occurredAt })
    .where("invited_by", "=", personId)
    .where("ended_at", "is", null)
    .returning(["id", "organization_id"])
    .execute();
  await endInstanceInvitationsOf(target, personId, { actor, occurredAt });
  for (const { id, organization_id } of ended)
    await recordAction(target, {
      accountId: organization_id as AccountId, // only ids are written there
      actor,
      action: "member.invitation_ended",
      occurredAt,
      target: { type: "invitation", id },
    });
}

/** Ends invitations to the instance alone, with the right of the operator who made them. */
export async function endInstanceInvitationsOf(
  target: Database | DatabaseTransaction,
  personId: AccountId,
  { actor, occurredAt }: { readonly actor: AuditActor; readonly occurredAt: number },
): Promise<void> {
  const ended = await target
    .updateTable("instance_invitation")
    .set({ ended_at: occurredAt })
    .where("invited_by", "=", personId)
    .where("ended_at", "is", null)
    .returning("id")
    .execute();
  for (const { id } of ended)
    await recordAction(target, {
      ...{ accountId: instanceLog, actor, action: "account.invitation_ended", occurredAt },
      target: { type: "invitation", id },
    });
}
