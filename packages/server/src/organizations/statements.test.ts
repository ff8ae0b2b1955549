import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId, type FormId } from "@sealpost/wire";
import { createAccountStore } from "../accounts/account-store.ts";
import { createIdentityStore } from "../accounts/identity-store.ts";
import { createApiKeyStore } from "../api-keys/api-key-store.ts";
import { hashApiKeyValue } from "../authentication/api-key-value.ts";
import type { Database } from "../database/database.ts";
import { isDistributed } from "../database/distribution.ts";
import { createFormStore } from "../forms/form-store.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import { createMemberStore } from "./member-store.ts";

/** The database, and how many statements were sent through it. */
function count(database: Database) {
  let statements = 0;
  const counted = database.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return {
    counted,
    /** How many statements `work` sent. */
    async of(work: () => Promise<unknown>): Promise<number> {
      const before = statements;
      await work();
      return statements - before;
    },
  };
}

test("fifty members are one statement, a hundred named forms one, and who asks is one", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp();
  const organizationId = owner.id as AccountId; // as the service answered it
  const { key } = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const added = createMemberStore(service.database);
  const identities = createIdentityStore(service.database);
  await service.database.transaction().execute(async (transaction) => {
    for (let number = 0; number < 50; number++) {
      const id = createId("account");
      const person = { id, email: `${number}@example.com`, name: "Person", plan: "free", createdAt: 0 } as const;
      await identities.createPerson(transaction, { ...person, isVerified: true, isInvited: true });
      const grant = { role: "auditor", formIds: undefined } as const;
      const membership = { ...grant, organizationId, personId: id, since: number, addedBy: undefined };
      await added.add(transaction, membership, { madeBy: undefined, at: number });
    }
  });
  const named = [await createForm(owner), await createForm(owner)] as FormId[]; // as the service answered them
  const { counted, of } = count(service.database);
  assert.equal(await of(() => createMemberStore(counted).list(organizationId)), 1);
  assert.equal(await of(() => createMemberStore(counted).listOf(organizationId)), 1);
  const all = [...named, ...Array.from({ length: 98 }, () => createId("form"))];
  const forms = createFormStore(counted);
  // On a cluster the forms are on one server, and their counts on others.
  const statements = isDistributed(service.database) ? 2 : 1;
  assert.equal(await of(() => forms.list(organizationId, 50, undefined, all)), statements);
  assert.deepEqual(
    (await forms.list(organizationId, 50, undefined, all)).map(({ form }) => form.id),
    named.toReversed(),
  );
  const session = await service.database.selectFrom("session").select("id").executeTakeFirstOrThrow();
  const found = () => createAccountStore(counted).findBySession(session.id, Date.now());
  assert.equal((await found())?.role, "owner");
  assert.equal(await of(found), 1);
  const used = () => createApiKeyStore(counted).findByHash(hashApiKeyValue(key));
  assert.equal((await used())?.role, "owner");
  assert.equal(await of(used), 1);
});
