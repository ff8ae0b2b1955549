import assert from "node:assert/strict";
import {
  type EnvelopeHead,
  type OpenedEnvelope,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  type VerifiedList,
} from "@sealpost/envelope";
import { type FormId, fingerprint, type KeyPair } from "@sealpost/wire";
import type { Reader, Signer } from "../../organizations/testing/test-member-list.ts";

/** An envelope for its writer alone, with these key pairs of a form, by ascending version from `firstVersion`. */
export async function sealPairs(
  by: Signer,
  list: VerifiedList,
  formId: FormId,
  pairs: readonly KeyPair[],
  { firstVersion = 1, previous }: { readonly firstVersion?: number; readonly previous?: OpenedEnvelope } = {},
) {
  const keys = await Promise.all(
    pairs.map(async ({ privateKey }, index) => ({
      version: firstVersion + index,
      fingerprint: await fingerprint(privateKey),
      privateKey,
      hybridFingerprint: null,
      hybridPrivateKey: null,
    })),
  );
  const readerIds = [by.account.id];
  return sealEnvelope({ list, signer: by.signer, formId, readerIds, keys, ...(previous && { previous }) });
}

/** The envelope as the service gives it, opened and checked by its reader. */
export async function openStored(
  by: Reader,
  list: VerifiedList,
  formId: FormId,
  { firstVersion = 1, newest }: { readonly firstVersion?: number; readonly newest?: EnvelopeHead } = {},
): Promise<OpenedEnvelope> {
  const file = (await by.client.envelopes.get(formId, firstVersion)) ?? new Uint8Array();
  const opened = await openEnvelope(file, by.key.identity, { list, formId, firstVersion, ...(newest && { newest }) });
  assert.ok(!(opened instanceof RefusalError), String(opened));
  return opened;
}
