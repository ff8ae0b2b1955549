import assert from "node:assert/strict";
import {
  type EnvelopeHead,
  type OpenedEnvelope,
  openEnvelope,
  RefusalError,
  sealEnvelope,
  toFormKey,
  type VerifiedList,
} from "@sealpost/envelope";
import type { FormId, KeyPair } from "@sealpost/wire";
import type { Reader, Signer } from "../../organizations/testing/test-member-list.ts";

/** An envelope for its writer alone, with these key pairs of a form, by ascending version from `version`. */
export async function sealPairs(
  by: Signer,
  list: VerifiedList,
  formId: FormId,
  pairs: readonly KeyPair[],
  { version = 1, previous }: { readonly version?: number; readonly previous?: OpenedEnvelope } = {},
) {
  const keys = await Promise.all(pairs.map(({ privateKey }, index) => toFormKey(version + index, privateKey)));
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
  const { file, revision } = (await by.client.envelopes.getNewest(formId, firstVersion)) ?? assert.fail();
  const expected = { list, formId, firstVersion, revision, ...(newest && { newest }) };
  const opened = await openEnvelope(file, by.key.identity, expected);
  assert.ok(!(opened instanceof RefusalError), String(opened));
  return opened;
}
