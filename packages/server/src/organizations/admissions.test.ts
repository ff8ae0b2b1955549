import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Admission,
  answerAdmission,
  createAdmission,
  openAdmission,
  type Role,
  type VerifiedList,
} from "@sealpost/envelope";
import { createCopy, keyPath, outcomeOf } from "../personal-keys/testing/key-bench.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import {
  createFounder,
  createSigner,
  fetchList,
  type Signer,
  signEntry,
  toMember,
} from "./testing/test-member-list.ts";
import { addPerson, switchTo } from "./testing/test-organization.ts";

const path = "/api/admissions";
const dayMilliseconds = 24 * 60 * 60 * 1000;

/** An organization with an owner and a manager in its list, and a reader, with a key of their own, who is not. */
async function setUp(t: Parameters<typeof createTestService>[0]) {
  const clock = createFakeClock();
  // So that the sessions last while the clock is moved.
  const environment = { SEALPOST_SESSION_IDLE_MINUTES: "50000" };
  const service = await createTestService(t, { clock, environment });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const { id } = owner.account;
  const join = async (name: string, role: "manager" | "reader") =>
    createSigner(
      service,
      await addPerson(service, owner.account, `${name}@example.com`, { role, ...(role === "reader" && { forms: [] }) }),
      id,
    );
  const manager = await join("manager", "manager");
  const reader = await join("reader", "reader");
  const first = await fetchList(owner);
  const adding = { change: "add", member: toMember(manager, "manager") } as const;
  await owner.client.memberList.add(await signEntry(owner, first, adding), first.head);
  const { recipient, signingKey } = reader.key;
  const made = await reader.account.request("POST", keyPath, { recipient, signingKey, copies: [createCopy("sheet")] });
  assert.equal(made.status, 200);
  return { clock, service, owner, manager, reader, list: await fetchList(owner, first.head) };
}

type Known = Awaited<ReturnType<typeof setUp>>;

function offer(
  by: Signer,
  list: VerifiedList,
  to: TestAccount,
  more: { role?: Role; person?: null; now?: number } = {},
) {
  const person = more.person === null ? null : to.id;
  const { role = "reader", now } = more;
  return createAdmission({
    list,
    signer: by.signer,
    person,
    email: "reader@example.com",
    name: "Zoë",
    role,
    ...(now && { now }),
  });
}

async function post(by: Signer, { terms }: Pick<Admission, "terms">): Promise<string> {
  return outcomeOf(await by.account.request("POST", path, { terms }));
}

/** The same in a request that is sent once more. */
const answeredAt = Date.UTC(2026, 10, 23, 8);

async function answer(reader: Signer, { id, terms, link }: Admission): Promise<string> {
  const body = { answer: await answerAdmission(terms, link, reader.account.id, reader.key, answeredAt) };
  return outcomeOf(await reader.account.request("POST", `/api/account/admissions/${id}/answer`, body));
}

async function listIds({ account }: Signer): Promise<readonly string[]> {
  const { body } = await account.request("GET", path);
  return body.admissions.map(({ id }: { readonly id: string }) => id);
}

/** Those that the person finds without a link. */
async function listOwn(account: TestAccount): Promise<readonly unknown[]> {
  const { status, body } = await account.request("GET", "/api/account/admissions");
  assert.equal(status, 200, JSON.stringify(body));
  return body.admissions;
}

async function see({ account }: Signer, { id }: Admission): Promise<string> {
  return outcomeOf(await account.request("GET", `/api/account/admissions/${id}`));
}

async function replaceBy(manager: Signer, { owner, list }: Known, role: Role) {
  const change = { change: "replace", member: toMember(manager, role) } as const;
  await owner.client.memberList.add(await signEntry(owner, list, change), list.head);
}

test("a person is brought into the list: made by a manager, answered by the person, opened by an owner, and used up", async (t) => {
  const known = await setUp(t);
  const { clock, owner, manager, reader, list } = known;
  const admission = await offer(manager, list, reader.account, { now: clock.now() });
  assert.equal(await post(manager, admission), "200");
  assert.equal(await post(manager, admission), "200", "sent once more after a lost answer");
  assert.deepEqual(await listIds(owner), [admission.id]);
  assert.match(outcomeOf(await reader.account.request("GET", path)), /^403/);

  const own = await reader.account.request("GET", `/api/account/admissions/${admission.id}`);
  assert.deepEqual(
    [own.body.terms, own.body.organization.id, own.body.answeredAt, own.body.list.split("\n").length],
    [admission.terms, owner.account.id, null, 5],
  );
  assert.equal(await see(manager, admission), "404 admission_not_found", "for nobody else");
  const { id, name } = own.body.organization;
  const endsAt = Date.parse(JSON.parse(admission.terms.split("\n")[0] ?? "").endsAt);
  const expected = { id: admission.id, organization: { id, name }, endsAt, answeredAt: null };
  assert.deepEqual(await listOwn(reader.account), [expected], "without a link");
  for (const other of [manager, owner]) assert.deepEqual(await listOwn(other.account), []);
  const refusal = `${path}/${admission.id}/refusal`;
  assert.equal(outcomeOf(await owner.account.request("POST", refusal)), "409 admission_unanswered");
  assert.equal(await answer(reader, admission), "200");
  assert.equal(await answer(reader, admission), "200", "sent once more after a lost answer");

  const { body } = await owner.account.request("GET", `${path}/${admission.id}`);
  assert.equal(body.admission.terms, admission.terms);
  const opened = await openAdmission(body.admission.terms, body.answer, {
    ...{ list, finisherId: owner.account.id, now: clock.now() },
  });
  assert.ok(!("reason" in opened), String(opened));
  await owner.client.memberList.add(await signEntry(owner, list, opened.change), list.head);
  assert.deepEqual(await listIds(owner), [], "the entry has used it up");
  assert.deepEqual(await listOwn(reader.account), []);
  assert.equal(await see(reader, admission), "404 admission_not_found");
  assert.equal(await post(manager, admission), "400 admission_refused", "it can't be used again");
  const { entries } = (await owner.account.request("GET", "/api/audit-log?limit=100")).body;
  const actions = entries.map(({ action }: { readonly action: string }) => action);
  assert.deepEqual(actions.filter((action: string) => action.startsWith("admission.")).toSorted(), [
    "admission.answered",
    "admission.made",
  ]);
  const exported = (await reader.account.request("GET", "/api/account/export")).body;
  assert.deepEqual(
    exported.admissions.map(({ id }: { readonly id: string }) => id),
    [admission.id],
  );
});

test("what nobody could use is not taken: another's terms, a role above one's own, strangers, a later end, changed terms", async (t) => {
  const { service, clock, owner, manager, reader, list } = await setUp(t);
  const now = clock.now();
  const admission = await offer(manager, list, reader.account, { now });
  const stranger = await service.signUp("stranger@example.com");
  const changed = admission.terms.replace('"reader"', '"auditor"');
  const refused = "400 admission_refused";
  const attempts: readonly (readonly [Signer, Pick<Admission, "terms">, string])[] = [
    [owner, admission, "400 admission_foreign terms=admission_foreign"],
    [manager, { ...admission, terms: "" }, refused],
    [manager, { ...admission, terms: changed }, refused],
    [manager, await offer(manager, list, stranger, { now }), "400 admission_stranger terms=admission_stranger"],
    [
      owner,
      await offer(owner, list, reader.account, { now: now + 30 * 60_000 }),
      "400 admission_too_long terms=admission_too_long",
    ],
    [owner, await offer(owner, list, reader.account, { now: now + dayMilliseconds }), refused],
    [owner, await offer(owner, list, reader.account, { now: now - 8 * dayMilliseconds }), refused],
  ];
  for (const [by, offered, outcome] of attempts) assert.equal(await post(by, offered), outcome);
  // A manager ends no link to a role that they do not give: not by one of their own, nor by refusing its answers.
  const above = await offer(owner, list, reader.account, { role: "owner", now });
  assert.equal(await post(owner, above), "200");
  assert.equal(await answer(reader, above), "200");
  for (const more of [{}, { person: null }])
    assert.equal(await post(manager, await offer(manager, list, reader.account, { now, ...more })), "403 role_above");
  for (const [method, end] of [
    ["POST", "/refusal"],
    ["DELETE", ""],
  ] as const)
    assert.equal(
      outcomeOf(await manager.account.request(method, `${path}/${above.id}${end}`)),
      "403 role_above",
      method,
    );
  assert.deepEqual(await listIds(owner), [above.id]);
  assert.equal(outcomeOf(await owner.account.request("DELETE", `${path}/${above.id}`)), "200");
  // An owner in the list who is only a manager by the service, and gives a role above that.
  await service.database
    .updateTable("member")
    .set({ role: "manager" })
    .where("person_id", "=", owner.account.id)
    .execute();
  assert.equal(await post(owner, await offer(owner, list, reader.account, { role: "owner", now })), "403 role_above");
  for (const id of ["made-up", "adm_00000000000000000000000000"])
    for (const [method, url] of [
      ["GET", `${path}/${id}`],
      ["DELETE", `${path}/${id}`],
      ["POST", `${path}/${id}/refusal`],
      ["GET", `/api/account/admissions/${id}`],
    ] as const)
      assert.equal(outcomeOf(await manager.account.request(method, url)), "404 admission_not_found");
  assert.deepEqual(await listIds(manager), []);
});

test("an admission for an address waits until its owner has joined with it, and is for nobody else who has the link", async (t) => {
  const { service, clock, owner, list } = await setUp(t);
  const email = "newcomer@example.com";
  const offer = { list, signer: owner.signer, email, name: "Noor", role: "reader", now: clock.now() } as const;
  const admission = await createAdmission({ ...offer, person: null });
  assert.equal(await post(owner, admission), "200");
  const bring = async (address: string) => {
    const account = await addPerson(service, owner.account, address, { role: "reader", forms: [] });
    const person = await createSigner(service, account, owner.account.id);
    const { recipient, signingKey } = person.key;
    const made = await account.request("POST", keyPath, { recipient, signingKey, copies: [createCopy("sheet")] });
    assert.equal(made.status, 200);
    return person;
  };
  // The link was forwarded: to a member with another address, and to somebody who is no member.
  const other = await bring("other@example.com");
  assert.equal(await answer(other, admission), "404 admission_not_found");
  const early = await service.signUp(email);
  assert.equal(
    outcomeOf(await early.request("GET", `/api/account/admissions/${admission.id}`)),
    "404 admission_not_found",
  );
  assert.deepEqual([await listOwn(other.account), await listOwn(early)], [[], []]);
  // Nothing is lost by opening it too early.
  const { body } = await owner.account.request("POST", "/api/invitations", { email, role: "reader", forms: [] });
  const accepted = await early.request("POST", "/api/invitations/accept", { token: String(body.url).split("#")[1] });
  assert.equal(accepted.status, 200);
  const newcomer = await createSigner(service, early, owner.account.id);
  const { recipient, signingKey } = newcomer.key;
  await early.request("POST", keyPath, { recipient, signingKey, copies: [createCopy("sheet")] });
  assert.equal((await listOwn(early)).length, 1);
  // Anyone who has the account and not the mailbox does not answer.
  const setTo = (verification: string) =>
    service.database.updateTable("person").set({ verification }).where("id", "=", early.id).execute();
  await setTo("needed");
  assert.equal(await answer(newcomer, admission), "403 email_unverified");
  await setTo("trusted");
  for (const _time of ["first", "second"]) assert.equal(await answer(newcomer, admission), "200");
  const opened = (await owner.account.request("GET", `${path}/${admission.id}`)).body;
  const finishing = { list, finisherId: owner.account.id, now: clock.now() };
  const checked = await openAdmission(admission.terms, opened.answer, finishing);
  assert.ok(!("reason" in checked) && checked.change.change === "add" && checked.change.member.id === early.id);
});

test("an admission ends: replaced by a newer one, taken back, after ten wrong answers, after a week, with its maker's rights", async (t) => {
  const known = await setUp(t);
  const { clock, service, owner, manager, reader, list } = known;
  const make = async (by = manager, more: { person?: null } = {}) => {
    const admission = await offer(by, list, reader.account, { now: clock.now(), ...more });
    assert.equal(await post(by, admission), "200");
    return admission;
  };
  const first = await make();
  const second = await make(owner, { person: null });
  assert.deepEqual(await listIds(owner), [second.id], "a newer one for the same person");
  assert.equal(await answer(reader, first), "404 admission_not_found");
  assert.equal(await see(reader, second), "200", "for the address");
  const send = async (given: string) =>
    outcomeOf(await reader.account.request("POST", `/api/account/admissions/${second.id}/answer`, { answer: given }));
  const own = await answerAdmission(second.terms, second.link, reader.account.id, reader.key);
  for (const wrong of [
    await answerAdmission(second.terms, second.link, reader.account.id, owner.key),
    await answerAdmission(second.terms, second.link, owner.account.id, reader.key),
  ])
    assert.equal(await send(wrong), "400 admission_other_key answer=admission_other_key");
  const guess = { secret: "A".repeat(22) };
  for (const wrong of [
    ...[own.replace("2", "3"), own.split("\n").slice(0, 2).join("\n"), "made-up"],
    await answerAdmission(second.terms, guess, reader.account.id, reader.key),
    await answerAdmission(second.terms, first.link, reader.account.id, reader.key),
    await answerAdmission(first.terms, first.link, reader.account.id, reader.key),
  ])
    assert.equal(await send(wrong), "400 admission_answer_wrong answer=admission_answer_wrong", wrong);
  assert.equal(outcomeOf(await owner.account.request("DELETE", `${path}/${second.id}`)), "200");
  assert.deepEqual(await listIds(owner), []);
  assert.equal(await post(owner, second), "409 admission_taken");

  const guessed = await make();
  for (let count = 0; count < 10; count++) {
    assert.equal(await answer(reader, guessed), "200");
    assert.equal(outcomeOf(await owner.account.request("POST", `${path}/${guessed.id}/refusal`)), "200");
  }
  assert.equal(await answer(reader, guessed), "404 admission_not_found");

  const old = await make();
  const ofOld = service.database.updateTable("admission").where("id", "=", old.id);
  const { created_at: madeAt, ends_at: endsAt } = await service.database
    .selectFrom("admission")
    .select(["created_at", "ends_at"])
    .where("id", "=", old.id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(endsAt) - Number(madeAt), 7 * dayMilliseconds);
  // Not a week later: the sessions would have ended.
  await ofOld.set({ ends_at: clock.now() + 1000 }).execute();
  assert.equal(await see(reader, old), "200");
  clock.advance(1000);
  assert.equal(await see(reader, old), "404 admission_not_found");
  assert.deepEqual(await listIds(owner), []);

  const last = await make();
  assert.equal(await see(reader, last), "200");
  await service.database
    .updateTable("member")
    .set({ role: "auditor" })
    .where("person_id", "=", manager.account.id)
    .execute();
  assert.equal(await see(reader, last), "404 admission_not_found");
  assert.deepEqual(await listIds(owner), []);
  await service.database
    .updateTable("member")
    .set({ role: "manager" })
    .where("person_id", "=", manager.account.id)
    .execute();
  // By the list alone.
  await replaceBy(manager, known, "reader");
  assert.equal(
    await post(manager, await offer(manager, list, reader.account, { now: clock.now() })),
    "400 admission_refused",
  );
  assert.equal(await see(reader, last), "404 admission_not_found", "a right was taken from somebody");
  const again = await offer(owner, await fetchList(owner, list.head), reader.account, { now: clock.now() });
  assert.equal(await post(owner, again), "200");
  // In whatever organization the session acts, as long as the person is a member.
  await switchTo(reader.account, reader.account.id);
  assert.equal(await see(reader, again), "200");
  await owner.account.request("DELETE", `/api/members/${reader.account.id}`);
  assert.equal(await see(reader, again), "404 admission_not_found");
});

test("an admission that adds somebody, by address or account, ends with the entry that removes somebody or gives them a lesser role, and one for a listed member stays", async (t) => {
  const known = await setUp(t);
  const { clock, owner, manager, reader, list } = known;
  const now = clock.now();
  const make = async (current: VerifiedList, more: { person?: null }) => {
    const admission = await offer(owner, current, reader.account, { now, ...more });
    assert.equal(await post(owner, admission), "200");
    return admission.id;
  };
  const first = await make(list, { person: null });
  const renamed = { change: "replace", member: { ...toMember(manager, "manager"), name: "Another name" } } as const;
  await owner.client.memberList.add(await signEntry(owner, list, renamed), list.head);
  assert.deepEqual(await listIds(owner), [first], "a name takes nothing from anybody");
  let newest = await fetchList(owner, list.head);
  await replaceBy(manager, { ...known, list: newest }, "reader");
  assert.deepEqual(await listIds(owner), []);
  const removal = { change: "remove", member: { id: manager.account.id } } as const;
  const makeAndRemove = async (more: { person?: null }) => {
    newest = await fetchList(owner, newest.head);
    const id = await make(newest, more);
    await owner.client.memberList.add(await signEntry(owner, newest, removal), newest.head);
    newest = await fetchList(owner, newest.head);
    return id;
  };
  await makeAndRemove({ person: null });
  assert.deepEqual(await listIds(owner), []);
  const add = async (signer: Signer, role: Role) => {
    const change = { change: "add", member: toMember(signer, role) } as const;
    await owner.client.memberList.add(await signEntry(owner, newest, change), newest.head);
    newest = await fetchList(owner, newest.head);
  };
  await add(manager, "manager");
  await makeAndRemove({});
  assert.deepEqual(await listIds(owner), [], "for an account that the list does not have");
  await add(manager, "manager");
  await add(reader, "reader");
  assert.deepEqual([await makeAndRemove({})], await listIds(owner));
});
