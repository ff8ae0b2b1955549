import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type Change,
  findEdges,
  findSealable,
  findUnvouched,
  generatePersonalKey,
  type NewMember,
  RefusalError,
  recipientFingerprint,
  toConfirmed,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { Explained } from "../../packages/dashboard/src/api/describe-error.ts";
import { findGivenRole, giveRole } from "../../packages/dashboard/src/envelopes/answer-standing.ts";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
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

// Somebody has brought a reader in, or has given them a key, which may be anybody's. Then an owner gives the reader a role for which a manager's word is not
// enough: their key signs for everybody from then on.

const [ada, bo, rae, eve, xan] = await Promise.all([
  makePerson("Ada"),
  makePerson("Bo"),
  makePerson("Rae"),
  makePerson("Eve"),
  makePerson("Xan"),
]);
const otherKey = { ...(await generatePersonalKey()), former: [] };

type Role = "owner" | "manager" | "recovery";
const given = ["owner", "manager", "recovery"] as const satisfies readonly Role[];

const as = (person: PlayedPerson, role: NewMember["role"]): Change => ({
  change: "replace",
  member: { ...toMember(person), role },
});

interface Backer {
  /** When they vouch. */
  readonly role: "owner" | "manager";
  /** Roles that owners give them before the reader gets one, and after it. */
  readonly before: readonly ("owner" | "manager")[];
  readonly after: readonly ("owner" | "manager")[];
  readonly isEnough: boolean;
}

/** Worth of the word of the one who vouches for the key is worth when the role is given, or right after it. */
const backers: Readonly<Record<string, Backer>> = {
  "a manager": { role: "manager", before: [], after: [], isEnough: false },
  "a manager who is an owner since": { role: "manager", before: ["owner"], after: [], isEnough: true },
  "a manager who becomes an owner later": { role: "manager", before: [], after: ["owner"], isEnough: false },
  "an owner": { role: "owner", before: [], after: [], isEnough: true },
  "an owner who is a manager now": { role: "owner", before: ["manager"], after: [], isEnough: false },
  "an owner who becomes a manager later": { role: "owner", before: [], after: ["manager"], isEnough: false },
  "an owner who was a manager for a while": { role: "owner", before: ["manager", "owner"], after: [], isEnough: true },
  "an owner who becomes a manager and an owner again": {
    role: "owner",
    before: [],
    after: ["manager", "owner"],
    isEnough: false,
  },
};

/** By which entry of theirs the reader's key is vouched for. */
const words: Readonly<Record<string, () => readonly (readonly [PlayedPerson, Change])[]>> = {
  "brought them in": () => [[eve, { change: "add", member: toMember(rae, "reader") }]],
  "has put the key in their place": () => [
    [bo, { change: "add", member: { ...toMember(rae, "reader"), ...publicOf(otherKey) } }],
    [eve, as(rae, "reader")],
  ],
  "has vouched for the key, and nobody else does any longer": () => [
    [ada, { change: "add", member: toMember(xan) }],
    [xan, { change: "add", member: toMember(rae, "reader") }],
    [eve, { change: "vouch", members: [rae.id] }],
    [ada, { change: "remove", member: { id: xan.id } }],
  ],
};

function publicOf({ recipient, signingKey }: Pick<NewMember, "recipient" | "signingKey">) {
  return { recipient, signingKey };
}

const endings = {
  "is still there": undefined,
  "was removed": { change: "remove", member: { id: eve.id } },
  "has another key since": as({ ...eve, key: otherKey }, "manager"),
} as const satisfies Readonly<Record<string, Change | undefined>>;

async function write(entries: string[], by: PlayedPerson, change: Change): Promise<void> {
  entries.push(await writeEntry(entries.join(""), by, change));
}

async function verify(entries: readonly string[]): Promise<VerifiedList> {
  const trust = { signingKey: ada.key.signingKey };
  const list = await verifyList(new TextEncoder().encode(entries.join("")), { organizationId, trust });
  if (list instanceof RefusalError) throw list;
  return list;
}

/** A list in which `word` was given by the backer, up to where the role is to be given. */
async function until({ role, before }: Pick<Backer, "role" | "before">, word: string) {
  const entries: string[] = [];
  await write(entries, ada, { change: "add", member: toMember(ada) });
  await write(entries, ada, { change: "add", member: toMember(bo) });
  await write(entries, ada, { change: "add", member: toMember(eve, role) });
  for (const [by, change] of words[word]?.() ?? []) await write(entries, by, change);
  for (const next of before) await write(entries, ada, as(eve, next));
  return entries;
}

for (const [who, backer] of Object.entries(backers))
  for (const word of Object.keys(words))
    for (const [how, ending] of Object.entries(endings))
      for (const role of given)
        test(`${who} ${word}, and ${how}: a reader whom an owner makes ${role} is ${backer.isEnough && ending === undefined ? "" : "not "}sealed for by that word`, async () => {
          const entries = await until(backer, word);
          const before = await verify(entries);
          const standing = { own: bo.key };
          assert.ok((await findSealable(before, standing)).has(rae.id), "as a reader they are vouched for");
          const change = as(rae, role);
          await write(entries, ada, change);
          for (const next of backer.after) await write(entries, ada, as(eve, next));
          if (ending !== undefined) await write(entries, ada, ending);
          const list = await verify(entries);
          const isEnough = backer.isEnough && ending === undefined;
          assert.equal((await findSealable(list, standing)).has(rae.id), isEnough);
          // As on the device of somebody who knows all others.
          const others = [ada, bo, eve].flatMap(({ id }) => list.members.get(id) ?? []);
          const confirmed = await Promise.all(others.map((one) => toConfirmed(list, one)));
          assert.equal((await findSealable(list, { own: otherKey, confirmed })).has(rae.id), isEnough);
          if (isEnough) return;
          assert.deepEqual(findEdges(list).get(rae.id)?.keys, []);
          await write(entries, bo, { change: "vouch", members: [rae.id] });
          assert.ok((await findSealable(await verify(entries), standing)).has(rae.id), "once an owner says so");
        });

for (const [who, backer] of Object.entries(backers))
  for (const role of ["owner", "manager"] as const)
    test(`a reader by the word of ${who} is shown with key and edges before an owner makes them ${role}, unless that is an owner then`, async () => {
      const list = await verify(await until(backer, "brought them in"));
      const rows = await findUnvouched(list, { own: bo.key }, [{ change: "replace", member: toMember(rae, role) }]);
      const isAsked = [backer.role, ...backer.before].at(-1) === "manager";
      const expected = isAsked ? [[rae.id, ["keys", "name"], rae.key.recipient]] : [];
      assert.deepEqual(
        rows.map(({ member, edges }) => [member.id, edges, member.recipient]),
        expected,
      );
    });

for (const role of ["reader", "developer", "auditor"] as const)
  test(`a manager's word stays good for a member who becomes ${role}`, async () => {
    const entries = await until({ role: "manager", before: [] }, "brought them in");
    await write(entries, ada, as(rae, role === "reader" ? "auditor" : role));
    await write(entries, ada, as(rae, role));
    assert.ok((await findSealable(await verify(entries), { own: bo.key })).has(rae.id));
  });

/** A list with a reader of a manager's, and the owner's browser, which has asked about her. */
async function asked() {
  const server = playServer();
  server.list.push(...(await until({ role: "manager", before: [] }, "brought them in")));
  const browser = openBrowser(server, ada);
  const list = await loadCheckedList(browser);
  const shown = list.list.members.get(rae.id) ?? assert.fail();
  const requests: number[] = [];
  const send = async (...parameters: Parameters<typeof server.api.addEntry>): Promise<void> => {
    delete server.lies.addEntry;
    await server.api.addEntry(...parameters).finally(() => Object.assign(server.lies, { addEntry: watched }));
  };
  const watched: typeof server.api.addEntry = async (...parameters) => {
    requests.push(parameters[2] === undefined ? 1 : 2);
    await send(...parameters);
  };
  server.lies.addEntry = watched;
  return { server, browser, list, shown, requests, send };
}

for (const role of given)
  test(`an owner's browser that gives the role ${role} asks about the key, and vouches for it in the same request`, async () => {
    const { browser, list, shown, requests } = await asked();
    const row = await findGivenRole(list, shown);
    assert.deepEqual([row.fingerprint, row.vouchedBy], [await recipientFingerprint(rae.key), ["Eve"]]);
    const after = await changeList(browser, (now) => giveRole(now.list, shown, role, row));
    assert.deepEqual(requests, [2]);
    assert.equal(after.list.members.get(rae.id)?.role, role);
    assert.ok((await findSealable(after.list, { own: bo.key })).has(rae.id));
    await changeList(browser, (now) => giveRole(now.list, shown, role, row));
    assert.deepEqual(requests, [2], "begun again, it finds what is done");
  });

test("a role for which a manager's word is enough is given by one entry", async () => {
  const { browser, shown, requests } = await asked();
  const after = await changeList(browser, (now) => giveRole(now.list, shown, "auditor"));
  assert.deepEqual(requests, [1]);
  assert.ok((await findSealable(after.list, { own: bo.key })).has(rae.id));
});

for (const when of ["before it is signed", "while it is sent"] as const)
  test(`where a manager has put another key in the reader's place, ${when}, neither the role nor the word goes to it`, async () => {
    const { server, browser, list: before, shown, send } = await asked();
    const row = await findGivenRole(before, shown);
    const replace = async () =>
      server.list.push(await writeEntry(server.list.join(""), eve, as({ ...rae, key: xan.key }, "reader")));
    if (when === "before it is signed") await replace();
    else
      server.lies.addEntry = async (entry, head, next) => {
        await replace();
        await send(entry, head, next);
      };
    await assert.rejects(
      changeList(browser, (now) => giveRole(now.list, shown, "owner", row)),
      (error) => error instanceof Explained && /another key/.test(error.message),
    );
    const { list } = await loadCheckedList(openBrowser(server, ada));
    assert.equal(list.members.get(rae.id)?.role, "reader");
    assert.equal(list.members.get(rae.id)?.recipient, xan.key.recipient);
  });
