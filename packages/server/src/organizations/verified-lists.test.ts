import assert from "node:assert/strict";
import { test } from "node:test";
import { createListEntry, generatePersonalKey, importSigningKey } from "@sealpost/envelope";
import { RefusalError, type VerifiedList, verifyNextEntry } from "@sealpost/envelope/form";
import { type AccountId, createId } from "@sealpost/wire";
import { createVerifiedLists } from "./verified-lists.ts";

/** An organization's list of one entry. */
async function createList(organizationId: AccountId) {
  const key = await generatePersonalKey();
  const signer = { id: organizationId, signingKey: await importSigningKey(key.signingSeed) };
  const { recipient, signingKey } = key;
  const member = { id: organizationId, name: "Owner", role: "owner", recipient, signingKey } as const;
  const { entry: text } = await createListEntry(undefined, organizationId, { change: "add", member }, signer);
  const next = await verifyNextEntry(undefined, organizationId, new TextEncoder().encode(text));
  assert.ok(!(next instanceof RefusalError));
  return { text, head: { ...next.list.head, bytes: text.length } };
}

test("a person who asks for many lists again and again has each verified once at a time, and takes nobody else's", async () => {
  const ids = Array.from({ length: 5 }, () => createId("account"));
  const [attacker, owner] = [createId("account"), createId("account")];
  const lists = new Map(await Promise.all(ids.map(async (id) => [id, await createList(id)] as const)));
  const verified: string[] = [];
  let [running, most] = [0, 0];
  const store = {
    async find(id: AccountId) {
      verified.push(id);
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      const { text, head } = lists.get(id) ?? assert.fail();
      return { text, head };
    },
  };
  const kept = createVerifiedLists(store, undefined, 2);
  const load = (id: AccountId, person: AccountId) => kept.load(id, lists.get(id)?.head ?? assert.fail(), person);
  const [owned = owner, ...others] = ids;
  await load(owned, owner);
  for (let round = 0; round < 3; round++) {
    verified.length = 0;
    await Promise.all(
      Array.from({ length: 200 }, (_, count) => load(others[count % others.length] ?? owned, attacker)),
    );
    assert.ok(verified.length <= others.length, `${verified.length} lists verified for 200 requests at once`);
  }
  assert.equal(most, 1, "one at a time");
  verified.length = 0;
  await load(owned, owner);
  assert.deepEqual(verified, [], "the other person's list is still there");
});

test("to drop a list looks at each that is kept a few times, however many there are", () => {
  /** How often the numbers of lists are read while one more is kept, of as many people. */
  const countReads = (count: number) => {
    let reads = 0;
    const lists = createVerifiedLists({ find: () => assert.fail("nothing is verified") }, undefined, count);
    const keep = () => {
      const head = {
        hash: createId("event"),
        get number() {
          reads += 1;
          return 1;
        },
      };
      lists.keep({ organizationId: createId("account"), head } as unknown as VerifiedList, createId("account")); // all that is asked of one
    };
    for (let kept = 0; kept < count; kept++) keep();
    reads = 0;
    keep();
    return reads;
  };
  const [few, many] = [countReads(100), countReads(400)];
  assert.ok(many <= 4 * few + 20 && many <= 5 * 400, `${few} and ${many}`);
});
