import { findStrangeSigners, followList } from "@sealpost/envelope";
import type { VerifiedKeyLog } from "@sealpost/wire";
import type { Bytes } from "../envelopes/context.ts";
import type { Heads } from "../envelopes/heads.ts";

export interface SignersToCheck {
  readonly personId: string;
  readonly organizationId: string;
  readonly heads: Heads;
  fetchList(): Promise<Bytes | undefined>;
}

/**
 * The keys that may sign the next entry and for which nothing vouches that this browser has seen, whether or not the key is open: the person's own
 * key, and the list, from its newest head or by what that key has signed. A list that does not verify vouches for nobody, nor does that of another
 * organization than the one in which the form was seen: a person may be in several, and the server says to which of them the form belongs.
 */
export async function checkSigners(
  log: VerifiedKeyLog,
  { personId, organizationId, heads, fetchList }: SignersToCheck,
): Promise<readonly string[]> {
  const own = (await heads.findPublicHalves(personId))?.signingKey;
  const head = await heads.findList(organizationId);
  if (own === undefined && head === undefined) return findStrangeSigners(log, undefined, undefined);
  const trust = own === undefined ? { head: head as NonNullable<typeof head> } : { signingKey: own }; // one of them is there
  const followed = await followList({ organizationId, heads, fetchList, trust });
  const isOurs = followed.kind === "checked" && (await heads.claimForm(log.entry.formId, organizationId));
  return findStrangeSigners(log, isOurs ? followed.list : undefined, own);
}
