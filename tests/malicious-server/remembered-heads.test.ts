import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  deriveRecoveryKey,
  findUnvouched,
  followKeyLog,
  generatePersonalKey,
  generateSheet,
  type HeadStore,
  openDeviceHeads,
  RefusalError,
  type SeenHeads,
  sealDeviceHeads,
} from "@sealpost/envelope";
import { createId, type FormId } from "@sealpost/wire";
import { followLink } from "../../packages/dashboard/src/admissions/follow-link.ts";
import { takeDeviceHeads, toDeviceHeads } from "../../packages/dashboard/src/devices/device-heads.ts";
import { answerStanding, toStandingRows } from "../../packages/dashboard/src/envelopes/answer-standing.ts";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { findToLookAt, sayIsRight } from "../../packages/dashboard/src/envelopes/look-at.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { findBroughtIn, signOver } from "../../packages/dashboard/src/envelopes/sign-over.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { keepRecoveryKey } from "../../packages/dashboard/src/recovery/keep-recovery-key.ts";
import { becomeOwner, checkRecovery, withRecoveryKey } from "../../packages/dashboard/src/recovery/recover.ts";
import { createKeyLog, createLogSigner } from "../../packages/embed/testing/key-log.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  playServer,
  toMember,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";

// Each way in which a browser comes to a list and to envelopes, and then a server that shows them as they were before.

/** Ada's list and form, and Bo, who is in the list and reads the form since. `rollBack` has the server show what was before. */
async function setUp() {
  const [ada, bo, cleo] = [await makePerson("Ada"), await makePerson("Bo"), await makePerson("Cleo")];
  const server = playServer();
  const browser = openBrowser(server, ada);
  await findOrFoundList(browser);
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const file = await writeEnvelope(server.list.join(""), ada, { formId, readerIds: [ada.id], keys: [key] });
  server.envelopes.set(1, [file]);
  await openForm(browser, formId);
  const before = { list: [...server.list], file };
  for (const person of [bo, cleo]) {
    const added = { change: "add", member: toMember(person, "reader") } as const;
    server.list.push(await writeEntry(server.list.join(""), ada, added));
  }
  const share = () => changeReaders(browser, [formId], { add: [bo.id], remove: [] });
  return { ada, bo, cleo, server, browser, formId, before, share };
}

type Known = Awaited<ReturnType<typeof setUp>>;

/** The browser opens the form's next revision; then the server shows the list, and then the envelope, as they were before. */
async function assertRefusesOlder(
  context: EnvelopeContext,
  { server, formId, before, cleo }: Known,
  writer: EnvelopeContext,
): Promise<void> {
  const older = server.envelopes.get(1)?.at(-1) ?? assert.fail();
  const revision = server.envelopes.get(1)?.length ?? 0;
  const change = { add: [cleo.id], remove: [] };
  const [next] = await changeReaders(writer, [formId], change);
  const [back] =
    next?.kind === "changed" ? [next] : await changeReaders(writer, [formId], { add: [], remove: [cleo.id] });
  assert.equal(back?.kind, "changed", "there is a newer revision");
  assert.deepEqual(await reasonsOf(context, formId), [], "control: it opens");
  server.lies = { fetchList: async () => new TextEncoder().encode(before.list.join("")) };
  const list = await loadList(context);
  assert.equal(list.kind === "refused" && list.reason, "old_list");
  const opened = await openForm(context, formId);
  assert.ok(opened.kind === "list" && opened.list.kind === "refused" && opened.list.reason === "old_list");
  server.lies = { fetchEnvelope: async () => ({ file: older, revision }) };
  assert.deepEqual(await reasonsOf(context, formId), ["old_revision"]);
  server.lies = { listEnvelopes: async () => [] };
  assert.deepEqual(await reasonsOf(context, formId), ["hidden_envelope"]);
  server.lies = {};
}

async function reasonsOf(context: EnvelopeContext, formId: FormId): Promise<readonly string[]> {
  const opened = await openForm(context, formId);
  return opened.kind === "opened" ? opened.refused.map(({ reason }) => reason) : [opened.kind];
}

test("somebody who has joined by a link or by words is shown no older list and no older envelope afterwards, not even at the first sight of the list", async () => {
  const known = await setUp();
  const { bo, server, before, share } = known;
  await share();
  const context = openBrowser(server, bo);
  const last = (await loadList(known.browser)) as Extract<Awaited<ReturnType<typeof loadList>>, { kind: "checked" }>;
  const { head } = last.list;
  const link = { admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w9", secret: "A".repeat(22), head };
  const show = (entries: readonly string[]) =>
    followLink({ link, organizationId, listText: entries.join(""), namesText: "" }, context.heads);
  await assert.rejects(show(before.list), (error) => error instanceof RefusalError && error.reason === "old_list");
  assert.equal(await context.heads.findList(organizationId), undefined, "nothing of what was refused is remembered");
  await show(server.list);
  await assertRefusesOlder(context, known, known.browser);
});

test("a device that got the key from another one is shown no older list and no older envelope than that one has seen", async () => {
  const known = await setUp();
  const { ada, server, browser, formId, before, share } = known;
  await share();
  await openForm(browser, formId);
  const list = (await browser.heads.findList(organizationId)) ?? assert.fail();
  const { heads: envelopes } = await browser.heads.findEnvelopes(formId);
  const device = await generatePersonalKey();
  const by = { commitment: "A".repeat(43), personId: ada.id };
  const { recipient } = device;
  const sealed = await sealDeviceHeads(
    { lists: [{ organizationId, ...list }], envelopes, keyLogs: [], confirmed: [], forms: [] },
    { ...by, recipient, signingSeed: ada.key.signingSeed },
  );
  const seen = await openDeviceHeads(sealed, device.identity, { ...by, signingKey: ada.key.signingKey });
  assert.ok(!(seen instanceof RefusalError));
  const heads = createHeads(createMemoryStore());
  await takeDeviceHeads(heads, seen.heads);
  const context = openBrowser(server, ada, heads);
  // From the first request on.
  server.lies = { fetchEnvelope: async () => ({ file: before.file, revision: 1 }) };
  assert.deepEqual(await reasonsOf(context, formId), ["old_list"]);
  server.lies = {};
  await assertRefusesOlder(context, known, browser);
});

test("a device that got the key from another one refuses an older or hidden key log, as that one does, and takes none that was given up", async () => {
  const [signer, device, ada] = [await createLogSigner(), await generatePersonalKey(), await makePerson("Ada")];
  const [formId, givenUp] = [createId("form"), createId("form")];
  const logs = new Map([formId, givenUp].map((id) => [id, createKeyLog(id, signer)] as const));
  const key = { version: 1, fingerprint: "A".repeat(43), hybridFingerprint: null };
  const values = new Map<string, unknown>();
  const seen = createHeads({ ...createMemoryStore(), ...keepIn(values) });
  const bytesOf = (id: FormId) => new TextEncoder().encode(logs.get(id)?.entries.join(""));
  const follow = async (heads: SeenHeads, id: FormId, bytes?: Uint8Array<ArrayBuffer>) => {
    const followed = await followKeyLog({ formId: id, heads, fetchKeyLog: async () => bytes });
    return followed.kind === "refused" ? followed.reason : followed.kind;
  };
  for (const [id, log] of logs) {
    await log.add(key, signer, [signer]);
    await log.add(key, signer, [signer]);
    assert.equal(await follow(seen, id, bytesOf(id)), "checked");
  }
  await seen.forgetKeyLog(givenUp);
  const { fingerprint, version: _ } = key;
  const confirm = (id: string) => ({ id, role: "program" as const, signingKey: null, fingerprint, entry: 3 });
  await seen.confirm(organizationId, [confirm(ada.id)]);
  assert.equal(await seen.claimForm(formId, organizationId), true);

  const by = { commitment: "A".repeat(43), personId: ada.id };
  const to = { ...by, recipient: device.recipient, signingSeed: ada.key.signingSeed };
  const sealed = await sealDeviceHeads(toDeviceHeads(values), to);
  const given = await openDeviceHeads(sealed, device.identity, { ...by, signingKey: ada.key.signingKey });
  assert.ok(!(given instanceof RefusalError));
  const heads = createHeads(createMemoryStore());
  await takeDeviceHeads(heads, given.heads);
  assert.deepEqual(await heads.findConfirmed(organizationId), [confirm(ada.id)], "and whom the person has confirmed");
  assert.equal(await heads.claimForm(formId, createId("account")), false, "and whose form it is, without an envelope");
  const [first = ""] = logs.get(formId)?.entries ?? [];
  assert.equal(await follow(heads, formId, new TextEncoder().encode(first)), "old");
  assert.equal(await follow(heads, formId), "hidden");
  assert.equal(await follow(heads, formId, bytesOf(formId)), "checked");
  assert.equal(await follow(heads, givenUp), "none");
});

function keepIn(values: Map<string, unknown>): Pick<HeadStore, "find" | "change"> {
  return {
    find: async (name) => values.get(name),
    async change(name, change) {
      const after = change(values.get(name));
      if (after !== undefined) values.set(name, after);
    },
  };
}

test("after a recovery with the sheets, and after a replaced key, a browser is shown no older list and no older envelope", async () => {
  const known = await setUp();
  const { ada, server, browser, formId, share } = known;
  const sheets = await deriveRecoveryKey((await generateSheet("organization")).identity);
  assert.equal((await keepRecoveryKey(browser, sheets, "Recovery key", [])).kind, "kept");
  await share();
  const again = { ...ada, key: { ...(await generatePersonalKey()), former: [] } };
  const context = openBrowser(server, again);
  const check = await checkRecovery(context, sheets);
  assert.ok(check.kind === "ready");
  const list = await becomeOwner(context, sheets, check);
  assert.ok(list.kind === "checked");
  // The lost key had brought the others in: their keys are confirmed before anything is sealed for them.
  const rows = await toStandingRows(await findUnvouched(list.list, { own: context.own }), list);
  assert.deepEqual(rows.map(({ member }) => member.name).sort(), ["Bo", "Cleo"]);
  await answerStanding(
    context,
    [],
    rows.map((row) => [row, "known"]),
  );
  const change = { add: [again.id], remove: [] };
  // The lost key has signed the form's envelope, and somebody else may have it: who takes it over here has seen nothing of that.
  const sweeping = withRecoveryKey(context, sheets);
  const [asked] = await changeReaders(sweeping, [formId], change);
  assert.deepEqual(asked?.kind === "failed" && asked.failure, { kind: "envelope", reason: "former_writer" });
  const opened = await openForm(sweeping, formId);
  const [envelope = assert.fail()] = opened.kind === "opened" ? findToLookAt(opened) : [];
  assert.equal((await sayIsRight(sweeping, formId, envelope)).outcome, "accepted");
  const [recovered] = await changeReaders(sweeping, [formId], change);
  assert.equal(recovered?.kind, "changed");
  await assertRefusesOlder(context, known, context);

  const next = { ...again, key: { ...(await generatePersonalKey()), former: [again.key] } };
  const replaced = openBrowser(server, next, context.heads);
  const claimed = (await findBroughtIn(replaced)).rows;
  assert.deepEqual(claimed.map(({ member }) => member.name).sort(), ["Bo", "Cleo", "Recovery key"]);
  assert.equal((await signOver(replaced, claimed)).kind, "checked");
  assert.equal((await changeReaders(replaced, [formId], change))[0]?.kind, "changed");
  await assertRefusesOlder(replaced, known, replaced);
});

test("a fresh device that is shown an older list opens no envelope that was written since; shown everything from one moment, it can't tell", async () => {
  const known = await setUp();
  const { ada, server, browser, formId, before, share } = known;
  await share();
  server.lies = { fetchList: async () => new TextEncoder().encode(before.list.join("")) };
  assert.deepEqual(await reasonsOf(openBrowser(server, ada), formId), ["unknown_list"]);
  server.lies.fetchEnvelope = async () => ({ file: before.file, revision: 1 });
  const fresh = openBrowser(server, ada);
  assert.equal((await openForm(fresh, formId)).kind, "opened", "not detected: the threat model says so");
  // Until the server shows the newer one, which it then can't take back.
  server.lies = {};
  await assertRefusesOlder(fresh, known, browser);
});
