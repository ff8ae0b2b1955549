import type { EnvelopeContent, RecoveryShare } from "@sealpost/envelope";
import type { OpeningKey } from "@sealpost/sdk";
import { mergeKeys } from "@sealpost/vault";
import { type FoundKey, readParsed } from "../keys/read-key.ts";
import { text } from "../texts/text.ts";
import { joinSets } from "./join-sets.ts";
import { addToPool, emptyPool, type KeyPool, type PoolEvent } from "./key-pool.ts";
import { type Brought, openInWorker } from "./read-brought.ts";

const { offline } = text;

export interface FormName {
  readonly formId: string | undefined;
  readonly formName: string | undefined;
}

/** An envelope without its keys: it says this of itself, and nobody has checked it. */
export interface EnvelopeNote
  extends Pick<EnvelopeContent, "formId" | "revision" | "readers" | "writtenAt" | "signedBy"> {
  readonly versions: readonly number[];
}

/** All that was brought to open with. */
export interface HeldKeys {
  /** Keys of forms. */
  readonly keys: readonly OpeningKey[];
  readonly names: readonly FormName[];
  readonly pool: KeyPool;
  /** The shares of recovery keys that need more of them. */
  readonly shares: readonly RecoveryShare[];
  readonly envelopes: readonly EnvelopeNote[];
  /** Sentences on what was brought last and is of no use. */
  readonly refusals: readonly string[];
}

export const nothingHeld: HeldKeys = { keys: [], names: [], pool: emptyPool, shares: [], envelopes: [], refusals: [] };

/** `held` with what was brought, and all that it opens of what waited. */
export async function holdMore(
  held: HeldKeys,
  brought: readonly Brought[],
  refusals: readonly string[],
): Promise<HeldKeys> {
  const broughtShares = brought.flatMap((one) => (one.kind === "share" ? [one.share] : []));
  const joined = await joinSets([...held.shares, ...broughtShares]);
  const pool = addToPool(held.pool, {
    identities: [...brought.flatMap((one) => (one.kind === "identities" ? one.identities : [])), ...joined.identities],
    files: brought.flatMap((one) => (one.kind === "sealed" ? [one.sealed] : [])),
  });
  const canOpen = pool.identities.length > 0 && pool.waiting.length > 0;
  const opened = canOpen ? await openInWorker(pool) : { pool, events: [] };
  const keys = brought.flatMap((one) => (one.kind === "key" ? [one.key] : []));
  let after: HeldKeys = {
    ...addKeys(held, keys),
    pool: opened.pool,
    shares: joined.waiting,
    refusals: [...refusals, ...joined.refusals],
  };
  for (const event of opened.events) after = await holdEvent(after, event);
  return after;
}

async function holdEvent(held: HeldKeys, event: PoolEvent): Promise<HeldKeys> {
  if (event.kind === "copy") return held;
  if (event.kind === "refused") return addRefusal(held, event, offline.refusedPool[event.reason]);
  const keys = await importKeys(event.content);
  return typeof keys === "string" ? addRefusal(held, event, keys) : addNote(addKeys(held, keys), event.content);
}

function addRefusal(held: HeldKeys, { name = offline.pasted }: PoolEvent, sentence: string): HeldKeys {
  return { ...held, refusals: [...held.refusals, `${name}: ${sentence}`] };
}

/** All keys of an envelope, or the sentence on the first that is of no use: then none is taken. */
async function importKeys({ formId, keys }: EnvelopeContent): Promise<readonly FoundKey[] | string> {
  const found: FoundKey[] = [];
  for (const { version, hybridPrivateKey, hybridFingerprint, ...key } of keys) {
    const hybrid = hybridPrivateKey !== null && { hybridPrivateKey, hybridFingerprint };
    const reading = await readParsed({ formId, keyVersion: version, ...key, ...hybrid });
    if (reading.kind !== "found") return reading.kind === "refused" ? reading.message : offline.refusedPool.malformed;
    found.push(reading.found);
  }
  return found;
}

function addKeys(held: HeldKeys, found: readonly FoundKey[]): HeldKeys {
  const keys = found.map(({ key }) => key);
  const names = found.map(({ key, formName }) => ({ formId: key.formId, formName }));
  return { ...held, keys: mergeKeys(held.keys, keys), names: [...names, ...held.names] };
}

function addNote(held: HeldKeys, content: EnvelopeContent): HeldKeys {
  const { formId, revision, readers, writtenAt, signedBy } = content;
  const note = { formId, versions: content.keys.map(({ version }) => version), revision, readers, writtenAt, signedBy };
  const isKnown = held.envelopes.some((known) => JSON.stringify(known) === JSON.stringify(note));
  return isKnown ? held : { ...held, envelopes: [...held.envelopes, note] };
}
