import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  generatePersonalKey,
  type PersonalKey,
  type PublicHalves,
  RefusalError,
  sealKeyCopy,
} from "@sealpost/envelope";
import { adoptFormer, type OpenKey, restoreKey } from "@sealpost/vault";
import { createId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { signOver } from "../../packages/dashboard/src/envelopes/sign-over.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  changed,
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  takeEntry,
  toMember,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";

// A replaced personal key in lists and envelopes, between a browser and a server made of functions.

const newKey = async (former: PersonalKey[]): Promise<OpenKey> => ({ ...(await generatePersonalKey()), former });

/** Ada, an owner whose form nobody else reads, in a browser that has opened it; and the same browser with her next key. */
async function setUp() {
  const ada = await makePerson("Ada");
  const server = playServer();
  const before = openBrowser(server, ada);
  await findOrFoundList(before);
  await before.heads.rememberPublicHalves(ada.id, before.own);
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const file = await writeEnvelope(server.list.join(""), ada, { formId, readerIds: [ada.id], keys: [key] });
  server.envelopes.set(1, [file]);
  assert.equal((await openForm(before, formId)).kind, "opened");
  const replace = async (former: PersonalKey[]): Promise<{ person: PlayedPerson; browser: EnvelopeContext }> => {
    const person = { ...ada, key: await newKey(former) };
    const browser = openBrowser(server, person, before.heads);
    await browser.heads.rememberPublicHalves(ada.id, browser.own);
    return { person, browser };
  };
  return { ada, server, formId, file, before, replace };
}

test("a key that replaces an open one takes its place in the list and in the forms, however often that is interrupted, and a browser that has seen nothing trusts the list by it", async () => {
  const { ada, server, formId, before, replace } = await setUp();
  const { person, browser } = await replace([ada.key]);
  // The connection breaks before the first entry, and after it.
  for (const entries of [1, 2]) {
    server.lies.addEntry = async (...parameters) => {
      if (server.list.length >= entries) throw new TypeError("broken");
      server.list.push(takeEntry(parameters[0]));
    };
    await assert.rejects(signOver(browser), TypeError, `${entries}`);
    assert.equal(server.list.length, entries);
  }
  delete server.lies.addEntry;
  for (const _time of ["first", "second"]) assert.equal((await signOver(browser)).kind, "checked");
  assert.equal(server.list.length, 3, "what is there is not added again");
  const [swept] = await changeReaders(browser, [formId], { add: [person.id], remove: [] });
  assert.equal(swept?.kind, "changed");
  const fresh = openBrowser(server, { ...person, key: await newKeyOf(person.key) });
  const opened = await openForm(fresh, formId);
  assert.ok(opened.kind === "opened" && opened.keys.length === 1, "with the new key alone");
  const old = await openForm(before, formId);
  assert.ok(old.kind === "list" && old.list.kind === "refused" && old.list.reason === "own_key_differs");
  for (const secret of [ada.key, person.key])
    assert.ok(!server.sent.some((text) => text.includes(secret.identity) || text.includes(secret.signingSeed)));
});

/** The same key in a browser that has none of those before. */
const newKeyOf = async (key: OpenKey): Promise<OpenKey> => ({ ...key, former: [] });

test("a lost key signs nothing over: the list stays, and nothing is wrapped for the new one before somebody brings its person in", async () => {
  const { server, formId, replace } = await setUp();
  const { browser } = await replace([]);
  const [entries, revisions] = [server.list.length, server.envelopes.get(1)?.length];
  assert.equal((await signOver(browser)).kind, "no_former_key");
  const [swept] = await changeReaders(browser, [formId], { add: [browser.personId], remove: [] });
  assert.equal(swept?.kind, "failed");
  assert.deepEqual([server.list.length, server.envelopes.get(1)?.length], [entries, revisions]);
});

test("a former key that a server made up is not the one that it is called, and signs and opens nothing", async () => {
  const { ada, server, formId, replace } = await setUp();
  const { person, browser } = await replace([]);
  const made = await generatePersonalKey();
  const file = await sealKeyCopy(made, { recipient: person.key.recipient });
  const claimed = await adoptFormer(person.key, { file, halves: ada.key });
  assert.ok(claimed instanceof RefusalError && claimed.reason === "other_key");
  // Under its own name it is taken along: the list has another key for Ada, so it signs nothing, and no envelope is for it.
  assert.equal(await adoptFormer(person.key, { file, halves: made }), "adopted");
  assert.equal((await signOver(browser)).kind, "no_former_key");
  const opened = await openForm(browser, formId);
  assert.equal(opened.kind, "list");
  assert.equal(server.list.length, 1);
});

test("a device that has seen nothing signs and trusts nothing by a former key that travels along, true or made up: it says that the list names its person", async () => {
  const { ada, server, replace } = await setUp();
  const { person } = await replace([]);
  const made = await generatePersonalKey();
  const maker = { ...ada, key: { ...made, former: [] } };
  const lists = [
    { former: ada.key, list: server.list },
    { former: made, list: [await writeEntry("", maker, { change: "add", member: toMember(maker) })] },
  ];
  for (const { former, list } of lists) {
    server.list = list;
    const file = await sealKeyCopy(former, { recipient: person.key.recipient });
    const key = await newKeyOf(person.key);
    assert.equal(await adoptFormer(key, { file, halves: former }), "adopted");
    const fresh = openBrowser(server, { ...person, key });
    server.sent.length = 0;
    assert.deepEqual(await signOver(fresh), { kind: "stranger", admitters: [], isNamed: true });
    assert.ok(
      server.sent.every((text) => /^\["fetch(?:List|Names|SignedHead)"/.test(text)),
      "it only asks",
    );
    assert.equal(await fresh.heads.findList(organizationId), undefined);
  }
});

test("a key that is brought back gets the open one sealed only where this browser has seen it as the person's own", async () => {
  const { ada, before, replace } = await setUp();
  const { browser } = await replace([ada.key]);
  const { heads, personId } = browser;
  const sent: unknown[] = [];
  const sealFor = async (recipient: string) => new TextEncoder().encode(recipient);
  const restore = (former: PublicHalves) =>
    restoreKey({ seenKeys: heads, personId, former, sealFor, send: async (copy) => sent.push(copy) });
  const planted = await generatePersonalKey();
  // A thief's own, and one with the name of the person's.
  for (const former of [planted, { ...before.own, recipient: planted.recipient }]) {
    await restore(former);
    assert.deepEqual(sent.splice(0), [undefined]);
    assert.deepEqual(await heads.findPublicHalves(personId), browser.own, "and it is not taken for the person's");
  }
  await restore(before.own);
  assert.deepEqual(sent, [await sealFor(before.own.recipient)]);
  assert.deepEqual(await heads.findPublicHalves(personId), before.own);
  assert.deepEqual(await heads.findFormerKeys(personId), [browser.own]);
});

test("two tabs that sign over at once, and somebody else's entry between, leave each key once", async () => {
  const { ada, server, replace } = await setUp();
  const { browser } = await replace([ada.key]);
  const bo = await makePerson("Bo");
  const added = { change: "add", member: toMember(bo, "reader") } as const;
  const between = [await writeEntry(server.list.join(""), ada, added)];
  server.lies.addEntry = async (entry, head) => {
    server.list.push(...between.splice(0));
    if (head?.number !== server.list.length) throw changed();
    server.list.push(takeEntry(entry));
  };
  const outcomes = await Promise.all([signOver(browser), signOver(browser)]);
  assert.deepEqual(
    outcomes.map(({ kind }) => kind),
    ["checked", "checked"],
  );
  const replaced = server.list.filter((entry) => entry.includes('"change":"replace"'));
  assert.equal(replaced.length, 2, "once signed with the former key, once with the new one");
  assert.ok(server.list.every((entry) => entry.includes(organizationId)));
});
