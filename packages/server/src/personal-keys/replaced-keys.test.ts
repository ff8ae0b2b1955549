import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestBrowser } from "../oidc/testing/test-browser.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createFormerKeyStore } from "./former-key-store.ts";
import { copiesPath, createCopy, createFile, createKeyAndSheet, keyPath, outcomeOf } from "./testing/key-bench.ts";

const restorePath = `${keyPath}/restore`;
const password = "correct horse battery";
type Copy = { readonly id: string; readonly name: string; readonly restorableUntil: number | null };
const namesOf = (copies: readonly Copy[]) => copies.map(({ name }) => name).toSorted();

test("a thief with a stolen session neither ends the owner's key by replacing it, nor the one in its place by undoing that, nor its ways", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock, environment: { SEALPOST_SESSION_IDLE_MINUTES: "100000" } });
  const account = await service.signUp("owner@example.com");
  const [first, second, thiefs] = await Promise.all([createKeyAndSheet(), createKeyAndSheet(), createKeyAndSheet()]);
  const replace = (key: typeof first, replaces: string, more: object = {}) =>
    account.request("PUT", keyPath, { ...key.halves, copies: [key.copy], replaces, ...more });
  const missing = await replace(first, second.halves.signingKey);
  assert.equal(outcomeOf(missing), "409 personal_key_missing");
  const firstCopies = [first.copy, createCopy("passphrase", "Words")];
  const made = await account.request("POST", keyPath, { ...first.halves, copies: firstCopies });
  assert.deepEqual(made.body.formerKeys, []);
  const words = (made.body.copies as readonly Copy[]).find(({ name }) => name === "Words");

  // Removed ten days before the key is replaced: while it is a former one, no time passes for it.
  assert.equal((await account.request("DELETE", `${copiesPath}/${words?.id}`)).status, 200);
  clock.advance(10 * dayMilliseconds);
  const browser = createTestBrowser(service);
  const signIn = async () => {
    const answer = await browser.post("/api/auth/sign-in/email", { email: "owner@example.com", password });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await signIn();
  const formerCopy = createFile("device");
  const body = { ...second.halves, copies: [second.copy], replaces: first.halves.signingKey, formerCopy };
  const wrong = { ...body, formerCopy: createFile("passphrase") };
  const refused = "400 former_key_copy_wrong formerCopy=former_key_copy_wrong";
  assert.equal(outcomeOf(await browser.post(keyPath, wrong, "PUT")), refused);
  const elsewhere = { ...body, replaces: thiefs.halves.signingKey };
  assert.equal(outcomeOf(await browser.post(keyPath, elsewhere, "PUT")), "409 personal_key_changed");
  const sheetless = { ...body, copies: [createCopy("passphrase")] };
  assert.match(outcomeOf(await browser.post(keyPath, sheetless, "PUT")), /copies=key_copy_sheet_missing/);
  const replaced = await browser.post(keyPath, body, "PUT");
  assert.equal(replaced.status, 200, JSON.stringify(replaced.body));
  assert.equal(replaced.body.personalKey.recipient, second.halves.recipient);
  assert.deepEqual(namesOf(replaced.body.copies), ["Sheet"]);
  const [former] = replaced.body.formerKeys;
  assert.deepEqual(
    [former.signingKey, former.restorableUntil, namesOf(former.copies)],
    [first.halves.signingKey, clock.now() + 30 * dayMilliseconds, ["Sheet", "Words"]],
  );
  const opened = await browser.post(`${copiesPath}/${former.copyId}`, {}, "GET");
  assert.deepEqual(opened.body, { file: formerCopy }, "the new key opens the former one");
  for (const copy of former.copies) {
    for (const [method, path] of [
      ["GET", ""],
      ["DELETE", ""],
      ["POST", "/restore"],
    ] as const)
      assert.equal(
        outcomeOf(await browser.post(`${copiesPath}/${copy.id}${path}`, {}, method)),
        "404 key_copy_not_found",
        "nobody changes the ways of a former key",
      );
  }
  assert.deepEqual((await browser.post(keyPath, body, "PUT")).body, replaced.body, "the same request once more");
  const again = { ...body, ...first.halves, replaces: second.halves.signingKey };
  assert.equal(outcomeOf(await browser.post(keyPath, again, "PUT")), "409 personal_key_former");
  const stale = { ...createCopy("passphrase"), signingKey: first.halves.signingKey };
  assert.equal(outcomeOf(await browser.post(copiesPath, stale)), "409 personal_key_changed");

  // The thief undoes the owner's replacement, and removes ways: of the key in use alone.
  const undo = { signingKey: first.halves.signingKey, replaces: second.halves.signingKey };
  clock.advance(21 * dayMilliseconds);
  await signIn();
  const undone = await browser.post(restorePath, undo);
  assert.equal(undone.status, 200, JSON.stringify(undone.body));
  assert.deepEqual(namesOf(undone.body.copies), ["Sheet", "Words"], "with words that were removed 31 days ago");
  const back = (undone.body.copies as readonly Copy[]).find(({ name }) => name === "Words");
  assert.equal(back?.restorableUntil, clock.now() + 20 * dayMilliseconds);
  assert.deepEqual((await browser.post(restorePath, undo)).body, undone.body, "the same request once more");
  const redo = { signingKey: second.halves.signingKey, replaces: first.halves.signingKey };
  const redone = await browser.post(restorePath, redo);
  assert.equal(redone.status, 200, "the owner takes that back");
  assert.deepEqual(namesOf(redone.body.copies), ["Sheet"]);
  assert.equal((await browser.post(restorePath, undo)).status, 200);
  clock.advance(29 * dayMilliseconds);
  const { purge } = createFormerKeyStore(service.database);
  assert.equal(await purge(clock.now()), false);
  clock.advance(dayMilliseconds);
  await signIn();
  assert.equal(outcomeOf(await browser.post(restorePath, redo)), "404 former_key_not_found");
  assert.equal(await purge(clock.now()), true);
  assert.equal(await purge(clock.now()), false);
  for (const table of ["former_key", "former_key_copy"] as const)
    assert.deepEqual(await service.database.selectFrom(table).select("person_id").execute(), [], table);
  const kept = (await browser.post(keyPath, {}, "GET")).body;
  assert.deepEqual([kept.personalKey.signingKey, kept.formerKeys], [first.halves.signingKey, []]);
  const actions = await service.database
    .selectFrom("audit_entry")
    .select("action")
    .where("action", "like", "personal_key.%")
    .orderBy("id")
    .execute();
  assert.deepEqual(
    actions.map(({ action }) => action.slice("personal_key.".length)),
    ["made", "replaced", "restored", "restored", "restored"],
  );
});

test("five keys within a day are stored and no sixth, two at once replace one, and a session older than an hour replaces none; bringing back is never refused for it", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const keys = await Promise.all(Array.from({ length: 7 }, createKeyAndSheet));
  const bodyOf = (index: number, replaces?: number) => ({
    ...keys[index]?.halves,
    copies: [keys[index]?.copy],
    ...(replaces !== undefined && { replaces: keys[replaces]?.halves.signingKey }),
  });
  assert.equal((await account.request("POST", keyPath, bodyOf(0))).status, 200);
  const two = await Promise.all([1, 2].map((index) => account.request("PUT", keyPath, bodyOf(index, 0))));
  assert.deepEqual(two.map(outcomeOf).toSorted(), ["200", "409 personal_key_changed"]);
  let current = two[0]?.status === 200 ? 1 : 2;
  for (const next of [3, 4, 5]) {
    assert.equal(outcomeOf(await account.request("PUT", keyPath, bodyOf(next, current))), "200");
    current = next;
  }
  const sixth = await account.request("PUT", keyPath, bodyOf(6, current));
  assert.equal(outcomeOf(sixth), "429 too_many_personal_keys");
  assert.ok(Number(sixth.headers.get("retry-after")) > 86_000);
  const undo = { signingKey: keys[0]?.halves.signingKey, replaces: keys[current]?.halves.signingKey };
  const undone = await account.request("POST", restorePath, undo);
  assert.deepEqual([undone.status, undone.body.formerKeys.length], [200, 4]);
  const exported = await account.request("GET", "/api/account/export");
  assert.deepEqual([exported.body.formerKeys.length, exported.body.formerKeys[0].copies.length], [4, 1]);
  // Neither the copies that are added within a day begin again with another key, nor are keys kept without end.
  for (let count = 5; count < 20; count++)
    assert.equal(outcomeOf(await account.request("POST", copiesPath, createCopy("device"))), "200", `${count}`);
  assert.equal(
    outcomeOf(await account.request("POST", copiesPath, createCopy("device"))),
    "429 too_many_key_copies_today",
  );
  clock.advance(dayMilliseconds);
  const other = await service.signUp("other@example.com");
  assert.equal((await other.request("POST", keyPath, bodyOf(5))).status, 200);
  const former = { person_id: other.id, recipient: "age1pq1", created_at: 0, replaced_at: clock.now() };
  const many = Array.from({ length: 150 }, (_, index) => ({ ...former, signing_key: `${index}` }));
  await service.database.insertInto("former_key").values(many.slice(1)).execute();
  assert.equal(outcomeOf(await other.request("PUT", keyPath, bodyOf(6, 5))), "200");
  const full = await other.request("PUT", keyPath, bodyOf(0, 6));
  assert.equal(outcomeOf(full), "429 too_many_personal_keys");
  const stranger = await service.signUp();
  assert.equal(outcomeOf(await stranger.request("POST", restorePath, undo)), "404 former_key_not_found");
  clock.advance(hourMilliseconds + 1);
  for (const [method, path, body] of [
    ["PUT", keyPath, bodyOf(6, 0)],
    ["POST", restorePath, undo],
  ] as const)
    assert.equal(outcomeOf(await account.request(method, path, body)), "403 session_stale");
});
