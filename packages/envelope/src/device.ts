import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { generateHybridIdentity, identityToRecipient } from "age-encryption";
import type { Bytes } from "./age-header.ts";
import type { PublicHalves } from "./key-copy.ts";
import { isRecipient } from "./recipient.ts";
import { hashOf } from "./text.ts";

// How a personal key gets from a device on which it is open to another one, without believing the server. SPECIFICATION.md section 21.

const codeStart = "SEALPOST-DEVICE/1:";
const secretBytes = 16;

/** The new device, for this one handover. Nothing of it is stored. */
export interface NewDevice {
  /** `AGE-SECRET-KEY-PQ-1…`, made for this once. */
  readonly identity: string;
  readonly reveal: DeviceReveal;
  /** Sent first: it fixes the reveal, and says nothing about it. */
  readonly commitment: string;
  /** Base64url of 16 bytes that reach the other device by its camera alone. */
  readonly secret: string;
}

/** The new device sends it when it has the challenge: before, a server could choose one that makes the codes the same. */
export interface DeviceReveal {
  readonly recipient: string;
  /** Base64url of 16 random bytes. */
  readonly nonce: string;
}

/** The open device sends it once it has the commitment: the key that it will give, and 16 random bytes. */
export interface DeviceChallenge extends PublicHalves {
  readonly nonce: string;
  /** Base64url of an HMAC with the secret that its camera has read; `null` where the person compares codes. */
  readonly proof: string | null;
}

/** The request as each of the two devices knows it: the id by the server's word, the person by its own session. */
export interface DeviceRequest {
  readonly requestId: string;
  readonly personId: string;
  readonly commitment: string;
}

export async function createNewDevice(): Promise<NewDevice> {
  const identity = await generateHybridIdentity();
  const reveal = { recipient: await identityToRecipient(identity), nonce: draw() };
  return { identity, reveal, commitment: await commitmentOf(reveal), secret: draw() };
}

function draw(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(secretBytes)));
}

export function commitmentOf({ recipient, nonce }: DeviceReveal): Promise<string> {
  return hashOf(lineOf("commitment", { recipient, nonce }));
}

/** Whether it is what was committed to, and a recipient to seal for. */
export async function isRevealOf(commitment: string, reveal: DeviceReveal): Promise<boolean> {
  const isWhole = isRecipient(reveal.recipient) && is16Bytes(reveal.nonce);
  return isWhole && (await commitmentOf(reveal)) === commitment;
}

/** The text of the QR code that the new device shows. */
export function formatDeviceCode({ commitment, secret }: Pick<NewDevice, "commitment" | "secret">): string {
  return `${codeStart}${commitment}:${secret}`;
}

/** Reads a scanned code; `undefined` for any other. */
export function parseDeviceCode(code: string): Pick<NewDevice, "commitment" | "secret"> | undefined {
  const [, commitment, secret] =
    /^SEALPOST-DEVICE\/1:([A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]):([A-Za-z0-9_-]{21}[AQgw])$/.exec(code.trim()) ?? [];
  return commitment === undefined || secret === undefined ? undefined : { commitment, secret };
}

/** By the open device, once for each request: a second one would give a server another try. */
export async function createChallenge(
  request: DeviceRequest,
  { recipient, signingKey }: PublicHalves,
  secret?: string,
): Promise<DeviceChallenge> {
  return createChallengeWith(request, { recipient, signingKey, nonce: draw() }, secret);
}

/** The same of bytes that are not drawn; for vectors. */
export async function createChallengeWith(
  request: DeviceRequest,
  { recipient, signingKey, nonce }: Omit<DeviceChallenge, "proof">,
  secret?: string,
): Promise<DeviceChallenge> {
  const challenge = { recipient, signingKey, nonce };
  if (secret === undefined) return { ...challenge, proof: null };
  const bytes = new TextEncoder().encode(provenLine(request, challenge));
  const proof = await crypto.subtle.sign("HMAC", await importSecret(secret), bytes);
  return { ...challenge, proof: encodeBase64Url(new Uint8Array(proof)) };
}

/**
 * By the new device, before it reveals, and after its person has said whether its code was scanned: then with the `secret`, which has to prove
 * the challenge. Without it, nothing may: a server that takes the proof away would have codes compared on one side alone. If it is not right, somebody
 * is between the two.
 */
export async function isChallengeRight(
  request: DeviceRequest,
  { proof, ...challenge }: DeviceChallenge,
  secret: string | undefined,
): Promise<boolean> {
  const isWhole = isRecipient(challenge.recipient) && is32Bytes(challenge.signingKey) && is16Bytes(challenge.nonce);
  if (!isWhole || secret === undefined) return isWhole && proof === null;
  const bytes = decodeBase64Url(proof ?? "?");
  const line = new TextEncoder().encode(provenLine(request, challenge));
  return bytes !== undefined && crypto.subtle.verify("HMAC", await importSecret(secret), bytes, line);
}

/**
 * Fifteen digits in five groups, which both devices show: 49 bits of everything that either has said. Anyone between the two would have to
 * choose before knowing what the other side draws.
 */
export async function deviceCode(
  { requestId, personId }: DeviceRequest,
  { recipient, signingKey, nonce }: DeviceChallenge,
  reveal: DeviceReveal,
): Promise<string> {
  const line = lineOf("code", {
    ...{ requestId, personId },
    ...{ deviceRecipient: reveal.recipient, deviceNonce: reveal.nonce },
    ...{ recipient, signingKey, nonce },
  });
  const bytes = decodeBase64Url(await hashOf(line)) ?? new Uint8Array();
  const number = bytes.subarray(0, 8).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) % 10n ** 15n;
  return `${number}`.padStart(15, "0").replace(/\d{3}(?=\d)/g, "$& ");
}

function provenLine(
  { requestId, personId, commitment }: DeviceRequest,
  { recipient, signingKey, nonce }: Omit<DeviceChallenge, "proof">,
): string {
  return lineOf("proof", { requestId, personId, commitment, recipient, signingKey, nonce });
}

/** Each hash and HMAC has a label of its own, so that none is one of another. */
function lineOf(use: "commitment" | "proof" | "code", content: Readonly<Record<string, string>>): string {
  return `sealpost-device-${use}/1\n${JSON.stringify(content)}`;
}

function is16Bytes(text: string): boolean {
  return decodeBase64Url(text)?.length === secretBytes;
}

function is32Bytes(text: string): boolean {
  return decodeBase64Url(text)?.length === 32;
}

function importSecret(secret: string): Promise<CryptoKey> {
  const bytes: Bytes = new Uint8Array(decodeBase64Url(secret) ?? []);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
}
