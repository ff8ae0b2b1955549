import type { AccountId } from "@sealpost/wire";
import { mayManage, type Role } from "../access/roles.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { roleOf, termsOf } from "./admission.ts";
import type { AdmissionStore } from "./admission-store.ts";
import type { InvitationStore } from "./invitation-store.ts";

export interface MadeDependencies {
  readonly invitations: Pick<InvitationStore, "listMadeBy" | "end">;
  readonly admissions: Pick<AdmissionStore, "list" | "end">;
}

/**
 * Ends what a member has made that gives others a right which the member may not give any more: invitations and admissions. For good:
 * somebody who gets the role back must not get these back with it. `role` is the new one; `undefined` for a membership that ends.
 */
export async function endMade(
  transaction: DatabaseTransaction,
  { invitations, admissions }: MadeDependencies,
  { organizationId: accountId, actor }: { readonly organizationId: AccountId; readonly actor: AuditActor },
  maker: { readonly personId: AccountId; readonly role: Role | undefined },
  now: number,
): Promise<void> {
  const isBeyond = (role: Role) => maker.role === undefined || !mayManage(maker.role, role);
  const entry = { accountId, actor, occurredAt: now } as const;
  for (const { id, role } of await invitations.listMadeBy(transaction, accountId, maker.personId, now)) {
    if (!isBeyond(role) || !(await invitations.end(transaction, id, now))) continue;
    const target = { type: "invitation", id } as const;
    await recordAction(transaction, { ...entry, action: "member.invitation_ended", target });
  }
  for (const admission of await admissions.list(transaction, accountId, now)) {
    const terms = termsOf(admission);
    if (admission.madeBy !== maker.personId || !isBeyond(roleOf(terms))) continue;
    await admissions.end(transaction, admission.id, now);
    const { personId: id } = admission;
    const target = id && ({ type: "member", id, name: terms.name } as const);
    await recordAction(transaction, { ...entry, action: "admission.ended", target });
  }
}
