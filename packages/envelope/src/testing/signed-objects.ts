import {
  encodeBase64Url,
  extensionsBytesMax,
  formatTime,
  keyLogFormat,
  noExtensions,
  verifyKeyLog,
} from "@sealpost/wire";
import { createOneEntryLog } from "../../../wire/src/testing/key-log-maker.ts";
import { createAdmissionWith, openAdmission } from "../admission.ts";
import { answerFormat } from "../admission-answer.ts";
import { deriveLinkKey } from "../admission-key.ts";
import { admissionFormat, verifyAdmissionTerms } from "../admission-terms.ts";
import { encryptTo } from "../age-file.ts";
import { headsFormat, openDeviceHeads } from "../device-heads.ts";
import { toKnownKeyLog, toReader } from "../envelope-checks.ts";
import { envelopeExtensionsBytesMax, envelopeFormat } from "../envelope-content.ts";
import { verifyList } from "../list.ts";
import { listFormat } from "../list-entry.ts";
import { openEnvelope } from "../open-envelope.ts";
import type { PersonalKey } from "../personal-key.ts";
import { RefusalError } from "../refusal.ts";
import { importSigningKey, signLine } from "../signature.ts";
import { headFormat, verifySignedHead } from "../signed-head.ts";
import { hashOf } from "../text.ts";
import { admissionLists, asSigner, ids } from "./admission-lists.ts";
import { findList } from "./conformance.ts";
import { formId, toFormKey } from "./envelope-maker.ts";
import { toWritten } from "./list-maker.ts";
import { findPersonalKey, idOf, type KeyName, organizationId, toMember } from "./people.ts";

/** One kind of what is signed: an honest content, and how it is taken. */
export interface SignedObject {
  readonly label: string;
  readonly extensionsBytesMax: number;
  readonly content: Readonly<Record<string, unknown>>;
  /** The name of the signer's key. */
  readonly name: KeyName;
  readonly signer: PersonalKey;
  /** The refusal of a wrong signature, where that is not `not_signed`. */
  readonly wrong?: string;
  /** Other contents that the same key signs honestly, and what they are refused as in the place of this one. */
  readonly others: Readonly<
    Record<string, { readonly content: Readonly<Record<string, unknown>>; readonly outcome: string }>
  >;
  /** The outcome of two lines as received: `taken`, or the reason. Rejects with nothing but its own errors. */
  take(lines: Uint8Array<ArrayBuffer>): Promise<string>;
}

const writtenAt = "2026-11-22T08:00:00Z";
const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8z1";
const otherFormId = "form_01hk153x00e5rbcwg8rxcnh8w7";

/** Each object that exists: a test makes its cases from these. */
export async function signedObjects(): Promise<readonly SignedObject[]> {
  return Promise.all([
    listObject(),
    envelopeObject(),
    keyLogObject(),
    termsObject(),
    answerObject(),
    deviceHeadsObject(),
    headObject(),
  ]);
}

async function listObject(): Promise<SignedObject> {
  const name = "owner";
  const signer = await findPersonalKey(name);
  const content = {
    ...{ format: listFormat, organizationId, number: 1, previous: null, writtenAt, signedBy: idOf("owner") },
    ...{ change: "add", admission: null, member: await toWritten("owner"), ...noExtensions },
  };
  const other = { ...content, member: await toWritten("reader") };
  return {
    ...{ label: listFormat, extensionsBytesMax, content, name, signer },
    others: {
      "another organization": {
        content: { ...content, organizationId: otherOrganizationId },
        outcome: "other_organization",
      },
      "another person": { content: { ...other, signedBy: idOf("reader") }, outcome: "not_signed" },
      "another place": { content: { ...content, number: 2, previous: "A".repeat(43) }, outcome: "broken_chain" },
    },
    take: async (lines) =>
      outcomeOf(await verifyList(lines, { organizationId, trust: { signingKey: signer.signingKey } })),
  };
}

async function envelopeObject(): Promise<SignedObject> {
  const name = "owner";
  const signer = await findPersonalKey(name);
  const list = await findList("the founder alone");
  const content = {
    ...{ format: envelopeFormat, organizationId, formId, formName: "Contact", firstVersion: 1 },
    ...{ revision: 1, previous: null, list: list.head, keyLog: null },
    ...{ keys: [toFormKey(1, "small", true)], readers: [await toReader(await toMember("owner"), idOf("owner"))] },
    ...{ writtenAt, signedBy: idOf("owner"), ...noExtensions },
  };
  return {
    ...{ label: envelopeFormat, extensionsBytesMax: envelopeExtensionsBytesMax, content, name, signer },
    others: {
      "another organization": { content: { ...content, organizationId: otherOrganizationId }, outcome: "other_form" },
      "another form": { content: { ...content, formId: otherFormId }, outcome: "other_form" },
      "another version": {
        content: { ...content, firstVersion: 33, keys: [toFormKey(33, "first")] },
        outcome: "other_form",
      },
      "another revision": {
        content: { ...content, revision: 2, previous: "A".repeat(43) },
        outcome: "wrong_revision",
      },
      "another key log": { content: { ...content, keyLog: list.head }, outcome: "unknown_key_log" },
      "another list": { content: { ...content, list: { ...list.head, number: 2 } }, outcome: "unknown_list" },
      "another person": { content: { ...content, signedBy: idOf("reader") }, outcome: "not_signed" },
    },
    async take(lines) {
      const file = await encryptTo([signer.recipient], lines);
      const expected = { formId, firstVersion: 1, revision: 1, list, keyLog: toKnownKeyLog([]) };
      return outcomeOf(await openEnvelope(file, signer.identity, expected));
    },
  };
}

async function keyLogObject(): Promise<SignedObject> {
  const name = "owner";
  const signer = await findPersonalKey(name);
  const { formId: logged, log } = await createOneEntryLog((line) => line);
  const content = {
    ...JSON.parse(log.split("\n")[0] ?? ""),
    signedBy: signer.signingKey,
    owners: [signer.signingKey],
  };
  const { signingKey } = await findPersonalKey("reader");
  return {
    ...{ label: keyLogFormat, extensionsBytesMax, content, name, signer },
    others: {
      "another form": { content: { ...content, formId: otherFormId }, outcome: "other_form" },
      "another place": { content: { ...content, number: 2, previous: "A".repeat(43) }, outcome: "broken_chain" },
      "another person": { content: { ...content, signedBy: signingKey }, outcome: "not_signed" },
      "another role": {
        content: { ...content, owners: [signingKey], managers: [signer.signingKey], place: 2 },
        outcome: "not_allowed",
      },
      "other owners": { content: { ...content, owners: [signingKey] }, outcome: "not_signed" },
    },
    async take(lines) {
      const verified = await verifyKeyLog(lines, { formId: logged });
      return typeof verified === "string" ? verified : "taken";
    },
  };
}

async function termsObject(): Promise<SignedObject> {
  const name = "hybrid reader";
  const signer = await findPersonalKey(name);
  const lists = await admissionLists();
  const now = Date.UTC(2026, 10, 23, 8);
  const content = {
    ...{ format: admissionFormat, admissionId: "adm_01hk153x00e5rbcwg8rxcnh8w9", organizationId, person: ids.newcomer },
    ...{
      email: "zoe@example.org",
      name: "Zoë",
      role: "reader",
      list: lists.two.head,
      linkKey: (await findPersonalKey("second owner")).signingKey,
    },
    ...{ endsAt: formatTime(now + 60_000), signedBy: ids.manager, ...noExtensions },
  };
  const other = lists["another of the same length"].head;
  return {
    ...{ label: admissionFormat, extensionsBytesMax, content, name, signer },
    others: {
      "another organization": {
        content: { ...content, organizationId: otherOrganizationId },
        outcome: "other_organization",
      },
      "another list": { content: { ...content, list: other }, outcome: "unknown_list" },
      "another person": { content: { ...content, signedBy: ids.founder }, outcome: "not_signed" },
      "another role": { content: { ...content, role: "owner" }, outcome: "not_allowed" },
      "another end": { content: { ...content, endsAt: formatTime(now) }, outcome: "ended" },
    },
    take: async (lines) => outcomeOf(await verifyAdmissionTerms(new TextDecoder().decode(lines), lists.two, now)),
  };
}

/** An answer as an owner or manager takes it who opens the admission. The proof is always right: somebody who has the link may have signed it. */
async function answerObject(): Promise<SignedObject> {
  const name = "hybrid recovery";
  const signer = await findPersonalKey(name);
  const { two: list } = await admissionLists();
  const now = Date.UTC(2026, 10, 23, 8);
  const secret = new Uint8Array(16).fill(7);
  const maker = { id: ids.manager, signingKey: (await asSigner("manager", "hybrid reader")).signingKey };
  const offered = { person: ids.newcomer, email: "zoe@example.org", name: "Zoë", role: "reader" } as const;
  const admissionId = "adm_01hk153x00e5rbcwg8rxcnh8w9";
  const made = { admissionId, secret, endsAt: formatTime(now + 60_000) };
  const { terms } = await createAdmissionWith({ list, signer: maker, ...offered }, made);
  const content = {
    ...{ format: answerFormat, admissionId, organizationId, terms: await hashOf(terms.split("\n")[0] ?? "") },
    ...{ personId: ids.newcomer, recipient: signer.recipient, signingKey: signer.signingKey, writtenAt },
    ...noExtensions,
  };
  const { signingKey } = await findPersonalKey("reader");
  const { privateKey } = await deriveLinkKey(secret);
  const other = (edit: { readonly [Name in keyof typeof content]?: string }) => ({
    content: { ...content, ...edit },
    outcome: "wrong_answer",
  });
  return {
    ...{ label: answerFormat, extensionsBytesMax, content, name, signer, wrong: "wrong_answer" },
    others: {
      "another organization": other({ organizationId: otherOrganizationId }),
      "another person": other({ personId: ids.other }),
      "another key": other({ signingKey }),
      "another admission": other({ admissionId: admissionId.replace(/9$/, "8") }),
      "other terms": other({ terms: "A".repeat(43) }),
    },
    async take(lines) {
      const proven = new Uint8Array([...new TextEncoder().encode("sealpost-admission-proof/1\n"), ...contentOf(lines)]);
      const proof = encodeBase64Url(new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, proven)));
      const answer = `${new TextDecoder().decode(lines)}{"proof":"${proof}"}\n`;
      return outcomeOf(await openAdmission(terms, answer, { list, finisherId: ids.manager, now }));
    },
  };
}

function contentOf(lines: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return lines.subarray(0, lines.indexOf(10));
}

async function deviceHeadsObject(): Promise<SignedObject> {
  const name = "hybrid owner";
  const signer = await findPersonalKey(name);
  const expected = {
    ...{ commitment: "U".repeat(43), personId: "acc_01jd8z0000e8m9a4v5c6d7e8f9" },
    signingKey: signer.signingKey,
  };
  const head = { number: 3, hash: "A".repeat(43) };
  const key = {
    version: 1,
    fingerprint: "A".repeat(43),
    hybridFingerprint: null,
    seedHash: "A".repeat(43),
    isPublished: true,
    isAhead: false,
    isUnproven: false,
  };
  const content = {
    ...{ format: headsFormat, commitment: expected.commitment, personId: expected.personId, writtenAt },
    lists: [{ organizationId, ...head }],
    envelopes: [
      {
        ...{ organizationId, formId, formName: "Contact" },
        ...{ firstVersion: 1, revision: 2, hash: head.hash, list: head, keyLog: null },
        ...{ readers: [{ id: idOf("owner"), by: idOf("owner"), isDoubtful: false }], keys: [key] },
      },
    ],
    keyLogs: [{ formId, ...head }],
    confirmed: [
      {
        ...{ organizationId, id: idOf("reader"), role: "reader" },
        ...{ fingerprint: head.hash, signingKey: signer.signingKey, entry: head.number },
      },
    ],
    forms: [{ formId, organizationId }],
    leftOut: { lists: 0, envelopes: 4, keyLogs: 0, confirmed: 0, forms: 0 },
    ...noExtensions,
  };
  return {
    ...{ label: headsFormat, extensionsBytesMax, content, name, signer },
    others: {
      "another handover": {
        content: { ...content, commitment: "A".repeat(43) },
        outcome: "other_key",
      },
      "another person": { content: { ...content, personId: "acc_01jd8z0000e8m9a4v5c6d7e8f8" }, outcome: "other_key" },
    },
    take: async (lines) =>
      outcomeOf(await openDeviceHeads(await encryptTo([signer.recipient], lines), signer.identity, expected)),
  };
}

async function headObject(): Promise<SignedObject> {
  const name = "reader";
  const signer = await findPersonalKey(name);
  const expected = { organizationId, signingKey: signer.signingKey };
  const list = { number: 6, hash: "A".repeat(43) };
  const content = { format: headFormat, organizationId, list, writtenAt, signedBy: idOf("reader"), ...noExtensions };
  return {
    ...{ label: headFormat, extensionsBytesMax, content, name, signer },
    others: {
      "another organization": {
        content: { ...content, organizationId: otherOrganizationId },
        outcome: "other_organization",
      },
      "another id of the person": { content: { ...content, signedBy: idOf("manager") }, outcome: "taken" },
    },
    take: async (lines) => outcomeOf(await verifySignedHead(new TextDecoder().decode(lines), expected)),
  };
}

function outcomeOf(result: unknown): string {
  return result instanceof RefusalError ? result.reason : "taken";
}

/** The two lines of a content, or of another line, as its signer signs them; as another kind, where `label` says so. */
export async function signObject(
  { label, content, signer }: SignedObject,
  line: string = JSON.stringify(content),
  signedAs: string = label,
): Promise<Uint8Array<ArrayBuffer>> {
  const lines = await signLine(signedAs, line, await importSigningKey(signer.signingSeed));
  return new TextEncoder().encode(lines);
}
