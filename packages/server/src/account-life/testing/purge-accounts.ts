import assert from "node:assert/strict";
import { createApiKeyStore } from "../../api-keys/api-key-store.ts";
import type { Database } from "../../database/database.ts";
import { createMemberStore } from "../../organizations/member-store.ts";
import { createOrganizationStore } from "../../organizations/organization-store.ts";
import { createAccountPurge } from "../account-purge-store.ts";

/** Every step that is due then, as the service's own worker takes them. How many there were. */
export async function purgeAccounts({ database }: { readonly database: Database }, now: number): Promise<number> {
  const step = createAccountPurge({
    database,
    members: createMemberStore(database),
    organizations: createOrganizationStore(database),
    apiKeys: createApiKeyStore(database),
    sendSecurityMail: async () => {},
  });
  let steps = 0;
  while (await step(now)) {
    steps += 1;
    assert.ok(steps < 200, "it comes to an end");
  }
  return steps;
}
