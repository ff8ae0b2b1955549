import { signStandard } from "../webhook-signature.ts";

/** One entry of vectors/webhook-receivers.json: a request to a receiver of one or several forms, and what it must make of it. */
export interface ReceiverVector {
  readonly name: string;
  /** Those of the receiver: the secret of its only form, or those of each form by its id. */
  readonly secrets: string | { readonly [formId: string]: readonly string[] };
  /** The receiver's clock, in seconds since the Unix epoch. */
  readonly now: number;
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
  readonly body: string;
  readonly outcome: "received" | "invalid_signature" | "timestamp_out_of_tolerance" | "malformed_body" | "wrong_form";
}

const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const nextSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=";
const otherSecret = "whsec_QEFCQ0RFRkdISUpLTE1OT1BRUlNUVVZXWFlaW1xdXl8=";
const strangeSecret = "whsec_YGFiY2RlZmdoaWprbG1ub3BxcnN0dXZ3eHl6e3x9fn8=";
const form = "form_01hk153x00e5rbcwg8rxcnh8w4";
const otherForm = "form_01hk153x00e5rbcwg8rxcnh8w7";
const strangeForm = "form_01hk153x00e5rbcwg8rxcnh8w8";
const both = { [form]: [secret], [otherForm]: [otherSecret] };
const id = "dlv_01hk153x00e5rbcwg8rxcnh8w6";
const sentAt = 1_704_067_200;
const times = { timestamp: sentAt * 1000 };

/** The members of each kind of event besides `event`, `timestamp` and `form`; and one of a kind that nobody knows yet. */
const contents: Readonly<Record<string, object>> = {
  "submission.created": {
    submission: {
      id: "sub_01hk153x00e5rbcwg8rxcnh8w5",
      payload: { encrypted: true, version: "sp1", data: "AAAA", key: "AAAA", iv: "AAAA" },
      keyVersion: 1,
      ...times,
      receivedAt: sentAt * 1000,
    },
  },
  "submission.deleted": { submission: { id: "sub_01hk153x00e5rbcwg8rxcnh8w5" } },
  "form.updated": { changes: { name: "Zoë" } },
  "form.keys_rotated": {
    keys: {
      keyVersion: 2,
      previousKeyVersion: 1,
      publicKey: { kty: "RSA", n: "AQ", e: "AQAB" },
      rotatedAt: sentAt * 1000,
    },
  },
  "form.folded": { more: 1 },
};

interface Case extends Partial<Omit<ReceiverVector, "name" | "signature">> {
  /** One value of the signature for each. */
  readonly signedWith: readonly string[];
}

/** vectors/webhook-receivers.json: in each the signature is that of somebody whom the receiver may know. */
export async function receiverVectors(): Promise<readonly ReceiverVector[]> {
  const vectors: ReceiverVector[] = [];
  for (const [name, { signedWith, ...change }] of Object.entries({ ...ofEachKind(), ...ofOneForm(), ...ofSeveral() })) {
    const vector = { secrets: both, now: sentAt, id, timestamp: String(sentAt), body: eventOf(form), ...change };
    const body = new TextEncoder().encode(vector.body);
    const signatures = signedWith.map((key) => signStandard(key, vector.id, Number(vector.timestamp), body));
    const signature = (await Promise.all(signatures)).join(" ");
    vectors.push({ name, signature, outcome: "wrong_form", ...vector });
  }
  return vectors;
}

function ofEachKind(): Record<string, Case> {
  return Object.fromEntries(
    Object.keys(contents).flatMap((kind): readonly (readonly [string, Case])[] => [
      [`${kind}, with its form's secret`, { body: eventOf(form, kind), signedWith: [secret], outcome: "received" }],
      [`${kind}, with another form's secret`, { body: eventOf(form, kind), signedWith: [otherSecret] }],
      [`${kind} of a form without a secret here`, { body: eventOf(strangeForm, kind), signedWith: [secret] }],
    ]),
  );
}

function ofOneForm(): Record<string, Case> {
  return {
    "one secret: its form": { secrets: secret, signedWith: [secret], outcome: "received" },
    "one secret: a stranger's": { secrets: secret, signedWith: [strangeSecret], outcome: "invalid_signature" },
    "one secret: an unknown event that names no form": {
      ...{ secrets: secret, signedWith: [secret] },
      ...{ body: '{"event":"form.folded"}', outcome: "received" },
    },
    "one form by its id": { secrets: { [form]: [secret] }, signedWith: [secret], outcome: "received" },
    "one form by its id: another form's event": {
      ...{ secrets: { [form]: [secret] }, signedWith: [secret] },
      body: eventOf(otherForm),
    },
  };
}

function ofSeveral(): Record<string, Case> {
  const rotated = { [form]: [nextSecret, secret], [otherForm]: [otherSecret] };
  const unknown = (members: object): Case => ({
    ...{ body: JSON.stringify({ event: "form.folded", ...members }), signedWith: [secret] },
  });
  return {
    "a stranger's secret": { signedWith: [strangeSecret], outcome: "invalid_signature" },
    "late, with another form's secret": {
      ...{ now: sentAt + 301, signedWith: [otherSecret] },
      outcome: "timestamp_out_of_tolerance",
    },
    "an event of no form": { body: '{"event":"form.updated"}', signedWith: [secret], outcome: "malformed_body" },
    "in a rotation, with the new secret": { secrets: rotated, signedWith: [nextSecret], outcome: "received" },
    "in a rotation, with the former secret": { secrets: rotated, signedWith: [secret], outcome: "received" },
    "in a rotation, with both": { secrets: rotated, signedWith: [nextSecret, secret], outcome: "received" },
    "in a rotation, with another form's secret": { secrets: rotated, signedWith: [otherSecret] },
    "with the secrets of both forms": { signedWith: [otherSecret, secret], outcome: "received" },
    "with those of another form and a stranger": { signedWith: [otherSecret, strangeSecret] },
    "the form twice, the last one another's": {
      body: eventOf(otherForm).replace('"form":', `"form":{"id":"${form}","name":"Zoë"},"form":`),
      signedWith: [secret],
    },
    "unknown, of no form": unknown({}),
    "unknown, of null": unknown({ form: null }),
    "unknown, of a list": unknown({ form: [form] }),
    "unknown, of a text": unknown({ form }),
    "unknown, of a form whose id is a list": unknown({ form: { id: [form] } }),
    "unknown, of a form without an id": unknown({ form: { name: "Zoë" } }),
    "unknown, of a form that is called __proto__": unknown({ form: { id: "__proto__" } }),
    "unknown, of a form that is called constructor": unknown({ form: { id: "constructor" } }),
    "unknown, of a form with a blank behind its id": unknown({ form: { id: `${form} ` } }),
    "unknown, of a form in capitals": unknown({ form: { id: form.toUpperCase() } }),
  };
}

function eventOf(formId: string, kind = "submission.created"): string {
  return JSON.stringify({ event: kind, ...times, form: { id: formId, name: "Zoë" }, ...contents[kind] });
}
