import assert from "node:assert/strict";
import {
  createAdmission,
  createListEntry,
  formatAdmissionLink,
  generatePersonalKey,
  type RecoverySheet,
} from "@sealpost/envelope";
import { createClient } from "@sealpost/sdk";
import { createId } from "@sealpost/wire";
import { sql } from "kysely";
import { addPerson, invite } from "../../packages/server/src/organizations/testing/test-organization.ts";
import { createCopy, createKeyAndSheet } from "../../packages/server/src/personal-keys/testing/key-bench.ts";
import type { Answer, TestAccount, TestService } from "../../packages/server/src/testing/test-service.ts";
import { addToList, beginList, equip, findList, makeSealedForm, type Person } from "../support/people.ts";
import { type MadePersonalKey, makePersonalKey } from "../support/personal-key.ts";
import { submit } from "../support/submit.ts";
import { toSigner } from "./played-envelopes.ts";

/** Settings of the service in which every list of a page can have something. */
export const filledEnvironment = {
  SEALPOST_SIGNUP: "open",
  SEALPOST_QUOTAS: "on",
  // Nobody listens there: what is sent to it fails at once.
  SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8",
};

export interface FilledOrganization {
  /** A sealed form with all that its pages list. */
  readonly formId: string;
  /** Opens the owner's own key. */
  readonly sheet: RecoverySheet;
  readonly ownKey: MadePersonalKey;
  /** Somebody with a key, and what follows the `#` of the link by which they are brought in. */
  readonly brought: { readonly account: TestAccount; readonly link: string };
}

/**
 * Gives the owner, who is an operator from then on, something for every list that a page shows: `watch-lists.ts` says which one has
 * nothing. Names are these, and everything that a test sees in another language is in no Latin letters.
 */
export async function fillOrganization(
  service: TestService,
  owner: TestAccount,
  { form: formName, person }: { readonly form: string; readonly person: string },
): Promise<FilledOrganization> {
  const ada = await equipTwice(service, owner, person);
  await beginList(ada);
  const form = await makeSealedForm(ada, formName);
  const path = `/api/forms/${form.id}`;
  await expect(owner.request("PATCH", path, { settings: { webhookUrl: "https://127.0.0.1:9/hook" } }));
  await submit(service, form, { [person]: person });
  const binned = await submit(service, form, { [person]: person });
  await expect(owner.request("POST", `${path}/submissions/bin`, { ids: [binned] }));
  await owner.request("POST", `${path}/webhook/test`);
  await expect(
    owner.request("POST", "/api/api-keys", {
      name: person,
      expiresAt: new Date(Date.now() + 40 * 86_400_000).toISOString(),
    }),
  );
  await fillKey(service, owner, person);
  const brought = await fillMembers(service, ada, form, person);
  await fillInstance(service, owner);
  return { formId: form.id, sheet: ada.own.sheet, ownKey: ada.own, brought };
}

/** With a key that took the place of another one. */
async function equipTwice(service: TestService, owner: TestAccount, name: string): Promise<Person> {
  const { halves, copy } = await createKeyAndSheet();
  await expect(owner.request("POST", "/api/account/personal-key", { ...halves, copies: [copy] }));
  const own = await makePersonalKey();
  const copies = (own.body as { readonly copies: readonly object[] }).copies.map((one) => ({ ...one, name })); // a test made it
  const inPlace = { replaces: halves.signingKey, formerCopy: createCopy("device").file };
  await expect(owner.request("PUT", "/api/account/personal-key", { ...own.body, copies, ...inPlace }));
  return { account: owner, own, client: createClient({ baseUrl: service.url, token: owner.token }) };
}

/** A copy that was removed, a passkey, and another session. */
async function fillKey(service: TestService, owner: TestAccount, name: string): Promise<void> {
  const { copy } = await expect(owner.request("POST", "/api/account/key-copies", createCopy("passphrase", name)));
  await expect(owner.request("DELETE", `/api/account/key-copies/${copy.id}`));
  await service.database
    .insertInto("passkey")
    .values({
      ...{ id: createId("event"), person_id: owner.id, name: "1", credential_id: "AA", user_handle: "AA" },
      ...{ public_key: "AA", counter: 0, transports: "[]", added_at: Date.now() },
    })
    .execute();
}

async function fillMembers(
  service: TestService,
  ada: Person,
  form: { readonly id: string },
  name: string,
): Promise<FilledOrganization["brought"]> {
  const wanted = { role: "reader", forms: [form.id] } as const;
  await invite(ada.account, "invited@example.com", wanted);
  const listed = await equip(service, await addPerson(service, ada.account, "listed@example.com", wanted, name));
  await addToList(ada, listed, "reader");
  const brought = await equip(service, await addPerson(service, ada.account, "brought@example.com", wanted, name));
  const signer = await toSigner({ id: ada.account.id, key: ada.own.key });
  const { recipient } = await generatePersonalKey();
  const recovery = { id: createId("account"), name, role: "recovery", recipient, signingKey: null } as const;
  const before = await findList(ada);
  const entry = await createListEntry(before, ada.account.id, { change: "add", member: recovery }, signer);
  await ada.client.memberList.add(entry, before.head);
  const list = await findList(ada);
  const person = { person: brought.account.id, email: "brought@example.com", name, role: "reader" } as const;
  const { terms, link } = await createAdmission({ list, signer, ...person });
  await expect(ada.account.request("POST", "/api/admissions", { terms }));
  return { account: brought.account, link: formatAdmissionLink(link) };
}

/** For the page of operators. */
async function fillInstance(service: TestService, owner: TestAccount): Promise<void> {
  await service.database
    .updateTable("person")
    // The two databases have no word for true in common.
    .set({ operator_since: 1, second_factor_enabled: sql<boolean>`(1 = 1)` })
    .where("id", "=", owner.id)
    .execute();
  await service.database
    .insertInto("mail")
    .values({
      ...{ id: "c6d9a06a5a9e4b06b1a3a0a0f0c2f4d1", kind: "submissions", account_id: owner.id, form_id: null },
      ...{ details: "{}", created_at: 0, expires_at: 0, due_at: 0, attempts: 1 },
      ...{ finished_at: Date.now(), failed_at: Date.now(), failed_to: '["ada@example.com"]', failure: "550 5.1.1" },
    })
    .execute();
  await expect(owner.request("POST", "/api/instance/invitations", { email: "new@example.com" }));
}

async function expect(answer: ReturnType<TestAccount["request"]>): Promise<Answer["body"]> {
  const { status, body } = await answer;
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}
