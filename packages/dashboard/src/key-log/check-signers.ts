import { compareKeyLogSigners, followList, RefusalError, type SignerDifferences } from "@sealpost/envelope";
import type { VerifiedKeyLog } from "@sealpost/wire";
import type { EnvelopeApi } from "../envelopes/context.ts";
import type { Heads } from "../envelopes/heads.ts";
import { findFirstTrust } from "../envelopes/own-head.ts";

export interface SignersToCheck {
  readonly personId: string;
  readonly organizationId: string;
  readonly heads: Heads;
  readonly requests: Pick<EnvelopeApi, "fetchList" | "fetchFrom" | "fetchNames">;
  fetchSignedHead(organizationId: string): Promise<string | undefined>;
}

/**
 * The keys that may sign the next entry and for which nothing vouches that this browser has seen, and the owners who are left out, whether or not the key
 * is open: the person's own key, and the list, from its newest head or by what that key has signed. A list that does not verify vouches for nobody, nor does that of another
 * organization than the one in which the form was seen: a person may be in several, and the server says to which of them the form belongs. Nor does one that is
 * for reading: who signs the next entry decides by which key visitors seal.
 */
export async function checkSigners(
  log: VerifiedKeyLog,
  { personId, organizationId, heads, requests, fetchSignedHead }: SignersToCheck,
): Promise<SignerDifferences> {
  const own = (await heads.findPublicHalves(personId))?.signingKey;
  const head = await heads.findList(organizationId);
  if (own === undefined && head === undefined) return compareKeyLogSigners(log, undefined, undefined);
  const first = { organizationId, personId, heads, api: { fetchSignedHead } };
  // Without a key that was seen here there is a head, which then is what counts.
  const trust = own === undefined ? { signingKey: "" } : await findFirstTrust({ ...first, own: { signingKey: own } });
  if (trust instanceof RefusalError) return compareKeyLogSigners(log, undefined, own);
  const followed = await followList({ organizationId, heads, ...requests, trust });
  const isOurs =
    followed.kind === "checked" && !followed.isForReading && (await heads.claimForm(log.entry.formId, organizationId));
  return compareKeyLogSigners(log, isOurs ? followed.list : undefined, own);
}
