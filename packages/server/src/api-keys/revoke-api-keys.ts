import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/** Revokes every API key of an account, each with its entry in the audit log. How many there were. */
export async function revokeApiKeys(
  transaction: DatabaseTransaction,
  apiKeys: Pick<ApiKeyStore, "revokeAll">,
  by: Pick<NewAuditEntry, "accountId" | "actor" | "occurredAt">,
): Promise<number> {
  const revoked = await apiKeys.revokeAll(transaction, by.accountId);
  for (const { id, name } of revoked)
    await recordAction(transaction, { ...by, action: "api_key.revoked", target: { type: "api_key", id, name } });
  return revoked.length;
}
