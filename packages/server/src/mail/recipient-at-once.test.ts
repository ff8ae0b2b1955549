import assert from "node:assert/strict";
import { test } from "node:test";
import { invitationEmailsPerDay, invitationsPerDay } from "../organizations/organization.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { linksPerHour } from "./mail.ts";
import { hashMailbox, strangerEmailsPerDay } from "./recipient.ts";
import { accountIdOf, createMailBench } from "./testing/mail-bench.ts";

const environment = {
  SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", // nothing listens there: the emails stay in the queue
  SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
};
const verified = { verification: "trusted" } as const;

/** The ways in which somebody has an address emailed that they entered. */
const asks = {
  "an invitation": (person: TestAccount, email: string) =>
    person.request("POST", "/api/invitations", { email, role: "auditor" }),
  "a move of an account": (person: TestAccount, email: string) =>
    person.request("POST", "/api/account/address", { email }),
};

for (const [way, ask] of Object.entries(asks))
  test(`of any number of accounts that ask for ${way} to one mailbox at the same moment, no more have their email than the mailbox gets`, async (t) => {
    const service = await createTestService(t, { environment });
    const people: TestAccount[] = [];
    for (let number = 0; number < strangerEmailsPerDay + 8; number += 1) {
      people.push(await service.signUp(`asking${number}@example.com`));
      await service.database.updateTable("person").set(verified).execute();
    }
    const count = async (mailbox: string) =>
      (await service.database.selectFrom("mail").select("id").where("recipient", "=", hashMailbox(mailbox)).execute())
        .length;
    await Promise.all(people.map((person, number) => ask(person, `tagged+${number}@mailbox.example`)));
    assert.equal(await count("tagged@mailbox.example"), strangerEmailsPerDay);
    if (way !== "an invitation") return;
    await Promise.all(people.map((person) => ask(person, "one@mailbox.example")));
    assert.equal(await count("one@mailbox.example"), invitationEmailsPerDay.to);
  });

test("a person who invites people to several organizations at the same moment has no more emails sent than one who does it in one", async (t) => {
  const service = await createTestService(t, { environment });
  const person = await service.signUp("asking@example.com");
  await service.database.updateTable("person").set(verified).execute();
  const tokens = [person.token];
  for (let number = 0; number < 4; number += 1) {
    const made = await person.request("POST", "/api/organizations", { name: `House ${number}` });
    const signedIn = await service.request("POST", "/api/auth/sign-in/email", {
      body: { email: "asking@example.com", password: "correct horse battery" },
    });
    const cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const issued = await service.request("GET", "/api/auth/token", { headers: { cookie, origin: service.url } });
    const { token } = issued.body;
    await service.request("POST", `/api/organizations/${made.body.organization.id}/switch`, { token });
    tokens.push(token);
  }
  const invitations = tokens.flatMap((token, from) =>
    Array.from({ length: 8 }, (_, number) =>
      service.request("POST", "/api/invitations", {
        token,
        body: { email: `person${from}-${number}@mailbox.example`, role: "auditor" },
      }),
    ),
  );
  const mailed = (await Promise.all(invitations)).filter(({ body }) => body.mailed === true);
  assert.equal(mailed.length, invitationEmailsPerDay.by);
});

test("an account that is asked for at the same moment by many gets as many links to set a password as it gets within an hour", async (t) => {
  const { service, account, clock, store } = await createMailBench(t);
  await service.database.updateTable("person").set(verified).execute();
  const now = clock.now();
  // Each has read the time before it waits for the others.
  const asked = Array.from({ length: 9 }, (_, number) => store.addReset(accountIdOf(account), "token", now - number));
  assert.equal((await Promise.all(asked)).filter((isSent) => isSent).length, linksPerHour);
});

test("an organization that invites many people at the same moment makes as many invitations as it makes within a day", async (t) => {
  const service = await createTestService(t, { environment });
  const person = await service.signUp("asking@example.com");
  await service.database.updateTable("person").set(verified).execute();
  const invite = (number: number) =>
    person.request("POST", "/api/invitations", { email: `person-${number}@mailbox.example`, role: "auditor" });
  const answers = await Promise.all(Array.from({ length: invitationsPerDay + 20 }, (_, number) => invite(number)));
  assert.equal(answers.filter(({ status }) => status === 200).length, invitationsPerDay);
});
