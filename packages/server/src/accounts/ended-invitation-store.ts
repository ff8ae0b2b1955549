import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/**
 * Ends the invitations that a person made and nobody has accepted yet, in all organizations: who was in the account may have
 * invited themselves. Each organization's audit log says so.
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
  for (const { id, organization_id } of ended)
    await recordAction(target, {
      accountId: organization_id as AccountId, // only ids are written there
      actor,
      action: "member.invitation_ended",
      occurredAt,
      target: { type: "invitation", id },
    });
}
