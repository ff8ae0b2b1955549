import assert from "node:assert/strict";
import { test } from "node:test";
import { Decrypter, Encrypter, identityToRecipient } from "age-encryption";
import { decryptWith, encryptTo } from "./age-file.ts";
import {
  envelopeBytesMax,
  envelopeFormat,
  type FormKey,
  keysMax,
  parseEnvelopeContent,
  readersMax,
} from "./envelope-content.ts";
import { listBytesMax, type VerifiedList, verifyList } from "./list.ts";
import { createListEntry } from "./next-entry.ts";
import { type OpenedEnvelope, openEnvelope } from "./open-envelope.ts";
import { generatePersonalKey } from "./personal-key.ts";
import { RefusalError } from "./refusal.ts";
import { sealEnvelope } from "./seal-envelope.ts";
import { findList, lists } from "./testing/conformance.ts";
import { formId, toFormKey } from "./testing/envelope-maker.ts";
import {
  curveIdentityOf,
  findPersonalKey,
  idOf,
  organizationId,
  type Person,
  toMember,
  toSigner,
} from "./testing/people.ts";
import { parseLine } from "./text.ts";

const keys = [toFormKey(1, "small", true)];
const expected = (list: VerifiedList, revision = 1) => ({ formId, firstVersion: 1, revision, list });

async function open(file: Uint8Array<ArrayBuffer>, person: Person, list: VerifiedList): Promise<OpenedEnvelope> {
  const opened = await openEnvelope(file, (await findPersonalKey(person)).identity, expected(list));
  if (opened instanceof RefusalError) throw opened;
  return opened;
}

/** The reason for which `work` is refused. */
async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return error instanceof RefusalError ? error.reason : error;
  }
}

test("every reader opens an envelope, the recovery key without being named, and nobody else does", async () => {
  const list = await findList("a council");
  const signer = await toSigner("manager");
  const { file, head } = await sealEnvelope({ list, signer, formId, readerIds: [idOf("reader")], keys });
  for (const person of ["reader", "recovery"] as const) {
    const opened = await open(file, person, list);
    assert.deepEqual(opened.content.keys, keys);
    assert.deepEqual(opened.head, head);
    assert.deepEqual(
      opened.content.readers.map(({ id, by }) => [id, by]),
      [
        [idOf("reader"), idOf("manager")],
        [idOf("recovery"), idOf("manager")],
      ],
    );
  }
  assert.equal(await refusalOf(open(file, "owner", list)), "not_a_reader");
});

test("the next revision keeps every key, follows the one before and opens for a client that has seen that", async () => {
  const list = await findList("hybrid keys");
  const signer = await toSigner("hybrid owner");
  const parts = { list, signer, formId, readerIds: [idOf("hybrid owner"), idOf("hybrid reader")] };
  const first = await sealEnvelope({ ...parts, keys });
  const previous = await open(first.file, "hybrid reader", list);
  const second = await sealEnvelope({ ...parts, keys: [toFormKey(2, "first")], previous });
  const { identity } = await findPersonalKey("hybrid reader");
  const opened = await openEnvelope(second.file, identity, { ...expected(list, 2), newest: first.head });
  assert.ok(!(opened instanceof RefusalError));
  assert.deepEqual(
    opened.content.keys.map(({ version }) => version),
    [1, 2],
  );
  assert.equal(opened.content.previous, first.head.hash);
  const old = await openEnvelope(first.file, identity, { ...expected(list), newest: second.head });
  assert.equal(old instanceof RefusalError && old.reason, "old_revision");
});

test("what an opener would refuse is not written", async () => {
  const list = await findList("a council");
  const signer = await toSigner("owner");
  const parts = { list, signer, formId, readerIds: [idOf("owner")], keys };
  const previous = await open((await sealEnvelope(parts)).file, "owner", list);
  const refused: Readonly<Record<string, Partial<typeof parts>>> = {
    not_allowed: { signer: await toSigner("reader") },
    not_signed: { signer: await toSigner("owner", "reader") },
    wrong_readers: { readerIds: [idOf("stranger")] },
    wrong_key: { keys: [{ ...toFormKey(1, "small"), fingerprint: toFormKey(1, "first").fingerprint }] },
    malformed: { keys: [] },
  };
  const [key] = keys;
  assert.ok(key !== undefined);
  const damaged = { ...key, privateKey: { ...key.privateKey, d: toFormKey(1, "first").privateKey.d } };
  assert.equal(await refusalOf(sealEnvelope({ ...parts, keys: [damaged] })), "wrong_key", "the fingerprint is right");
  for (const [reason, deviation] of Object.entries(refused))
    assert.equal(await refusalOf(sealEnvelope({ ...parts, ...deviation })), reason);
  assert.equal(await refusalOf(sealEnvelope({ ...parts, readerIds: [idOf("developer")] })), "wrong_readers");
  assert.equal(await refusalOf(sealEnvelope({ ...parts, previous })), "malformed", "a key version twice");
  const other = { ...previous, head: { ...previous.head, formId: "form_01hk153x00e5rbcwg8rxcnh8w7" as const } };
  assert.equal(await refusalOf(sealEnvelope({ ...parts, keys: [], previous: other })), "other_form");
  const tooMany = Array.from({ length: 33 }, (_, index) => toFormKey(index + 1, "small"));
  assert.equal(await refusalOf(sealEnvelope({ ...parts, keys: tooMany })), "malformed");
  const handedTo = "acc_01hk153x00e5rbcwg8rxcnh8w1";
  assert.equal(await refusalOf(sealEnvelope({ ...parts, signer: await toSigner("manager"), handedTo })), "not_allowed");
  assert.equal(await refusalOf(sealEnvelope({ ...parts, handedTo })), undefined);
});

test("readers stay in the name of those who put them there, until somebody confirms them", async () => {
  const list = await findList("a council");
  const readerIds = [idOf("manager"), idOf("reader"), idOf("owner")];
  const common = { list, formId, readerIds };
  const first = await sealEnvelope({ ...common, signer: await toSigner("manager"), formName: "Contact\n", keys });
  const previous = await open(first.file, "manager", list);
  assert.equal(previous.content.formName, "Contact");
  const parts = { ...common, signer: await toSigner("owner"), readerIds: [...readerIds, idOf("program")], previous };
  const byOf = async (confirmedIds: readonly string[]) => {
    const { head } = await sealEnvelope({ ...parts, keys: [], confirmedIds });
    return Object.fromEntries(head.readers.map(({ id, by }) => [id, by]));
  };
  const [owner, manager] = [idOf("owner"), idOf("manager")];
  const before = { [owner]: manager, [manager]: manager, [idOf("reader")]: manager, [idOf("recovery")]: manager };
  const carried = { ...before, [idOf("program")]: owner };
  assert.deepEqual(await byOf([]), carried);
  assert.deepEqual(await byOf([idOf("reader")]), { ...carried, [idOf("reader")]: owner });
  // After a revision that the writer can't open: it may have changed that.
  const after = { revision: 2, hash: first.head.hash };
  const { head } = await sealEnvelope({ ...parts, keys: [], after });
  assert.deepEqual([head.revision, ...new Set(head.readers.map(({ by }) => by))], [3, owner]);
});

test("a form without a name that fits is called by its id, and a long name is cut", async () => {
  const list = await findList("a council");
  const nameOf = async (formName: string) => {
    const signer = await toSigner("owner");
    const { file } = await sealEnvelope({ list, signer, formId, formName, readerIds: [idOf("owner")], keys });
    return (await open(file, "owner", list)).content.formName;
  };
  assert.equal(await nameOf(""), formId);
  assert.equal(await nameOf("\u202e"), formId);
  assert.equal(await nameOf(`a\u202eb${"🙏".repeat(100)}`), `ab${"🙏".repeat(98)}`);
});

test("nobody whose recipient is of X25519 alone gets into a list, and so none gets an envelope", async () => {
  const council = await findList("a council");
  const recipient = await identityToRecipient(await curveIdentityOf("second reader"));
  const change = { change: "add", member: { ...(await toMember("second reader")), recipient } } as const;
  assert.equal(await refusalOf(createListEntry(council, organizationId, change, await toSigner("owner"))), "malformed");
});

function textOf(name: string): string {
  return lists.find((vector) => vector.name === name)?.list ?? "";
}

test("an entry that the rules do not allow is not written, and no signature by another key than the list has", async () => {
  const list = await findList("a council");
  const add = { change: "add", member: await toMember("second reader") } as const;
  const write = async (person: Person, key: Person = person) =>
    refusalOf(createListEntry(list, organizationId, add, await toSigner(person, key)));
  assert.equal(await write("manager"), undefined);
  assert.equal(await write("reader"), "not_allowed");
  assert.equal(await write("stranger"), "not_allowed");
  assert.equal(await write("owner", "manager"), "not_signed");
  assert.equal(
    await refusalOf(createListEntry(list, "acc_01hk153x00e5rbcwg8rxcnh8w1", add, await toSigner("owner"))),
    "other_organization",
  );
});

test("more bytes than an envelope or a list may have are refused before anything is computed", async () => {
  const list = await findList("a council");
  const { identity } = await findPersonalKey("owner");
  const { file } = await sealEnvelope({
    list,
    signer: await toSigner("owner"),
    formId,
    readerIds: [idOf("owner")],
    keys,
  });
  const large = new Uint8Array(384 * 1024 + 1);
  large.set(file);
  const opened = await openEnvelope(large, identity, expected(list));
  assert.equal(opened instanceof RefusalError && opened.reason, "malformed");
  const trust = { head: list.head };
  const text = textOf("a council");
  const long = new TextEncoder().encode(text.repeat(Math.ceil((listBytesMax + 1) / text.length)));
  const many = new TextEncoder().encode("{}\n{}\n".repeat(4097));
  for (const bytes of [long, many]) {
    const verified = await verifyList(bytes, { organizationId, trust });
    assert.equal(verified instanceof RefusalError && verified.reason, "malformed");
  }
});

test("whatever the counts allow fits into an envelope, so each can be continued", () => {
  const id = "abcdefgh_01hk153x00e5rbcwg8rxcnh8";
  const head = { number: 2 ** 31 - 1, hash: "A".repeat(43) };
  const firstVersion = 2_147_483_585;
  const content = {
    ...{ format: envelopeFormat, organizationId, formId, handedTo: organizationId, formName: "🙏".repeat(100) },
    ...{ firstVersion, revision: 2 ** 31 - 1, previous: "A".repeat(43), list: head, keyLog: head },
    keys: Array.from({ length: keysMax }, (_, index) => toLargestKey(firstVersion + index)),
    readers: Array.from({ length: readersMax }, (_, index) => ({
      ...{ id: `${id}${10 + index}`, fingerprint: "A".repeat(43), by: `${id}a1` },
    })),
    ...{ writtenAt: "2026-11-22T08:00:00Z", signedBy: `${id}a1`, extensions: { a: "x".repeat(8182) }, critical: [] },
  };
  const line = JSON.stringify(content);
  assert.deepEqual(parseLine(line, parseEnvelopeContent), content);
  // With the signature, the header of age and its tags.
  const bytes = new TextEncoder().encode(line).length;
  assert.equal(bytes, 236_697);
  const stanza = "-> mlkem768x25519 ".length + Math.ceil((1120 * 4) / 3) + 1 + 43 + 1;
  assert.equal(64 * stanza, 99_648);
  assert.ok(bytes + 64 * stanza + 500 < envelopeBytesMax);
});

/** Every number as long as it may be. */
function toLargestKey(version: number): FormKey {
  const number = "A".repeat(683);
  const privateKey = { kty: "RSA", n: number, e: "AQAB", d: number, p: number, q: number } as const;
  return {
    version,
    fingerprint: "A".repeat(43),
    privateKey: { ...privateKey, dp: number, dq: number, qi: number },
    hybridFingerprint: "A".repeat(43),
    hybridPrivateKey: { kty: "AKP", alg: "MLKEM768-X25519", pub: "A".repeat(1622), priv: "A".repeat(43) },
    seed: "A".repeat(43),
  };
}

test("the runtime's ML-KEM and the library's open what the other sealed, and seal to a fresh personal key", async () => {
  const people = [await generatePersonalKey(), await generatePersonalKey()] as const;
  const recipients = people.map(({ recipient }) => recipient);
  const ours = await encryptTo(recipients, "for two");
  for (const { identity } of people) {
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    assert.equal(await decrypter.decrypt(ours, "text"), "for two");
  }
  const encrypter = new Encrypter();
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const theirs = new Uint8Array(await encrypter.encrypt("for two"));
  for (const { identity } of people)
    assert.equal(new TextDecoder().decode(await decryptWith(identity, theirs)), "for two");
});
