import type { AccountId } from "@sealpost/wire";
import type { AuditActor, NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import type { MemberStore } from "../organizations/member-store.ts";
import { Problem } from "../problems/problem.ts";
import { type Clock, dayMilliseconds } from "../time/clock.ts";
import { findRename, renamePerson } from "./person-store.ts";

/** Names of one person within a day: each is an entry in the log of every organization that they belong to. */
export const namesPerDay = 20;

/** Gives a person another name, and says so in their own log and in that of each organization whose members see it. */
export async function rename(
  transaction: DatabaseTransaction,
  members: Pick<MemberStore, "listOf">,
  person: { readonly personId: AccountId; readonly actor: AuditActor; readonly clock: Clock },
  to: string,
): Promise<void> {
  const { personId, actor, clock } = person;
  const renamed = await renamePerson(transaction, personId, to);
  if (renamed === undefined) return;
  // The person is locked by now: of two at once, one is counted for the other.
  const occurredAt = clock.now();
  await requireFewNames(transaction, personId, occurredAt);
  const details = { changes: [{ setting: "name", from: renamed.from, to }] };
  const entry = { actor, occurredAt, details } as const;
  const organizations = new Set((await members.listOf(personId, transaction)).map(({ id }) => id));
  const target = { type: "member", id: personId, name: to } as const;
  const own: NewAuditEntry = { ...entry, accountId: personId, action: "account.renamed" };
  await recordAction(transaction, own);
  for (const accountId of organizations)
    if (accountId !== personId) await recordAction(transaction, { ...own, accountId, target });
  if (renamed.isOrganizationToo)
    await recordAction(transaction, {
      ...entry,
      accountId: personId,
      action: "organization.renamed",
      occurredAt: clock.now(),
    });
}

async function requireFewNames(transaction: DatabaseTransaction, personId: AccountId, now: number): Promise<void> {
  const first = await findRename(transaction, personId, namesPerDay, now);
  if (first === undefined) return;
  throw new Problem("rate_limited", `A person changes their name at most ${namesPerDay} times within a day`, {
    retryAfter: Math.max(1, Math.ceil((first + dayMilliseconds - now) / 1000)),
  });
}
