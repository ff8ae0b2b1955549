import type { AccountId } from "@sealpost/wire";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import type { ApiKeyStore } from "./api-key-store.ts";

/**
 * Revokes every API key that a person made, each with an entry in the audit log of its organization: in all of them, or in
 * `accountId` alone. How many there were.
 */
export async function revokeApiKeys(
  transaction: DatabaseTransaction,
  apiKeys: Pick<ApiKeyStore, "revokeAll">,
  personId: AccountId,
  by: Pick<NewAuditEntry, "actor" | "occurredAt">,
  accountId?: AccountId | undefined,
): Promise<number> {
  const revoked = await apiKeys.revokeAll(transaction, personId, accountId);
  for (const { id, name, accountId } of revoked)
    await recordAction(transaction, {
      ...by,
      accountId,
      action: "api_key.revoked",
      target: { type: "api_key", id, name },
    });
  return revoked.length;
}
