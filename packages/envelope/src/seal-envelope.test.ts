import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, decodeBase64 } from "@sealpost/wire";
import { Decrypter, Encrypter, identityToRecipient } from "age-encryption";
import { decryptWith, encryptTo } from "./age-file.ts";
import { checkReaders, toReader } from "./envelope-checks.ts";
import {
  envelopeBytesMax,
  envelopeFormat,
  type FormKey,
  keysMax,
  parseEnvelopeContent,
  readersMax,
} from "./envelope-content.ts";
import { entriesMax, listBytesMax, type VerifiedList, verifyList, verifyNextEntry } from "./list.ts";
import { toNamesFile } from "./names.ts";
import { createListEntry } from "./next-entry.ts";
import { type ExpectedEnvelope, type OpenedEnvelope, openEnvelope } from "./open-envelope.ts";
import { generatePersonalKey } from "./personal-key.ts";
import { RefusalError } from "./refusal.ts";
import { sealEnvelope } from "./seal-envelope.ts";
import { importSigningKey } from "./signature.ts";
import { toConfirmed } from "./standing.ts";
import { envelopes, findList, lists } from "./testing/conformance.ts";
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
const published = keys.map(({ version, fingerprint, hybridFingerprint }) => ({
  ...{ version, fingerprint },
  hybridFingerprint: hybridFingerprint ?? undefined,
}));
const expected = (list: VerifiedList, revision = 1) => ({ formId, firstVersion: 1, revision, list, published });

async function open(
  file: Uint8Array<ArrayBuffer>,
  person: Person,
  list: VerifiedList,
  revision?: number,
): Promise<OpenedEnvelope> {
  const opened = await openEnvelope(file, (await findPersonalKey(person)).identity, expected(list, revision));
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
});

test("readers stay in the name of those who put them there, until somebody confirms them", async () => {
  const list = await findList("a council");
  const readerIds = [idOf("manager"), idOf("reader"), idOf("owner")];
  const common = { list, formId, readerIds };
  const first = await sealEnvelope({ ...common, signer: await toSigner("manager"), formName: "Contact\n", keys });
  const previous = await open(first.file, "manager", list);
  assert.equal(previous.content.formName, "Contact");
  const parts = { ...common, signer: await toSigner("owner"), readerIds: [...readerIds, idOf("program")], previous };
  const byOf = async (confirmedIds: readonly string[], before = previous) => {
    const { head, file } = await sealEnvelope({ ...parts, keys: [], confirmedIds, previous: before });
    const { content } = await open(file, "owner", list, 2);
    assert.deepEqual(
      content.readers.map(({ id, by }) => ({ id, by })),
      head.readers,
      "the head says what is written",
    );
    return Object.fromEntries(head.readers.map(({ id, by }) => [id, by]));
  };
  const [owner, manager] = [idOf("owner"), idOf("manager")];
  const before = { [owner]: manager, [manager]: manager, [idOf("reader")]: manager, [idOf("recovery")]: manager };
  const carried = { ...before, [idOf("program")]: owner };
  assert.deepEqual(await byOf([]), carried);
  const isAsked = previous.head.readers.map(({ id, by }) => ({ id, by: id === idOf("reader") ? null : by }));
  const unknown = { ...previous, head: { ...previous.head, readers: isAsked } };
  assert.deepEqual(await byOf([], unknown), { ...carried, [idOf("reader")]: null });
  assert.deepEqual(await byOf([idOf("reader")], unknown), { ...carried, [idOf("reader")]: owner });
  // After a revision that the writer can't open: it may have changed that.
  const after = { revision: 2, hash: first.head.hash };
  const { head } = await sealEnvelope({ ...parts, keys: [], after });
  assert.deepEqual([head.revision, ...new Set(head.readers.map(({ by }) => by))], [3, owner]);
});

test("who has lost the right to add readers since is not named again", async () => {
  const name = "envelope: readers in the name of an owner who was removed later";
  const vector = envelopes.find((one) => one.name === name) ?? assert.fail();
  const list = await findList(vector.list);
  const { identity } = await findPersonalKey(vector.reader);
  const previous = await openEnvelope(decodeBase64(vector.envelope) ?? new Uint8Array(), identity, {
    ...vector,
    list,
    keyLog: undefined,
  });
  assert.ok(!(previous instanceof RefusalError));
  const named = previous.head.readers.find(({ id }) => id === idOf("manager"))?.by;
  assert.equal(named, idOf("owner"));
  const confirmed = await Promise.all([...list.members.values()].map((member) => toConfirmed(list, member)));
  const standing = { own: await findPersonalKey("second owner"), confirmed };
  const parts = { list, standing, formId, readerIds: [idOf("manager"), idOf("second owner")], keys: [], previous };
  const { file } = await sealEnvelope({ ...parts, signer: await toSigner("second owner") });
  const { content } = await open(file, "manager", list, 3);
  assert.equal(content.readers.find(({ id }) => id === idOf("manager"))?.by, null);
});

test("an owner follows an envelope that opens for nobody, without a key, and the next rotation has its place there", async () => {
  const list = await findList("a council");
  const signer = await toSigner("owner");
  const readerIds = [idOf("owner"), idOf("manager"), idOf("reader")];
  const first = await sealEnvelope({ list, signer, formId, readerIds, keys });
  const earlier = await open(first.file, "owner", list);
  const after = { revision: 1, hash: first.head.hash };
  const of33 = { list, formId, readerIds, signer };
  const cleared = await sealEnvelope({ ...of33, keys: [], firstVersion: 33, after, earlier });
  const { version, fingerprint } = toFormKey(40, "first");
  const look = async (file: Uint8Array<ArrayBuffer>, person: Person, rest: Partial<ExpectedEnvelope>) => {
    const { identity } = await findPersonalKey(person);
    const form = { ...expected(list, 2), firstVersion: 33, published: [{ version, fingerprint }] };
    const opened = await openEnvelope(file, identity, { ...form, ...rest });
    return opened instanceof RefusalError ? assert.fail(opened.reason) : opened;
  };
  const opened = await look(cleared.file, "manager", { others: [first.head] });
  assert.deepEqual([opened.content.keys, opened.head.readers], [[], first.head.readers]);
  await look(cleared.file, "reader", { isAboveRefused: true });
  const rotated = await sealEnvelope({
    ...of33,
    signer: await toSigner("manager"),
    keys: [toFormKey(40, "first")],
    previous: opened,
  });
  const next = await look(rotated.file, "reader", { revision: 3, newest: cleared.head });
  assert.deepEqual([next.content.keys.map(({ version }) => version), next.head.readers], [[40], first.head.readers]);
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
  const many = new TextEncoder().encode("{}\n{}\n".repeat(entriesMax + 1));
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
    ...{ format: envelopeFormat, organizationId, formId, formName: "🙏".repeat(100) },
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
  assert.equal(bytes, 236_653);
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

test("an envelope is for 56 readers at most who are no recovery keys, so that there is room for 8 of these", async () => {
  const key = await generatePersonalKey();
  const signer = { id: idOf("owner"), signingKey: await importSigningKey(key.signingSeed) };
  let list: VerifiedList | undefined;
  const add = async (
    id: string,
    role: "owner" | "reader" | "recovery",
    of: { recipient: string; signingKey: string },
  ) => {
    const member = { id, name: role, role, ...of, signingKey: role === "recovery" ? null : of.signingKey };
    const { recipient } = of;
    const change = { change: "add", member: { ...member, recipient } } as const;
    const { entry, names } = await createListEntry(list, organizationId, change, signer);
    const next = await verifyNextEntry(list, organizationId, new TextEncoder().encode(entry), toNamesFile(names));
    assert.ok(!(next instanceof RefusalError));
    list = next.list;
    return id;
  };
  await add(signer.id, "owner", key);
  const readerIds = [signer.id];
  for (let count = 1; count <= 56; count++)
    readerIds.push(await add(createId("account"), "reader", await generatePersonalKey()));
  for (let count = 1; count <= 8; count++) await add(createId("event"), "recovery", await generatePersonalKey());
  const seal = (ids: readonly string[]) =>
    sealEnvelope({ list: list as VerifiedList, signer, formId, readerIds: ids, keys });
  assert.equal(await refusalOf(seal(readerIds)), "wrong_readers");
  const { file } = await seal(readerIds.slice(0, 56));
  assert.ok(file.length <= envelopeBytesMax);
  const opened = await openEnvelope(file, key.identity, expected(list as unknown as VerifiedList));
  assert.ok(!(opened instanceof RefusalError) && opened.content.readers.length === 64);
});

test("56 places are for readers, and the rest for recovery keys, however many there are", async () => {
  const { recipient } = await findPersonalKey("reader");
  const reader = await toReader({ id: "usr_1", recipient }, null);
  const refusal = async (count: number, recoveryKeys: number) => {
    const roles = Array.from({ length: count + recoveryKeys }, (_, index) => (index < count ? "reader" : "recovery"));
    const members = roles.map((role, index) => [`usr_${index}`, { id: `usr_${index}`, role, recipient }] as const);
    const readers = members.map(([id]) => ({ ...reader, id }));
    // `checkReaders` reads nothing else of them.
    const [content, byId] = [{ readers }, new Map(members)] as unknown as Parameters<typeof checkReaders>;
    return refusalOf(checkReaders(content, byId, readers.length));
  };
  for (const recoveryKeys of [0, 8]) {
    assert.equal(await refusal(56, recoveryKeys), undefined);
    assert.equal(await refusal(57, recoveryKeys), "wrong_readers");
  }
});
