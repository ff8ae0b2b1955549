import { decodeBase64, encodeBase64 } from "../base64.ts";
import type { Verification } from "../webhook-signature.ts";

/** One entry of vectors/webhook-verification.json: what a receiver gets at a moment, and what it must make of it. */
export interface VerificationVector {
  readonly name: string;
  readonly secret: string;
  /** The receiver's clock, in seconds since the Unix epoch. */
  readonly now: number;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly outcome: Verification;
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const id = "dlv_01hk153x00e5rbcwg8rxcnh8w6";
const sentAt = 1_704_067_200;
const body = '{"event":"submission.created","form":{"name":"Zoë"}}';
const bad = `v1,${"A".repeat(43)}=`;

interface Case extends Partial<Omit<VerificationVector, "name">> {
  /** The `webhook-signature`, given the right value for these headers and this body. */
  readonly list?: (good: string) => string;
  /** Signed in place of `id.timestamp.body`. */
  readonly content?: string;
  /** The bytes that key the HMAC in place of the decoded ones after `whsec_`. */
  readonly key?: Uint8Array<ArrayBuffer>;
}

/** vectors/webhook-verification.json: in each the signature is right and one other thing is wrong. */
export async function verificationVectors(): Promise<readonly VerificationVector[]> {
  const cases = { ...inTime(), ...outOfTime(), ...strangeHeaders(), ...lists(), ...otherwiseSigned() };
  const vectors: VerificationVector[] = [];
  for (const [name, { list = (good: string) => good, content, key, ...change }] of Object.entries(cases)) {
    const vector = { secret, now: sentAt, id, timestamp: String(sentAt), body, outcome: "valid" as const, ...change };
    const good = await sign(key ?? keyOf(secret), content ?? `${vector.id}.${vector.timestamp}.${vector.body}`);
    vectors.push({ name, signature: list(good), ...vector });
  }
  return vectors;
}

function inTime(): Record<string, Case> {
  const at = (seconds: number): Case => ({ now: sentAt + seconds });
  return {
    "at its moment": {},
    "one second old": at(1),
    "one second ahead": at(-1),
    "300 seconds old": at(300),
    "300 seconds ahead": at(-300),
    "body of another kind": { body: ' { "a" : 1.0 }\r\n' },
    "body empty": { body: "" },
  };
}

function outOfTime(): Record<string, Case> {
  const late = (seconds: number): Case => ({ now: sentAt + seconds, outcome: "timestamp_out_of_tolerance" });
  return {
    "301 seconds old": late(301),
    "301 seconds ahead": late(-301),
    "an hour old": late(3600),
    "half a year old": late(15_768_000),
    "half a year ahead": late(-15_768_000),
    "of 1970": { timestamp: "1", outcome: "timestamp_out_of_tolerance" },
    "late and not signed": { ...late(301), list: () => bad, outcome: "invalid_signature" },
  };
}

/** Each is signed as it stands, at a clock that fits it. */
function strangeHeaders(): Record<string, Case> {
  const refused = (timestamp: string, now = sentAt): Case => ({ timestamp, now, outcome: "invalid_signature" });
  return {
    "signed: timestamp with a plus sign": refused("+1704067200"),
    "signed: timestamp with a minus sign": refused("-1", -1),
    "signed: timestamp with a leading zero": refused("01704067200"),
    "signed: timestamp zero": refused("0", 0),
    "signed: timestamp of 13 digits": refused("1704067200000", 1_704_067_200_000),
    "signed: timestamp of 12 digits": { timestamp: "170406720000", now: 170_406_720_000 },
    "signed: timestamp with a fraction": refused("1704067200.0"),
    "signed: timestamp with an exponent": refused("17040672e2"),
    "signed: timestamp in hexadecimal": refused("0x65920080"),
    "signed: timestamp after a space": refused(" 1704067200"),
    "signed: timestamp before a line break": refused("1704067200\n"),
    "signed: timestamp with a separator": refused("1_704_067_200"),
    "signed: timestamp in Arabic digits": refused("١٧٠٤٠٦٧٢٠٠"),
    "signed: timestamp empty": refused(""),
    "signed: timestamp of 5,000 digits": refused("1".repeat(5000)),
    "signed: id empty": { id: "", outcome: "invalid_signature" },
    "signed: id with a dot": { id: "dlv_1.1704067200", outcome: "invalid_signature" },
    "signed: id of another sender": { id: "msg_p5jXN8AQM9LWM0D4loKWxJek" },
  };
}

function lists(): Record<string, Case> {
  const refused = (list: Case["list"]): Case => ({ ...(list && { list }), outcome: "invalid_signature" });
  return {
    "signatures: bad, good": { list: (good) => `${bad} ${good}` },
    "signatures: good, bad": { list: (good) => `${good} ${bad}` },
    "signatures: another version, malformed ones, good": { list: (good) => `v1a,${good.slice(3)} v1 v1,=== x ${good}` },
    "signatures: two spaces between": { list: (good) => `${bad}  ${good}` },
    "signatures: 32 values, the last one good": { list: (good) => `${`${bad} `.repeat(31)}${good}` },
    "signatures: 33 values, the last one good": refused((good) => `${`${bad} `.repeat(32)}${good}`),
    "signatures: all bad": refused(() => `${bad} ${bad}`),
    "signatures: a comma between": refused((good) => `${bad},${good}`),
    "signatures: a tab between": refused((good) => `${bad}\t${good}`),
    "signatures: the first 24 characters": refused((good) => good.slice(0, 27)),
    "signatures: a byte more": refused((good) => `v1,${encodeBase64(new Uint8Array([...bytesOf(good), 0]))}`),
    "signatures: as hexadecimal digits": refused(
      (good) => `v1,${[...bytesOf(good)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`,
    ),
    "signatures: right, under another version": refused((good) => `v2${good.slice(2)}`),
    "signatures: right, under the version in capitals": refused((good) => `V1${good.slice(2)}`),
    "signatures: right, without padding": refused((good) => good.slice(0, -1)),
    "signatures: right, in quotes": refused((good) => `"${good}"`),
  };
}

function otherwiseSigned(): Record<string, Case> {
  const refused = (change: Case): Case => ({ ...change, outcome: "invalid_signature" });
  return {
    "signed: the body alone": refused({ content: body }),
    "signed: without the id": refused({ content: `${sentAt}.${body}` }),
    "signed: without the timestamp": refused({ content: `${id}.${body}` }),
    "signed: without dots": refused({ content: `${id}${sentAt}${body}` }),
    "signed: the body parsed and written again": refused({ body: `${body} `, content: `${id}.${sentAt}.${body}` }),
    "signed: under the text of the secret": refused({ key: new TextEncoder().encode(secret) }),
    "signed: under what is behind whsec_, not decoded": refused({ key: new TextEncoder().encode(secret.slice(6)) }),
    "signed: under nothing but zeros": refused({ key: new Uint8Array(32) }),
  };
}

function keyOf(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64(text.slice("whsec_".length)) ?? new Uint8Array();
}

function bytesOf(value: string): Uint8Array {
  return decodeBase64(value.slice(3)) ?? new Uint8Array();
}

async function sign(key: Uint8Array<ArrayBuffer>, content: string): Promise<string> {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, hmac, false, ["sign"]);
  const signature = await crypto.subtle.sign(hmac, imported, new TextEncoder().encode(content));
  return `v1,${encodeBase64(new Uint8Array(signature))}`;
}
