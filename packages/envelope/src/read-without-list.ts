import type { Bytes } from "./age-header.ts";
import { checkKeys } from "./envelope-checks.ts";
import type { EnvelopeContent } from "./envelope-content.ts";
import { decryptEnvelope } from "./open-envelope.ts";
import { catchRefusal, check, type EnvelopeReason, type RefusalError } from "./refusal.ts";

/** Refusals that need no list of members. */
export type UnlistedReason = Extract<EnvelopeReason, "malformed" | "not_a_reader" | "wrong_readers" | "wrong_key">;

/**
 * Reads an envelope where no list of members is available, so that **nobody knows who wrote it**: its form is checked, that it has as
 * many recipients as readers, and that each private key is that of its fingerprint. Neither its signature is, nor who the readers
 * are, nor whether there is a newer one. To open submissions with, and nothing else: never seal to its keys, nor wrap anything
 * to those whom it names. SPECIFICATION.md section 15. An identity that is not one of age's is a TypeError.
 */
export function readEnvelopeWithoutList(
  file: Bytes,
  identity: string,
): Promise<EnvelopeContent | RefusalError<UnlistedReason>> {
  return catchRefusal<EnvelopeContent, UnlistedReason>(read(file, identity));
}

async function read(file: Bytes, identity: string): Promise<EnvelopeContent> {
  const { content, stanzas } = await decryptEnvelope(file, identity);
  check(stanzas === content.readers.length, "wrong_readers");
  await checkKeys(content);
  return content;
}
