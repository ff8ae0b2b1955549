import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { createKeyLogEntry, type KeyLogSigner } from "@sealpost/envelope";
import {
  createId,
  encodeBase64Url,
  type FormId,
  fingerprint,
  keyLogFormat,
  type LoggedKey,
  signedBytes,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createFounder, createSigner, fetchList, outcomeOf } from "../organizations/testing/test-member-list.ts";
import { createTestService } from "../testing/test-service.ts";
import { sealPairs } from "./testing/test-envelope.ts";
import { pair } from "./testing/test-form.ts";

async function setUp(t: TestContext) {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const list = await fetchList(owner);
  const { forms } = owner.client;
  const signer: KeyLogSigner = { publicKey: owner.key.signingKey, signingKey: owner.signer.signingKey };
  const keyOf = async (version: number, { publicKey }: typeof pair): Promise<LoggedKey> => ({
    version,
    fingerprint: await fingerprint(publicKey),
    hybridFingerprint: null,
    replyKey: null,
  });
  const load = async (formId: string, from = 1): Promise<VerifiedKeyLog> => {
    const log = await verifyKeyLog(await forms.keyLog(formId, from), { formId });
    assert.ok(typeof log !== "string", String(log));
    return log;
  };
  return { service, owner, list, forms, signer, keyOf, load };
}

test("a form begins with the first entry of its log, a rotation brings the next one along or is refused, and pages get what follows their pin", async (t) => {
  const { service, owner, list, forms, signer, keyOf, load } = await setUp(t);
  const reserve = async () => (await forms.reserve()).formId as FormId;
  const formId = await reserve();
  const { file } = await sealPairs(owner, list, formId, [pair]);
  const signers = { owners: [signer.publicKey], managers: [] };
  const first = { formId, key: await keyOf(1, pair), ...signers };
  const create = (id: string, keyLogEntry: string) =>
    outcomeOf(
      forms.create({ name: createId("form"), publicKey: pair.publicKey, formId: id, envelope: file, keyLogEntry }),
    );
  const made = await createKeyLogEntry(undefined, first, signer);
  const other = await reserve();
  assert.equal(await create(other, made), "400 key_log_entry_refused", "an entry of another form");
  assert.equal(await create(formId, made), "200");
  const one = await load(formId);
  assert.deepEqual([one.head.number, one.entry.key], [1, first.key]);

  const next = takeKeyPair();
  const opened = { revision: 1, hash: (await owner.client.envelopes.list(formId))[0]?.hash ?? "" };
  const rotate = (keyLogEntry?: string) =>
    outcomeOf(
      forms.rotateKeys(formId, {
        publicKey: next.publicKey,
        withoutEnvelope: true,
        ...(keyLogEntry !== undefined && { keyLogEntry }),
      }),
    );
  assert.equal(opened.hash === "", false, "the envelope came along");
  assert.equal(await rotate(), "409 key_log_needed");
  const second = { formId, key: await keyOf(2, next), ...signers };
  const stranger = await createSigner(service, await service.signUp("stranger@example.com"));
  const foreign = { publicKey: stranger.key.signingKey, signingKey: stranger.signer.signingKey };
  const refusals = [
    await createKeyLogEntry(undefined, second, signer),
    await createKeyLogEntry(one, { ...second, key: await keyOf(3, next) }, signer),
    await createKeyLogEntry(one, { ...second, key: await keyOf(2, takeKeyPair()) }, signer),
    await createKeyLogEntry(one, second, { ...signer, signingKey: foreign.signingKey }),
    `${await createKeyLogEntry(one, second, signer)}{}\n{}\n`,
    "",
  ];
  for (const entry of refusals) assert.equal(await rotate(entry), "400 key_log_entry_refused");
  assert.equal((await forms.keys(formId)).length, 1, "nothing of a refused rotation is kept");
  assert.equal(await rotate(await createKeyLogEntry(one, second, signer)), "200");

  const path = `/api/forms/${formId}/keys/log`;
  const page = await service.request("GET", `${path}?from=2`);
  const both = await load(formId);
  const tag = `"2-${both.head.hash}"`;
  assert.deepEqual(
    [page.status, page.headers.get("etag"), page.headers.get("access-control-allow-origin")],
    [200, tag, "*"],
  );
  assert.equal((await service.request("GET", path, { headers: { "if-none-match": tag } })).status, 304);
  const pinned = await verifyKeyLog(await forms.keyLog(formId, 2), { formId, head: both.head });
  assert.ok(typeof pinned !== "string");
  assert.deepEqual([pinned.entries.length, pinned.entry.key], [1, second.key]);
  assert.equal((await forms.keyLog(formId, 3)).length, 0);
  await forms.update(formId, { settings: { allowedOrigins: ["https://one.example"] } });
  const elsewhere = await service.request("GET", path, { headers: { origin: "https://two.example" } });
  assert.equal(elsewhere.status, 403);
});

/** An entry with other members, signed again. */
async function signInstead(entry: string, members: object, { signingKey }: KeyLogSigner): Promise<string> {
  const line = JSON.stringify({ ...JSON.parse(entry.split("\n")[0] ?? ""), ...members });
  const signature = await crypto.subtle.sign("Ed25519", signingKey, signedBytes(keyLogFormat, line));
  return `${line}\n{"signature":"${encodeBase64Url(new Uint8Array(signature))}"}\n`;
}

test("a log is begun for a form that there is, its signers change with the newest entry alone, and an owner gives it up", async (t) => {
  const { service, owner, forms, signer, keyOf, load } = await setUp(t);
  const { id: formId } = await forms.create({ name: "Contact", publicKey: pair.publicKey });
  const content = { formId, key: await keyOf(1, pair), owners: [signer.publicKey], managers: [] };
  const path = `/api/forms/${formId}/keys/log`;
  assert.equal((await service.request("GET", path)).body.code, "key_log_none");
  assert.equal(await outcomeOf(forms.removeKeyLog(formId)), "404 key_log_none");
  const head = await forms.addKeyLogEntry(formId, await createKeyLogEntry(undefined, content, signer));
  const one = await load(formId);
  assert.deepEqual(one.head, head);
  const other = await createSigner(service, await service.signUp("other@example.com"));
  const entry = await createKeyLogEntry(one, content, signer);
  assert.equal(await outcomeOf(forms.addKeyLogEntry(formId, entry)), "412 precondition_failed");
  // Somebody who is in no list of this organization could rotate with it, or keep everybody else from it.
  const foreign = { ...content, owners: [signer.publicKey, other.key.signingKey] };
  assert.equal(
    await outcomeOf(forms.addKeyLogEntry(formId, await createKeyLogEntry(one, foreign, signer), head)),
    "400 key_log_entry_refused",
  );
  // A point of small order, with which anybody's signature is right.
  const small = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  assert.throws(() => createKeyLogEntry(one, { ...content, owners: [signer.publicKey, small] }, signer), TypeError);
  const weak = await signInstead(entry, { owners: [signer.publicKey, small].sort() }, signer);
  assert.equal(await outcomeOf(forms.addKeyLogEntry(formId, weak, head)), "400 key_log_entry_refused");
  // Something that must be understood, by a program that is newer than this service.
  const newer = await signInstead(entry, { extensions: { later: 1 }, critical: ["later"] }, signer);
  assert.equal(await outcomeOf(forms.addKeyLogEntry(formId, newer, head)), "400 key_log_entry_refused");
  assert.equal((await forms.addKeyLogEntry(formId, entry, head)).number, 2);
  assert.equal(await outcomeOf(forms.addKeyLogEntry(formId, entry, head)), "412 precondition_failed");
  const { entries } = (await owner.account.request("GET", "/api/audit-log?action=key_log.entry_added")).body;
  assert.equal(entries.length, 2);
  await forms.setHold(formId);
  assert.equal(await outcomeOf(forms.removeKeyLog(formId)), "409 form_held");
  await forms.liftHold(formId);
  await forms.removeKeyLog(formId);
  assert.equal((await service.request("GET", path)).status, 404);
  assert.equal(await outcomeOf(forms.rotateKeys(formId, { publicKey: takeKeyPair().publicKey })), "200");
});

test("a long log is answered 128 entries at a time, and the client gives all of it", async (t) => {
  const { service, forms, signer, keyOf, load } = await setUp(t);
  const { id: formId } = await forms.create({ name: "Contact", publicKey: pair.publicKey });
  const content = { formId, key: await keyOf(1, pair), owners: [signer.publicKey], managers: [] };
  let text = await createKeyLogEntry(undefined, content, signer);
  let head = await forms.addKeyLogEntry(formId, text);
  for (let number = 2; number <= 130; number++) {
    const before = await verifyKeyLog(new TextEncoder().encode(text.split("\n").slice(-3).join("\n")), {
      formId,
      head,
    });
    assert.ok(typeof before !== "string");
    const entry = await createKeyLogEntry(before, content, signer);
    head = await forms.addKeyLogEntry(formId, entry, head);
    text += entry;
  }
  const path = `/api/forms/${formId}/keys/log`;
  const linesFrom = async (query: string) =>
    String((await service.request("GET", path + query)).body).split("\n").length;
  assert.deepEqual([await linesFrom(""), await linesFrom("?from=3"), await linesFrom("?from=4")], [257, 257, 255]);
  assert.deepEqual((await load(formId)).head, head);
  assert.equal((await load(formId)).entries.length, 130);
});
