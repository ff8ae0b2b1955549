import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { noticesPerDay } from "./mail.ts";
import { baseUrl, createMailBench } from "./testing/mail-bench.ts";
import { unsubscribeMilliseconds } from "./unsubscribe-link.ts";

/** The bench of a form with a mailed notice, and the path of the link in it. */
async function startWithNotice(t: TestScope) {
  const bench = await createMailBench(t);
  const { service, account, smtp, run } = bench;
  const form = await createForm(account, { encryption: false });
  const tell = async () => {
    await postPlain(service, form);
    await run();
    const { headers, text } = await smtp.next();
    assert.equal(headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const link = /^<(.*)>$/.exec(headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
    assert.ok(link.startsWith(`${baseUrl}/unsubscribe/`) && text.includes(link));
    return link.slice(baseUrl.length);
  };
  // Not through the API: sessions end before links do.
  const isStorageWanted = async () => {
    const row = await service.database.selectFrom("storage_email_switch").select("refused_at").executeTakeFirst();
    return row?.refused_at == null;
  };
  const isWanted = async (id: string) => {
    const refusal = service.database.selectFrom("email_opt_out").select("id").where("id", "=", id);
    return (await refusal.executeTakeFirst()) === undefined;
  };
  const isAccountWanted = () => isWanted(account.id);
  const wantAgain = (path: string) => account.request("PUT", path, { mail: true });
  const post = async (path: string, body = "List-Unsubscribe=One-Click") => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    return (await service.request("POST", path, { body, headers })).status;
  };
  const get = async (path: string) => (await service.request("GET", path)).status;
  return { ...bench, form, tell, isWanted, isAccountWanted, isStorageWanted, wantAgain, post, get };
}

test("a notice is ended by one POST without a sign-in, for its form alone; opening the link ends nothing", async (t) => {
  const { service, account, clock, smtp, run, form, tell, isWanted, isAccountWanted, post, get } =
    await startWithNotice(t);
  const other = await createForm(account, { encryption: false });
  const path = await tell();
  assert.equal(await get(path), 200);
  assert.equal(await isWanted(form), true);
  for (const wrong of [
    `${path}x`,
    path.replace(form, other),
    "/unsubscribe/x",
    `/unsubscribe/${form}.`,
    "/unsubscribe/.",
  ])
    assert.deepEqual([await post(wrong, ""), await get(wrong)], [404, 404], wrong);
  assert.deepEqual([await isWanted(form), await isWanted(other)], [true, true]);

  assert.equal(await post(path, "scope=account"), 200);
  assert.deepEqual([await isWanted(form), await isWanted(other), await isAccountWanted()], [false, true, true]);
  await postPlain(service, form);
  clock.advance(3_600_000);
  await run();
  assert.equal(smtp.emails.length, 1);
  const entries = await service.database.selectFrom("audit_entry").select(["action", "actor"]).execute();
  assert.equal(entries.filter(({ action, actor }) => action === "mails.turned_off" && actor === "nobody").length, 1);
});

test("a link has ended when emails were switched on again after it was sent, or after ninety days, and a newer one works", async (t) => {
  const { clock, form, tell, isWanted, wantAgain, post, get } = await startWithNotice(t);
  const path = await tell();
  assert.deepEqual([await post(path), await post(path), await get(path)], [200, 200, 200], "done is done");
  clock.advance(1);
  await wantAgain(`/api/forms/${form}/notifications`);
  assert.deepEqual([await post(path), await get(path), await isWanted(form)], [410, 410, true]);

  clock.advance(3_600_000);
  const newer = await tell();
  clock.advance(unsubscribeMilliseconds);
  assert.equal(await get(newer), 200);
  clock.advance(1);
  assert.deepEqual([await post(newer), await get(newer), await isWanted(form)], [410, 410, true]);
  clock.advance(-2);
  assert.deepEqual([await post(newer), await isWanted(form)], [200, false]);
});

for (const [about, ending] of [
  ["form", "removed"],
  ["account", "removed"],
  ["form", "no longer an owner"],
  ["account", "disabled"],
] as const)
  test(`the link in an email about the ${about} ends nothing once its recipient is ${ending}, and every owner's own still works`, async (t) => {
    const { service, account, smtp, run, form, post, get, ...bench } = await startWithNotice(t);
    const second = await addPerson(service, account, "second@example.com", { role: "owner" });
    if (about === "form") await postPlain(service, form);
    else
      await service.database
        .updateTable("form_count")
        .set({ bytes: 900_000_000 })
        .where("form_id", "=", form)
        .execute();
    await run();
    const isAbout = { form: /new submission/, account: /account/ }[about];
    const linkOf = (address: string) => {
      const mail = smtp.emails.find(
        ({ to, headers }) => to.join() === address && isAbout.test(headers.get("subject") ?? ""),
      );
      return (
        /^<(.*)>$/.exec(mail?.headers.get("list-unsubscribe") ?? "")?.[1]?.slice(baseUrl.length) ?? assert.fail(address)
      );
    };
    const [theirs, own] = [linkOf("second@example.com"), linkOf("owner@example.com")];
    assert.notEqual(theirs, own);
    assert.equal(await get(theirs), 200);
    if (ending === "removed") assert.equal((await account.request("DELETE", `/api/members/${second.id}`)).status, 200);
    else if (ending === "disabled")
      await service.database.updateTable("person").set({ disabled_at: 1 }).where("id", "=", second.id).execute();
    else assert.equal((await account.request("PATCH", `/api/members/${second.id}`, { role: "manager" })).status, 200);
    const isWanted = () => (about === "form" ? bench.isWanted(form) : bench.isStorageWanted());
    for (const body of ["", "scope=organization"])
      assert.deepEqual([await get(theirs), await post(theirs, body), await isWanted()], [410, 410, true]);
    assert.equal(await bench.isAccountWanted(), true);
    assert.deepEqual([await post(own), await isWanted()], [200, false]);
  });

test("an organization gets thirty notices a day, fifteen of them about submissions, however many forms there are, and further ones are announced the day after", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  assert.equal(
    Object.values(noticesPerDay).reduce((sum, most) => sum + most, 0),
    30,
  );
  const forms = [];
  for (let index = 0; index < 17; index++)
    forms.push(await createForm(account, { encryption: false }, `Form ${index}`));
  for (const form of forms) await postPlain(service, form);
  await run();
  await run();
  assert.equal(smtp.emails.length, 15);
  clock.advance(86_400_000);
  await run();
  assert.equal(smtp.emails.length, 17);
});

test("nobody gets notices of a disabled account, and submissions of the meantime are announced when it is enabled", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const form = await createForm(account, { encryption: false });
  await service.database.updateTable("person").set({ disabled_at: clock.now() }).execute();
  await postPlain(service, form);
  await run();
  assert.equal(smtp.emails.length, 0);
  await service.database.updateTable("person").set({ disabled_at: null }).execute();
  await run();
  assert.equal((await smtp.next()).headers.get("subject"), "1 new submission");
});
