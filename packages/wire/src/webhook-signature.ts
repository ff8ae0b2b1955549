import { decodeBase64, encodeBase64 } from "./base64.ts";
import { drawBytes } from "./bytes.ts";

/** How far the receiver's clock may differ from a signed `webhook-timestamp`, in seconds (Standard Webhooks: 5 minutes). */
export const toleranceSeconds = 300;

const secretPrefix = "whsec_";
const hmac = { name: "HMAC", hash: "SHA-256" } as const;

/** A fresh webhook secret: `whsec_` + base64 of 32 random bytes. */
export function createWebhookSecret(): string {
  return secretPrefix + encodeBase64(drawBytes(32));
}

/** `sha256=` + lower-case hex HMAC-SHA-256 of the raw body, keyed by the UTF-8 bytes of the whole secret string (contract, section 9.6). */
export async function signService(secret: string, body: Uint8Array<ArrayBuffer>): Promise<string> {
  const key = await importKey(new TextEncoder().encode(secret));
  return `sha256=${encodeHex(new Uint8Array(await crypto.subtle.sign(hmac, key, body)))}`;
}

/** Whether `header`, `undefined` when it is missing, is the `X-Service-Signature` of `body` under one of `secrets`. Constant time; never throws. */
export async function verifyService(
  secrets: readonly string[],
  body: Uint8Array<ArrayBuffer>,
  header: string | undefined,
): Promise<boolean> {
  const match = /^sha256=([0-9a-f]{64})$/.exec(header ?? "");
  const signature = decodeHex(match?.[1] ?? "");
  if (signature === undefined) return false;
  const keys = secrets.filter((secret) => secret !== "").map((secret) => new TextEncoder().encode(secret));
  return verifyAny(keys, [signature], body);
}

/** One `v1,…` value of `webhook-signature` (Standard Webhooks): `timestamp` is Unix time in seconds. Throws a TypeError on a secret that is not `whsec_` + base64. */
export async function signStandard(
  secret: string,
  id: string,
  timestamp: number,
  body: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const bytes = secretBytes(secret);
  if (bytes === undefined) throw new TypeError("A webhook secret is whsec_ followed by base64");
  const signature = await crypto.subtle.sign(hmac, await importKey(bytes), signedContent(id, String(timestamp), body));
  return `v1,${encodeBase64(new Uint8Array(signature))}`;
}

/** The three headers of Standard Webhooks as they came; one that is missing is `undefined`. */
export interface StandardHeaders {
  readonly id: string | undefined;
  readonly timestamp: string | undefined;
  readonly signature: string | undefined;
}

export type Verification = "valid" | "invalid_signature" | "timestamp_out_of_tolerance";

/**
 * Checks `webhook-id`, `webhook-timestamp` and `webhook-signature` over the raw body under any of `secrets`. The header may
 * hold several signatures separated by spaces; one valid one is enough. `now` is milliseconds since the Unix epoch.
 * Constant time in the signature; never throws on what a stranger sent.
 */
export async function verifyStandard(
  secrets: readonly string[],
  headers: StandardHeaders,
  body: Uint8Array<ArrayBuffer>,
  now: number,
): Promise<Verification> {
  const { id = "", timestamp = "", signature = "" } = headers;
  const signatures = signature
    .split(" ", 32)
    .filter((value) => value.startsWith("v1,"))
    .map((value) => decodeBase64(value.slice(3)))
    .filter((value) => value?.length === 32);
  const keys = secrets.map(secretBytes).filter((value) => value !== undefined);
  // The signed content is `id.timestamp.body`: a dot inside the id could move the borders between the three.
  if (id === "" || id.includes(".") || !/^[1-9][0-9]{0,11}$/.test(timestamp)) return "invalid_signature";
  if (!(await verifyAny(keys, signatures, signedContent(id, timestamp, body)))) return "invalid_signature";
  // Asked this way round, because a clock that says NaN must not accept everything.
  return Math.abs(now / 1000 - Number(timestamp)) <= toleranceSeconds ? "valid" : "timestamp_out_of_tolerance";
}

async function verifyAny(
  keys: readonly Uint8Array<ArrayBuffer>[],
  signatures: readonly (Uint8Array<ArrayBuffer> | undefined)[],
  content: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  for (const bytes of keys) {
    const key = await importKey(bytes);
    for (const signature of signatures) {
      if (signature !== undefined && (await crypto.subtle.verify(hmac, key, signature, content))) return true;
    }
  }
  return false;
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = secret.startsWith(secretPrefix) ? decodeBase64(secret.slice(secretPrefix.length)) : undefined;
  return bytes === undefined || bytes.length === 0 ? undefined : bytes;
}

function signedContent(id: string, timestamp: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, hmac, false, ["sign", "verify"]);
}

function encodeHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function decodeHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text === "") return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
