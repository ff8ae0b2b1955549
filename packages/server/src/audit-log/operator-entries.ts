import type { AccountId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { AuditActor, NewAuditEntry } from "./audit-entry.ts";
import { recordAction } from "./audit-log-store.ts";

/** The account of entries about the instance. No account has this id: theirs begin with `acc_`. */
export const instanceLog = "instance" as AccountId; // see above

/** An operator: a person on the instance page, or who runs commands on the server. */
export type OperatorActor = Extract<AuditActor, { readonly type: "operator" }>;

export interface OperatorEntry extends Pick<NewAuditEntry, "action" | "occurredAt" | "count" | "details"> {
  readonly actor: OperatorActor;
  /** The person or the organization that it was done to. */
  readonly subject?: { readonly id: AccountId; readonly name: string };
  /** The organizations that it concerns. The one with the subject's id is not named in its own log. */
  readonly organizations: readonly AccountId[];
}

/** Writes what an operator did into the audit log of each organization that it concerns, and into that of the instance. */
export async function recordOperatorAction(
  target: Database | DatabaseTransaction,
  { subject, organizations, ...entry }: OperatorEntry,
): Promise<void> {
  const member = subject && ({ type: "member", ...subject } as const);
  for (const accountId of organizations)
    await recordAction(target, { ...entry, accountId, target: accountId === subject?.id ? undefined : member });
  await recordAction(target, { ...entry, accountId: instanceLog, target: member });
}
