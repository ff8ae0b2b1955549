import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { onEither } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { awaitedKinds, type MailSubject } from "./mail.ts";
import { hashMailbox, isOwnLink, parseAddress, recipientOf, strangerEmailsPerDay, toMailbox } from "./recipient.ts";

const mail = {
  SEALPOST_SMTP_URL: "smtp://127.0.0.1:9?tls=off", // nothing listens there: the emails stay in the queue
  SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
};

test("however many accounts ask, and however the address is written, a stranger gets ten emails a day", async (t) => {
  const service = await createTestService(t, { environment: mail });
  const spellings = ["victim@example.net", "Victim@Example.net", "victim+a@example.net", " victim+b@example.net "];
  let refused = 0;
  for (let account = 0; account < strangerEmailsPerDay + 4; account++) {
    const person = await service.signUp(`bot${account}@example.com`);
    const email = spellings[account % spellings.length];
    const answer = await person.request("POST", "/api/account/address", { email });
    if (answer.status === 429) refused++;
  }
  assert.equal(refused, 4);
  const rows = await service.database.selectFrom("mail").select("recipient").where("kind", "=", "address").execute();
  const toStranger = rows.filter(({ recipient }) => recipient !== null);
  assert.equal(toStranger.length, strangerEmailsPerDay);
  assert.equal(new Set(toStranger.map(({ recipient }) => recipient)).size, 1);
});

test("an address is read once and strictly: nothing that a mail server reads as another one", () => {
  const wrong = [
    "<v@x.example>",
    "v@x.example>",
    "v@x.example,w@x.example",
    '"v"@x.example',
    "v@[192.0.2.1]",
    "v (a)@x.example",
    "v@x.example;",
    ".v@x.example",
    "v..w@x.example",
    "v@x..example",
    "v\u202ew@x.example",
    "v@",
    "@x",
    "v",
    "v@x@y",
    "v@x",
    "jürgen@bücher.example",
  ];
  for (const text of wrong) assert.equal(parseAddress(text), undefined, text);
  for (const text of ["v@x.example", "Anna.Lee+a@Example.COM", "j@xn--bcher-kva.example"])
    assert.equal(parseAddress(text), text.toLowerCase(), text);
  assert.equal(toMailbox("v+1@bücher.example"), toMailbox("V@xn--bcher-kva.example"));
});

test("every kind of email to an address that somebody entered is counted for that address", () => {
  const address = "v@example.net";
  const entered: MailSubject[] = [
    { kind: "invitation", token: "t", address },
    { kind: "instance_invitation", token: "t", address },
    { kind: "address", step: "confirm_new", token: "t", address, other: "w@example.net" },
    { kind: "address", step: "taken", token: undefined, address, other: "w@example.net" },
  ];
  assert.equal(new Set(entered.map(recipientOf)).size, 1);
  assert.equal(recipientOf({ kind: "address", step: "moved", token: "t", address, other: "w@example.net" }), undefined);
});

test(
  "an account that never verified its address counts as a stranger there, whatever link it asks for and however many there are",
  onEither,
  async (t) => {
    const service = await createTestService(t, { environment: { ...mail, SEALPOST_SIGNUP: "open" } });
    const asks = {
      verify_email: (person: TestAccount) => person.request("POST", "/api/auth/verification/send", {}),
      password_reset: (_person: TestAccount, email: string) =>
        service.request("POST", "/api/auth/request-password-reset", { body: { email } }),
    };
    for (const [kind, ask] of Object.entries(asks)) {
      const mailbox = `${kind}@mailbox.example`;
      for (let tag = 0; tag < 9; tag++) {
        const email = mailbox.replace("@", `+${tag}@`);
        const person = await service.signUp(email);
        await service.database
          .updateTable("person")
          .set({ email_verified: sql`(1 = 0)` })
          .where("email", "=", email)
          .execute();
        for (let again = 0; again < 3; again++) await ask(person, email);
      }
      const count = async () =>
        (await service.database.selectFrom("mail").select("id").where("recipient", "=", hashMailbox(mailbox)).execute())
          .length;
      assert.equal(await count(), strangerEmailsPerDay, kind);
      // The one who has proven an address keeps a share of their own, whatever strangers did.
      const owner = await service.signUp(mailbox);
      await service.database
        .updateTable("person")
        .set({ email_verified: sql`(1 = 1)` })
        .where("email", "=", mailbox)
        .execute();
      await asks.password_reset(owner, mailbox);
      const listOwn = () =>
        service.database
          .selectFrom("mail")
          .innerJoin("person", "person.id", "mail.account_id")
          .select("mail.id")
          .where("person.email", "=", mailbox)
          .where("kind", "=", "password_reset")
          .execute();
      // It is queued after the answer, which says nothing of whether there is an account.
      while ((await listOwn()).length === 0) await setTimeout(5);
      assert.equal(await count(), strangerEmailsPerDay, kind);
    }
  },
);

test("every kind of email with a link to somebody's own address is counted while the address is unproven", () => {
  assert.deepEqual(
    awaitedKinds.filter((kind) => kind !== "address" && !kind.endsWith("invitation")),
    awaitedKinds.filter((kind) => isOwnLink({ kind, token: "t" } as MailSubject)),
  );
});
