import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import type { AccountId, FormId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { createSingleRing } from "../instance/key-ring.ts";
import { createSecretBox } from "../instance/secret-box.ts";
import { insertEmails } from "./insert-emails-store.ts";
import { type MailSubject, noticeKinds } from "./mail.ts";
import { baseUrl, createMailBench } from "./testing/mail-bench.ts";
import { choice } from "./unsubscribe-routes.ts";

type Notice = Extract<MailSubject, { readonly kind: (typeof noticeKinds)[number] }>;
type About = { readonly formId: FormId; readonly accountId: AccountId };

/** One of each kind, and of each thing that it is about: a kind that is missing does not compile. */
const examples: {
  readonly [Kind in Notice["kind"]]: (about: About) => readonly (Notice & { readonly kind: Kind })[];
} = {
  submissions: ({ formId }) => [{ kind: "submissions", formId, count: 2 }],
  webhook_failing: ({ formId }) => [{ kind: "webhook_failing", formId, since: 1 }],
  key_unproved: ({ formId }) => [{ kind: "key_unproved", formId, keyVersion: 1 }],
  refusal: ({ formId }) => [{ kind: "refusal", formId, cause: "origin", since: 1 }],
  quota: ({ formId, accountId }) => [{ kind: "quota", accountId, formId, level: 80 }],
  account_quota: ({ accountId }) => [
    { kind: "account_quota", accountId, room: "storage", level: 80 },
    { kind: "account_quota", accountId, room: "log", level: 100 },
  ],
};

test("the link in each kind of email ends what that email is about, and all of its organization by the second choice alone", async (t) => {
  const { service, account, smtp, run, clock } = await createMailBench(t);
  const { database } = service;
  const [formId, otherForm] = [
    (await createForm(account, { encryption: false }, "First")) as FormId,
    await createForm(account, { encryption: false }, "Second"),
  ];
  const accountId = account.id as AccountId; // as the service answered it
  const second = (await account.request("POST", "/api/organizations", { name: "Second" })).body.organization.id;
  // Nothing of these is sealed.
  const secretBox = createSecretBox(createSingleRing(randomBytes(32)));
  const post = (path: string, body: string) =>
    service.request("POST", path, { body, headers: { "content-type": "application/x-www-form-urlencoded" } });
  /** The names of everything that is off. */
  async function listOff(): Promise<readonly string[]> {
    const off = (await database.selectFrom("email_opt_out").select("id").execute()).map(({ id }) => id);
    const storage = await database
      .selectFrom("storage_email_switch")
      .selectAll()
      .where("refused_at", "is not", null)
      .execute();
    const names = { form: formId, other: otherForm, organization: accountId, second };
    return [
      ...Object.entries(names).flatMap(([name, id]) => (off.some((one) => one === id) ? [name] : [])),
      ...storage.map(({ organization_id: id }) => (id === accountId ? "storage" : "storage of another")),
    ];
  }
  const subjects = Object.values(examples).flatMap((of): readonly Notice[] => of({ formId, accountId }));
  assert.deepEqual([...new Set(subjects.map(({ kind }) => kind))], [...noticeKinds]);
  for (const subject of subjects) {
    const title = JSON.stringify(subject);
    const about = subject.kind === "account_quota" ? "storage" : "form";
    for (const order of [["one-click", "all"], ["all"]] as const) {
      for (const table of ["email_opt_out", "storage_email_switch", "mail_wanted"] as const)
        await database.deleteFrom(table).execute();
      await database
        .transaction()
        .execute((transaction) => insertEmails(transaction, accountId, [subject], clock.now(), secretBox));
      const before = smtp.emails.length;
      await run();
      assert.equal(smtp.emails.length, before + 1, title);
      const sent = smtp.emails.at(-1);
      const link = /^<(.*)>$/.exec(sent?.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
      assert.match(sent?.text ?? "", about === "form" ? /emails about this form/ : /emails about full storage/);
      const path = link.slice(baseUrl.length);
      const page = await service.request("GET", path);
      assert.equal(page.status, 200);
      assert.match(page.body, about === "form" ? /about this form</ : /about full storage</);
      assert.match(page.body, new RegExp(`name="${choice.name}" value="${choice.all}"`));
      assert.deepEqual(await listOff(), [], title);
      for (const press of order) {
        const body = press === "all" ? `${choice.name}=${choice.all}` : "List-Unsubscribe=One-Click";
        const done = await post(path, body);
        assert.equal(done.status, 200, title);
        const first = press === "all" && order.length === 1 ? [] : [about];
        const expected = press === "all" ? [...first, "organization"] : [about];
        assert.deepEqual((await listOff()).toSorted(), expected.toSorted(), title);
        // The rest is offered on the page that says that the first is done.
        assert.equal(done.body.includes(`name="${choice.name}"`), press === "one-click", title);
      }
    }
  }
});

test("after emails of the organization were switched on again an old link ends none of them, whatever it was about", async (t) => {
  const { service, account, smtp, run, clock } = await createMailBench(t);
  const accountId = account.id as AccountId; // as the service answered it
  const secretBox = createSecretBox(createSingleRing(randomBytes(32)));
  const subject = { kind: "account_quota", accountId, room: "storage", level: 80 } as const;
  await service.database
    .transaction()
    .execute((transaction) => insertEmails(transaction, accountId, [subject], clock.now(), secretBox));
  await run();
  const link = /^<(.*)>$/.exec((await smtp.next()).headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
  const post = async (body: string) =>
    (
      await service.request("POST", link.slice(baseUrl.length), {
        body,
        headers: { "content-type": "application/x-www-form-urlencoded" },
      })
    ).status;
  const all = `${choice.name}=${choice.all}`;
  const settings = async () => {
    const { mail, storage } = (await account.request("GET", "/api/notifications")).body;
    return [mail, storage];
  };
  assert.deepEqual([await post(all), await settings()], [200, [false, true]]);
  clock.advance(1);
  await account.request("PUT", "/api/notifications", { mail: true });
  assert.deepEqual([await post(""), await post(all), await settings()], [410, 410, [true, true]]);
  clock.advance(1);
  await account.request("PUT", "/api/notifications", { mail: true, storage: false });
  assert.deepEqual(await settings(), [true, false]);
  await account.request("PUT", "/api/notifications", { mail: true });
  assert.deepEqual(await settings(), [true, false], "what is left out stays");
  const entries = (await account.request("GET", "/api/audit-log?action=mails.turned_off")).body.entries;
  assert.deepEqual(entries[0].details.changes, [{ setting: "storageEmails", from: true, to: false }]);
});
