import assert from "node:assert/strict";
import { test } from "node:test";
import { type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import type { ListEntry } from "./list-entry.ts";
import { createListPart } from "./list-part.ts";
import { findListRoom } from "./list-room.ts";
import { entriesMax, isAllowed, membersMax } from "./list-rules.ts";
import type { Unnamed } from "./member.ts";
import { createListEntry } from "./next-entry.ts";
import { RefusalError } from "./refusal.ts";
import { signingKey } from "./testing/list-maker.ts";
import { fill, placeVectors } from "./testing/list-places.ts";
import { organizationId, toMember, toSigner } from "./testing/people.ts";
import { placeVectorFile as places } from "./testing/place-conformance.ts";

const toBytes = (text: string) => new TextEncoder().encode(text);

test("each entry at its place is taken or refused as its vector says, and generating them again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await placeVectors())), places);
  const begun = await verifyList(toBytes(places.list), { organizationId, trust: await signingKey("owner") });
  assert.ok(!(begun instanceof RefusalError));
  let list: VerifiedList = begun;
  for (const entry of [...(await fill(places.list)).entries, ""]) {
    const here = places.cases.filter(({ place }) => place === list.head.number + 1);
    for (const { name, entry, outcome } of here) {
      const next = await verifyNextEntry(list, organizationId, toBytes(entry));
      assert.equal(next instanceof RefusalError ? next.reason : "verified", outcome, name);
    }
    if (entry !== "") list = await add(list, entry);
  }
  const full = list;
  assert.deepEqual(findListRoom(full), { stage: "full", left: 0 });
  const { list: next } = await createListPart(full, await toSigner("owner"));
  assert.deepEqual(
    findListRoom(next),
    { stage: "open", left: entriesMax - full.members.size },
    "a full list goes further",
  );
  const removing = { change: "remove", member: { id: (await toMember("manager")).id } } as const;
  await assert.rejects(createListEntry(full, organizationId, removing, await toSigner("owner")), /not do this/);
});

async function add(list: VerifiedList, entry: string): Promise<VerifiedList> {
  const next = await verifyNextEntry(list, organizationId, toBytes(entry));
  assert.ok(!(next instanceof RefusalError), `place ${list.head.number + 1}`);
  return next.list;
}

test("there is a place for 2,048 members, and none for one more", async () => {
  const owner = await toMember("owner");
  const crowd = (count: number): ReadonlyMap<string, Unnamed> =>
    new Map([
      [owner.id, owner],
      ...Array.from({ length: count - 1 }, (_, index) => {
        const member: Unnamed = { ...owner, id: `${index}`, recipient: `${index}`, role: "program", signingKey: null };
        return [member.id, member] as const;
      }),
    ]);
  const member = { ...(await toMember("program")), role: "program", signingKey: null } as const;
  const change = { change: "add", admission: null, member, number: 9, critical: [] } as unknown as ListEntry; // all that the rules look at
  const tryWith = (count: number) =>
    isAllowed({ members: crowd(count), count: 8, used: new Set(), last: "add" }, owner, change);
  assert.equal(membersMax, 2048);
  assert.equal(tryWith(2047), true);
  assert.equal(tryWith(2048), false);
});
