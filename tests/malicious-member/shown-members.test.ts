import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Change,
  createListEntry,
  findUnvouched,
  importSigningKey,
  RefusalError,
  verifyList,
} from "@sealpost/envelope";
import { answerStanding, toStandingRows } from "../../packages/dashboard/src/envelopes/answer-standing.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import {
  makePerson,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";

// An owner is asked about a reader for whom nobody vouches. Before the answer is in the list a manager, with the service's help or by chance, changes that
// reader: the owner's word would be for somebody who was never shown.

const [ada, eve, rae, xan] = await Promise.all([
  makePerson("Ada"),
  makePerson("Eve"),
  makePerson("Rae"),
  makePerson("Xan"),
]);

const as = (member: object): Change => ({ change: "replace", member: { ...toMember(rae, "reader"), ...member } });
const otherKeys = { recipient: xan.key.recipient, signingKey: xan.key.signingKey };

const changes: Readonly<Record<string, readonly Change[]>> = {
  "has another key": [as(otherKeys)],
  "had another key for a while": [as(otherKeys), as({})],
  "has another name": [as({ name: "Ada's sister" })],
  "had another role for a while": [as({ role: "auditor" }), as({})],
  "was removed and came back": [
    { change: "remove", member: { id: rae.id } },
    { change: "add", member: toMember(rae, "reader") },
  ],
};

/** A reader whom a manager let in who has left since; another manager is there. */
async function setUp() {
  const server = playServer();
  const write = async (by: PlayedPerson, change: Change) =>
    server.list.push(await writeEntry(server.list.join(""), by, change));
  await write(ada, { change: "add", member: toMember(ada) });
  await write(ada, { change: "add", member: toMember(eve, "manager") });
  await write(ada, { change: "add", member: toMember(xan, "manager") });
  await write(xan, { change: "add", member: toMember(rae, "reader") });
  await write(ada, { change: "remove", member: { id: xan.id } });
  const browser = openBrowser(server, ada);
  const list = await loadCheckedList(browser);
  const rows = await toStandingRows(await findUnvouched(list.list, { own: ada.key }), list);
  assert.deepEqual(
    rows.map(({ member }) => member.id),
    [rae.id],
  );
  const vouching = () => server.list.filter((entry) => entry.includes('"change":"vouch"')).length;
  return { server, write, browser, rows, vouching };
}

for (const [what, entries] of Object.entries(changes))
  for (const when of ["before the answer is signed", "while it is sent"] as const)
    test(`an owner's word is for nobody who ${what} ${when}, since they were shown`, async () => {
      const { server, write, browser, rows, vouching } = await setUp();
      const interfere = async () => {
        for (const change of entries) await write(eve, change);
      };
      if (when === "before the answer is signed") await interfere();
      else
        server.lies.addEntry = async (...parameters) => {
          delete server.lies.addEntry;
          await interfere();
          await server.api.addEntry(...parameters);
        };
      const after = await answerStanding(
        browser,
        [],
        rows.map((row) => [row, "known"] as const),
      );
      assert.equal(vouching(), 0);
      assert.deepEqual(after.confirmed, []);
      if (what === "was removed and came back") return; // The manager vouches for them, and nobody is asked.
      const again = await toStandingRows(await findUnvouched(after.list, { own: ada.key }), after);
      assert.deepEqual(
        again.map(({ member }) => member.id),
        [rae.id],
        "they are shown again",
      );
      await answerStanding(
        browser,
        [],
        again.map((row) => [row, "known"] as const),
      );
      assert.equal(vouching(), 1);
    });

for (const [what, entries] of Object.entries(changes))
  test(`nobody takes a word for somebody who ${what} since they were shown, be it signed by an owner`, async () => {
    const { server, write } = await setUp();
    const shown = server.list.length;
    for (const change of entries) await write(eve, change);
    await write(ada, { change: "note" });
    const trust = { signingKey: ada.key.signingKey };
    const list = await verifyList(new TextEncoder().encode(server.list.join("")), { organizationId, trust });
    if (list instanceof RefusalError) throw list;
    const signer = { id: ada.id, signingKey: await importSigningKey(ada.key.signingSeed) };
    const vouch = (last: number) =>
      createListEntry(list, organizationId, { change: "vouch", members: [rae.id], shown: last }, signer);
    await assert.rejects(vouch(shown), { reason: "not_allowed" });
    await assert.rejects(vouch(server.list.length - 2), { reason: "not_allowed" });
    await vouch(server.list.length - 1);
  });
