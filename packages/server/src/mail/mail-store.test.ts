import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createIdentityStore } from "../accounts/identity-store.ts";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createMemberStore } from "../organizations/member-store.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { byNobody, createSendSecurityMail } from "./security-mail-store.ts";
import { accountIdOf, createMailBench } from "./testing/mail-bench.ts";

const minute = 60_000;
/** Shorter than a session. */
const days = 5 * 86_400_000;

test("a clock that was days ahead holds up no mail once it is right again", async (t) => {
  const { service, account, clock, smtp, store, run } = await createMailBench(t, {
    refusals: [undefined, undefined, undefined, undefined, 451, undefined],
  });
  const next = async () => (await smtp.next()).headers.get("subject");
  const [form, other] = [
    await createForm(account, { encryption: false }),
    await createForm(account, { encryption: false }),
  ];
  clock.advance(days);
  for (const token of ["one", "two", "three"]) await store.addReset(accountIdOf(account), token, clock.now());
  await postPlain(service, form);
  await run();
  const early = [await next(), await next(), await next(), await next()];
  assert.equal(early.filter((subject) => subject === "1 new submission").length, 1);
  await postPlain(service, other);
  await run();
  assert.equal(smtp.emails.length, 4, "the mail about the other form waits for another try");

  clock.advance(-days);
  await postPlain(service, form);
  await store.addReset(accountIdOf(account), "four", clock.now());
  await run();
  const subjects = [await next(), await next(), await next()];
  assert.deepEqual(subjects.toSorted(), ["1 new submission", "1 new submission", "Set a new password"]);
  await postPlain(service, form);
  clock.advance(minute);
  await run();
  assert.equal(smtp.emails.length, 7, "a quiet hour is one again");
});

test("a mail that waits while its form is deleted is not sent", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t, { refusals: [451, undefined] });
  const [gone, kept] = [
    await createForm(account, { encryption: false }),
    await createForm(account, { encryption: false }),
  ];
  await postPlain(service, gone);
  await run();
  assert.equal(smtp.emails.length, 0);
  // Rows that the purge has not reached yet.
  const rows = await service.database.selectFrom("mail").selectAll().execute();
  assert.equal((await account.request("DELETE", `/api/forms/${gone}?confirm=DELETE_FORM`)).status, 200);
  await service.database.deleteFrom("mail").execute();
  await service.database.insertInto("mail").values(rows).execute();
  await postPlain(service, kept);
  clock.advance(minute);
  await run();
  assert.match((await smtp.next()).text, new RegExp(kept));
  assert.equal(smtp.emails.length, 1);
});

test("the many owners of one organization take no email from the owners of another", async (t) => {
  const { service, account, clock, store } = await createMailBench(t);
  const { database } = service;
  const other = await service.signUp("other@example.com");
  await addPerson(service, other, "late@example.com", { role: "owner" });
  assert.equal((await account.request("GET", "/api/members")).status, 200);
  const identities = createIdentityStore(database);
  await database.transaction().execute(async (transaction) => {
    for (let number = 10; number < 60; number++) {
      const id = `acc_000000000000000000000000${number}` as AccountId; // written like one
      const person = { id, email: `${number}@example.com`, name: "Person", plan: "free", createdAt: 0 } as const;
      await identities.createPerson(transaction, { ...person, isVerified: true, isInvited: true });
      const membership = {
        organizationId: accountIdOf(account),
        personId: id,
        role: "owner",
        formIds: undefined,
        since: number,
        addedBy: undefined,
      } as const;
      await createMemberStore(database).add(transaction, membership, { madeBy: undefined, at: number });
    }
  });
  const send = createSendSecurityMail({ hasMail: true });
  for (const one of [account, other])
    await send(database, {
      accountId: accountIdOf(one),
      event: "api_key_created",
      by: byNobody,
      occurredAt: clock.now(),
    });
  const claimed = await store.claim(clock.now(), 10);
  const addresses = new Map(claimed.map((one) => [one.mail.accountId, one.addresses]));
  assert.equal(addresses.get(accountIdOf(account))?.length, 51);
  assert.deepEqual(addresses.get(accountIdOf(other))?.toSorted(), ["late@example.com", "other@example.com"]);
});

test("an email about an organization goes to nobody who owns it no more, or is disabled", async (t) => {
  const { service, account, clock, store } = await createMailBench(t);
  assert.equal((await account.request("GET", "/api/members")).status, 200);
  const send = createSendSecurityMail({ hasMail: true });
  const accountId = accountIdOf(account);
  const claim = async () => {
    await send(service.database, { accountId, event: "api_key_created", by: byNobody, occurredAt: clock.now() });
    return (await store.claim(clock.now(), 10)).flatMap(({ addresses }) => addresses);
  };
  assert.deepEqual(await claim(), ["owner@example.com"]);
  await service.database.updateTable("member").set({ role: "auditor" }).execute();
  assert.deepEqual(await claim(), []);
  await service.database.updateTable("member").set({ role: "owner" }).execute();
  await service.database.updateTable("person").set({ disabled_at: 1 }).execute();
  assert.deepEqual(await claim(), []);
});
