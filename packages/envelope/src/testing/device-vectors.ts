import { encodeBase64Url, noExtensions } from "@sealpost/wire";
import { identityToRecipient } from "age-encryption";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import {
  commitmentOf,
  createChallengeWith,
  type DeviceChallenge,
  type DeviceRequest,
  type DeviceReveal,
  deviceCode,
  formatDeviceCode,
} from "../device.ts";
import { headsFormat } from "../device-heads.ts";
import { firstVersionOf } from "../envelope-content.ts";
import { importSigningKey, signLine } from "../signature.ts";
import { headFormat } from "../signed-head.ts";
import { curveIdentityOf, findPersonalKey, type KeyName } from "./people.ts";

/** vectors/devices.json */
export interface DeviceVectors {
  readonly handovers: readonly Handover[];
  readonly challenges: readonly ChallengeVector[];
  readonly heads: readonly DeviceHeadsVector[];
}

/** Everything that follows from the first members. */
interface Handover {
  readonly name: string;
  readonly request: DeviceRequest;
  readonly reveal: DeviceReveal;
  readonly secret: string;
  readonly challenge: DeviceChallenge;
  /** To scan. */
  readonly scanned: string;
  /** To compare. */
  readonly code: string;
}

/** A challenge as a new device gets it, whose person says whether its code was scanned. */
export interface ChallengeVector {
  readonly name: string;
  readonly request: DeviceRequest;
  readonly secret: string;
  readonly challenge: DeviceChallenge;
  readonly isScanned: boolean;
  readonly outcome: "taken" | "wrong";
}

/** Content of the file of heads, which a new device of this request opens. */
export interface DeviceHeadsVector {
  readonly name: string;
  readonly lines: string;
  readonly expected: { readonly commitment: string; readonly personId: string; readonly signingKey: string };
  readonly outcome: "opened" | "malformed" | "other_key" | "not_signed" | "unknown_extension";
}

const requestId = "dev_01jd8z0000e8m9a4v5c6d7e8f9";
const personId = "acc_01jd8z0000e8m9a4v5c6d7e8f9";
const owner = "hybrid owner";

export async function deviceVectors(): Promise<DeviceVectors> {
  const drawn = await drawAll();
  const { request, reveal, secret, own } = drawn;
  const make = async (name: string, used?: string): Promise<Handover> => {
    const challenge = await createChallengeWith(request, own, used);
    const code = await deviceCode(request, challenge, reveal);
    return { name, request, reveal, secret, challenge, scanned: formatDeviceCode(drawn), code };
  };
  return {
    handovers: [await make("codes are compared"), await make("the code was scanned", secret)],
    challenges: await challengeVectors(drawn),
    heads: await headsVectors(drawn),
  };
}

type Drawn = Awaited<ReturnType<typeof drawAll>>;

async function drawAll() {
  const { recipient, signingKey } = await findPersonalKey(owner);
  const device = await findPersonalKey("hybrid reader");
  const draw = async (use: string) => encodeBase64Url((await derive("sheet", `device ${use}`, 32)).subarray(0, 16));
  const reveal = { recipient: await identityToRecipient(device.identity), nonce: await draw("nonce") };
  const [secret, nonce, commitment] = await Promise.all([draw("secret"), draw("challenge"), commitmentOf(reveal)]);
  return {
    ...{ reveal, secret, commitment, otherSecret: await draw("another secret") },
    // The same recipient, at another handover.
    otherCommitment: await commitmentOf({ ...reveal, nonce: await draw("another nonce") }),
    ...{ request: { requestId, personId, commitment }, own: { recipient, signingKey, nonce } },
  };
}

async function challengeVectors({ request, secret, otherSecret, own }: Drawn): Promise<readonly ChallengeVector[]> {
  const right = await createChallengeWith(request, own, secret);
  const unproven = { ...right, proof: null };
  const stranger = await findPersonalKey("hybrid reader");
  const provenFor = (changed: Partial<DeviceRequest>) => createChallengeWith({ ...request, ...changed }, own, secret);
  const line = JSON.stringify({ ...request, ...own });
  const { requestId: id, personId: person, commitment } = request;
  const ordered = JSON.stringify({ requestId: id, personId: person, commitment, ...own });
  const scanned: Readonly<Record<string, DeviceChallenge>> = {
    "scanned and no proof": unproven,
    "a proof with another secret": await createChallengeWith(request, own, otherSecret),
    "a proof for another request": await provenFor({ requestId: "dev_01jd8z0000e8m9a4v5c6d7e8f8" }),
    "a proof for another person": await provenFor({ personId: "acc_01jd8z0000e8m9a4v5c6d7e8f8" }),
    "a proof for another commitment": await provenFor({ commitment: encodeBase64Url(new Uint8Array(32)) }),
    "a proof with another recipient": { ...right, recipient: stranger.recipient },
    "a proof with another signing key": { ...right, signingKey: stranger.signingKey },
    "a proof with another nonce": { ...right, nonce: encodeBase64Url(new Uint8Array(16)) },
    "a proof as in the draft before": { ...right, proof: await mac(secret, `sealpost-device/1\nproof\n${ordered}`) },
    "a proof with the label of codes": { ...right, proof: await mac(secret, `sealpost-device-code/1\n${ordered}`) },
    "a proof without a label": { ...right, proof: await mac(secret, line) },
    "half a proof": { ...right, proof: (right.proof ?? "").slice(0, 22) },
    "an empty proof": { ...right, proof: "" },
  };
  const malformed: Readonly<Record<string, Omit<DeviceChallenge, "proof">>> = {
    "a recipient of X25519": { ...own, recipient: await identityToRecipient(await curveIdentityOf("owner")) },
    "a recipient in capitals": { ...own, recipient: own.recipient.toUpperCase() },
    "a nonce of 15 bytes": { ...own, nonce: encodeBase64Url(new Uint8Array(15)) },
    "a signing key of 31 bytes": { ...own, signingKey: encodeBase64Url(new Uint8Array(31)) },
  };
  const wrong = Object.entries(malformed).map(async ([name, parts]): Promise<ChallengeVector> => {
    const challenge = await createChallengeWith(request, parts, secret);
    return { name, request, secret, challenge, isScanned: true, outcome: "wrong" };
  });
  const of = (name: string, challenge: DeviceChallenge, isScanned: boolean, outcome: ChallengeVector["outcome"]) => ({
    ...{ name, request, secret, challenge, isScanned, outcome },
  });
  return [
    of("scanned", right, true, "taken"),
    of("not scanned", unproven, false, "taken"),
    of("not scanned, with a proof", right, false, "wrong"),
    of("not scanned, with an empty proof", { ...right, proof: "" }, false, "wrong"),
    of("not scanned, with a nonce of no bytes", { ...unproven, nonce: "" }, false, "wrong"),
    ...Object.entries(scanned).map(([name, challenge]) => of(name, challenge, true, "wrong")),
    ...(await Promise.all(wrong)),
  ];
}

async function mac(secret: string, text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
  const key = await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return encodeBase64Url(new Uint8Array(await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(text))));
}

interface HeadsParts {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly signWith?: KeyName;
  readonly signedAs?: string;
  readonly spell?: (line: string) => string;
  readonly alter?: (lines: string) => string;
}

async function headsVectors({ commitment, otherCommitment }: Drawn): Promise<readonly DeviceHeadsVector[]> {
  const hash = "A".repeat(43);
  const idOf = (prefix: string, last: string) => `${prefix}_01jd8z0000e8m9a4v5c6d7e8f${last}`;
  const list = (last: string) => ({ organizationId: idOf("acc", last), number: 3, hash });
  const key = (version: number) => ({
    version,
    fingerprint: hash,
    hybridFingerprint: null,
    seedHash: hash,
    isPublished: true,
    isAhead: false,
    isUnproven: false,
  });
  const envelope = (last: string, ...versions: readonly number[]) => ({
    ...{ organizationId: idOf("acc", "8"), formId: idOf("form", last), formName: "Contact" },
    ...{ firstVersion: firstVersionOf(versions[0] ?? 1), revision: 2, hash },
    ...{
      list: { number: 3, hash },
      keyLog: null,
      readers: [{ id: idOf("acc", "9"), by: idOf("acc", "9"), isDoubtful: false }],
    },
    keys: versions.map(key),
  });
  const keyLog = (last: string) => ({ formId: idOf("form", last), number: 4, hash });
  const confirmed = (organization: string, last: string) => ({
    ...{ organizationId: idOf("acc", organization), id: idOf("acc", last), role: "reader" },
    ...{ fingerprint: hash, signingKey: hash as string | null, entry: 3 },
  });
  const form = (last: string) => ({ formId: idOf("form", last), organizationId: idOf("acc", "8") });
  const none = { lists: 0, envelopes: 0, keyLogs: 0, confirmed: 0, forms: 0 };
  const { forms: _, ...withoutForms } = none;
  const program = { ...confirmed("9", "7"), role: "program", signingKey: null };
  const newer = { extensions: { lock: 1 }, critical: ["lock"] };
  const other = { commitment: otherCommitment };
  const named = (head: ReturnType<typeof envelope>, formName: string) => ({ ...head, formName });
  const planted = { ...envelope("8", 1), keys: [key(1), { ...key(2), isPublished: false, isAhead: true }] };
  const unproven = (isPublished: boolean) => ({
    ...envelope("8", 1),
    keys: [{ ...key(1), isPublished, isUnproven: true }],
  });
  const unseeded = (seedHash: null | undefined) => ({ ...envelope("8", 1), keys: [{ ...key(1), seedHash }] });
  const doubtful = { ...envelope("8", 1), readers: [{ id: idOf("acc", "9"), by: null, isDoubtful: true }] };
  const { isAhead: __, ...withoutAhead } = key(1);
  const { isDoubtful: ___, ...withoutDoubt } = doubtful.readers[0] ?? { isDoubtful: true };
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => {
      const member = confirmed("8", "9");
      return { ...member, id: `${member.id.slice(0, -4)}${1000 + index}` };
    });
  const cases: readonly (readonly [string, DeviceHeadsVector["outcome"], HeadsParts])[] = [
    ["of everything", "opened", {}],
    ["of nothing", "opened", { content: { lists: [], envelopes: [], keyLogs: [], confirmed: [], forms: [] } }],
    ["with an extension that nobody knows", "opened", { content: { extensions: { color: "blue" } } }],
    ["65 lists", "opened", { content: { lists: [...sixtyFour(list("8")), list("9")] } }],
    ["a list twice", "malformed", { content: { lists: [list("8"), list("8")] } }],
    ["lists in another order", "malformed", { content: { lists: [list("9"), list("8")] } }],
    ["key logs in another order", "malformed", { content: { keyLogs: [keyLog("9"), keyLog("8")] } }],
    ["envelopes in another order", "malformed", { content: { envelopes: [envelope("9", 1), envelope("8", 1)] } }],
    ["two envelopes of a form", "opened", { content: { envelopes: [envelope("8", 1, 2), envelope("8", 33)] } }],
    ["two for the same version", "malformed", { content: { envelopes: [envelope("8", 1, 2), envelope("8", 1)] } }],
    ["a form's name of two lines", "malformed", { content: { envelopes: [named(envelope("8", 1), "a\nb")] } }],
    ["a confirmed program", "opened", { content: { confirmed: [program] } }],
    ["a member of two organizations", "opened", { content: { confirmed: [confirmed("8", "9"), confirmed("9", "9")] } }],
    ["a confirmed member twice", "malformed", { content: { confirmed: [confirmed("8", "9"), confirmed("8", "9")] } }],
    [
      "confirmed members in another order",
      "malformed",
      { content: { confirmed: [confirmed("9", "8"), confirmed("8", "9")] } },
    ],
    ["a role that nobody has", "malformed", { content: { confirmed: [{ ...confirmed("8", "9"), role: "king" }] } }],
    ["a member confirmed by no entry", "malformed", { content: { confirmed: [{ ...confirmed("8", "9"), entry: 0 }] } }],
    ["257 confirmed members", "opened", { content: { confirmed: many(257) } }],
    ["forms in another order", "malformed", { content: { forms: [form("9"), form("8")] } }],
    ["a form of two organizations", "malformed", { content: { forms: [form("8"), form("8")] } }],
    ["a form of no organization", "malformed", { content: { forms: [{ ...form("8"), organizationId: null }] } }],
    ["with some left out", "opened", { content: { leftOut: { ...none, lists: 1, envelopes: 2_147_483_647 } } }],
    ["with more left out than there can be", "malformed", { content: { leftOut: { ...none, forms: 2_147_483_648 } } }],
    ["with less than nothing left out", "malformed", { content: { leftOut: { ...none, lists: -1 } } }],
    ["with half a list left out", "malformed", { content: { leftOut: { ...none, lists: 0.5 } } }],
    ["without a word on forms that are left out", "malformed", { content: { leftOut: withoutForms } }],
    ["with nothing said of what is left out", "malformed", { content: { leftOut: null } }],
    ["a key ahead of its time", "opened", { content: { envelopes: [planted] } }],
    ["a published key that nobody vouches for", "opened", { content: { envelopes: [unproven(true)] } }],
    ["an unproven key that is not published", "malformed", { content: { envelopes: [unproven(false)] } }],
    ["a key whose seed is not remembered", "opened", { content: { envelopes: [unseeded(null)] } }],
    ["a key without a word on its seed", "malformed", { content: { envelopes: [unseeded(undefined)] } }],
    [
      "a published key that was ahead of its time",
      "malformed",
      { content: { envelopes: [{ ...planted, keys: [{ ...key(1), isPublished: true, isAhead: true }] }] } },
    ],
    [
      "a key of which nothing says whether",
      "malformed",
      { content: { envelopes: [{ ...planted, keys: [withoutAhead] }] } },
    ],
    ["a doubtful reader", "opened", { content: { envelopes: [doubtful] } }],
    [
      "a reader of whom nothing says whether",
      "malformed",
      { content: { envelopes: [{ ...doubtful, readers: [withoutDoubt] }] } },
    ],
    ["an envelope without keys", "opened", { content: { envelopes: [envelope("8")] } }],
    ["versions in another order", "malformed", { content: { envelopes: [envelope("8", 2, 1)] } }],
    ["a member more", "malformed", { content: { more: 1 } }],
    ["white space", "malformed", { spell: (line) => line.replace(",", ", ") }],
    ["a day that no calendar has", "malformed", { content: { writtenAt: "2026-11-31T08:00:00Z" } }],
    ["an id of another form", "malformed", { content: { personId: "Ada" } }],
    ["a format to come", "malformed", { content: { format: "sealpost-device-heads/2" } }],
    ["three lines", "malformed", { alter: (lines) => `${lines}\n` }],
    ["without its last line feed", "malformed", { alter: (lines) => lines.slice(0, -1) }],
    ["of an earlier handover", "other_key", { content: other }],
    ["for another person", "other_key", { content: { personId: idOf("acc", "8") } }],
    ["of an earlier handover, by somebody else", "other_key", { content: other, signWith: "hybrid reader" }],
    ["by somebody else", "not_signed", { signWith: "hybrid reader" }],
    ["signed as the head of a list", "not_signed", { signedAs: headFormat }],
    ["with another list", "not_signed", { alter: (lines) => lines.replace('"number":3', '"number":2') }],
    ["a critical extension", "unknown_extension", { content: newer }],
    ["a critical extension, by somebody else", "not_signed", { content: newer, signWith: "hybrid reader" }],
    ["a critical extension, of an earlier handover", "other_key", { content: { ...newer, ...other } }],
  ];
  const { signingKey } = await findPersonalKey(owner);
  const most = {
    ...{ lists: [list("8"), list("9")], envelopes: [envelope("9", 1, 3)] },
    ...{ keyLogs: [keyLog("8"), keyLog("9")], confirmed: [confirmed("8", "8"), confirmed("9", "9")] },
    ...{ forms: [form("8"), form("9")], leftOut: none },
  };
  return Promise.all(
    cases.map(async ([name, outcome, { content, signWith = owner, ...parts }]) => {
      const { spell = (line: string) => line, alter = (lines: string) => lines, signedAs = headsFormat } = parts;
      const written = { format: headsFormat, commitment, personId, writtenAt: "2026-11-23T08:00:00Z" };
      const line = spell(JSON.stringify({ ...written, ...most, ...noExtensions, ...content }));
      const by = await importSigningKey((await findPersonalKey(signWith)).signingSeed);
      const lines = alter(await signLine(signedAs, line, by));
      return { name: `heads: ${name}`, lines, expected: { commitment, personId, signingKey }, outcome };
    }),
  );
}

/** Like one, but of other organizations. */
function sixtyFour<List extends { readonly organizationId: string }>(list: List): readonly List[] {
  const ends = Array.from({ length: 64 }, (_, index) => `${index + 10}`);
  return ends.map((end) => ({ ...list, organizationId: `${list.organizationId.slice(0, -3)}${end}0` }));
}
