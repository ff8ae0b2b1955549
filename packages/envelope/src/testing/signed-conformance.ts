import { decodeBase64 } from "@sealpost/wire";
import { decryptEnvelope, type readSigned } from "../open-envelope.ts";
import { type Reason, RefusalError } from "../refusal.ts";
import { envelopes, findList, ours } from "./conformance.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";
import { findPersonalKey } from "./people.ts";

/** The function that vectors try: ours, or one with a mistake in it. */
export interface SignedReading {
  readonly readSigned: typeof readSigned;
}

export const signedVectors = envelopes;

/** Refusals that come before a member's signature was found right. */
const unsigned: readonly string[] = [
  "malformed",
  "not_a_reader",
  "other_form",
  "wrong_revision",
  "unknown_list",
  "not_signed",
] satisfies readonly Reason[];

export async function trySigned({ readSigned }: SignedReading, vector: EnvelopeVector): Promise<unknown> {
  const [file, identity, expected] = await toRequest(vector);
  const read = await readSigned(file, identity, expected);
  if ("reason" in read) return { outcome: read.reason };
  const { content } = await decryptEnvelope(file, identity);
  const isWhole = read.keys.length === content.keys.length;
  return {
    hasReaders: read.readers !== undefined,
    ...(vector.outcome === "opened" && { isByWriter: read.isByWriter, isWhole }),
    ...(vector.outcome === "wrong_key" && { isWhole }),
    ...(isByReader(vector) && { isByWriter: read.isByWriter }),
  };
}

export async function expectedOfSigned(vector: EnvelopeVector): Promise<unknown> {
  const { outcome, isByFormer } = vector;
  const unseen = await openUnseen(vector);
  if (unsigned.includes(outcome) && outcome === unseen) return { outcome };
  // The revisions that are for owners are far above nothing.
  const isRefused = outcome === "not_allowed" && ["not_allowed", "wrong_revision"].includes(unseen);
  const isWithout = outcome === "unknown_extension" && vector.name.endsWith("without the recovery key");
  return {
    hasReaders: outcome !== "wrong_readers" && !isRefused && !isWithout,
    ...(outcome === "opened" && { isByWriter: !isByFormer, isWhole: true }),
    ...(outcome === "wrong_key" && { isWhole: false }),
    ...(isByReader(vector) && { isByWriter: false }),
  };
}

const isByReader = ({ name, outcome }: EnvelopeVector) => outcome === "not_allowed" && name.endsWith(" by a reader");

/** The outcome on a new device to which the service shows nothing else. Revisions that steps 9 to 12 refuse elsewhere open here. */
async function openUnseen({ newest: _, ...vector }: EnvelopeVector): Promise<string> {
  const [file, identity, expected] = await toRequest(vector);
  const opened = await ours.openEnvelope(file, identity, expected);
  return opened instanceof RefusalError ? opened.reason : "opened";
}

async function toRequest({ reader, envelope, list, formId, firstVersion, revision, newest }: EnvelopeVector) {
  const { identity } = await findPersonalKey(reader);
  const file = decodeBase64(envelope) ?? new Uint8Array();
  const seen = newest && { newest };
  return [file, identity, { formId, firstVersion, revision, list: await findList(list), ...seen }] as const;
}
