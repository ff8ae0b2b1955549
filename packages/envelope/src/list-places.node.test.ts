import assert from "node:assert/strict";
import { test } from "node:test";
import { type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import type { ListEntry } from "./list-entry.ts";
import { findPlacesLeft } from "./list-history.ts";
import { isAllowed, membersMax, placesMax } from "./list-rules.ts";
import type { Unnamed } from "./member.ts";
import { createListEntry } from "./next-entry.ts";
import { RefusalError } from "./refusal.ts";
import { signingKey } from "./testing/list-maker.ts";
import { fill, placeVectors } from "./testing/list-places.ts";
import { organizationId, toMember, toSigner } from "./testing/people.ts";
import { placeVectorFile as places } from "./testing/place-conformance.ts";

const toBytes = (text: string) => new TextEncoder().encode(text);

test("entries at their places are taken or refused as their vector says, and generating them again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await placeVectors())), places);
  const begun = await verifyList(toBytes(places.list), { organizationId, trust: await signingKey("owner") });
  assert.ok(!(begun instanceof RefusalError));
  let list: VerifiedList = begun;
  assert.equal(findPlacesLeft(list), placesMax - 1);
  for (const entry of [...(await fill(places.list)).entries, ""]) {
    const place = placesMax - findPlacesLeft(list) + 1;
    for (const one of places.cases.filter((other) => other.place === place)) {
      let before = list;
      for (const earlier of one.entries.slice(0, -1)) before = await add(before, earlier);
      const next = await verifyNextEntry(before, organizationId, toBytes(one.entries.at(-1) ?? ""));
      assert.equal(next instanceof RefusalError ? next.reason : "verified", one.outcome, one.name);
    }
    if (entry !== "") list = await add(list, entry);
  }
  const full = list;
  assert.equal(findPlacesLeft(full), 0);
  const leaving = { change: "remove", member: { id: (await toMember("reader")).id } } as const;
  await assert.rejects(createListEntry(full, organizationId, leaving, await toSigner("reader")), /not do this/);
  const noted = await createListEntry(full, organizationId, { change: "note" }, await toSigner("owner"));
  const open = await add(full, noted.entry);
  assert.equal(findPlacesLeft(open), placesMax - 1, "an owner's entry opens room again");
  await add(open, (await createListEntry(open, organizationId, leaving, await toSigner("reader"))).entry);
});

async function add(list: VerifiedList, entry: string): Promise<VerifiedList> {
  const next = await verifyNextEntry(list, organizationId, toBytes(entry));
  assert.ok(!(next instanceof RefusalError), `entry ${list.head.number + 1}`);
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
    isAllowed({ members: crowd(count), place: 8, used: new Set(), changed: new Map() }, owner, change);
  assert.equal(membersMax, 2048);
  assert.equal(tryWith(2047), true);
  assert.equal(tryWith(2048), false);
});
