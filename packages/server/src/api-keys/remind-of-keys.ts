import type { Database } from "../database/database.ts";
import { byNobody, type SendSecurityMail } from "../mail/security-mail-store.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createApiKeyStore } from "./api-key-store.ts";

/** A program's owner needs some days to give it another key. */
const warningMilliseconds = 7 * dayMilliseconds;

/** Emails the owners once about a key that ends within a week. `false`: there is none, or the instance sends no emails. */
export async function remindOfKeys(
  database: Database,
  now: number,
  { sendSecurityMail, hasMail }: { readonly sendSecurityMail: SendSecurityMail; readonly hasMail: boolean },
): Promise<boolean> {
  if (!hasMail) return false;
  const apiKeys = createApiKeyStore(database);
  return database.transaction().execute(async (transaction) => {
    const ending = await apiKeys.takeEnding(transaction, now + warningMilliseconds, now);
    if (ending === undefined) return false;
    await sendSecurityMail(transaction, { accountId: ending, event: "api_key_ends", by: byNobody, occurredAt: now });
    return true;
  });
}
