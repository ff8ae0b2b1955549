import { encodeBase64Url } from "../base64.ts";
import type { KeyLogHead } from "../key-log.ts";
import { type KeyLogEntry, keyLogFormat } from "../key-log-entry.ts";
import { noExtensions, signedBytes } from "../signed-line.ts";
import { derive } from "./opening-vectors.ts";

export const formId = "form_01hk153x00e5rbcwg8rxcnh8w0";

/** PKCS #8 (RFC 8410 section 7) up to the seed. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

interface Signer {
  readonly signingKey: CryptoKey;
  readonly publicKey: string;
}

const made = new Map<string, Promise<Signer>>();

function signer(name: string): Promise<Signer> {
  const known = made.get(name) ?? makeSigner(name);
  made.set(name, known);
  return known;
}

async function makeSigner(name: string): Promise<Signer> {
  const pkcs8 = new Uint8Array([...pkcs8Prefix, ...(await derive("key log", name, 32))]);
  const signingKey = await crypto.subtle.importKey("pkcs8", pkcs8, "Ed25519", true, ["sign"]);
  const { x = "" } = await crypto.subtle.exportKey("jwk", signingKey);
  return { signingKey, publicKey: x };
}

export const fingerprintOf = async (name: string) => encodeBase64Url(await derive("key log fingerprint", name, 32));

/** The newest entry of a log, as vectors tell it. */
export type NewestEntry = Pick<KeyLogEntry, "place" | "key" | "owners" | "managers"> & { readonly head: KeyLogHead };

/** An entry to make, and deviations of careless and hostile writers. */
export interface Step {
  /** The version, for which the fingerprints stand; with `rsa` it has no hybrid key, with `seedless` no reply key. */
  readonly version: number;
  readonly rsa?: true;
  readonly seedless?: true;
  readonly by: string;
  readonly owners: readonly string[];
  readonly managers?: readonly string[];
  /** 1 unless it is set, as an owner's. */
  readonly place?: number;
  readonly signWith?: string;
  readonly content?: Readonly<Record<string, unknown>>;
  readonly key?: Readonly<Record<string, unknown>>;
  readonly spell?: (line: string) => string;
  readonly alter?: (lines: string) => string;
  readonly signedAs?: string;
}

export interface Made {
  readonly text: string;
  readonly entries: readonly { readonly lines: string; readonly head: KeyLogHead }[];
}

async function keyOf({ version, rsa, seedless }: Step): Promise<KeyLogEntry["key"]> {
  return {
    version,
    fingerprint: await fingerprintOf(`rsa ${version}`),
    hybridFingerprint: rsa ? null : await fingerprintOf(`hybrid ${version}`),
    replyKey: seedless ? null : (await signer(`reply key ${version}`)).publicKey,
  };
}

async function publicKeysOf(names: readonly string[]): Promise<readonly string[]> {
  const keys = await Promise.all(names.map(async (name) => (await signer(name)).publicKey));
  return keys.sort();
}

export async function make(steps: readonly Step[], startsWith?: KeyLogHead): Promise<Made> {
  const entries: { lines: string; head: KeyLogHead }[] = [];
  let before = startsWith;
  for (const step of steps) {
    const number = (before?.number ?? 0) + 1;
    const content = {
      format: keyLogFormat,
      formId,
      number,
      place: step.place ?? 1,
      previous: before?.hash ?? null,
      writtenAt: `2026-11-23T08:00:${String(number % 60).padStart(2, "0")}Z`,
      signedBy: (await signer(step.by)).publicKey,
      key: { ...(await keyOf(step)), ...step.key },
      owners: await publicKeysOf(step.owners),
      managers: await publicKeysOf(step.managers ?? []),
      ...noExtensions,
      ...step.content,
    };
    const written = JSON.stringify(content);
    const line = step.spell?.(written) ?? written;
    const { signingKey } = await signer(step.signWith ?? step.by);
    const data = signedBytes(step.signedAs ?? keyLogFormat, line);
    const signature = encodeBase64Url(new Uint8Array(await crypto.subtle.sign("Ed25519", signingKey, data)));
    const lines = `${line}\n{"signature":"${signature}"}\n`;
    const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line))));
    before = { number, hash };
    entries.push({ lines: step.alter?.(lines) ?? lines, head: before });
  }
  return { text: entries.map(({ lines }) => lines).join(""), entries };
}

/** A log of one entry whose line is spelled in another way, and signed so. */
export async function createOneEntryLog(
  spell: (line: string) => string,
): Promise<{ readonly formId: string; readonly log: string }> {
  const { text } = await make([{ version: 1, by: "founder", owners: ["founder"], spell }]);
  return { formId, log: text };
}

export async function describe(step: Step | undefined, head: KeyLogHead | null): Promise<NewestEntry> {
  const made = step as Step; // callers name steps of their own
  return {
    head: head ?? { number: 0, hash: "" },
    place: made.place ?? 1,
    key: { ...(await keyOf(made)), ...made.key },
    owners: await publicKeysOf(made.owners),
    managers: await publicKeysOf(made.managers ?? []),
  };
}

export function manyNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `signer ${index}`);
}

export async function manySigners(count: number): Promise<readonly string[]> {
  return publicKeysOf(manyNames(count));
}
